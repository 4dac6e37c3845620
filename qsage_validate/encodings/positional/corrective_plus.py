"""COR+, the polished corrective encoding (Mayer-Eichberger and Saffidine 2023).

Its clauses are those of COVER (Boucher and Villemaire, section 3.3), which is COR+ with a cover,
without what speaks of the cover: both players' moves are numbers, and a stone that was not there
before is Black's only where the digits of the move say so, which keeps Black from laying two.  A
player's stones have variables after the player's own plies only, so that the frame conditions of
the other plies (3.32, 3.33) need no clauses.

Illegal moves, of either player, do nothing.  As on the explicit board of EA, nothing forbids to
leave a stone of Black's out or to put one of White's in at White's plies: it only hurts Black.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from qsage_validate.encodings.arithmetic import constant_literals
from qsage_validate.encodings.completion import PlayLiterals, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.corrective_board import (
    BLACK,
    WHITE,
    CorrectiveBoard,
    CorrectivePlay,
    corrective_layout,
)
from qsage_validate.encodings.positional.explicit_board import until_last_black_ply
from qsage_validate.encodings.positional.in_mind import ClaimsInMind
from qsage_validate.games.positional.model import PositionalModel


def encode_cor_plus(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black wins within the plies.

    Of all positional games, a network's winning sets are listed first; raises ``UsageError`` when
    there are too many.
    """
    return _CorPlus(until_last_black_ply(model)).encoding()


class _CorPlus(CorrectiveBoard):
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

    def _define(self, play: PlayLiterals) -> Mapping[int, int]:
        track = CorrectivePlay(self, play)
        for ply in track.plies():
            mover = self.model.turns[ply - 1]
            for v in self.choices(ply):
                track.values[self.own(ply, mover)[v]] = track.own[mover][v]
        return {**track.values, **track.goals(self.won_by)}

    def encoding(self) -> Encoding:
        layout, qbf = corrective_layout(self, "cor+", {}, lambda ply: (), one_sided=True)
        layout = replace(layout, black_passes=True)
        completions = {BLACK: self._define, WHITE: nothing_else}
        mind = partial(ClaimsInMind, self.model)
        return Encoding(qbf, layout, self.model, completions, mind)
