"""A BDDL model on its board, as bit masks: the reading of section 3.3 that the rules run on.

A state is one integer of three planes, each with a bit a square (square (x, y) has the number
``(y - 1) * width + (x - 1)``): black, white, and occupied, which is their union.  With the
third plane every sub-condition, negated ones included, is a value of one bit or of three, so
that a whole condition is one comparison: ``state & care == value``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    Condition,
    Coordinate,
    Model,
    SubCondition,
)
from qsage_validate.games.protocol import BoardPicture, Player, Square

MAX_SQUARES = 1600
"""No board with more squares is grounded (40x40): the masks would fill the memory."""

# The possible contents of a square, as a set of three bits.
_CONTENT = {Square.OPEN: 1, Square.BLACK: 2, Square.WHITE: 4}
_ANY = 7
# The bits (black, white, occupied) that a set of contents decides: care and value.
_DECIDED = {
    1: ((1, 1, 1), (0, 0, 0)),
    2: ((1, 1, 1), (1, 0, 1)),
    4: ((1, 1, 1), (0, 1, 1)),
    3: ((0, 1, 0), (0, 0, 0)),
    5: ((1, 0, 0), (0, 0, 0)),
    6: ((0, 0, 1), (0, 0, 1)),
}

Contents = dict[int, int]
"""Square number to the set of contents that a condition allows on it; other squares are free."""


@dataclass(frozen=True, slots=True, order=True)
class BddlMove:
    """``action(x,y)``, with 1-based coordinates."""

    action: str
    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.action}({self.x},{self.y})"


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An action at a position: legal when ``state & care == value``.

    The next state is ``state & keep | put``: all effects at once on the state before the move,
    and every square that no effect names as it was.
    """

    number: int
    action: int
    x: int
    y: int
    care: int
    value: int
    keep: int
    put: int

    @property
    def meaning(self) -> tuple[int, int, int, int]:
        """The masks that define the action, without its name."""
        return self.care, self.value, self.keep, self.put


@dataclass(frozen=True, slots=True)
class GroundGoal:
    """A goal at a position; ``condition`` is its number among the player's goals."""

    condition: int
    x: int
    y: int
    care: int
    value: int


def satisfies(content: Square, part: SubCondition) -> bool:
    """True if a square with ``content`` satisfies a sub-condition about it (Definition 6)."""
    return (content is part.predicate) != part.negated


def leaves_board(coordinate: Coordinate, parameter: int, size: int) -> bool:
    """True if a coordinate is off an axis of ``size`` for a value of the parameter."""
    return not 1 <= coordinate.at(parameter, size) <= size


class Grounding:
    """The actions and goals of a model at each position of its board.

    Raises ``UsageError`` for models whose rules cannot be executed: an effect that does not
    say what stands on a square afterwards, or a board of more than ``MAX_SQUARES`` squares.
    """

    def __init__(self, model: Model) -> None:
        problem = model.problem
        self.model = model
        self.width = problem.width
        self.height = problem.height
        self.squares = problem.width * problem.height
        if self.squares > MAX_SQUARES:
            raise UsageError(
                f"the board has {self.width}x{self.height} squares: the rules are executed on "
                f"boards of at most {MAX_SQUARES}"
            )
        self.plane = (1 << self.squares) - 1
        self.initial = self.state_of(self.initial_board())
        self.actions: dict[Player, tuple[GroundAction, ...]] = {}
        self.goals: dict[Player, tuple[GroundGoal, ...]] = {}
        for player in Player:
            self.actions[player] = tuple(self._ground_actions(player))
            self.goals[player] = tuple(self._ground_goals(player))

    def stuck_words(self, player: Player) -> str:
        """What a shortest win of Black's comes from, if its last ply is ``player``'s.

        At White's it is that White has no legal move; no words where there is no goal.
        """
        stuck = player is Player.WHITE and self.goals[Player.BLACK]
        return ", when White has no legal move" if stuck else ""

    # -- squares and states -----------------------------------------------------------------

    def square(self, x: int, y: int) -> int:
        """The number, from 0, of a square of the board."""
        return (y - 1) * self.width + (x - 1)

    def number(self, action: int, x: int, y: int) -> int:
        """The number of an action at a position: by action, then by x, then by y."""
        return (action * self.width + (x - 1)) * self.height + (y - 1)

    def initial_board(self) -> BoardPicture:
        """The initial board (Definition 5)."""
        squares = [Square.OPEN] * self.squares
        for content, x, y in self.model.problem.initial:
            if not (1 <= x <= self.width and 1 <= y <= self.height):
                raise UsageError(
                    f"{content.name.lower()}({x},{y}) is not on the "
                    f"{self.width}x{self.height} board"
                )
            squares[self.square(x, y)] = content
        return BoardPicture(self.width, self.height, tuple(squares))

    def state_of(self, board: BoardPicture) -> int:
        return self.pack(dict(enumerate(self.content_sets(board))))[1]

    @staticmethod
    def content_sets(board: BoardPicture) -> list[int]:
        """The content of each square, as a set of one content."""
        return [_CONTENT[content] for content in board.squares]

    def board_of(self, state: int) -> BoardPicture:
        white = state >> self.squares
        contents = tuple(
            Square.BLACK if state >> n & 1 else Square.WHITE if white >> n & 1 else Square.OPEN
            for n in range(self.squares)
        )
        return BoardPicture(self.width, self.height, contents)

    def own(self, mask: int, player: Player) -> int:
        """The player's plane of a mask of three planes, as a set of squares."""
        return (mask if player is Player.BLACK else mask >> self.squares) & self.plane

    def pack(self, contents: Contents) -> tuple[int, int]:
        """Care and value masks of what is allowed on some squares."""
        care = value = 0
        for square, allowed in contents.items():
            if allowed == _ANY:
                continue
            for plane, (cared, set_) in enumerate(zip(*_DECIDED[allowed], strict=True)):
                bit = 1 << (plane * self.squares + square)
                care |= bit * cared
                value |= bit * set_
        return care, value

    # -- conditions -------------------------------------------------------------------------

    def positions(self, *conditions: Condition) -> Iterator[tuple[int, int]]:
        """The positions in the implicit bounds of all ``conditions`` (Definition 4), by x."""
        parts = [part for condition in conditions for part in condition]
        xs = self._axis([part.x for part in parts], self.width)
        ys = self._axis([part.y for part in parts], self.height)
        for x in xs:
            for y in ys:
                yield x, y

    def meanings(self, condition: Condition) -> Iterator[tuple[int, int]]:
        """The positions without those at which the condition says the same as at another.

        A condition on absolute squares only, such as a winning set, has one.
        """
        xs = self._axis([part.x for part in condition], self.width)
        ys = self._axis([part.y for part in condition], self.height)
        if not any(part.x.anchor is Anchor.PARAMETER for part in condition):
            xs = xs[:1]
        if not any(part.y.anchor is Anchor.PARAMETER for part in condition):
            ys = ys[:1]
        for x in xs:
            for y in ys:
                yield x, y

    @staticmethod
    def _axis(coordinates: list[Coordinate], size: int) -> range:
        offsets = [c.offset for c in coordinates if c.anchor is Anchor.PARAMETER]
        if any(c.anchor is Anchor.ABSOLUTE and leaves_board(c, 1, size) for c in coordinates):
            return range(0)
        return range(1 + max(0, -min(offsets, default=0)), size - max(0, *offsets, 0) + 1)

    def contents(self, condition: Condition, x: int, y: int) -> Contents | None:
        """The contents that a condition allows at a position; ``None``: a contradiction.

        The position is in the bounds of the condition.
        """
        result: Contents = {}
        for part in condition:
            square = self.square(part.x.at(x, self.width), part.y.at(y, self.height))
            allowed = _CONTENT[part.predicate]
            allowed = result.get(square, _ANY) & (_ANY ^ allowed if part.negated else allowed)
            if not allowed:
                return None
            result[square] = allowed
        return result

    # -- actions and goals ------------------------------------------------------------------

    def _ground_actions(self, player: Player) -> Iterator[GroundAction]:
        """The actions at all positions where they are possible at all (Definition 7)."""
        for index, action in enumerate(self.model.domain.actions(player)):
            for part in action.effect:
                if part.negated:
                    raise UsageError(
                        f"action {action.name}: the effect {part} does not say what stands on "
                        "the square afterwards"
                    )
            for x, y in self.positions(action.precondition, action.effect):
                before = self.contents(action.precondition, x, y)
                after = self.contents(action.effect, x, y)
                # Contradictory preconditions hold in no state before the move, contradictory
                # effects in none after it: either way there is no transition.
                if before is None or after is None:
                    continue
                care, value = self.pack(before)
                changed, put = self.pack(after)
                keep = ((1 << 3 * self.squares) - 1) & ~changed
                yield GroundAction(self.number(index, x, y), index, x, y, care, value, keep, put)

    def _ground_goals(self, player: Player) -> Iterator[GroundGoal]:
        """The goals at all positions where they can hold, each meaning once."""
        seen = set()
        for index, goal in enumerate(self.model.problem.goals(player)):
            for x, y in self.meanings(goal):
                contents = self.contents(goal, x, y)
                if contents is None:
                    continue
                care, value = self.pack(contents)
                if (care, value) not in seen:
                    seen.add((care, value))
                    yield GroundGoal(index, x, y, care, value)

    def wins(self, state: int, player: Player) -> bool:
        """True if a goal of ``player`` holds (Definition 8)."""
        return any(state & goal.care == goal.value for goal in self.goals[player])

    @cached_property
    def is_positional(self) -> bool:
        """True if both players may occupy any open square, and goals ask for own pieces only."""
        squares, full = self.squares, (1 << 3 * self.squares) - 1
        for player in Player:
            expected = set()
            for square in range(squares):
                black, white, occupied = (1 << square + k * squares for k in range(3))
                changed = black | white | occupied
                piece = black if player is Player.BLACK else white
                expected.add((changed, 0, full & ~changed, piece | occupied))
            if {action.meaning for action in self.actions[player]} != expected:
                return False
            for goal in self.goals[player]:
                own = self.own(goal.value, player)
                if not own or goal.care != own | own << squares | own << 2 * squares:
                    return False
        return True

    def only_own_moves_win(self, player: Player) -> bool:
        """True if no goal of ``player`` can come true except by the player's own moves.

        Local and sufficient: no goal holds at the beginning, and each effect of the other
        player contradicts every goal that it touches (Definition 9 asks for less).
        """
        full = (1 << 3 * self.squares) - 1
        effects = {(full & ~action.keep, action.put) for action in self.actions[player.other]}
        return not self.wins(self.initial, player) and all(
            not care & changed or (value ^ put) & care & changed
            for care, value in {(goal.care, goal.value) for goal in self.goals[player]}
            for changed, put in effects
        )


def action_of(model: Model, player: Player, name: str) -> Action | None:
    return next((a for a in model.domain.actions(player) if a.name == name), None)
