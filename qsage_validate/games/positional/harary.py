"""Harary's Tic-Tac-Toe on boards with edges and on tori: whoever forms the polyomino wins.

All polyominoes by name, small ones first.  Also which polyomino on which board a game of winning
sets is about: these are what files and models say, and encodings that speak of shapes look here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.polyominoes import (
    DRAWINGS,
    Cell,
    Cells,
    canonical,
    cells_of,
    drawing_of,
    images,
    normal,
    orientations,
    size_of,
)
from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel

# Shells complete the names: the model, which needs numpy, is loaded for games alone.

MAX_CELLS = 10
"""No larger polyominoes are enumerated (there are 4,655 of ten cells)."""


@cache
def free_polyominoes(count: int) -> tuple[Cells, ...]:
    """All polyominoes of so many cells, each once; raises ``UsageError`` for too many.

    Each of ``count`` cells is one of a cell less with a neighbour added.
    """
    if not 1 <= count <= MAX_CELLS:
        raise UsageError(f"found polyominoes of {count} cells, expected 1 to {MAX_CELLS}")
    if count == 1:
        return (((0, 0),),)
    found: set[Cells] = set()
    for smaller in free_polyominoes(count - 1):
        there = set(smaller)
        for x, y in smaller:
            for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if cell not in there:
                    found.add(canonical([*smaller, cell]))
    return tuple(sorted(found))


def fits(cells: Iterable[Cell], width: int, height: int) -> bool:
    """True if a polyomino has room on a board in some orientation."""
    w, h = size_of(cells)
    return (w <= width and h <= height) or (h <= width and w <= height)


@cache
def named() -> dict[str, Cells]:
    """Polyominoes of up to six cells by name, small ones first.

    Those of six cells are ``6-01`` to ``6-35``, in the order of their enumeration, but for Snaky.
    """
    names = {canonical(cells_of(drawing)): name for name, drawing in DRAWINGS.items()}
    result: dict[str, Cells] = {}
    for count in range(1, 7):
        for number, cells in enumerate(free_polyominoes(count), start=1):
            result[names.get(cells, f"{count}-{number:02}")] = cells
    return result


def find(text: str) -> tuple[str, Cells]:
    """Name and cells of a polyomino: by its name, or drawn (``XX./.XX``).

    A single ``X`` is the pentomino of that name; the polyomino of one cell is called Elam.
    Raises ``UsageError`` for an unknown name and for cells that do not hang together.
    """
    wanted = text.strip()
    if wanted.lower() in named():
        return wanted.lower(), named()[wanted.lower()]
    if not set(wanted) <= set("X./") or "X" not in wanted:
        names = ", ".join(name for name in named() if not name.startswith("6-"))
        raise UsageError(
            f"found the unknown polyomino {text!r}{did_you_mean(text, named())}, "
            f"expected a drawing such as 'XX./.XX', 6-01 to 6-35, or one of {names}"
        )
    cells = cells_of(wanted)
    if not is_connected(cells):
        raise UsageError(f"found {wanted}, which is in pieces, expected edge-connected cells")
    form = canonical(cells)
    return next((name for name, c in named().items() if c == form), drawing_of(form)), form


def is_connected(cells: Iterable[Cell]) -> bool:
    """True if the cells are connected by their edges."""
    rest = set(cells)
    waiting = [rest.pop()] if rest else []
    while waiting:
        x, y = waiting.pop()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if cell in rest:
                rest.remove(cell)
                waiting.append(cell)
    return not rest


# The games


def grid_positions(width: int, height: int) -> tuple[str, ...]:
    """The names of a board's cells, column by column: a1, a2, …, b1, …."""
    return tuple(cell_name(x, y) for x in range(1, width + 1) for y in range(1, height + 1))


def placements(
    cells: Sequence[tuple[int, int]], width: int, height: int, *, torus: bool = False
) -> Iterator[int]:
    """The sets of positions that are the polyomino in some orientation, each once.

    On a torus they may go over the edges, but not over themselves.
    """
    seen: set[int] = set()
    for form in orientations(cells):
        w, h = size_of(form)
        columns = width if torus else width - w + 1
        rows = height if torus else height - h + 1
        for dx in range(max(columns, 0)):
            for dy in range(max(rows, 0)):
                placed = {((x + dx) % width, (y + dy) % height) for x, y in form}
                mask = mask_of(x * height + y for x, y in placed)
                if len(placed) == len(form) and mask not in seen:
                    seen.add(mask)
                    yield mask


def harary_model(
    shape: str,
    width: int,
    height: int,
    *,
    torus: bool = False,
    maker_breaker: bool = False,
    stones: int = 1,
    first_stones: int | None = None,
    first: Player = Player.BLACK,
    plies: int | None = None,
) -> PositionalModel:
    """The game of a polyomino, by name or drawn, on a board.

    ``stones`` a turn, ``first_stones`` in the first one (as many, unless said); ``plies`` as many
    as there are cells, unless said.  Raises ``UsageError`` for a board that is too small for the
    polyomino, or too large for any.
    """
    from qsage_validate.games.positional.model import (
        MAX_POSITIONS,
        PositionalModel,
        with_first_moves,
    )

    name, cells = find(shape)
    board = f"{width}x{height}{' torus' if torus else ''}"
    if not 1 <= width * height <= MAX_POSITIONS or min(width, height) < 1:
        raise UsageError(f"found a {board} board, expected one of 1 to {MAX_POSITIONS} cells")
    wins = tuple(placements(cells, width, height, torus=torus))
    if not wins:
        raise UsageError(f"found a {board} board, expected one that is not too small for {name}")
    lead = stones if first_stones is None else first_stones
    if stones < 1 or not 1 <= lead <= stones:
        raise UsageError(
            f"found {lead} stones in the first turn of {stones}, expected 1 to {max(stones, 1)}"
        )
    count = width * height if plies is None else plies
    turns = tuple(
        first if k < lead or (k - lead) // stones % 2 else first.other for k in range(count)
    )
    kind = "maker-breaker " if maker_breaker else ""
    model = PositionalModel(
        name=f"{kind}httt {board} {name}",
        positions=grid_positions(width, height),
        turns=turns,
        black_wins=wins,
        white_wins=() if maker_breaker else wins,
    )
    return with_first_moves(model)


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
        """The reflections and rotations that fit on the board without overlapping themselves.

        The cells of all of them are in one order: cell i of a form is the image of cell i.
        """
        found: dict[Cells, Cells] = {}
        for turned in images(in_tree_order(self.cells)):
            found.setdefault(normal(turned), turned)
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
    """The cells among ``cells`` that share an edge with ``cell``."""
    x, y = cell
    return [c for c in cells if abs(c[0] - x) + abs(c[1] - y) == 1]


def polyomino_of(model: PositionalModel) -> PolyominoBoard | None:
    """The polyomino of a game, ``None`` where Black's winning sets are not those of one.

    They have to be all placements of one polyomino on a board with edges, else on a torus.
    """
    from qsage_validate.games.positional.model import Arrangement

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
