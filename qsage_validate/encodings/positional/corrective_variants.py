"""COR and COR+: the corrective encoding (Mayer-Eichberger and Saffidine 2020), polished (2023).

In COR the board is kept after every ply, with a variable for "occupied" too; Black's moves have a
variable each, of which at most one is true (a ladder), White's are numbers.  See
``corrective_board`` for what this is made from: the papers at hand name these features and give
the clauses of COVER, which is built on them, but not the clauses of COR itself.

An illegal move of White's does nothing; Black may not make one, and has to move as long as the
play goes on.  Stones are laid for moves only, also White's, so that the formula's board is the
play's in every strategy that makes it true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from qsage_validate.circuit import aig
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
from qsage_validate.encodings.positional.explicit_board import FALSE, constant
from qsage_validate.games.positional.model import PositionalModel


class _CorLadder(CorrectiveBoard):
    name = "cor-ladder"
    one_sided = False

    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        self.ladder: dict[int, Bits] = {}
        taken = model.black | model.white
        self.occupied = {0: tuple(constant(taken >> v & 1) for v in self.positions)}
        for ply in self.plies:
            self._variables(ply)
        for ply in self.plies:
            self._board(ply)
            if model.turns[ply - 1] is BLACK:
                self._black(ply)
            else:
                self._white(ply)
        self.won_by = self.goals()

    def _variables(self, ply: int) -> None:
        size = len(self.positions)
        self.may_stop(ply)
        if self.model.turns[ply - 1] is BLACK:
            self.choice[ply] = self.clauses.exists(len(self.choices(ply)))
            self.ladder[ply] = self.clauses.exists(max(len(self.choices(ply)) - 1, 0))
        else:
            self.number(ply)
        self.stones[ply] = Stones(self.clauses.exists(size), self.clauses.exists(size))
        self.occupied[ply] = self.clauses.exists(size)

    def _board(self, ply: int) -> None:
        add = self.clauses.add
        self.stops_stay(ply)
        mover = self.model.turns[ply - 1]
        for v in self.positions:
            b, w = self.stones[ply].black[v], self.stones[ply].white[v]
            add(-b, -w)  # (3.28)
            occupied = self.occupied[ply][v]
            add(-b, occupied)
            add(-w, occupied)
            add(-occupied, b, w)
            for player in (BLACK, WHITE):
                before, after = self.own(ply - 1, player)[v], self.own(ply, player)[v]
                add(-before, after)  # (3.29)
                if player is mover:
                    add(-self.stop[ply], before, -after)  # (3.30), (3.31)
                else:
                    add(before, -after)  # (3.32), (3.33)

    def _black(self, ply: int) -> None:
        add = self.clauses.add
        choice, stop = self.choice[ply], self.stop[ply]
        # Rung k is true when the move's number is above k: then it is no rung's below.
        rungs = self.ladder[ply]
        for k, rung in enumerate(rungs):
            add(-choice[k], -rung)
            add(-choice[k + 1], rung)
        for low, high in pairwise(rungs):
            add(-high, low)
        add(stop, *choice)
        chosen = dict(zip(self.choices(ply), choice, strict=True))
        for v in self.positions:
            before, after = self.stones[ply - 1].black[v], self.stones[ply].black[v]
            claim = chosen.get(v, FALSE)
            add(-claim, -self.occupied[ply - 1][v])
            add(before, -after, claim)
            add(stop, -claim, after)

    def _white(self, ply: int) -> None:
        for v in self.positions:
            self.white_claims(ply, v, self.occupied[ply - 1][v])
            before, after = self.stones[ply - 1].white[v], self.stones[ply].white[v]
            for digit in constant_literals(self.code[ply], v):
                self.clauses.add(before, -after, digit)

    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        values, builder = track.values, track.builder
        for ply in track.plies():
            black, white = track.own[BLACK], track.own[WHITE]
            stones = self.stones[ply]
            values.update(zip((*stones.black, *stones.white), (*black, *white), strict=True))
            taken = [builder.or_(b, w) for b, w in zip(black, white, strict=True)]
            values.update(zip(self.occupied[ply], taken, strict=True))
            above = aig.FALSE
            made = play.plies[ply - 1].made
            for k in reversed(range(len(self.ladder.get(ply, ())))):
                above = builder.or_(above, made[k + 1])
                values[self.ladder[ply][k]] = above
        return {**values, **track.goals(self.won_by)}

    def legal(self, ply: int) -> Bits:
        """The literals that the ply's positions are open; none at the first ply."""
        before = self.occupied[ply - 1]
        return () if ply == 1 else tuple(-before[v] for v in self.choices(ply))


class _CorLean(CorrectiveBoard):
    """COR+: both players' moves are numbers.

    Its clauses are those of COVER (Boucher and Villemaire, section 3.3), which is COR+ with a
    cover, without what speaks of the cover: a stone that was not there before is Black's only
    where the digits of the move say so, which keeps Black from laying two.  A player's stones
    have variables after the player's own plies only, so that the frame conditions of the other
    plies (3.32, 3.33) need no clauses.

    Illegal moves, of either player, do nothing.  As on the explicit board of EA, nothing forbids
    to leave a stone of Black's out or to put one of White's in at White's plies: it only hurts
    Black.
    """

    name = "cor-lean"
    one_sided = True

    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        for ply in self.plies:
            self._variables(ply)
        for ply in self.plies:
            self._board(ply)
        self.won_by = self.goals()

    def _variables(self, ply: int) -> None:
        self.may_stop(ply)
        self.number(ply)
        before = self.stones[ply - 1]
        laid = list(self.own(ply - 1, self.model.turns[ply - 1]))
        choices = self.choices(ply)
        for v, stone in zip(choices, self.clauses.exists(len(choices)), strict=True):
            laid[v] = stone
        if self.model.turns[ply - 1] is BLACK:
            self.stones[ply] = replace(before, black=tuple(laid))
        else:
            self.stones[ply] = replace(before, white=tuple(laid))

    def _board(self, ply: int) -> None:
        add = self.clauses.add
        self.stops_stay(ply)
        mover = self.model.turns[ply - 1]
        stop, stones = self.stop[ply], self.stones[ply]
        for number, v in enumerate(self.choices(ply)):
            before, after = self.own(ply - 1, mover)[v], self.own(ply, mover)[v]
            add(-stones.black[v], -stones.white[v])  # (3.28)
            add(-before, after)  # (3.29)
            add(-stop, before, -after)  # (3.30), (3.31)
            if mover is WHITE:
                self.white_claims(ply, v, stones.black[v])
                continue
            for digit in constant_literals(self.code[ply], number):
                add(before, -after, digit)  # (3.37), (3.38)

    def define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        for ply in track.plies():
            mover = self.model.turns[ply - 1]
            for v in self.choices(ply):
                track.values[self.own(ply, mover)[v]] = track.own[mover][v]
        return {**track.values, **track.goals(self.won_by)}


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "cor-ladder": lambda model: _CorLadder(model).encoding(),
    "cor-lean": lambda model: _CorLean(model).encoding(),
}
