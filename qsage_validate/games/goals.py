"""Goals in words: what a player's winning sets have in common, where that is a plain sentence.

A winning set is a set of squares that a player has to hold.  The words are read off all winning
sets of a game on its board, so that they say just what the rules say; where no plain sentence does
that, there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Final, TypeAlias

from qsage_validate.formats.grid_names import cell_name, column_letters
from qsage_validate.games.positional.polyominoes import NEIGHBOURS, canonical, drawing_of
from qsage_validate.games.protocol import board_maps

Place: TypeAlias = tuple[int, int]
Sets: TypeAlias = Collection[frozenset[Place]]

_WORDS: Final = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_NUMBERS: Final = dict(enumerate(_WORDS, start=2))
_LINES: Final = {
    (1, 0): "row",
    (0, 1): "column",
    (1, 1): "diagonal",
    (1, -1): "diagonal",
}
CHAIN: Final = "a chain from top to bottom"
_MOST_NAMED: Final = 3  # single squares that are listed
MOST_SETS: Final = 2000
"""Of more winning sets nothing is said: to look at all of them would take long."""


def words_of(sets: Sets, width: int, height: int, most: int | None = None) -> str:
    """The goal of a player with these winning sets, as ``three in a row``; else nothing.

    ``most`` is the number of pieces that the player can have in a play at most, if it is known.
    """
    if not sets or not all(sets):
        return ""
    if all(len(squares) == 1 for squares in sets):
        return _single({place for (place,) in sets}, width, height)
    if are_chains(sets, width, height, most):
        return CHAIN
    return _lines(sets, width, height) or _shape_words(sets, width, height)


def minimal_chains(width: int, height: int, longest: int) -> Iterator[tuple[Place, ...]]:
    """The minimal sets of squares that connect top and bottom, of at most ``longest`` squares.

    Such a set is a path without shortcuts that meets the top row in its first square only and
    the bottom row in its last only.  Cells count from 1.
    """
    starts = range(width, 0, -1) if height <= longest else ()
    stack: list[tuple[Place, ...]] = [((x, 1),) for x in starts]
    while stack:
        path = stack.pop()
        x, y = path[-1]
        if y == height:
            yield path
            continue
        # Rows still to go bound the length from below.
        if len(path) + height - y > longest:
            continue
        earlier = set(path[:-1])
        for dx, dy in NEIGHBOURS:
            cell = (x + dx, y + dy)
            if not (1 <= cell[0] <= width and 1 < cell[1] <= height) or cell in earlier:
                continue
            if any((cell[0] + ex, cell[1] + ey) in earlier for ex, ey in NEIGHBOURS):
                continue
            stack.append((*path, cell))


def are_chains(sets: Sets, width: int, height: int, most: int | None = None) -> bool:
    """True if the winning sets are the minimal connections of top and bottom in Hex.

    Chains of more than ``most`` squares may be missing.
    """
    if min(width, height) < 2 or not sets:
        return False
    longest = width * height if most is None else max(most, *map(len, sets))
    chains = minimal_chains(width, height, longest)
    return set(map(frozenset, islice(chains, len(sets) + 1))) == set(sets)


def _single(places: set[Place], width: int, height: int) -> str:
    rows, columns = {y for _, y in places}, {x for x, _ in places}
    if len(rows) == 1 and len(places) == width > 1:
        return f"a piece on row {rows.pop()}"
    if len(columns) == 1 and len(places) == height > 1:
        return f"a piece on column {column_letters(columns.pop())}"
    if len(places) > _MOST_NAMED:
        return ""
    named = [cell_name(x, y) for x, y in sorted(places)]
    return f"a piece on {' or '.join(filter(None, (', '.join(named[:-1]), named[-1])))}"


def _lines(sets: Sets, width: int, height: int) -> str:
    """Lines of one length in some directions, all that there are on the board."""
    length = len(next(iter(sets)))
    found: dict[Place, set[frozenset[Place]]] = {}
    for squares in sets:
        first, second = sorted(squares)[:2]
        step = second[0] - first[0], second[1] - first[1]
        line = frozenset((first[0] + k * step[0], first[1] + k * step[1]) for k in range(length))
        if step not in _LINES or line != squares:
            return ""
        found.setdefault(step, set()).add(squares)
    for step, lines in found.items():
        if lines != set(_all_lines(step, length, width, height)):
            return ""
    if len({step for step in found if step[0] and step[1]}) == 1:
        return ""  # one of the two diagonals
    names = list(dict.fromkeys(name for step, name in _LINES.items() if step in found))
    named = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{_NUMBERS.get(length, length)} in a {named}"


def _all_lines(step: Place, length: int, width: int, height: int) -> Iterator[frozenset[Place]]:
    for x in range(1, width + 1):
        for y in range(1, height + 1):
            line = [(x + k * step[0], y + k * step[1]) for k in range(length)]
            if 1 <= line[-1][0] <= width and 1 <= line[-1][1] <= height:
                yield frozenset(line)


def _shape_words(sets: Sets, width: int, height: int) -> str:
    shape = shape_of(sets, width, height)
    return f"the shape {'/'.join(shape)} in any place, turned or mirrored" if shape else ""


def shape_of(sets: Sets, width: int, height: int) -> tuple[str, ...]:
    """The shape whose placements the winning sets are, row by row (``XX``, ``X.``); else nothing.

    They have to be all placements on the board, turned and mirrored ones included.
    """
    wanted = set(sets)
    if not wanted or min(map(len, wanted)) < 2:
        return ()
    forms = {_normal(map_(x, y) for x, y in next(iter(wanted))) for map_ in _maps()}
    placed = {
        frozenset((x + dx, y + dy) for x, y in form)
        for form in forms
        for dx in range(1, width + 1 - max(x for x, _ in form))
        for dy in range(1, height + 1 - max(y for _, y in form))
    }
    if placed != wanted:
        return ()

    return tuple(drawing_of(canonical(sorted(min(forms, key=sorted)))).split("/"))


def _maps() -> list[Callable[[int, int], Place]]:
    return [found for _, found in board_maps(0, 0)]


def _normal(places: Iterator[Place]) -> frozenset[Place]:
    known = list(places)
    left, top = min(x for x, _ in known), min(y for _, y in known)
    return frozenset((x - left, y - top) for x, y in known)
