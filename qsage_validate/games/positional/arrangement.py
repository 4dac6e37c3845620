"""The drawing of positions: a grid where their names are its cells, else a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.formats.grid_names import Cell, column_letters, named_cell
from qsage_validate.games.protocol import Board, Player, Shape, Square


@dataclass(frozen=True)
class Arrangement:
    """The square of each position on the board.

    ``squares`` has for each position its square, 1-based (x, y): column c and row 4 for ``c4``.
    With ``grid`` false the board is a column of the positions, its rows called by their names.
    ``top`` is the player who connects the top row with the bottom row, in Hex.
    """

    width: int
    height: int
    squares: tuple[Cell, ...]
    shape: Shape
    grid: bool
    names: tuple[str, ...] = ()
    top: Player | None = None

    @classmethod
    def of(cls, names: Sequence[str], *, hexagons: bool = False) -> Arrangement:
        """The arrangement of some positions: a grid when they are all cells of a rectangle."""
        cells = [named_cell(name) for name in names]
        known = [cell for cell in cells if cell is not None]
        if known and len(known) == len(cells):
            width, height = max(x for x, _ in known), max(y for _, y in known)
            if width * height == len(known):
                shape = Shape.HEXAGONS if hexagons else Shape.RECTANGLE
                return cls(width, height, tuple(known), shape, grid=True)
        squares = tuple((1, y) for y in range(1, len(names) + 1))
        return cls(1, len(names), squares, Shape.RECTANGLE, grid=False, names=tuple(names))

    def board(self, black: int, white: int) -> Board:
        """The board with these positions claimed."""
        contents = [Square.OPEN] * (self.width * self.height)
        for k, (x, y) in enumerate(self.squares):
            if black >> k & 1:
                contents[(y - 1) * self.width + x - 1] = Square.BLACK
            elif white >> k & 1:
                contents[(y - 1) * self.width + x - 1] = Square.WHITE
        columns = tuple(column_letters(x) for x in range(1, self.width + 1)) if self.grid else ()
        squares = tuple(contents)
        return Board(self.width, self.height, squares, self.shape, self.names, columns, self.top)
