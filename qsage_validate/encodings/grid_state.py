"""The state of a grid game in a formula: its literals over time, and their completion.

Given the bits of all moves as AIG literals, :class:`MoveTracker` builds the content of any
symbolic square at any time, one comparison with each earlier move, and from it the indicators,
the state variables and the goal counter-examples (Skolem side), or the square and the goal
that show where the opponent's claims break (Herbrand side).  It is a second reading of
section 4 of the paper, apart from the encoder's; the certificate check holds the two together.

Black decides indicators, states and the counter-example to White's goal; White decides the
symbolic square, which shows Black's first mistake.  Both claim a goal.  See :mod:`.tracker` for
the contents of the squares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.decision import synthesise
from qsage_validate.encodings.encoding import (
    Completion,
    Goals,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
    width_for,
)
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Indicators, Layout, Ply
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    Condition,
    Coordinate,
    Model,
    SubCondition,
)
from qsage_validate.games.protocol import Player, Square

# Functions of all other variables of a lifted encoding, built from the moves


@dataclass(frozen=True)
class Vector:
    """A coordinate: AIG literals, most significant bit first, plus a constant, modulo."""

    bits: Bits
    offset: int = 0

    def plus(self, constant: int) -> Vector:
        """The vector moved by ``constant``."""
        return Vector(self.bits, (self.offset + constant) % (1 << len(self.bits)))


@dataclass(frozen=True)
class GridPly:
    """One ply: its player, its bits, and the literal "no player stopped before this ply"."""

    player: Player
    action: Bits
    x: Vector
    y: Vector
    running: int


@dataclass(frozen=True)
class Content:
    """Two literals that say what is on a square; an open square is never white."""

    is_open: int
    is_white: int


class MoveTracker:
    """The board at symbolic squares, as a function of the moves so far."""

    def __init__(self, builder: AigBuilder, model: Model) -> None:
        self.builder = builder
        self.model = model
        self.problem = model.problem
        self.steps: list[GridPly] = []
        self.running = TRUE
        self._sums: dict[tuple[Bits, int], Bits] = {}
        self._contents: dict[tuple[int, Vector, Vector, bool], Content] = {}

    def add(self, player: Player, action: Bits, x: Bits, y: Bits, stop: int = FALSE) -> None:
        """Append a ply; ``stop`` is the literal of its game-stop variable."""
        self.steps.append(GridPly(player, action, Vector(x), Vector(y), self.running))
        self.running = self.builder.and_(self.running, stop ^ 1)

    @property
    def contents(self) -> Mapping[tuple[int, Vector, Vector, bool], Content]:
        """All that was built so far: time, x, y and whether frozen, in the order of creation."""
        return self._contents

    # -- arithmetic -------------------------------------------------------------------------

    def sum(self, vector: Vector) -> Bits:
        """The bits of a vector with its offset added."""
        key = (vector.bits, vector.offset)
        if not vector.offset:
            return vector.bits
        if key not in self._sums:
            result: list[int] = []
            carry = FALSE
            for position, bit in enumerate(reversed(vector.bits)):
                one = vector.offset >> position & 1
                result.append(self.builder.xor(bit, carry) ^ one)
                both = self.builder.or_ if one else self.builder.and_
                carry = both(bit, carry)
            self._sums[key] = tuple(reversed(result))
        return self._sums[key]

    def equal(self, left: Vector, right: Vector) -> int:
        """The literal that two vectors have the same value."""
        if all(bit <= TRUE for bit in right.bits):
            left, right = right, left
        if all(bit <= TRUE for bit in left.bits):
            value = 0
            for bit in left.bits:
                value = 2 * value + bit
            return self.equals_constant(right.bits, value + left.offset - right.offset)
        shift = left.plus(-right.offset)
        return self.builder.eq_all(self.sum(shift), right.bits)

    def equals_constant(self, bits: Sequence[int], value: int) -> int:
        """The literal that ``bits`` have ``value`` (modulo two to the width)."""
        return self.builder.and_all(
            bit ^ 1 ^ (value >> position & 1)
            for position, bit in zip(range(len(bits) - 1, -1, -1), bits, strict=True)
        )

    def _place(self, base: Vector, coordinate: Coordinate, size: int) -> Vector:
        """The coordinate of a sub-condition around ``base``, 0-based."""
        if coordinate.anchor is Anchor.PARAMETER:
            return base.plus(coordinate.offset)
        value = coordinate.at(0, size) - 1
        width = width_for(size)
        return Vector(tuple(value >> k & 1 for k in range(width - 1, -1, -1)))

    def place(self, x: Vector, y: Vector, part: SubCondition) -> tuple[Vector, Vector]:
        """The square that ``part`` speaks of, around the parameters (x, y)."""
        return (
            self._place(x, part.x, self.problem.width),
            self._place(y, part.y, self.problem.height),
        )

    # -- contents ---------------------------------------------------------------------------

    def content(self, time: int, x: Vector, y: Vector, *, frozen: bool) -> Content:
        """The content of square (x, y) after the first ``time`` plies.

        With ``frozen`` plies after a stop change nothing; without it the circuit is smaller, but
        only right while no player has stopped.
        """
        key = (time, x, y, frozen)
        if key in self._contents:
            return self._contents[key]
        if time == 0:
            now = self._initial(x, y)
        else:
            before = self.content(time - 1, x, y, frozen=frozen)
            now = self._after(self.steps[time - 1], x, y, before, frozen=frozen)
        self._contents[key] = now
        return now

    def _initial(self, x: Vector, y: Vector) -> Content:
        at = self.sum(x) + self.sum(y)
        pieces = {(column - 1, row - 1): square for square, column, row in self.problem.initial}
        y_width = len(y.bits)

        def table(wanted: set[Square | None]) -> int:
            if not set(pieces.values()) & wanted and None not in wanted:
                return FALSE
            rows = {
                column << y_width | row: int(pieces.get((column, row)) in wanted)
                for column in range(1 << len(x.bits))
                for row in range(1 << y_width)
            }
            return synthesise(self.builder, at, rows, (len(x.bits), y_width))

        return Content(table({None}), table({Square.WHITE}))

    def _after(
        self, step: GridPly, x: Vector, y: Vector, before: Content, *, frozen: bool
    ) -> Content:
        hits: dict[Square, list[int]] = {square: [] for square in Square}
        overwritten = False
        for number, action in enumerate(self.model.domain.actions(step.player)):
            chosen = self.equals_constant(step.action, number)
            for part in action.effect:
                at_x, at_y = self.place(step.x, step.y, part)
                hit = [chosen, self.equal(x, at_x), self.equal(y, at_y)]
                if frozen:
                    hit.append(step.running)
                hits[part.predicate].append(self.builder.and_all(hit))
                overwritten |= part.predicate is not Square.WHITE and not _was_open(action, part)
        to_open, to_black, to_white = (
            self.builder.or_all(hits[s]) for s in (Square.OPEN, Square.BLACK, Square.WHITE)
        )
        kept_open = self.builder.and_(before.is_open, self.builder.or_(to_black, to_white) ^ 1)
        kept_white = before.is_white
        if overwritten:
            gone = self.builder.or_(to_open, to_black)
            kept_white = self.builder.and_(kept_white, gone ^ 1)
        return Content(self.builder.or_(to_open, kept_open), self.builder.or_(to_white, kept_white))

    def holds(self, part: SubCondition, content: Content) -> int:
        """The literal that the content of the square is as ``part`` says."""
        literal = {
            Square.OPEN: content.is_open,
            Square.WHITE: content.is_white,
            Square.BLACK: self.builder.and_(content.is_open ^ 1, content.is_white ^ 1),
        }[part.predicate]
        return literal ^ part.negated

    def part_holds(
        self, part: SubCondition, time: int, x: Vector, y: Vector, *, frozen: bool = False
    ) -> int:
        """The literal that ``part`` holds around (x, y) after ``time`` plies."""
        at_x, at_y = self.place(x, y, part)
        return self.holds(part, self.content(time, at_x, at_y, frozen=frozen))

    # -- bounds and choices -----------------------------------------------------------------

    def within(self, x: Bits, y: Bits, condition: Condition) -> int:
        """The literal that (x, y) is within the implicit bounds of a condition (Definition 4)."""
        return self.builder.and_(
            self._axis_within(x, [part.x for part in condition], self.problem.width),
            self._axis_within(y, [part.y for part in condition], self.problem.height),
        )

    def _axis_within(self, bits: Bits, parts: Sequence[Coordinate], size: int) -> int:
        offsets = [c.offset for c in parts if c.anchor is Anchor.PARAMETER]
        rows = {
            value: int(value < size and all(0 <= value + offset < size for offset in offsets))
            for value in range(1 << len(bits))
        }
        return synthesise(self.builder, bits, rows)

    def select(self, selector: Bits, options: Sequence[int]) -> int:
        """``options[selector]``; the last option for every number beyond."""
        if not options:
            return FALSE
        if len(set(options)) == 1:
            return options[0]
        result = options[-1]
        for number in range(len(options) - 2, -1, -1):
            chosen = self.equals_constant(selector, number)
            result = self.builder.ite(chosen, options[number], result)
        return result

    def select_bits(self, selector: Bits, options: Sequence[Bits]) -> Bits:
        """:meth:`select` for vectors of equal width."""
        return tuple(self.select(selector, column) for column in zip(*options, strict=True))

    # -- indicators -------------------------------------------------------------------------

    def precondition_flags(self, ply: int, count: int) -> list[int]:
        """For each k the literal that precondition k of the chosen action holds (Table 1's P).

        ``ply`` is a ply that was added; a precondition that the action does not have holds.
        """
        step = self.steps[ply - 1]
        actions = self.model.domain.actions(step.player)
        flags = []
        for number in range(count):
            options = [
                self.part_holds(a.precondition[number], ply - 1, step.x, step.y)
                if number < len(a.precondition)
                else TRUE
                for a in actions
            ]
            flags.append(self.select(step.action, options))
        return flags

    def bounds_flag(self, ply: int) -> int:
        """The value of lb at a ply that was added: action and parameters are in bounds."""
        step = self.steps[ply - 1]
        actions = self.model.domain.actions(step.player)
        options = [
            self.within(step.x.bits, step.y.bits, a.precondition + a.effect) for a in actions
        ]
        if len(actions) < 1 << len(step.action):
            options.append(FALSE)
        return self.select(step.action, options)

    def indicator_functions(self, ply: int, indicators: Indicators) -> dict[int, int]:
        """The functions of lb and P of one ply: QBF variable to AIG literal."""
        flags = self.precondition_flags(ply, len(indicators.preconditions))
        functions = dict(zip(indicators.preconditions, flags, strict=True))
        if indicators.bounds is not None:
            functions[indicators.bounds] = self.bounds_flag(ply)
        return functions

    # -- goals ------------------------------------------------------------------------------

    def counterexample(
        self, goals: Sequence[Condition], selector: Bits, x: Bits, y: Bits, width: int
    ) -> Bits:
        """W_ce: the number of a part of goal ``selector`` around (x, y) that does not hold.

        The board is the one at the end.  A part is only tested when an earlier one holds, and
        the last part not at all: when the goal is not reached some part is broken.
        """
        options = []
        for goal in goals:
            number = _number_bits(len(goal) - 1, width)
            for k in range(len(goal) - 2, -1, -1):
                holds = self.part_holds(goal[k], len(self.steps), Vector(x), Vector(y), frozen=True)
                number = tuple(
                    self.builder.ite(holds, later, bit)
                    for later, bit in zip(number, _number_bits(k, width), strict=True)
                )
            options.append(number)
        return self.select_bits(selector, options)

    def broken_square(self, goals: Sequence[Condition], selector: Bits, x: Bits, y: Bits) -> Bits:
        """The square (x and y bits) of the first part of a claimed goal that does not hold."""
        options = []
        for goal in goals:
            squares = [self.square_bits(*self.place(Vector(x), Vector(y), part)) for part in goal]
            square = squares[-1]
            for part, other in list(zip(goal, squares, strict=True))[-2::-1]:
                holds = self.part_holds(part, len(self.steps), Vector(x), Vector(y), frozen=True)
                square = self.ite_bits(holds, square, other)
            options.append(square)
        return self.select_bits(selector, options)

    def square_bits(self, x: Vector, y: Vector) -> Bits:
        return self.sum(x) + self.sum(y)

    def ite_bits(self, condition: int, then: Bits, otherwise: Bits) -> Bits:
        return tuple(
            self.builder.ite(condition, a, b) for a, b in zip(then, otherwise, strict=True)
        )


def _number_bits(value: int, width: int) -> Bits:
    return tuple(value >> k & 1 for k in range(width - 1, -1, -1))


def _was_open(action: Action, part: SubCondition) -> bool:
    """True if the action's precondition says that the square of an effect was open."""
    wanted = SubCondition(Square.OPEN, part.x, part.y)
    return wanted in action.precondition


# Functions of the variables of a lifted encoding that are no moves, computed from the moves


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
