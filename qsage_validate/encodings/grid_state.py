"""Functions of all other variables of a lifted encoding, built from the moves.

Given the bits of all moves as AIG literals, :class:`MoveTracker` builds the content of any
symbolic square at any time, one comparison with each earlier move, and from it the indicators,
the state variables and the goal counter-examples (Skolem side), or the square and the goal
that show where the opponent's claims break (Herbrand side).  It is a second reading of
section 4 of the paper, apart from the encoder's; the certificate check holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.decision import synthesise
from qsage_validate.encodings.layout import Bits, Indicators
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    Condition,
    Coordinate,
    Model,
    SubCondition,
)
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player, Square


@dataclass(frozen=True)
class Vector:
    """A coordinate: AIG literals, most significant bit first, plus a constant, modulo."""

    bits: Bits
    offset: int = 0

    def plus(self, constant: int) -> Vector:
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

    def precondition_flags(self, ply: int, count: int, *, frozen: bool = False) -> list[int]:
        """For each k the literal that precondition k of the chosen action holds (Table 1's P).

        ``ply`` is a ply that was added; a precondition that the action does not have holds.
        ``frozen`` is as :meth:`content` has it.
        """
        step = self.steps[ply - 1]
        actions = self.model.domain.actions(step.player)
        flags = []
        for number in range(count):
            options = [
                self.part_holds(a.precondition[number], ply - 1, step.x, step.y, frozen=frozen)
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
