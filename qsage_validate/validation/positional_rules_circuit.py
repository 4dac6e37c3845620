"""The rules of a positional game as a circuit: who has claimed what, driven by move variables.

Built from the model alone (Definitions 1 to 4 of Shaik, Mayer-Eichberger, van de Pol and
Saffidine 2023), with a literal for each position and player; it shares nothing with the
encodings, which are compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.layout import Bits
from qsage_validate.encodings.table_layout import MoveTable
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player


@dataclass(frozen=True, slots=True)
class Claimed:
    """A literal for each position and player: whether the player has claimed it."""

    black: Bits
    white: Bits

    def of(self, player: Player) -> Bits:
        """The literals of a player."""
        return self.black if player is Player.BLACK else self.white


@dataclass(frozen=True, slots=True)
class PositionalPly:
    """One ply: what the rules say of the move that the variables stand for.

    ``legal`` (the variables name an open position) and ``goal`` (the mover's goal is reached
    after the move) are literals; ``after`` are the claims, those before where it is illegal.
    """

    legal: int
    goal: int
    after: Claimed


class PositionalRulesCircuit:
    """Builds claims and plies of a game inside a graph.

    ``literals`` maps the formula's variables to literals of ``builder``.
    """

    def __init__(
        self, builder: AigBuilder, model: PositionalModel, literals: Mapping[int, int]
    ) -> None:
        self.builder = builder
        self.model = model
        self.literals = literals

    @property
    def initial(self) -> Claimed:
        """The stones to begin with, as constants."""
        size = len(self.model.positions)
        return Claimed(
            tuple(TRUE if self.model.black >> k & 1 else FALSE for k in range(size)),
            tuple(TRUE if self.model.white >> k & 1 else FALSE for k in range(size)),
        )

    def literal(self, signed: int) -> int:
        """The graph's literal of a signed literal of the formula."""
        return self.literals[abs(signed)] ^ (signed < 0)

    def equals(self, bits: Sequence[int], number: int) -> int:
        """Whether ``bits``, literals of the graph, most significant first, are a number."""
        if number >> len(bits):
            return FALSE
        top = len(bits) - 1
        return self.builder.and_all(
            bit ^ 1 ^ (number >> (top - place) & 1) for place, bit in enumerate(bits)
        )

    def made(self, table: MoveTable) -> dict[str, int]:
        """For each move of a ply whether the variables stand for it."""
        builder = self.builder
        bits = [self.literal(v) for v in table.variables]
        if table.code or not table.literals:
            chosen = [self.equals(bits, number) for number in range(len(table.moves))]
        else:
            chosen = []
            for number, bit in enumerate(bits):
                others = (other ^ 1 for k, other in enumerate(bits) if k != number)
                chosen.append(builder.and_all((bit, *others)))
        return dict(zip(table.moves, chosen, strict=True))

    def open(self, claimed: Claimed, number: int) -> int:
        """Whether nobody has claimed a position."""
        return self.builder.and_(claimed.black[number] ^ 1, claimed.white[number] ^ 1)

    def ply(self, table: MoveTable, before: Claimed) -> PositionalPly:
        """The ply whose variables are those of ``table``, after the claims ``before``."""
        builder = self.builder
        size = len(self.model.positions)
        claims = [FALSE] * size
        for name, made in self.made(table).items():
            number = self.model.number[name]
            claims[number] = builder.and_(made, self.open(before, number))
        own = tuple(
            builder.or_(old, claim)
            for old, claim in zip(before.of(table.player), claims, strict=True)
        )
        black = table.player is Player.BLACK
        after = Claimed(own, before.white) if black else Claimed(before.black, own)
        return PositionalPly(builder.or_all(claims), self.goal(after, table.player), after)

    def goal(self, claimed: Claimed, player: Player) -> int:
        """Whether a player has reached a goal (Definition 3)."""
        own = claimed.of(player)
        wins = self.model.black_wins if player is Player.BLACK else self.model.white_wins
        if player is Player.BLACK and self.model.network is not None:
            return self._network(self.model.network, own)
        return self.builder.or_all(
            self.builder.and_all(own[k] for k in members(mask)) for mask in wins
        )

    def _network(self, network: Network, black: Bits) -> int:
        """Definition 4: Short has connected, or Cut has cut every connection."""
        if network.short is Player.BLACK:
            longest = self.model.black.bit_count() + self.model.moves_of(Player.BLACK)
            return self._connects(network, black, longest)
        through = tuple(literal ^ 1 for literal in black)
        return self._connects(network, through, len(black)) ^ 1

    def _connects(self, network: Network, through: Bits, longest: int) -> int:
        """Whether start and end are connected by at most ``longest`` positions of a set."""
        if network.joined:
            return TRUE
        builder = self.builder
        reached = [
            literal if network.start >> k & 1 else FALSE for k, literal in enumerate(through)
        ]
        for _ in range(longest - 1):
            following = [
                builder.and_(
                    literal,
                    builder.or_all(
                        (reached[k], *(reached[j] for j in members(network.neighbours[k])))
                    ),
                )
                for k, literal in enumerate(through)
            ]
            if following == reached:
                break
            reached = following
        return builder.or_all(reached[k] for k in members(network.end))
