"""Functions of the variables of a lifted encoding that are no moves, computed from the moves.

Black decides indicators, states and the counter-example to White's goal; White decides the
symbolic square, which shows Black's first mistake.  Both claim a goal.  See :mod:`.grid_state` for
the contents of the squares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Final

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.encodings.encoding import (
    Completion,
    Goals,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
)
from qsage_validate.encodings.grid_state import GridPly, MoveTracker, Vector
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.games.bddl.model import Condition, Model
from qsage_validate.games.protocol import Player

# The parts of a goal of a grid game: its number among the player's, and its parameters from 1.
_PLACE: Final[Callable[[Any], tuple[int, int, int]]] = attrgetter("condition", "x", "y")


class GridPlay(ABC):
    """A play, ply by ply: the contents of the squares, and the literals that moves are legal.

    ``flags`` say by ply that a move is legal: its preconditions, its bounds (``None``: unknown).
    """

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder) -> None:
        self.layout = layout
        self.model = model
        self.builder = builder
        self.tracker = MoveTracker(builder, model)
        self.flags: dict[int, tuple[Sequence[int], int | None]] = {}

    def add(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        """Go on to the next ply; ``known`` are literals of the variables known by now."""
        action, x, y = played.numbers
        self.tracker.add(ply.player, action, x, y, played.stop)

    def completed(self, play: PlayLiterals) -> Mapping[int, int]:
        """The functions of all variables of the hero's that are no moves, of the whole play."""
        for ply, played in zip(self.layout.moves, play.plies, strict=True):
            self.add(ply, played, play.literals)
        variables = self.layout.goals.claim(play.hero)
        claim = play.witness(*claimed_number(self.layout, play.hero))
        functions = dict(zip(sum(variables, ()), claim, strict=True))
        functions.update(self._others(play.literals, functions))
        return functions

    @abstractmethod
    def _others(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Mapping[int, int]:
        """Functions of the player's other variables: the position and what follows from it."""


def claimed_number(layout: Layout, player: Player) -> tuple[Callable[[Goals], int], int]:
    """Goal and parameters that are claimed of some goals, as one number of so many bits."""
    condition, x, y = map(len, layout.goals.claim(player))

    def number(goals: Goals) -> int:
        goal, column, row = min(map(_PLACE, goals))
        return (goal << x | column - 1) << y | row - 1

    return number, condition + x + y


class BlackPlay(GridPlay):
    """Black's functions: indicators, goals, counter-examples and states."""

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder) -> None:
        super().__init__(layout, model, builder)
        self._indicators: dict[int, int] = {}

    def add(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        super().add(ply, played, known)
        said = ply.indicators
        if ply.player is Player.WHITE and said is not None:
            functions = self.tracker.indicator_functions(ply.ply, said)
            self._indicators.update(functions)
            self.flags[ply.ply] = (
                [functions[v] for v in said.preconditions],
                None if said.bounds is None else functions[said.bounds],
            )

    def _others(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Mapping[int, int]:
        functions, goals, state = dict(self._indicators), self.layout.goals, self.layout.state
        if goals.counterexample:
            numbers = self.tracker.counterexample(
                self.model.problem.white_goals,
                read(known, goals.white_condition),
                read(known, goals.white_x),
                read(known, goals.white_y),
                len(goals.counterexample),
            )
            functions.update(zip(goals.counterexample, numbers, strict=True))
        x, y = Vector(read(known, state.x)), Vector(read(known, state.y))
        last = len(state.states) - 1
        for time, literals in enumerate(state.states):
            # The last state is the goal copy: it keeps the board at the stop.
            at = time if time < last else min(self.layout.plies, time)
            content = self.tracker.content(at, x, y, frozen=True)
            functions.update(zip(literals, (content.is_open, content.is_white), strict=True))
        return functions


def read(known: Mapping[int, int], bits: Bits) -> Bits:
    """The literals of some bits; what is left open is false."""
    return tuple(known.get(abs(v), FALSE) ^ (v < 0) for v in bits)


@dataclass(frozen=True)
class _WrongClaim:
    """A literal that says that a claim of Black's is wrong here, and where that shows."""

    wrong: int
    square: Callable[[Mapping[int, int], Mapping[int, int]], Bits]


class WhitePlay(GridPlay):
    """White's functions: goals, and the square that shows Black's first mistake.

    The symbolic square points at the first claim of Black's that is wrong: a precondition that
    does not hold, an indicator with the wrong value, a goal that was not reached, a
    counter-example that is none.  Claims that are wrong whatever the square (bounds, numbers
    out of range) need no pointing at.
    """

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder) -> None:
        super().__init__(layout, model, builder)
        self._claims: list[_WrongClaim] = []

    def add(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        super().add(ply, played, known)
        step = self.tracker.steps[-1]
        conditions = [a.precondition for a in self.model.domain.actions(ply.player)]
        white = ply.player is Player.WHITE
        if not white or ply.indicators is not None:
            said = ply.indicators.preconditions if ply.indicators is not None else ()
            count = len(said) if white else max(map(len, conditions))
            holds = self.tracker.precondition_flags(ply.ply, count)
            self.flags[ply.ply] = (holds, None)
            for number, flag in enumerate(holds):
                wrong = self.builder.xor(flag, known[said[number]]) if white else flag ^ 1
                square = partial(self._part_square, step, conditions, number)
                self._claims.append(_WrongClaim(wrong, square))
        if ply.stop is not None:
            show = self._counterexample_square if white else self._unreached_square
            self._claims.append(_WrongClaim(played.stop, show))

    def _others(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Mapping[int, int]:
        square = self._unreached_square(known, claim)
        for one in reversed(self._claims):
            if one.wrong != FALSE:
                square = self.tracker.ite_bits(one.wrong, one.square(known, claim), square)
        return dict(zip(self.layout.state.position, square, strict=True))

    def _part_square(
        self,
        step: GridPly,
        conditions: Sequence[Condition],
        number: int,
        known: Mapping[int, int],
        claim: Mapping[int, int],
    ) -> Bits:
        """The square of part ``number`` of the chosen action's precondition."""
        anywhere = step.x.bits + step.y.bits
        return self.tracker.select_bits(
            step.action,
            [
                self.tracker.square_bits(*self.tracker.place(step.x, step.y, c[number]))
                if number < len(c)
                else anywhere
                for c in conditions
            ],
        )

    def _unreached_square(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Bits:
        """A square where the goal that Black claims is not reached."""
        if not self.model.problem.black_goals:
            return tuple(FALSE for _ in self.layout.state.position)
        vectors = self.layout.goals.claim(Player.BLACK)
        return self.tracker.broken_square(
            self.model.problem.black_goals, *(read(known, bits) for bits in vectors)
        )

    def _counterexample_square(self, known: Mapping[int, int], claim: Mapping[int, int]) -> Bits:
        """The square of the part of White's goal that Black says is not there."""
        vectors = self.layout.goals.claim(Player.WHITE)
        condition, x, y = (read(claim, bits) for bits in vectors)
        number = read(known, self.layout.goals.counterexample)
        options = []
        for goal in self.model.problem.white_goals:
            squares = [
                self.tracker.square_bits(*self.tracker.place(Vector(x), Vector(y), part))
                for part in goal
            ]
            options.append(self.tracker.select_bits(number, squares))
        return self.tracker.select_bits(condition, options)


_PLAYS = {Player.BLACK: BlackPlay, Player.WHITE: WhitePlay}


def grid_play(layout: Layout, model: Model, hero: Player, builder: AigBuilder) -> GridPlay:
    return _PLAYS[hero](layout, model, builder)


def grid_completions(layout: Layout, model: Model) -> Mapping[Player, Completion]:
    """The completions for both players: the functions of all variables that are no moves."""

    def complete(play: PlayLiterals) -> Mapping[int, int]:
        return grid_play(layout, model, play.hero, play.builder).completed(play)

    return dict.fromkeys(Player, complete)


class GridInMind(ReferencePlay):
    """Builds what follows with each ply, so that a graph has its gates in the order of plies."""

    def __init__(self, layout: Layout, model: Model, builder: AigBuilder, hero: Player) -> None:
        self._play = grid_play(layout, model, hero, builder)
        self.witnesses = (claimed_number(layout, hero),)

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        self._play.add(ply, played, known)
