"""The game that is left after the first moves, and models that are prepared for it.

Section 4.1 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023 takes an empty board without
loss of generality: positions that a player has already are contracted away.  All open positions
stay, for each of them can be claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.encoding import Goals, PlayLiterals, one_of
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.positional.explicit import until_last_black_ply
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import members
from qsage_validate.games.positional.hex import (
    after,
    contracted,
    is_hex_board,
    last_of,
    preprocess,
    stages,
    transversal_of,
    with_useless_white,
    with_winning_sets,
    without_detours,
    without_larger_sets,
    without_long_sets,
)
from qsage_validate.games.positional.model import (
    Network,
    PositionalModel,
    require_alternating,
    with_first_moves,
)
from qsage_validate.games.protocol import Player

# The game that the encodings with numbered positions speak of: its open positions alone


def playable(model: PositionalModel) -> PositionalModel:
    """The model as far as Black's last ply.

    Raises ``UsageError`` for a game that is not maker-breaker with one stone a turn and an odd
    depth.
    """
    require_alternating(model)
    if not model.maker_breaker:
        raise UsageError(
            f"{model.name}: found winning sets of White's, expected a maker-breaker game"
        )
    return until_last_black_ply(model)


@dataclass(frozen=True)
class OpenGame:
    """A maker-breaker game and what is left of it on its open positions.

    ``inner`` has the open positions alone, numbered in their order; for shapes, whose cells must
    stay where they are, it has all positions in an order of its own.
    """

    model: PositionalModel
    inner: PositionalModel

    @property
    def depth(self) -> int:
        """The number of plies: odd, or 0 where nothing can be claimed."""
        return len(self.model.turns)

    @property
    def names(self) -> tuple[str, ...]:
        return self.inner.positions

    @property
    def size(self) -> int:
        """The number of positions (the paper's eta)."""
        return len(self.inner.positions)

    @property
    def stones(self) -> int:
        """The number of Black's stones: the positions of the longest witness."""
        return (self.depth + 1) // 2

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {self.model.number[name]: new for new, name in enumerate(self.inner.positions)}

    def inner_mask(self, mask: int) -> int:
        """The positions of a set of the model's that ``inner`` has, in its numbers."""
        image = 0
        for old in members(mask):
            if old in self._numbers:
                image |= 1 << self._numbers[old]
        return image

    def claimed(self, goals: Goals) -> int:
        """The positions of one of the goals that were reached, in the numbers of ``inner``.

        A witness is the mask of a winning set or way in the numbers of the model.
        """
        witness = one_of(goals)
        assert isinstance(witness, int), "a witness of a positional game is a set of positions"
        return self.inner_mask(witness)


def with_sets(model: PositionalModel) -> OpenGame:
    """The game with Black's minimal winning sets for which there are enough stones.

    The ways of a network are listed; raises ``UsageError`` where there are too many, and as
    :func:`playable` does.
    """
    model = playable(model)
    inner = contracted(with_winning_sets(model))
    return OpenGame(model, without_larger_sets(without_long_sets(inner)))


def with_network(model: PositionalModel, encoding: str) -> OpenGame:
    """The game with its network; raises ``UsageError`` where Black connects nothing."""
    model = playable(model)
    if model.network is None or model.network.short is not Player.BLACK:
        found = "winning sets" if model.network is None else "a network of White's"
        raise UsageError(f"{model.name}: found {found}, expected Black's network for {encoding}")
    return OpenGame(model, contracted(model))


def steps_of(network: Network) -> tuple[int, ...]:
    """For each position the set of those that may follow it on the witness path.

    The neighbours; and the position itself where it is one of the end, so that short paths are
    as long as long ones (section 4.3).  A position without neighbours is followed by itself
    too: it is on no path, but in the lifted encoding each position must have a neighbour.
    """
    return tuple(
        row | 1 << k if network.end >> k & 1 or not row else row
        for k, row in enumerate(network.neighbours)
    )


def first_set(wins: Sequence[int], through: int) -> tuple[int, ...]:
    """The members of the first winning set within a set of positions; none where there is none."""
    return next((tuple(members(w)) for w in wins if w & through == w), ())


Listing = Callable[[Goals], tuple[int, ...]]
"""The positions that one of the goals which were reached consists of, by number."""


def set_members(game: OpenGame) -> Listing:
    """The members of a winning set that a witness contains."""
    return lambda goals: first_set(game.inner.black_wins, game.claimed(goals))


def way_positions(game: OpenGame) -> Listing:
    """The positions of a way through a witness, from start to end."""
    network = game.inner.own_network
    return lambda goals: network.shortest_way(game.claimed(goals))


def witness_positions(
    play: PlayLiterals, listing: Listing, number: int, first_move: Bits
) -> list[Bits]:
    """A number of positions of the goal that is reached, in literals of the play's graph.

    Where the goal needs no position at all, all of them are Black's first move, which is black.
    """
    width = len(first_move)

    def value(index: int) -> Callable[[Goals], int]:
        def of(goals: Goals) -> int:
            positions = listing(goals)
            return positions[min(index, len(positions) - 1)] if positions else 0

        return of

    empty = play.witness(lambda goals: int(not listing(goals)), 1)[0]
    at = tuple(play.literals[v] for v in first_move)
    return [
        ite_bits(play.builder, empty, at, play.witness(value(index), width))
        for index in range(number)
    ]


def ite_bits(builder: AigBuilder, condition: int, then: Bits, otherwise: Bits) -> Bits:
    return tuple(builder.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True))


def literals_of(play: PlayLiterals, variables: Sequence[int]) -> Bits:
    return tuple(play.literals[v] for v in variables)


def at(builder: AigBuilder, bits: Bits, position: int) -> int:
    """The literal that ``bits`` are the number of a position."""
    width = len(bits)
    return builder.and_all(
        bit ^ 1 ^ (position >> place & 1)
        for place, bit in zip(range(width - 1, -1, -1), bits, strict=True)
    )


def is_one_of(builder: AigBuilder, bits: Bits, others: Sequence[Bits]) -> int:
    """The literal that ``bits`` are the same as one of ``others``."""
    return builder.or_all(builder.eq_all(bits, other) for other in others)


def are_related(builder: AigBuilder, first: Bits, second: Bits, steps: Sequence[int]) -> int:
    """The literal that ``second`` is one of the steps from ``first``."""
    return builder.or_all(
        builder.and_(
            at(builder, first, v), builder.or_all(at(builder, second, w) for w in members(row))
        )
        for v, row in enumerate(steps)
    )


def choose(builder: AigBuilder, cases: Sequence[tuple[int, Bits]], otherwise: Bits) -> Bits:
    """The vector of the first case whose condition holds."""
    result = otherwise
    for condition, bits in reversed(cases):
        result = ite_bits(builder, condition, bits, result)
    return result


def number(value: int, width: int) -> Bits:
    return tuple(TRUE if value >> place & 1 else FALSE for place in range(width - 1, -1, -1))


def assign(
    values: dict[int, int], vectors: Sequence[Bits], literals: Sequence[Bits]
) -> Mapping[int, int]:
    """Enter the literals of some vectors of variables into ``values``."""
    for variables, bits in zip(vectors, literals, strict=True):
        values.update(zip(variables, bits, strict=True))
    return values


# Encodings that list the winning sets.
_OF_SETS: Final = ("ea", "la", "sa", "cor", "cor+", "cor-lean", "cor-ladder")


def prepared(model: PositionalModel, encoding: str) -> PositionalModel:
    """The smaller game with the same winner that the paper's tools encode.

    For the encodings that list winning sets, a network's ways are listed first.  For
    ``et`` positions that are useless to Black are given to White on the Hex board with Black's
    network, and White's network is contracted (Figure 1(d)).  Raises ``UsageError`` for too many
    winning sets.
    """
    return last_of(preparing(model, encoding), model)


def preparing(model: PositionalModel, encoding: str) -> Iterator[PositionalModel]:
    network = model.network
    if encoding in _OF_SETS:
        yield from stages(with_winning_sets(model))
    elif encoding != "et" or network is None or network.short is Player.WHITE:
        yield from stages(model)
    elif is_hex_board(model):
        yield from after(model, (with_useless_white, without_detours, transversal_of, contracted))


# A positional game without what cannot matter, for whoever encodes or searches it


_WHOLE: Final = {
    "sn-httt": "shapes on a whole board",
    "cover": "shapes on a whole board",
    "cover-played": "shapes on a whole board",
    "pairing": "pairs of all positions",
}
"""The encodings whose subject is lost where positions are left out."""


def prepare(model: PositionalModel, encoding: str | None = None) -> PositionalModel:
    """What section 4.1 of Shaik et al. 2023 leaves of a game, with the same winner.

    Winning sets that are complete too late, or contain another one, go; positions that are in none
    any more are White's; positions that are claimed are contracted.  Of Black's first moves
    one of each class under the symmetries of the board is kept, for encodings that ask; first moves
    that the game has already stay as they are.  ``encoding`` is what the game is prepared
    for, ``None`` for a search.

    Raises ``UsageError`` for an encoding that needs the whole board, and for too many winning sets.
    """
    if encoding in _WHOLE:
        raise UsageError(
            f"found --prepare with the encoding {encoding}, which is about {_WHOLE[encoding]}, "
            "expected another encoding"
        )
    if not model.first_moves and model.turns[:1] == (Player.BLACK,):
        model = with_first_moves(model)
    return preprocess(model) if encoding is None else prepared(model, encoding)


def claims_in_time(model: PositionalModel, encoding: str) -> tuple[str, ...]:
    """The open positions of a game, those first that its preparation leaves longest.

    What is left out last may be so because there is time to claim it: White, who wins the
    prepared game, wins the whole one if White claims positions in this order behind it.
    """
    rounds = dict.fromkeys(model.names(model.open), 0)
    for number, left in enumerate(preparing(model, encoding), start=1):
        rounds.update(dict.fromkeys(left.names(left.open), number))
    return tuple(sorted(rounds, key=lambda name: -rounds[name]))


def said(whole: PositionalModel, left: PositionalModel) -> tuple[str, dict[str, object]]:
    """What preparation has left of a game, in a line for people and by keys."""
    parts = [f"{whole.open.bit_count()} open positions, {left.open.bit_count()} left"]
    if whole.black_wins or whole.white_wins:
        before, after = (len(m.black_wins) + len(m.white_wins) for m in (whole, left))
        parts.append(f"{before} winning sets, {after} left")
    if left.first_moves:
        parts.append(f"{left.first_moves.bit_count()} first moves left")
    facts = {"open_positions": whole.open.bit_count(), "positions_left": left.open.bit_count()}
    return f"{whole.name} prepared: {'; '.join(parts)}", dict(facts)
