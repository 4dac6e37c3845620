"""COVER: Black's strategies that keep to the shapes around Black's first stone.

Boucher and Villemaire, "The QBF Cover encoding for Harary's Tic-Tac-Toe" (2025), section 3; the
numbers in brackets are the paper's.  After Black's first stone only the *cover* is played on, the
positions of the shapes that contain the stone: Black may claim nothing else, and whatever White
claims elsewhere is one move, "out of cover", that is only counted.  Black has to win whatever
White may have claimed with so many moves.  True means that Black wins; false says nothing.

There are two ways of writing moves.  In ``cover``, as in the paper, each position has a number of
White's and "out of cover" has another one: the number of a position outside the cover does
nothing; and Black need not lay a stone.  In ``cover-played`` the number of any position outside
the cover counts in the place of that move, so that White can say every move of the rules, and
while the game is on Black claims an open position, so that a certificate can be played.  The one
is true exactly when the other is.  See ``docs/explanation/positional-encodings.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Final

from qsage_validate.circuit import aig
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import (
    Encoding,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
    completed,
    constant_literals,
    first_true,
    held,
    width_for,
)
from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, Ply, StateView, listed
from qsage_validate.encodings.positional.explicit import (
    ClauseSet,
    differs,
    until_last_black_ply,
)
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import members
from qsage_validate.games.positional.cover_game import (
    OUT_OF_COVER,
    CoverGame,
    in_the_cover,
    shapes_of,
)
from qsage_validate.games.positional.hex import with_winning_sets
from qsage_validate.games.positional.model import PositionalModel, require_alternating
from qsage_validate.games.protocol import Player

BLACK, WHITE = Player.BLACK, Player.WHITE

MAX_SHAPE: Final = 12
"""Positions in a shape of White's: (3.47) has a clause for each subset of each shape."""


@dataclass(frozen=True, slots=True)
class _CoverTime:
    """The variables of a time point; stones by position, ``move`` and ``out`` where it has any."""

    time: int
    black: Sequence[int]
    white: Sequence[int]
    move: Sequence[int] = ()
    out: Sequence[int] = ()


class _Cover:
    """The variables (3.1) to (3.9) in the order of (3.10) to (3.25), and all clauses.

    Certificates are compiled for Black, planned on a :class:`CoverGame`; those of ``cover`` are
    not played by the rules, for there White cannot say the moves of the rules.  A network's
    winning sets are listed first.  Raises ``UsageError`` for too many of them, and for games of
    several stones.
    """

    def __init__(self, model: PositionalModel, *, played: bool) -> None:
        require_cover_game(model)
        self.model = model = with_winning_sets(until_last_black_ply(model))
        self.played = played
        self.size = len(model.positions)
        self.black_sets, self.white_sets = model.black_wins, model.white_wins
        self.shapes = shapes_of(model)
        # "No point in counting for more moves than there are cells in the target shape".
        self.most = max(map(int.bit_count, self.white_sets), default=0)
        self.end = len(model.turns)
        self.clauses = ClauseSet()
        self._quantify()
        self._write()

    def _quantify(self) -> None:
        clauses, size = self.clauses, self.size
        # Behind the positions comes the out-of-cover move.
        bits, white_bits = width_for(size), width_for(size + (0 if self.played else 1))
        (time,) = clauses.exists(1)
        self.turns = [_CoverTime(time, clauses.exists(size), clauses.exists(size))]
        for t in range(1, self.end + 1):
            (time,) = clauses.exists(1)
            white_moves = t % 2 == 0
            move = (
                clauses.variables(Quantifier.FORALL, white_bits)
                if white_moves
                else clauses.exists(bits)
            )
            if t == 1:
                self.shape_in_cover = clauses.exists(len(self.shapes))
                self.in_cover = clauses.exists(size)
            out = clauses.exists(self.most + 1) if white_moves else ()
            self.turns.append(
                _CoverTime(time, clauses.exists(size), clauses.exists(size), move, out)
            )
        self.win = clauses.exists(len(self.black_sets))

    def _write(self) -> None:
        self._board()
        self._cover()
        for t in range(1, self.end + 1):
            self._frame(t)
            if t % 2:
                self._black_moves(t)
            else:
                self._white_moves(t)
        if self.model.first_moves and self.end:  # (3.40)
            self.clauses.add(*(self.turns[1].black[v] for v in members(self.model.first_moves)))
        self._winning()

    def _board(self) -> None:
        model, start = self.model, self.turns[0]
        for v in range(self.size):
            # (3.27), with the stones that the game begins with.
            self.clauses.add(start.black[v] if model.black >> v & 1 else -start.black[v])
            self.clauses.add(start.white[v] if model.white >> v & 1 else -start.white[v])

    def _frame(self, t: int) -> None:
        add, now, before = self.clauses.add, self.turns[t], self.turns[t - 1]
        add(-now.time, before.time)  # (3.26)
        for v in range(self.size):
            add(-now.black[v], -now.white[v])  # (3.28)
            add(-before.black[v], now.black[v])  # (3.29)
            add(-before.white[v], now.white[v])
            add(now.time, before.black[v], -now.black[v])  # (3.30)
            add(now.time, before.white[v], -now.white[v])  # (3.31)
            if t % 2 == 0:
                add(before.black[v], -now.black[v])  # (3.32)
            else:
                add(before.white[v], -now.white[v])  # (3.33)

    def _cover(self) -> None:
        if self.end < 1:
            return
        first, last = self.turns[1], self.turns[-1]
        for shape, inside in zip(self.shapes, self.shape_in_cover, strict=True):
            self._iff_any(inside, [first.black[v] for v in members(shape)])  # (3.34)
        for v in range(self.size):
            around = [
                inside
                for shape, inside in zip(self.shapes, self.shape_in_cover, strict=True)
                if shape >> v & 1
            ]
            self._iff_any(self.in_cover[v], around)  # (3.35)
            if not self.model.black >> v & 1:
                self.clauses.add(self.in_cover[v], -last.black[v])  # (3.36)

    def _iff_any(self, literal: int, literals: Sequence[int]) -> None:
        """``literal`` is true exactly when one of ``literals`` is."""
        self.clauses.add(-literal, *literals)
        for other in literals:
            self.clauses.add(literal, -other)

    def _black_moves(self, t: int) -> None:
        now, before = self.turns[t], self.turns[t - 1]
        for v in range(self.size):
            for bit in constant_literals(now.move, v):
                self.clauses.add(before.black[v], -now.black[v], bit)  # (3.37), (3.38)
            if self.played:
                other = differs(now.move, v)
                self.clauses.add(-now.time, *other, now.black[v])
                self.clauses.add(-now.time, *other, -before.black[v])
        for number in range(self.size, 1 << len(now.move)) if self.played else ():
            self.clauses.add(-now.time, *differs(now.move, number))

    def _white_moves(self, t: int) -> None:
        now, before = self.turns[t], self.turns[t - 1]
        add = self.clauses.add
        for v in range(self.size):
            other = differs(now.move, v)
            add(-now.time, before.black[v], -self.in_cover[v], *other, now.white[v])  # (3.41)
        earlier = self.turns[t - 2].out
        for i in range(1, self.most + 1):
            # Nothing has been counted before White's first move, and "none" always has.
            if i > 1 and not earlier:
                continue
            counted = [-earlier[i - 1]] if earlier else []
            for other in self._not_out_of_cover(t):
                add(-now.time, *other, *counted, now.out[i])  # (3.42)
        add(now.out[0])  # (3.43)
        for old, new in zip(earlier, now.out, strict=False):
            add(-old, new)  # (3.44)

    def _not_out_of_cover(self, t: int) -> list[list[int]]:
        """Parts of clauses: each says that White's move is not out of the cover."""
        move = self.turns[t].move
        if not self.played:
            return [differs(move, self.size)]
        open_at_first = members(self.model.open)
        return [[*differs(move, v), self.in_cover[v]] for v in open_at_first]

    def _winning(self) -> None:
        last = self.turns[-1]
        for shape, win in zip(self.black_sets, self.win, strict=True):
            self._iff_any(-win, [-last.black[v] for v in members(shape)])  # (3.45)
        self.clauses.add(*self.win)  # (3.46)
        out = self.turns[-2].out if self.end > 1 else ()
        for shape in self.white_sets:
            positions = list(members(shape))
            for i in range(len(positions) + 1 if out else 1):
                counted = [-out[i]] if out else []
                for outside in combinations(positions, i):
                    inside = [v for v in positions if v not in outside]
                    self.clauses.add(  # (3.47)
                        *counted,
                        *(-last.white[v] for v in inside),
                        *(self.in_cover[v] for v in outside),
                    )

    def encoding(self) -> Encoding:
        names = self.model.positions
        # White's numbers mean "claim this position of the cover": no move of the rules, which
        # know nothing of a cover.
        white = names if self.played else (*map(in_the_cover, names), OUT_OF_COVER)
        tables = tuple(
            listed(
                ply=t,
                player=BLACK if t % 2 else WHITE,
                moves=names if t % 2 else white,
                code=tuple(self.turns[t].move),
            )
            for t in range(1, self.end + 1)
        )
        state = StateView(
            kinds=(*(f"black {n}" for n in names), *(f"white {n}" for n in names)),
            # White's stones outside the cover are only counted.
            states=tuple((*turn.black, *(0,) * self.size) for turn in self.turns),
        )
        gates = {f"time {t}": turn.time for t, turn in enumerate(self.turns)}
        if self.end:
            gates |= {f"in cover {n}": x for n, x in zip(names, self.in_cover, strict=True)}
        for t, turn in enumerate(self.turns):
            gates |= {f"out of cover {i} at {t}": x for i, x in enumerate(turn.out)}
        qbf = self.clauses.qbf()
        layout = Layout(
            moves=tables,
            state=state,
            verdict=qbf.output,
            gates=gates,
            encoding="cover-played" if self.played else "cover",
            model=self.model.parts(),
            conclusive=(True,),
            illegal=IllegalMoves.IGNORED,
        )
        return Encoding(
            qbf,
            layout,
            self.model,
            {BLACK: self._define},
            partial(CoverInMind, self.model, self.played),
            planned_on={BLACK: partial(CoverGame, self.model, played=self.played)},
        )

    def _define(self, play: PlayLiterals) -> Mapping[int, int]:
        """Black's variables: time while Black has not won, board, cover and counted moves."""
        builder, start, model = play.builder, self.turns[0], self.model
        black, white = held(model.black, self.size), held(model.white, self.size)
        values = {start.time: aig.TRUE}
        values.update(zip((*start.black, *start.white), (*black, *white), strict=True))
        counted = [aig.TRUE] + [aig.FALSE] * self.most
        cover: Sequence[int] = ()
        for t in range(1, self.end + 1):
            turn, made = self.turns[t], play.plies[t - 1].made
            going_on = builder.or_all(completed(builder, self.black_sets, black)) ^ 1
            values[turn.time] = going_on
            if t % 2:
                laid = [builder.and_(one, going_on) for one in made]
                black = [builder.or_(a, b) for a, b in zip(black, laid, strict=True)]
            else:
                for v in range(self.size):
                    laid_here = builder.and_all((made[v], going_on, black[v] ^ 1, cover[v]))
                    white[v] = builder.or_(white[v], laid_here)
                out = builder.and_(self._moves_out(builder, made, cover), going_on)
                counted = [
                    aig.TRUE,
                    *(
                        builder.or_(now, builder.and_(below, out))
                        for below, now in pairwise(counted)
                    ),
                ]
                values.update(zip(turn.out, counted, strict=True))
            values.update(zip((*turn.black, *turn.white), (*black, *white), strict=True))
            if t == 1:
                inside = [builder.or_all(black[v] for v in members(s)) for s in self.shapes]
                cover = covered(builder, self.model, black)
                values.update(zip(self.shape_in_cover, inside, strict=True))
                values.update(zip(self.in_cover, cover, strict=True))
        values.update(zip(self.win, completed(builder, self.black_sets, black), strict=True))
        return values

    def _moves_out(self, builder: AigBuilder, made: Sequence[int], cover: Sequence[int]) -> int:
        """The literal that a move of White's is counted."""
        if not self.played:
            return made[self.size]
        places = members(self.model.open)
        return builder.or_all(builder.and_(made[v], cover[v] ^ 1) for v in places)


def covered(builder: AigBuilder, model: PositionalModel, black: Sequence[int]) -> list[int]:
    """For each position the literal that it is in the cover of these stones of Black's."""
    inside = {s: builder.or_all(black[v] for v in members(s)) for s in shapes_of(model)}
    return [
        builder.or_all(x for shape, x in inside.items() if shape >> v & 1)
        for v in range(len(model.positions))
    ]


def require_cover_game(model: PositionalModel) -> None:
    """Raise ``UsageError`` for a game that COVER cannot express."""
    require_alternating(model)
    largest = max(map(int.bit_count, model.white_wins), default=0)
    if largest > MAX_SHAPE:
        raise UsageError(
            f"{model.name}: found a winning set of {largest} positions, expected at most "
            f"{MAX_SHAPE} (COVER has a clause for each subset)"
        )


class CoverInMind(ReferencePlay):
    """The game of a cover, for Black, who stops when Black has won.

    For a move of White's that does nothing the first open position of the cover is made, and for
    any outside the cover the first of these.
    """

    def __init__(
        self, model: PositionalModel, played: bool, builder: AigBuilder, hero: Player
    ) -> None:
        self.builder = builder
        self.model = model
        self.played = played
        size = len(model.positions)
        self._black, self._white = held(model.black, size), held(model.white, size)
        self._cover: Sequence[int] = ()

    def over(self, ply: Ply) -> int | None:
        wins = completed(self.builder, self.model.black_wins, self._black)
        return self.builder.or_all(wins)

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        builder = self.builder
        stones = zip(self._cover, self._black, self._white, strict=True)
        places = [builder.and_all((c, b ^ 1, w ^ 1)) for c, b, w in stones]
        inside = [builder.and_(m, p) for m, p in zip(made, places, strict=False)]
        if self.played:
            outside = [
                c ^ 1 if self.model.open >> v & 1 else aig.FALSE for v, c in enumerate(self._cover)
            ]
            out = builder.or_all(builder.and_(m, o) for m, o in zip(made, outside, strict=True))
            counted = [builder.and_(out, first) for first in first_true(builder, outside)]
        else:
            out = made[-1]
            counted = [*(aig.FALSE for _ in places), out]
            inside.append(aig.FALSE)
            places.append(aig.FALSE)
        wrong = builder.or_(out, builder.or_all(inside)) ^ 1
        instead = (builder.and_(wrong, first) for first in first_true(builder, places))
        return [builder.or_all(some) for some in zip(inside, counted, instead, strict=True)]

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        builder, made = self.builder, played.made
        if ply.player is Player.BLACK:
            self._black = [builder.or_(b, m) for b, m in zip(self._black, made, strict=True)]
        else:
            stones = zip(self._white, made, self._cover, strict=False)
            self._white = [builder.or_(w, builder.and_(m, c)) for w, m, c in stones]
        if ply.ply == 1:
            self._cover = covered(builder, self.model, self._black)


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "cover": lambda model: _Cover(model, played=False).encoding(),
    "cover-played": lambda model: _Cover(model, played=True).encoding(),
}
