"""The look and place of a square at each size: characters only, no colours, no widgets.

Black is drawn solid and White as a ring, so that the two differ without colour as well; the
interface fills White's ring where there are colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from qsage_validate.arena.frame import SquareXY
from qsage_validate.games.protocol import Shape, Square


class SquareMark(Enum):
    """The mark of a square, the most important first."""

    ILLEGAL = "illegal"
    FINDING = "finding"
    SELECTED = "selected"
    TARGET = "target"
    HINT = "hint"
    POINTED = "pointed"
    WON = "won"
    CHANGED = "changed"
    EARLIER = "earlier"
    LEGAL = "legal"


# The signs left and right of a square; they carry the mark where there is no colour.
SIDES: dict[SquareMark, tuple[str, str]] = {
    SquareMark.ILLEGAL: ("×", "×"),
    SquareMark.FINDING: ("!", "!"),
    SquareMark.SELECTED: ("«", "»"),
    SquareMark.TARGET: ("›", "‹"),
    SquareMark.HINT: ("?", "?"),
    SquareMark.POINTED: ("~", "~"),
    SquareMark.WON: ("*", "*"),
    SquareMark.CHANGED: ("‹", "›"),
    SquareMark.EARLIER: (" ", " "),
    SquareMark.LEGAL: ("(", ")"),
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
    Scale(13, 6, True),
    Scale(15, 7, True),
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
class GridGeometry:
    """The place of each square of a board, in characters from the grid's own corner."""

    columns: int
    rows: int
    shape: Shape
    scale: Scale
    names: int = 0
    """The length of the longest name of a row; 0 where rows have numbers."""
    rim: int = 0
    """1 where the owners of the sides are drawn around the board, of hexagons only."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the drawing, without coordinates."""
        px, py = self.scale.pitch
        lean = (self.rows - 1) * (px // 2) if self.shape is Shape.HEXAGONS else 0
        around = self.scale.lines + 2 * self.rim
        return (self.columns * px + lean + around, self.rows * py + around)

    @property
    def gutter(self) -> int:
        """The columns that the coordinates on the left need."""
        return (self.names or len(str(self.rows))) + 1

    @property
    def outer(self) -> tuple[int, int]:
        """Width and height with the coordinates."""
        width, height = self.size
        return (width + self.gutter, height + 1)

    def indent(self, row: int) -> int:
        """The number of characters by which the row (from 1) is moved to the right."""
        return (row - 1) * (self.scale.pitch[0] // 2) if self.shape is Shape.HEXAGONS else 0

    def corner(self, square: SquareXY) -> tuple[int, int]:
        """The column and row of the upper left character inside ``square``."""
        x, y = square
        px, py = self.scale.pitch
        around = self.scale.lines + self.rim
        return ((x - 1) * px + around + self.indent(y), (y - 1) * py + around)

    def square_at(self, column: int, row: int) -> SquareXY | None:
        """The square drawn at a place; a line belongs to the square left of it or above."""
        px, py = self.scale.pitch
        lines = int(self.scale.lines)
        column, row = column - self.rim, row - self.rim
        y = max(0, row - lines) // py + 1
        if row < 0 or y > self.rows or column < self.indent(y):
            return None
        x = max(0, column - lines - self.indent(y)) // px + 1
        return (x, y) if x <= self.columns else None


def scales(shape: Shape) -> tuple[Scale, ...]:
    """The sizes to choose from, the smallest first."""
    return HEXAGON_SCALES if shape is Shape.HEXAGONS else RECTANGLE_SCALES


def best_grid(
    columns: int, rows: int, shape: Shape, width: int, height: int, names: int = 0, rim: int = 0
) -> GridGeometry:
    """The largest drawing with coordinates that fits; the smallest, to be scrolled, if none."""
    grids = [GridGeometry(columns, rows, shape, scale, names, rim) for scale in scales(shape)]
    fitting = [g for g in grids if g.outer[0] <= width and g.outer[1] <= height]
    return fitting[-1] if fitting else grids[0]


@dataclass(frozen=True, slots=True)
class ArtRow:
    """One row of characters inside a square.

    ``filled`` are the columns inside White's ring, which take White's colour where there is any.
    """

    text: str
    filled: range = range(0)


@lru_cache(maxsize=512)
def square_rows(content: Square, width: int, height: int, legal: bool) -> tuple[ArtRow, ...]:
    """The inside of a square: ``height`` rows of ``width`` characters.

    An open square has a dot, a larger one if it is ``legal`` to take it.
    """
    if content is not Square.OPEN and height > 1:
        return _disc(content is Square.WHITE, width, height)
    sign = {Square.OPEN: OPEN_DOT, Square.BLACK: "●", Square.WHITE: "○"}[content]
    if content is Square.OPEN and legal:
        sign = LEGAL_DOT
    middle = " " * ((width - 1) // 2) + sign + " " * (width // 2)
    return tuple(
        ArtRow(middle if row == (height - 1) // 2 else " " * width) for row in range(height)
    )


def _disc(ring: bool, width: int, height: int) -> tuple[ArtRow, ...]:
    # One column stays free on each side (two on the right where the width is even).
    span = width - 2 - (width % 2 == 0)
    rows = []
    for row in range(height):
        edge = min(row, height - 1 - row)
        inset, left = _corner(edge, span, height)
        ends = (left, left[::-1].translate(_MIRRORED))
        if row > edge:
            ends = (ends[0].translate(_FLIPPED), ends[1].translate(_FLIPPED))
        inner = span - 2 * (inset + len(left))
        filling = "█" if not ring else " " if edge else "▀" if row == 0 else "▄"
        text = " " * (1 + inset) + ends[0] + filling * inner + ends[1]
        start = 1 + inset + len(left)
        filled = range(start, start + inner) if ring else range(0)
        rows.append(ArtRow(text.ljust(width), filled))
    return tuple(rows)


_MIRRORED = str.maketrans("▗▟▄", "▖▙▄")
_FLIPPED = str.maketrans("▗▟▖▙▄", "▝▜▘▛▀")


def _corner(edge: int, span: int, height: int) -> tuple[int, str]:
    """The free columns and the characters at the left end of the row ``edge`` from the rim."""
    if height > 4 and span > 8:
        return {0: (1, "▗▟"), 1: (0, "▟")}.get(edge, (0, "█"))
    if height > 3 and span > 6:
        return {0: (0, "▗▟")}.get(edge, (0, "█"))
    return {0: (0, "▟")}.get(edge, (0, "█"))
