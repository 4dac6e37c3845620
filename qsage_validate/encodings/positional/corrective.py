"""COR, the corrective encoding of positional games (Mayer-Eichberger and Saffidine 2020).

The board is kept after every ply, with a variable for "occupied" too; Black's moves have a
variable each, of which at most one is true (a ladder), White's are numbers.  See
``corrective_board`` for what this is made from: the papers at hand name these features and give
the clauses of COVER, which is built on them, but not the clauses of COR itself.

An illegal move of White's does nothing; Black may not make one, and has to move as long as the
play goes on.  Stones are laid for moves only, also White's, so that the formula's board is the
play's in every strategy that makes it true.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

from qsage_validate.circuit import aig
from qsage_validate.encodings.arithmetic import constant_literals
from qsage_validate.encodings.completion import PlayLiterals, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.positional.clause_set import FALSE, constant
from qsage_validate.encodings.positional.corrective_board import (
    BLACK,
    WHITE,
    CorrectiveBoard,
    CorrectivePlay,
    Stones,
    corrective_layout,
)
from qsage_validate.encodings.positional.explicit_board import until_last_black_ply
from qsage_validate.encodings.positional.in_mind import ClaimsInMind
from qsage_validate.games.positional.model import PositionalModel


def encode_cor(model: PositionalModel) -> Encoding:
    """The formula that is true if and only if Black wins within the plies.

    Of all positional games, a network's winning sets are listed first; raises ``UsageError`` when
    there are too many.
    """
    return _Cor(until_last_black_ply(model)).encoding()


class _Cor(CorrectiveBoard):
    def __init__(self, model: PositionalModel) -> None:
        super().__init__(model)
        self.choice: dict[int, Bits] = {}
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

    def _define(self, play: PlayLiterals) -> Mapping[int, int]:
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

    def _legal(self, ply: int) -> Bits:
        """Where the formula says what is open: not before the first ply."""
        before = self.occupied[ply - 1]
        return () if ply == 1 else tuple(-before[v] for v in self.choices(ply))

    def encoding(self) -> Encoding:
        layout, qbf = corrective_layout(self, "cor", self.choice, self._legal, one_sided=False)
        completions = {BLACK: self._define, WHITE: nothing_else}
        mind = partial(ClaimsInMind, self.model)
        return Encoding(qbf, layout, self.model, completions, mind)
