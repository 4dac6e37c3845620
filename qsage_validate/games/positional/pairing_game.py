"""The game behind the encoding PAIRING: White wins with a pairing when all stones are laid.

White wins as well by completing a set of White's own before Black has completed one.  When Black
lays the last stone, White has one more ply, at which nothing is laid: White names the pairing,
because it depends on that stone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.positional.cover_game import Stone, StonesPosition
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import Pairing, PairingFinder, open_sets
from qsage_validate.games.protocol import Move, Outcome, Player, Position, Witness

BLACK, WHITE = Player.BLACK, Player.WHITE

SAYS: Final = Stone("the pairs")
"""White's move after the last stone."""

# Pairings that are tried for a position before one is looked for: shared ones make fewer nodes.
_KEPT: Final = 64


class PairingGame(PlanningGame):
    """The game of a model with winning sets, turns of one stone, Black to begin."""

    def __init__(self, model: PositionalModel) -> None:
        self.model = model
        self._finder = PairingFinder(model)
        self._found: list[Pairing] = []
        self._pairings: dict[tuple[int, int], Pairing | None] = {}

    @property
    def plies(self) -> int:
        return self.model.plies + self.model.plies % 2

    @property
    def initial(self) -> PairingPosition:
        return PairingPosition(self.model, self.model.black, self.model.white, 1, self)

    def pairing(self, black: int, white: int) -> Pairing | None:
        """A pairing for these stones."""
        if (black, white) not in self._pairings:
            found = next((p for p in self._found if self.holds(p, black, white)), None)
            if found is None:
                found = self._finder.find(black, white)
                if found is not None:
                    self._found = [found, *self._found[: _KEPT - 1]]
            self._pairings[black, white] = found
        return self._pairings[black, white]

    def holds(self, pairing: Pairing, black: int, white: int) -> bool:
        """True if these are pairs of open positions, one in each of Black's sets that are left."""
        if pairing.mask & (black | white):
            return False
        return next(open_sets(self.model, pairing, black, white), None) is None

    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        assert isinstance(position, PairingPosition), "a position of this game"
        outcome = position.outcome
        if player is BLACK or outcome is None or outcome.winner is BLACK:
            return frozenset()
        if position.completed:
            return frozenset({Pairing(())})
        black, white = position.black, position.white
        own = self.pairing(black, white)
        assert own is not None, "White has won"
        return frozenset({own, *(p for p in self._found if self.holds(p, black, white))})

    def settled(self, position: Position) -> Player | None:
        """White, where White lays the last stone and a pairing exists; else ``None``.

        White then answers every move of Black's in its pair.
        """
        assert isinstance(position, PairingPosition), "a position of this game"
        if self.model.plies % 2 or self.pairing(position.black, position.white) is None:
            return None
        return WHITE


@dataclass(frozen=True)
class PairingPosition(StonesPosition):
    """A position of a :class:`PairingGame`."""

    game: PairingGame = field(repr=False, compare=False)

    @property
    def completed(self) -> bool:
        """True if White has just completed a set."""
        moved = self.ply > 1 and self.to_move is BLACK
        return moved and self.model.won_by_white(self.white)

    @cached_property
    def outcome(self) -> Outcome | None:
        game, plies = self.game, self.model.plies
        if self.model.won_by_black(self.black):
            return Outcome(BLACK, "completed a set")
        if self.completed:
            return Outcome(WHITE, "completed a set first")
        if self.ply <= plies:
            return None
        if game.pairing(self.black, self.white) is None:
            return Outcome(BLACK, "leaves no pairing")
        return None if self.ply <= game.plies else Outcome(WHITE, "has a pairing")

    def legal_moves(self) -> Sequence[Stone]:
        if self.outcome is not None:
            return ()
        if self.ply > self.model.plies:
            return (SAYS,)
        return tuple(Stone(self.model.positions[k], k) for k in members(self.open))

    def after(self, move: Move) -> PairingPosition:
        assert isinstance(move, Stone), "the legal moves are stones"
        bit = 0 if move.position is None else 1 << move.position
        black, white = self.black, self.white
        if self.to_move is BLACK:
            black |= bit
        else:
            white |= bit
        return PairingPosition(self.model, black, white, self.ply + 1, self.game)
