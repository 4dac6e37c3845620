"""A play as the formula sees it: moves as bits, boards as state variables."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from qsage_validate.encodings.layout.grid import Bits, Layout, MoveVariables, bits_value, value_bits
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Board, Player

SquareXY = tuple[int, int]

_TEXT: Final = re.compile(r"([^\s(]+)\((\d{1,6}),(\d{1,6})\)")

MOST_SQUARES: Final = 1 << 20
"""The largest board that is decoded: each square of it is a question to the certificate."""


@dataclass(frozen=True, slots=True)
class BoardMove:
    """A move on a grid; ``x`` and ``y`` are 1-based; ``str`` is ``occupy(2,3)``."""

    action: str
    x: int
    y: int

    @property
    def square(self) -> SquareXY:
        """The square that the move's parameters name."""
        return (self.x, self.y)

    def __str__(self) -> str:
        return f"{self.action}({self.x},{self.y})"


@dataclass(frozen=True, slots=True)
class NamedMove:
    """A move by its name in the game's own words: ``b2``, ``(mark 1 1)``.

    ``square`` is the square that it names, where the game knows one; equal names are equal moves.
    """

    name: str
    square: SquareXY | None = field(compare=False, default=None)

    def __str__(self) -> str:
        return self.name


LayoutMove: TypeAlias = BoardMove | NamedMove
"""A move as a layout can say it; ``square`` is where it is, or ``None``."""


@dataclass(frozen=True, slots=True)
class Line:
    """The plies made so far: who chose which values.

    ``choice`` are the opponent's variables (in a Herbrand certificate's case also those that
    follow from the moves, like indicators), ``reply`` the certificate's move variables.  Both
    are by QBF variable and must not be changed.
    """

    plies: int = 0
    choice: Mapping[int, bool] = field(default_factory=dict)
    reply: Mapping[int, bool] = field(default_factory=dict)

    @property
    def key(self) -> tuple[int, frozenset[tuple[int, bool]]]:
        """Equal for lines in which the opponent chose the same: their answers are the same."""
        return self.plies, frozenset(self.choice.items())


@dataclass(frozen=True, slots=True)
class Answer:
    """The certificate's ply.

    ``move`` is ``None`` when the bits name no action or no square of the board (``problem``
    says which); ``stop`` is the game-stop variable; ``values`` the variables of the ply.
    """

    move: LayoutMove | None
    stop: bool
    values: Mapping[int, bool]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Atoms:
    """A position in words: those that hold, among those that the formula has literals for."""

    true: frozenset[str]
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class BoardReading:
    """A board read square by square, and other literals at the same time.

    ``board`` is ``None`` when the formula leaves no consistent values; ``at`` maps each wanted
    literal to its values on the squares, row by row (``None`` where it is not determined yet; one
    value where there are no squares to read it on).  Formulas that keep a position in words have
    ``atoms``; the game draws a board from them.
    """

    board: Board | None
    at: Mapping[int, tuple[bool | None, ...]]
    atoms: Atoms | None = None


@dataclass(frozen=True, slots=True)
class Legality:
    """What the formula says about a move: ``false`` are the literals that speak against it.

    ``false_at`` has the symbolic squares at which they do, where they depend on one; ``earlier``
    is the ply, from 1, whose variables already say the same move, where that alone forbids it.
    """

    legal: bool
    false: tuple[int, ...] = ()
    false_at: Mapping[int, tuple[SquareXY, ...]] = field(default_factory=dict)
    earlier: int | None = None


@dataclass(frozen=True, slots=True)
class VerdictReading:
    """The verdict of a finished play.

    ``value`` is whether the matrix holds in this play whatever the rest of the variables of the
    certificate's opponent (``None``: there is no verdict literal); ``exact`` whether all
    values of the rest were covered; ``note`` says what was looked at, or for what it fails.
    """

    value: bool | None
    note: str
    exact: bool = True


def split_moves(text: str) -> list[str]:
    """The moves of a play that was joined by blanks; blanks inside parentheses are a move's."""
    moves: list[str] = []
    depth = 0
    for word in text.split():
        if depth:
            moves[-1] += f" {word}"
        else:
            moves.append(word)
        depth = max(0, depth + word.count("(") - word.count(")"))
    return moves


def literal_value(values: Mapping[int, bool], literal: int) -> bool:
    """The value of a signed literal; variables without a value are false."""
    return values.get(abs(literal), False) != (literal < 0)


def fix(values: dict[int, bool], literals: Bits, bits: tuple[bool, ...]) -> None:
    """Give signed literals the values ``bits``."""
    for literal, bit in zip(literals, bits, strict=True):
        values[abs(literal)] = bit != (literal < 0)


class PlyCode(ABC):
    """Translates the moves of each ply (from 1) to the values of its variables and back."""

    @abstractmethod
    def encode(self, ply: int, move: LayoutMove) -> dict[int, bool]:
        """The values of the ply's variables for ``move``, the stop variable left out."""

    @abstractmethod
    def decode(self, ply: int, values: Mapping[int, bool]) -> Answer:
        """The move that ``values`` stand for."""

    @abstractmethod
    def moves(self, ply: int) -> list[LayoutMove]:
        """Every move of a ply, legal or not, in a fixed order."""

    @abstractmethod
    def no_moves(self, ply: int) -> list[LayoutMove]:
        """What the variables can say although it is no move: squares off the board and such."""

    @abstractmethod
    def can_say(self, ply: int, move: LayoutMove) -> bool:
        """Whether the variables of a ply have a value for ``move``."""

    @abstractmethod
    def find(self, ply: int, text: str) -> LayoutMove | None:
        """The move whose text is ``text``; ``None`` where the ply cannot say it."""


class MoveCode:
    """Translates moves to the bits of a layout and back.

    An axis of length 1 and a single action need no bits; where a formula has them all the
    same, they mean nothing (they are 0 when written and not looked at when read).
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def encode(self, variables: MoveVariables, move: BoardMove) -> dict[int, bool]:
        """The values of the ply's variables for ``move``, the stop variable left out."""
        values: dict[int, bool] = {}
        action = self.layout.actions(variables.player).index(move.action)
        for literals, number in (
            (variables.action, action),
            (variables.x, move.x - 1),
            (variables.y, move.y - 1),
        ):
            fix(values, literals, value_bits(number, len(literals)))
        return values

    def decode(self, variables: MoveVariables, values: Mapping[int, bool]) -> Answer:
        """The move that ``values`` stand for."""
        names = self.layout.actions(variables.player)
        number = 0 if len(names) == 1 else self.number(variables.action, values)
        x = 1 if self.layout.width == 1 else self.number(variables.x, values) + 1
        y = 1 if self.layout.height == 1 else self.number(variables.y, values) + 1
        stop = variables.stop is not None and literal_value(values, variables.stop)
        own = {abs(v): literal_value(values, abs(v)) for v in variables.literals}
        if variables.stop is not None:
            own[abs(variables.stop)] = literal_value(values, abs(variables.stop))
        if number >= len(names):
            problem = f"the action bits say {number + 1} of {len(names)} actions"
            return Answer(None, stop, own, problem)
        if x > self.layout.width or y > self.layout.height:
            problem = (
                f"{names[number]}({x},{y}) is off the "
                f"{self.layout.width}x{self.layout.height} board"
            )
            return Answer(None, stop, own, problem)
        return Answer(BoardMove(names[number], x, y), stop, own)

    @staticmethod
    def number(literals: Bits, values: Mapping[int, bool]) -> int:
        """The number that the bits ``literals`` stand for under ``values``."""
        return bits_value(tuple(literal_value(values, literal) for literal in literals))

    def decode_square(self, values: Mapping[int, bool]) -> SquareXY:
        """The square, 1-based and perhaps off the board, of the symbolic position."""
        board = self.layout.board
        return self.number(board.x, values) + 1, self.number(board.y, values) + 1

    def moves(self, player: Player) -> list[BoardMove]:
        """Every move of ``player`` on the board, legal or not, action by action."""
        return [
            BoardMove(action, x, y)
            for action in self.layout.actions(player)
            for y in range(1, self.layout.height + 1)
            for x in range(1, self.layout.width + 1)
        ]

    def moves_off_board(self, variables: MoveVariables) -> list[BoardMove]:
        """The moves of a ply that its bits can say although their square does not exist."""
        width, height = self._range(variables)
        return [
            BoardMove(action, x, y)
            for action in self.layout.actions(variables.player)
            for y in range(1, height + 1)
            for x in range(1, width + 1)
            if x > self.layout.width or y > self.layout.height
        ]

    def can_say(self, variables: MoveVariables, move: BoardMove) -> bool:
        """Whether the bits of a ply have a code for ``move``, on the board or off it."""
        width, height = self._range(variables)
        known = move.action in self.layout.actions(variables.player)
        return known and 1 <= move.x <= width and 1 <= move.y <= height

    def _range(self, variables: MoveVariables) -> tuple[int, int]:
        """The largest coordinates that the bits can say."""
        width, height = self.layout.width, self.layout.height
        return (
            1 if width == 1 else 1 << len(variables.x),
            1 if height == 1 else 1 << len(variables.y),
        )


class GridCode(PlyCode):
    """The code of layouts in which a move is an action with coordinates."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._code = MoveCode(layout)

    def encode(self, ply: int, move: LayoutMove) -> dict[int, bool]:
        assert isinstance(move, BoardMove), "moves of a grid have coordinates"
        return self._code.encode(self._layout.moves[ply - 1], move)

    def decode(self, ply: int, values: Mapping[int, bool]) -> Answer:
        return self._code.decode(self._layout.moves[ply - 1], values)

    def moves(self, ply: int) -> list[LayoutMove]:
        return list(self._code.moves(self._layout.moves[ply - 1].player))

    def no_moves(self, ply: int) -> list[LayoutMove]:
        return list(self._code.moves_off_board(self._layout.moves[ply - 1]))

    def can_say(self, ply: int, move: LayoutMove) -> bool:
        variables = self._layout.moves[ply - 1]
        return isinstance(move, BoardMove) and self._code.can_say(variables, move)

    def find(self, ply: int, text: str) -> LayoutMove | None:
        match = _TEXT.fullmatch(text)
        if match is None:
            return None
        move = BoardMove(match[1], int(match[2]), int(match[3]))
        return move if self.can_say(ply, move) else None


class BoardCode:
    """Fixes the symbolic position to a square and reads the state variables there.

    Raises ``UsageError`` for a board of more than ``MOST_SQUARES`` squares: a layout's board is
    a line of text, while a board that is shown is asked for square by square.
    """

    def __init__(self, layout: Layout) -> None:
        if layout.width * layout.height > MOST_SQUARES:
            raise UsageError(
                f"the layout's board has {layout.width}x{layout.height} squares: boards of at "
                f"most {MOST_SQUARES:,} are played"
            )
        self.layout = layout
        self.squares = [
            (x, y) for y in range(1, layout.height + 1) for x in range(1, layout.width + 1)
        ]

    def at(self, x: int, y: int) -> dict[int, bool]:
        """The values of the symbolic position for square (x, y), 1-based."""
        values: dict[int, bool] = {}
        for literals, number in ((self.layout.board.x, x - 1), (self.layout.board.y, y - 1)):
            fix(values, literals, value_bits(number, len(literals)))
        return values

    def board(self, states: list[tuple[bool, bool]]) -> Board:
        """The board for the two state values of every square, row by row."""
        decode = self.layout.board.code.decode
        squares = tuple(decode(first, second) for first, second in states)
        return Board(self.layout.width, self.layout.height, squares)
