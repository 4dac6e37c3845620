"""COR and COR+ as their authors publish them.

Mayer-Eichberger and Saffidine, *Positional Games and QBF* (2020, polished 2023).  The clauses are
those of the authors' generators (https://github.com/vale1410/positional-games-qbf-encoding):
``cor`` has the clauses 1 to 13 of ``sat2023/bule/cor.bul``, ``cor+`` those of ``bule/pg143.bul``,
which Boucher and Villemaire ("COVER", section 3.3) build on and compare with.  The numbers of
variables and clauses are theirs on the games that they encode.

Moves of both players are numbers.  The board has variables before the first ply and after every
ply.  Black's stones are laid only where the number says so; nothing forbids to leave a stone of
Black's out, or to put one of White's in at White's plies, which only hurts Black.  Illegal moves,
of either player, do nothing.

``cor+`` has symmetry breaking: Black's first stone is on one of the model's first moves.

The authors take the stones to begin with out of the game before they encode it.  Here such
positions are constants and have no variables, which gives the same clauses.  The authors also
take out positions of no winning set; here they stay, for they can be claimed, unless the game is
prepared first (``encodings/prepared.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from qsage_validate.encodings.arithmetic import constant_literals
from qsage_validate.encodings.completion import PlayLiterals
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.positional.corrective_board import (
    BLACK,
    WHITE,
    CorrectiveBoard,
    CorrectivePlay,
    Stones,
)
from qsage_validate.encodings.positional.explicit_board import differs
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.preprocessing import contracted
from qsage_validate.games.protocol import Player


class _Cor(CorrectiveBoard):
    """The clauses of ``cor.bul``, whose numbers are in the comments."""

    name = "cor"
    one_sided = True

    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        self.open = tuple(members(self.model.open))
        self.numbered = self.numbering()
        self.wins = self._wins_on_open_positions()
        self._may_run(1)
        self._lay(0)
        for ply in self.plies:
            if ply > 1:
                self._may_run(ply)
            self.number(ply)
            self._lay(ply)
        self._initial_board()
        for ply in self.plies:
            self._board(ply)
            if self.model.turns[ply - 1] is BLACK:
                self._black(ply)
            else:
                self._white(ply)
        self.won_by = self._goals()

    # -- variables --------------------------------------------------------------------------

    def numbering(self) -> tuple[int, ...]:
        """The open positions in the order of the numbers that stand for them."""
        return self.open

    def choices(self, ply: int) -> Sequence[int]:
        """The positions that a ply may claim, as they are numbered."""
        return self.numbered

    def number(self, ply: int) -> Bits:
        """The variables of a move: enough for all open positions at every ply."""
        return self.number_among(ply, len(self.open))

    def _may_run(self, ply: int) -> None:
        """``time``: the play goes on at a ply; ``stop`` is its complement."""
        if ply in self.plies:
            (time,) = self.clauses.exists(1)
            self.stop[ply] = -time

    def _lay(self, ply: int) -> None:
        """The variables of the board after a ply, for the open positions."""
        start = self.stones[0]
        black, white = list(start.black), list(start.white)
        for laid in (black, white):
            for v, stone in zip(self.open, self.clauses.exists(len(self.open)), strict=True):
                laid[v] = stone
        self.stones[ply] = Stones(tuple(black), tuple(white))

    def _wins_on_open_positions(self) -> dict[Player, tuple[int, ...]]:
        """Winning sets without what their owner has; none with a stone of the opponent's."""
        inner = contracted(self.listed)

        def placed(mask: int) -> int:
            return mask_of(self.open[k] for k in members(mask))

        return {
            BLACK: tuple(map(placed, inner.black_wins)),
            WHITE: tuple(map(placed, inner.white_wins)),
        }

    # -- clauses ----------------------------------------------------------------------------

    def _initial_board(self) -> None:
        for v in self.open:
            self.clauses.add(-self.stones[0].black[v])  # (2)
            self.clauses.add(-self.stones[0].white[v])

    def _board(self, ply: int) -> None:
        add = self.clauses.add
        self.stops_stay(ply)  # (1)
        other = self.model.turns[ply - 1].other
        for v in self.open:
            add(-self.stones[ply].black[v], -self.stones[ply].white[v])  # (3)
            for player in Player:
                before, after = self.own(ply - 1, player)[v], self.own(ply, player)[v]
                add(-before, after)  # (4)
                add(-self.stop[ply], before, -after)  # (6)
                if player is other:
                    add(before, -after)  # (5)

    def _white(self, ply: int) -> None:
        before, after = self.stones[ply - 1], self.stones[ply]
        for number, v in enumerate(self.numbered):
            others = differs(self.code[ply], number)
            self.clauses.add(*others, self.stop[ply], before.black[v], after.white[v])  # (7)

    def _black(self, ply: int) -> None:
        for number, v in enumerate(self.numbered):
            before, after = self.stones[ply - 1].black[v], self.stones[ply].black[v]
            for digit in constant_literals(self.code[ply], number):
                self.clauses.add(before, -after, digit)  # (8), (9)

    def _goals(self) -> dict[int, int]:
        goals = self.goals()  # (10) to (12)
        end = self.stones[len(self.model.turns)].black
        for goal, win in goals.items():
            self.clauses.add(goal, *(-end[v] for v in members(win)))  # (13)
        return goals

    # -- strategies -------------------------------------------------------------------------

    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        self._enter(track, 0)
        for ply in track.plies():
            self._enter(track, ply)
        return {**track.values, **track.goals(self.won_by)}

    def _enter(self, track: CorrectivePlay, ply: int) -> None:
        for player in Player:
            own = self.own(ply, player)
            track.values.update((own[v], track.own[player][v]) for v in self.open)


class _CorPlus(_Cor):
    """The clauses of ``pg143.bul``: those of COR, and symmetry breaking.

    First moves have the lowest numbers, so that the layout's first ply has them alone.  In games
    that White begins, and where Black has won before the first ply, there is nothing to break.
    """

    name = "cor+"

    def numbering(self) -> tuple[int, ...]:
        first = self._first()
        return (*first, *(v for v in self.open if v not in first))

    def choices(self, ply: int) -> Sequence[int]:
        return self._first() if ply == 1 else self.numbered

    def _first(self) -> tuple[int, ...]:
        """The positions that Black may begin with; all of them in other games."""
        first = self.model.first_moves & self.model.open
        return tuple(members(first)) if first and self._breaks_symmetry() else self.open

    def _breaks_symmetry(self) -> bool:
        return self.model.turns[:1] == (BLACK,) and not self.won

    def _initial_board(self) -> None:
        super()._initial_board()
        start = self.stones[0]
        for v in self.open:
            self.clauses.add(-start.black[v], -start.white[v])  # 5, at time 0 too
        if self._breaks_symmetry():
            self.clauses.add(*(self.stones[1].black[v] for v in self._first()))


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "cor": lambda model: _Cor(model).encoding(),
    "cor+": lambda model: _CorPlus(model).encoding(),
}
