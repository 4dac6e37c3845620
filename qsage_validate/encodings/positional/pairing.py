"""PAIRING: White plays some plies and then has a pairing, which hinders Black for ever.

The idea is Boucher and Villemaire's ("Quantified Boolean Solving for Achievement Games", KI 2021,
as described in section 2.3 of their paper on COVER): White's last moves need no alternation of
quantifiers.  If after ``k`` plies every shape without a white stone contains a *pair* of open
positions, no two pairs with a position in common, White answers in each pair that Black plays
in, and Black never completes a shape.  A White player who has completed a shape before Black did
has held out as well; the moves behind that do not count.

The clauses say "White has such a strategy", with the players' parts changed over: Black's moves
are numbers, universal, and a number of an occupied position is ignored, in the corrective way of
Mayer-Eichberger and Saffidine.  Clauses bind from one side: a white stone is only where White
claimed an open position, a black one at least where Black did.

``encode_pairing`` is the negation, so that, as everywhere, "true" speaks for Black: false means
that White holds, true only that White has no pairing after so many plies.  Played out to a full
board it is exact, for then a shape without a white stone is Black's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Final

from qsage_validate.circuit import aig
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Encoding,
    Goals,
    PlayLiterals,
    completed,
    constant_literals,
    held,
    nothing_else,
    one_of,
    width_for,
)
from qsage_validate.encodings.layout.layout import Layout, StateView, listed
from qsage_validate.encodings.positional.explicit import ClauseSet, constant, differs
from qsage_validate.games.masks import members
from qsage_validate.games.positional.cover_game import Pairing, PairingGame
from qsage_validate.games.positional.hex import with_all_winning_sets
from qsage_validate.games.positional.model import PositionalModel, require_alternating
from qsage_validate.games.protocol import Player

BLACK, WHITE = Player.BLACK, Player.WHITE


def pairing_clauses(model: PositionalModel) -> Qbf:
    """The formula "White has a pairing after the plies", in clauses, for solvers.

    Black's first moves are only those of the model's hint, where it has one.
    """
    return _Pairing(model, first_moves=True).clauses.qbf()


def require_pairing_game(model: PositionalModel) -> None:
    """Raise ``UsageError`` for a game in which pairs say nothing."""
    turns = model.turns
    require_alternating(model if len(turns) % 2 else replace(model, turns=(*turns, BLACK)))


@dataclass(frozen=True, slots=True)
class _PairingPly:
    """The variables of a ply: the move, the mover's stones, whether White has won by then."""

    move: tuple[int, ...]
    numbers: tuple[int, ...]
    stones: tuple[int, ...]
    won: int | None = None


class _Pairing:
    """White's formula: Black's moves universal, all else existential.

    After an odd number of plies White is to move, which is no harm.  Certificates are compiled for
    Black, whose win makes the formula true, and for White where White has a pairing after the
    plies, planned on a :class:`PairingGame`.  All winning sets of a network are listed.  Raises
    ``UsageError`` for too many of them, for games of several stones, or in which White begins.
    """

    def __init__(self, model: PositionalModel, *, first_moves: bool) -> None:
        require_pairing_game(model)
        self.model = model = with_all_winning_sets(model)
        self.size = len(model.positions)
        self.end = model.plies
        # Shapes in which White has a stone from the start are no danger any more.
        self.shapes = tuple(w for w in model.black_wins if not w & model.white)
        self.white_shapes = tuple(w for w in model.white_wins if not w & model.black)
        # Stones that White needs to win.
        rest = [(w & ~model.white).bit_count() for w in self.white_shapes]
        self.needed = max(min(rest), 1) if rest else model.plies + 1
        self.clauses = ClauseSet()
        self.black: list[tuple[int, ...]] = [self._initial(model.black)]
        self.white: list[tuple[int, ...]] = [self._initial(model.white)]
        self.plies: list[_PairingPly] = []
        self.won: int | None = None
        every = tuple(range(self.size))
        hinted = first_moves and bool(model.first_moves)
        for ply in range(1, self.end + 1):
            if ply % 2:
                first = hinted and ply == 1
                self._black_ply(tuple(members(model.first_moves)) if first else every)
            else:
                self._white_ply(every)
        self._end()

    def _initial(self, mask: int) -> tuple[int, ...]:
        return tuple(constant(mask >> v & 1) for v in range(self.size))

    def _black_ply(self, numbers: tuple[int, ...]) -> None:
        """Black's number says where the black stone is, if nothing else is there."""
        add = self.clauses.add
        before, white = self.black[-1], self.white[-1]
        move = self.clauses.variables(Quantifier.FORALL, width_for(len(numbers)))
        now = self.clauses.exists(self.size)
        over = [] if self.won is None else [self.won]
        for v in range(self.size):
            add(-before[v], now[v])
        for number, v in enumerate(numbers):
            add(*differs(move, number), white[v], *over, now[v])
        self.black.append(now)
        self.white.append(white)
        self.plies.append(_PairingPly(move, numbers, now))

    def _white_ply(self, numbers: tuple[int, ...]) -> None:
        """White claims an open position, or has won before and claims none."""
        add = self.clauses.add
        before, black = self.white[-1], self.black[-1]
        over = [] if self.won is None else [self.won]
        move = self.clauses.exists(width_for(len(numbers)))
        now = self.clauses.exists(self.size)
        if len(self.plies) // 2 + 1 >= self.needed:
            (self.won,) = self.clauses.exists(1)
            for earlier in over:
                add(-earlier, self.won)
        for v in range(self.size):
            add(-before[v], now[v])
            for literal in constant_literals(move, v):
                add(before[v], -now[v], literal)
            # A claim is made, of an open position: certificates are played.
            add(*differs(move, v), *over, now[v])
            add(*differs(move, v), *over, -before[v])
            add(-black[v], -now[v])
            for literal in over:
                add(-literal, before[v], -now[v])
        for number in range(len(numbers), 1 << len(move)):
            add(*differs(move, number), *over)
        self.white.append(now)
        self.black.append(black)
        self.plies.append(_PairingPly(move, numbers, now, self.won))

    def _end(self) -> None:
        """Every shape has a white stone or a pair, or White has been the first to win."""
        add = self.clauses.add
        black, white = self.black[-1], self.white[-1]
        taken = self.model.black | self.model.white
        pairs = sorted(
            {p for shape in self.shapes for p in combinations(members(shape & ~taken), 2)}
        )
        self.pairs = dict(zip(pairs, self.clauses.exists(len(pairs)), strict=True))
        self.completed = self.clauses.exists(0 if self.won is None else len(self.white_shapes))
        won = [] if self.won is None else [self.won]
        around: dict[int, list[int]] = {v: [] for v in range(self.size)}
        for pair, chosen in self.pairs.items():
            for v in pair:
                add(-chosen, -black[v])
                around[v].append(chosen)
        for chosen_here in around.values():
            for one, other in combinations(chosen_here, 2):
                add(-one, -other)
        for shape in self.shapes:
            own = list(members(shape))
            inside = [self.pairs[p] for p in combinations(members(shape & ~taken), 2)]
            add(*won, *(white[v] for v in own), *inside)
            for claim in won:
                add(-claim, *(-black[v] for v in own))
        for claim in won:
            # A player who stops has to have won.
            add(-claim, *self.completed)
            for shape, complete in zip(self.white_shapes, self.completed, strict=True):
                for v in members(shape):
                    add(-complete, white[v])

    def encoding(self) -> Encoding:
        """Black's formula, the negation, with its layout."""
        ours = self.clauses.qbf()
        scopes = tuple(Scope(s.quantifier.dual, s.variables) for s in ours.scopes)
        qbf = replace(ours, scopes=scopes, output=-ours.output)
        names = self.model.positions
        tables = tuple(
            listed(
                ply=t,
                player=BLACK if t % 2 else WHITE,
                moves=tuple(names[v] for v in ply.numbers),
                code=ply.move,
            )
            for t, ply in enumerate(self.plies, start=1)
        )
        stones = zip(self.black, self.white, strict=True)
        # The constants that the game begins with are no variables.
        states = [(*black, *white) for black, white in stones]
        known = {v for scope in ours.scopes for v in scope.variables}
        state = StateView(
            kinds=tuple(f"{player.value} {name}" for player in Player for name in names),
            states=tuple(tuple(x if abs(x) in known else 0 for x in s) for s in states),
        )
        gates = {f"pair {names[v]} {names[w]}": x for (v, w), x in self.pairs.items()}
        gates |= {
            f"white has won at {t}": ply.won
            for t, ply in enumerate(self.plies, start=1)
            if ply.won is not None
        }
        layout = Layout(
            moves=tables,
            state=state,
            verdict=qbf.output,
            gates=gates,
            encoding="pairing",
            model=self.model.parts(),
            conclusive=(False,),
            black_passes=True,
        )
        return Encoding(
            qbf,
            layout,
            self.model,
            {BLACK: nothing_else, WHITE: self._define},
            partial(ClaimsInMind, self.model),
            planned_on={WHITE: partial(PairingGame, self.model)},
        )

    def _define(self, play: PlayLiterals) -> Mapping[int, int]:
        """White's variables: the board, who has won, and in the end the pairs."""
        builder, values = play.builder, dict[int, int]()
        black, white = held(self.model.black, self.size), held(self.model.white, self.size)
        over = aig.FALSE
        for t, ply in enumerate(self.plies, start=1):
            own, other = (black, white) if t % 2 else (white, black)
            for v, made in zip(ply.numbers, play.plies[t - 1].made, strict=True):
                laid = builder.and_(made, builder.or_(over, other[v]) ^ 1)
                own[v] = builder.or_(own[v], laid)
            values.update(zip(ply.stones, own, strict=True))
            if ply.won is not None:
                won = builder.or_all(completed(builder, self.white_shapes, white))
                values[ply.won] = over = builder.or_(over, won)
        shapes = self.white_shapes[: len(self.completed)]
        values.update(zip(self.completed, completed(builder, shapes, white), strict=True))
        chosen = play.witness(self._chosen, len(self.pairs))
        values.update(zip(self.pairs.values(), chosen, strict=True))
        return values

    def _chosen(self, goals: Goals) -> int:
        """The bits of the pairs' variables, the first one's first."""
        witness = one_of(goals)
        assert isinstance(witness, Pairing), "what the game says of a win of White's"
        own = {(min(pair), max(pair)) for pair in witness.pairs}
        number = 0
        for pair in self.pairs:
            number = number << 1 | (pair in own)
        return number


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "pairing": lambda model: _Pairing(model, first_moves=False).encoding()
}
