"""A play as the formula sees it: moves as bits, boards as state variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from qsage_validate.encodings.layout.codings import MoveCoding, grid_move, literal_value
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import BoardPicture

SquareXY = tuple[int, int]
Values = Mapping[int, bool]
SquareOf = Callable[[str], SquareXY | None]


class NamedGroup(Enum):
    """The kind of thing that a named value is; the interface groups by it."""

    MOVE = "move"
    STOP = "game stop"
    INDICATOR = "indicator"
    GATE = "gate"
    GOAL = "goal"
    STATE = "state"
    VERDICT = "verdict"
    BLOCK = "block"
    FORMULA = "formula"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class LayoutMove:
    """A move as a layout can say it: ``occupy(2,3)``, ``b2``, ``(mark 1 1)``; equal by its text.

    ``square`` is the square that it names (1-based), where one is known; ``action`` the action of
    a move on a grid, else empty.
    """

    text: str
    square: SquareXY | None = field(compare=False, default=None)
    action: str = field(compare=False, default="")

    @classmethod
    def on_grid(cls, action: str, x: int, y: int) -> LayoutMove:
        return cls(f"{action}({x},{y})", (x, y), action)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Assignment:
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
        """Equal for plays in which the opponent chose the same: their answers are the same."""
        return self.plies, frozenset(self.choice.items())


@dataclass(frozen=True, slots=True)
class StrategyAnswer:
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
    """A position in words: the true atoms among those with literals in the formula."""

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

    board: BoardPicture | None
    at: Mapping[int, tuple[bool | None, ...]]
    atoms: Atoms | None = None


@dataclass(frozen=True, slots=True)
class Legality:
    """The formula's legality of a move: ``false`` are the literals against it.

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


class PlyCode:
    """Translates the moves of each ply (from 1) to the values of its variables and back.

    ``square_of`` says where a move is drawn whose text has no coordinates.
    """

    def __init__(self, layout: Layout, square_of: SquareOf = named_cell) -> None:
        self._layout = layout
        self._square_of = square_of
        self._moves = cache(lambda texts: tuple(map(self._move, texts)))

    def _coding(self, ply: int) -> MoveCoding:
        return self._layout.moves[ply - 1].coding

    def _move(self, text: str) -> LayoutMove:
        parts = grid_move(text) if self._layout.actions else None
        if parts is None:
            return LayoutMove(text, self._square_of(text))
        return LayoutMove.on_grid(*parts)

    def encode(self, ply: int, move: LayoutMove) -> dict[int, bool]:
        """The values of the ply's variables for ``move``, the stop variable left out."""
        return self._coding(ply).encode(str(move))

    def decode(self, ply: int, values: Mapping[int, bool]) -> StrategyAnswer:
        """The move that ``values`` stand for."""
        own = self._layout.moves[ply - 1]
        text, problem = own.coding.decode(values)
        stop = own.stop is not None and literal_value(values, own.stop)
        variables = {abs(v): literal_value(values, abs(v)) for v in own.all_variables}
        return StrategyAnswer(None if text is None else self._move(text), stop, variables, problem)

    def moves(self, ply: int) -> list[LayoutMove]:
        """Every move of a ply, legal or not, in a fixed order."""
        return list(self._moves(self._coding(ply).moves))

    def no_moves(self, ply: int) -> list[LayoutMove]:
        """The codes of a ply's variables that are no moves: squares off the board and such."""
        return [self._move(text) for text in self._coding(ply).no_moves]

    def can_say(self, ply: int, move: LayoutMove) -> bool:
        """True if the variables of a ply have a value for ``move``."""
        return self._coding(ply).can_say(str(move))

    def find(self, ply: int, text: str) -> LayoutMove | None:
        """The move whose text is ``text``; ``None`` where the ply cannot say it."""
        return self._move(text) if self._coding(ply).can_say(text) else None
