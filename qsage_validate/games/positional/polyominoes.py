"""Polyominoes: edge-connected sets of cells, up to reflection and rotation (free polyominoes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

NEIGHBOURS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
"""The steps to the neighbours of a hexagon, where rows are moved to the right one by one."""

Cell = tuple[int, int]
Cells = tuple[Cell, ...]


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
