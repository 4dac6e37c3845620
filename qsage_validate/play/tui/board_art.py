"""How a square looks at each size, and where it is: characters only, no colours, no widgets.

Black is drawn solid and White as a ring, so that the two differ without colour as well; the
interface fills White's ring where there are colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from qsage_validate.games.protocol import Shape, Square
from qsage_validate.play.frame import SquareXY


class Mark(Enum):
    """What is said about a square, the most important first."""

    ILLEGAL = "illegal"
    FINDING = "finding"
    SELECTED = "selected"
    TARGET = "target"
    HINT = "hint"
    POINTED = "pointed"
    CHANGED = "changed"
    EARLIER = "earlier"
    LEGAL = "legal"


# The signs left and right of a square; they carry the mark where there is no colour.
SIDES: dict[Mark, tuple[str, str]] = {
    Mark.ILLEGAL: ("×", "×"),
    Mark.FINDING: ("!", "!"),
    Mark.SELECTED: ("«", "»"),
    Mark.TARGET: ("›", "‹"),
    Mark.HINT: ("?", "?"),
    Mark.POINTED: ("~", "~"),
    Mark.CHANGED: ("‹", "›"),
    Mark.EARLIER: (" ", " "),
    Mark.LEGAL: (" ", " "),
}

LEGAL_DOT = "•"
OPEN_DOT = "·"


@dataclass(frozen=True, slots=True)
class Scale:
    """The size of a square in characters, without the lines between squares."""

    width: int
    height: int
    lines: bool

    @property
    def pitch(self) -> tuple[int, int]:
        """Columns and rows from one square to the next."""
        return (self.width + self.lines, self.height + self.lines)


RECTANGLE_SCALES = (
    Scale(3, 1, False),
    Scale(3, 1, True),
    Scale(5, 2, True),
    Scale(7, 3, True),
    Scale(9, 4, True),
    Scale(11, 5, True),
)
# Hexagons lean half a square to the right in each row: an even pitch, and no lines.
HEXAGON_SCALES = (
    Scale(4, 1, False),
    Scale(6, 2, False),
    Scale(8, 3, False),
    Scale(10, 4, False),
    Scale(12, 5, False),
)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where each square of a board is drawn, in characters from the grid's own corner."""

    columns: int
    rows: int
    shape: Shape
    scale: Scale

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the drawing, without coordinates."""
        px, py = self.scale.pitch
        lean = (self.rows - 1) * (px // 2) if self.shape is Shape.HEXAGONS else 0
        return (self.columns * px + self.scale.lines + lean, self.rows * py + self.scale.lines)

    @property
    def gutter(self) -> int:
        """The columns that the coordinates on the left need."""
        return len(str(self.rows)) + 1

    @property
    def outer(self) -> tuple[int, int]:
        """Width and height with the coordinates."""
        width, height = self.size
        return (width + self.gutter, height + 1)

    def indent(self, row: int) -> int:
        """How far the row (from 1) is moved to the right."""
        return (row - 1) * (self.scale.pitch[0] // 2) if self.shape is Shape.HEXAGONS else 0

    def corner(self, square: SquareXY) -> tuple[int, int]:
        """The column and row of the upper left character inside ``square``."""
        x, y = square
        px, py = self.scale.pitch
        lines = int(self.scale.lines)
        return ((x - 1) * px + lines + self.indent(y), (y - 1) * py + lines)

    def square_at(self, column: int, row: int) -> SquareXY | None:
        """The square drawn at a place; a line belongs to the square left of it or above."""
        px, py = self.scale.pitch
        lines = int(self.scale.lines)
        y = max(0, row - lines) // py + 1
        if row < 0 or y > self.rows or column < self.indent(y):
            return None
        x = max(0, column - lines - self.indent(y)) // px + 1
        return (x, y) if x <= self.columns else None


def scales(shape: Shape) -> tuple[Scale, ...]:
    """The sizes to choose from, the smallest first."""
    return HEXAGON_SCALES if shape is Shape.HEXAGONS else RECTANGLE_SCALES


def best_grid(columns: int, rows: int, shape: Shape, width: int, height: int) -> Grid:
    """The largest drawing with coordinates that fits; the smallest, to be scrolled, if none."""
    grids = [Grid(columns, rows, shape, scale) for scale in scales(shape)]
    fitting = [g for g in grids if g.outer[0] <= width and g.outer[1] <= height]
    return fitting[-1] if fitting else grids[0]


_DISCS = {
    1: ("●", "○"),
    2: ("▟█▙|▜█▛", "▟▀▙|▜▄▛"),
    3: ("▟█▙|███|▜█▛", "▟▀▙|█ █|▜▄▛"),
    4: ("▟█▙|███|███|▜█▛", "▟▀▙|█ █|█ █|▜▄▛"),
    5: ("▟█▙|███|███|███|▜█▛", "▟▀▙|█ █|█ █|█ █|▜▄▛"),
}


@lru_cache(maxsize=256)
def piece_rows(content: Square, width: int, height: int, legal: bool) -> tuple[str, ...]:
    """The characters of a square's inside: ``height`` strings of ``width`` characters."""
    if content is Square.OPEN or height == 1:
        sign = {
            Square.OPEN: LEGAL_DOT if legal else OPEN_DOT,
            Square.BLACK: _DISCS[1][0],
            Square.WHITE: _DISCS[1][1],
        }[content]
        middle = (height - 1) // 2
        blank = " " * width
        filled = " " * ((width - 1) // 2) + sign + " " * (width // 2)
        return tuple(filled if row == middle else blank for row in range(height))
    discs = _DISCS[min(height, max(_DISCS))]
    rows = discs[0 if content is Square.BLACK else 1].split("|")
    # Each row is left end, filling, right end; one column stays free on each side.
    inner = max(width - 4, 1) if width % 2 else max(width - 5, 1)
    drawn = [f" {row[0]}{row[1] * inner}{row[2]}" for row in rows]
    return tuple(row.ljust(width) for row in drawn)


def filled_columns(width: int, height: int) -> range:
    """The columns inside a ring, which are filled with White's colour where there is colour."""
    if height == 1:
        return range(0)
    inner = max(width - 4, 1) if width % 2 else max(width - 5, 1)
    return range(2, 2 + inner)
