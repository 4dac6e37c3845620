"""Polyominoes: edge-connected sets of cells, up to reflection and rotation (free polyominoes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from qsage_validate.errors import UsageError, did_you_mean

NEIGHBOURS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
"""The steps to the neighbours of a hexagon, where rows are moved to the right one by one."""

Cell = tuple[int, int]
Cells = tuple[Cell, ...]

MAX_CELLS = 10
"""No larger polyominoes are enumerated (there are 4,655 of ten cells)."""


def cells_of(drawing: str) -> Cells:
    """The cells of a drawing whose rows are joined by ``/``: ``"XX/X."``, from (0, 0)."""
    rows = drawing.split("/")
    return normal((x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "X")


def drawing_of(cells: Iterable[Cell]) -> str:
    """The drawing of some cells; :func:`cells_of` reads it back."""
    there = set(normal(cells))
    width, height = size_of(there)
    rows = ("".join("X" if (x, y) in there else "." for x in range(width)) for y in range(height))
    return "/".join(rows)


def size_of(cells: Iterable[Cell]) -> tuple[int, int]:
    """Width and height of the smallest rectangle around some cells."""
    xs, ys = zip(*cells, strict=True)
    return max(xs) - min(xs) + 1, max(ys) - min(ys) + 1


def normal(cells: Iterable[Cell]) -> Cells:
    """The cells moved to begin at (0, 0), row by row."""
    known = list(cells)
    left, top = min(x for x, _ in known), min(y for _, y in known)
    return tuple(sorted(((x - left, y - top) for x, y in known), key=lambda cell: cell[::-1]))


def orientations(cells: Sequence[Cell]) -> tuple[Cells, ...]:
    """The different reflections and rotations of a polyomino: one, two, four or eight."""
    return tuple(sorted(set(map(normal, images(cells)))))


def images(cells: Sequence[Cell]) -> Iterator[Cells]:
    """The eight images of some cells, each with its cells in their order."""
    for mirrored in (False, True):
        turned = tuple((-x, y) if mirrored else (x, y) for x, y in cells)
        for _ in range(4):
            turned = tuple((-y, x) for x, y in turned)
            yield turned


def canonical(cells: Sequence[Cell]) -> Cells:
    """The same value for all orientations of a polyomino."""
    return orientations(cells)[0]


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


# --- Names ------------------------------------------------------------------------------------

DRAWINGS = {
    "elam": "X",
    "domino": "XX",
    "tic": "XXX",
    "el": "XX/X.",
    "skinny": "XXXX",
    "fatty": "XX/XX",
    "elly": "XXX/X..",
    "knobby": "XXX/.X.",
    "tippy": "XX./.XX",
    "f": ".XX/XX./.X.",
    "i": "XXXXX",
    "l": "XXXX/X...",
    "n": "XXX./..XX",
    "p": "XX/XX/X.",
    "t": "XXX/.X./.X.",
    "u": "X.X/XXX",
    "v": "X../X../XXX",
    "w": "X../XX./.XX",
    "x": ".X./XXX/.X.",
    "y": "XXXX/.X..",
    "z": "XX./.X./.XX",
    "snaky": "XXXX./...XX",
}
"""Harary's names up to four cells and of Snaky; the letters of the pentominoes."""


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
