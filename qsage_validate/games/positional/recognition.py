"""Which polyomino on which board a game of winning sets is about.

Winning sets are what files and models say; encodings that speak of shapes look here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qsage_validate.games.positional.arrangement import Arrangement
from qsage_validate.games.positional.harary import placements
from qsage_validate.games.positional.masks import mask_of, members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.polyominoes import Cell, Cells, canonical, is_connected, normal


@dataclass(frozen=True)
class PolyominoBoard:
    """A polyomino and a board, with edges or a torus.

    ``numbers`` has the number of the position at (x, y), 0-based.
    """

    cells: Cells
    width: int
    height: int
    torus: bool
    numbers: dict[Cell, int]

    def neighbours(self, dx: int, dy: int) -> tuple[int | None, ...]:
        """For each position the one that is so many cells to the right and up, where there is."""
        result: list[int | None] = [None] * len(self.numbers)
        for (x, y), number in self.numbers.items():
            to = (x + dx, y + dy)
            if self.torus:
                to = (to[0] % self.width, to[1] % self.height)
            result[number] = self.numbers.get(to)
        return tuple(result)

    def forms(self) -> tuple[Cells, ...]:
        """The reflections and rotations that have room, none of which goes over itself.

        The cells of all of them are in one order: cell i of a form is the image of cell i.
        """
        found: dict[Cells, Cells] = {}
        for mirrored in (False, True):
            turned = [(-x, y) if mirrored else (x, y) for x, y in in_tree_order(self.cells)]
            for _ in range(4):
                turned = [(-y, x) for x, y in turned]
                found.setdefault(normal(turned), tuple(turned))
        return tuple(form for form in found.values() if next(self.places(form), None))

    def places(self, form: Cells) -> Iterator[tuple[int, ...]]:
        """The positions of the form's cells, in their order, for each place where it has room."""
        for x, y in self.numbers:
            there = [(x + dx, y + dy) for dx, dy in form]
            if self.torus:
                there = [(u % self.width, v % self.height) for u, v in there]
            placed = tuple(self.numbers[cell] for cell in there if cell in self.numbers)
            if len(set(placed)) == len(form):
                yield placed


def in_tree_order(cells: Sequence[Cell]) -> Cells:
    """The cells in an order in which each is next to an earlier one, mostly the last one."""
    rest = set(cells)
    # An end of the polyomino goes first, so that a path is walked from end to end.
    first = min(cells, key=lambda cell: (len(adjacent(cell, cells)), cell))
    order = [first]
    rest.remove(first)
    while rest:
        last = next(cell for cell in reversed(order) if adjacent(cell, list(rest)))
        order.append(min(adjacent(last, list(rest))))
        rest.remove(order[-1])
    return tuple(order)


def adjacent(cell: Cell, cells: Sequence[Cell]) -> list[Cell]:
    """Those of some cells that have an edge in common with a cell."""
    x, y = cell
    return [c for c in cells if abs(c[0] - x) + abs(c[1] - y) == 1]


def polyomino_of(model: PositionalModel) -> PolyominoBoard | None:
    """The polyomino of a game, ``None`` where Black's winning sets are not those of one.

    They have to be all placements of one polyomino on a board with edges, else on a torus.
    """
    arrangement = Arrangement.of(model.positions)
    if not arrangement.grid or not model.black_wins:
        return None
    width, height = arrangement.width, arrangement.height
    squares = [(x - 1, y - 1) for x, y in arrangement.squares]
    numbers = {square: number for number, square in enumerate(squares)}
    wins = {
        mask_of(squares[k][0] * height + squares[k][1] for k in members(wins))
        for wins in model.black_wins
    }
    forms: dict[Cells, None] = {}
    for mask in model.black_wins:
        there = [squares[k] for k in members(mask)]
        if there and is_connected(there):
            forms[canonical(there)] = None
    for torus in (False, True):
        for cells in forms:
            if set(placements(cells, width, height, torus=torus)) == wins:
                return PolyominoBoard(cells, width, height, torus, numbers)
    return None
