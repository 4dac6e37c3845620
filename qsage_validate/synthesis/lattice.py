"""Formulas for games with one or two unbounded variables, whose labels repeat along them.

With two, for each choice of the bounded variables the labels form a plane; where it repeats with
one period in both directions, its losing states are some residue classes of the one variable for
each class of the difference (or the sum) of both.  With one they form a column: its losing values
are some single ones, and from some value on whole residue classes.  The formula that says just
that is large but seldom wrong; it is made small once it is proved.

Slow Nim is the standard case: its losing states with three heaps, one of them bounded, are those
with residues whose bitwise sum is 0 (table of the families, class 2.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from qsage_validate.games.impartial.boxes import intervals
from qsage_validate.games.impartial.formula import (
    FALSE,
    TRUE,
    Comparison,
    Congruence,
    Formula,
    Linear,
    conjunction,
    disjunction,
)
from qsage_validate.games.impartial.model import ImpartialGame
from qsage_validate.games.impartial.moves import State

_MAX_PLANES: Final = 64
_MIN_SIDE: Final = 8
# The part of a second period that must be seen in each direction.
_SEEN: Final = 1.5
_UNKNOWN: Final = -1

_Plane = npt.NDArray[np.int8]
"""1 winning, 0 losing, -1 not labelled; from the lower bounds of both variables on."""


def lattice_formula(game: ImpartialGame, labels: Mapping[State, bool]) -> Formula | None:
    """The winning formula that the labels suggest; ``None`` when they suggest none.

    That is so when not exactly two variables are unbounded, from below both bounded; when there
    are many planes, or when one does not repeat from its corner on.
    """
    bounds = intervals(game)
    free = [i for i, name in enumerate(game.variables) if bounds[name].upper is None]
    if len(free) != 2 or any(bounds[name].lower is None for name in game.variables):
        return None
    corner = tuple(bounds[game.variables[i]].lower or 0 for i in free)
    planes: dict[State, dict[tuple[int, int], bool]] = {}
    for state, label in labels.items():
        rest = tuple(value for i, value in enumerate(state) if i not in free)
        place = state[free[0]] - corner[0], state[free[1]] - corner[1]
        planes.setdefault(rest, {})[place] = label
    if len(planes) > _MAX_PLANES:
        return None
    others = [name for i, name in enumerate(game.variables) if i not in free]
    first, second = (game.variables[i] for i in free)
    terms = []
    for rest, plane in planes.items():
        repeated = _repeated(_array(plane))
        if repeated is None:
            return None
        where = conjunction(
            Comparison("=", Linear.variable(name), Linear((), value))
            for name, value in zip(others, rest, strict=True)
        )
        losing = _losing(np.roll(repeated, corner, (0, 1)), first, second)
        terms.append(conjunction((where, losing)))
    return disjunction(terms).negated()


def _array(plane: Mapping[tuple[int, int], bool]) -> _Plane:
    """The labels of a square from the corner, as large as the labels along an axis reach."""
    side = 0
    while (side, side) in plane or (0, side) in plane or (side, 0) in plane:
        side += 1
    found = np.full((side, side), _UNKNOWN, dtype=np.int8)
    for (x, y), label in plane.items():
        if 0 <= x < side and 0 <= y < side:
            found[x, y] = label
    return found


def _repeated(plane: _Plane) -> _Plane | None:
    """One period of the plane: the smallest square with which it is tiled, if there is one."""
    side = len(plane)
    if side < _MIN_SIDE:
        return None
    for period in range(1, int(side / _SEEN) + 1):
        if _agree(plane[period:], plane[:-period]) and _agree(
            plane[:, period:], plane[:, :-period]
        ):
            tile = np.full((period, period), _UNKNOWN, dtype=np.int8)
            for x in range(0, side, period):
                for y in range(0, side, period):
                    part = plane[x : x + period, y : y + period]
                    corner = tile[: part.shape[0], : part.shape[1]]
                    np.copyto(corner, part, where=part != _UNKNOWN)
            return tile
    return None


def _agree(one: _Plane, other: _Plane) -> bool:
    """True if two planes have the same labels where both have any."""
    known = (one != _UNKNOWN) & (other != _UNKNOWN)
    return bool(np.array_equal(one[known], other[known]))


def _losing(tile: _Plane, first: str, second: str) -> Formula:
    """The losing classes of a tile: by differences or by sums, whichever is said more shortly."""
    return min(
        (_classes(tile, first, second, sign) for sign in (1, -1)), key=lambda formula: formula.size
    )


def _classes(tile: _Plane, first: str, second: str, sign: int) -> Formula:
    period = len(tile)
    if period == 1:
        return TRUE if tile[0, 0] == 0 else FALSE
    x, y = Linear.variable(first), Linear.variable(second)
    shifted = x - y if sign == 1 else x + y
    terms = []
    for shift in range(period):
        column = [int(tile[r, sign * (r - shift) % period]) for r in range(period)]
        if 0 not in column:
            continue
        line = Congruence(shifted, period, Linear((), shift))
        terms.append(conjunction((line, _residues(x, column))))
    return disjunction(terms)


def _residues(variable: Linear, column: list[int]) -> Formula:
    """The residues with 0 in ``column``; those with -1 may be among them."""
    period = len(column)
    losing = [r for r, value in enumerate(column) if value == 0]
    winning = [r for r, value in enumerate(column) if value == 1]
    if not winning:
        return TRUE
    if len(winning) < len(losing):
        return conjunction(
            Congruence(variable, period, Linear((), r), holds_equal=False) for r in winning
        )
    return disjunction(Congruence(variable, period, Linear((), r)) for r in losing)


# -- One free variable: ultimately periodic columns --------------------------------------------

_MAX_COLUMNS: Final = 64
_MIN_LENGTH: Final = 24


def column_formula(game: ImpartialGame, labels: dict[State, bool]) -> Formula | None:
    """The winning formula that the columns suggest; ``None`` when they suggest none.

    That is so when not exactly one variable is free, when there are too many columns, or when
    one shows no period in its last two thirds.
    """
    bounds = intervals(game)
    free = [
        i
        for i, name in enumerate(game.variables)
        if bounds[name].lower is None or bounds[name].upper is None
    ]
    if len(free) != 1:
        return None
    axis = free[0]
    columns: dict[State, dict[int, bool]] = {}
    for state, label in labels.items():
        rest = state[:axis] + state[axis + 1 :]
        columns.setdefault(rest, {})[state[axis]] = label
    if len(columns) > _MAX_COLUMNS:
        return None
    losing = []
    for rest, column in columns.items():
        shape = _shape(column)
        if shape is None:
            return None
        losing.append((rest, shape))
    return _formula(game, axis, losing)


_Shape = tuple[frozenset[int], int, int, frozenset[int]]
"""Single losing values below a start; the start; a modulus; the losing residues from there on."""


def _shape(column: dict[int, bool]) -> _Shape | None:
    first = min(column)
    length = next((n for n in range(len(column) + 1) if first + n not in column), 0)
    if length < _MIN_LENGTH:
        return None
    values = [column[first + n] for n in range(length)]
    best: tuple[int, int] | None = None
    for period in range(1, length // 3 + 1):
        start = length - period
        while start > 0 and values[start - 1] == values[start - 1 + period]:
            start -= 1
        # The period must be seen on a good part of the column.
        if length - start >= max(2 * period, length // 3) and (
            best is None or start + period < sum(best)
        ):
            best = start, period
    if best is None:
        return None
    start, period = best
    single = frozenset(first + n for n in range(start) if not values[n])
    residues = frozenset(
        (first + n) % period for n in range(start, start + period) if not values[n]
    )
    return single, first + start, period, residues


def _formula(game: ImpartialGame, axis: int, losing: list[tuple[State, _Shape]]) -> Formula:
    variable = Linear.variable(game.variables[axis])
    others = game.variables[:axis] + game.variables[axis + 1 :]
    grouped: dict[_Shape, list[State]] = {}
    for rest, shape in losing:
        grouped.setdefault(shape, []).append(rest)
    terms = []
    for (single, start, period, residues), rests in grouped.items():
        where = disjunction(
            conjunction(
                Comparison("=", Linear.variable(name), Linear((), value))
                for name, value in zip(others, rest, strict=True)
            )
            for rest in rests
        )
        values: list[Formula] = [
            Comparison("=", variable, Linear((), value)) for value in sorted(single)
        ]
        if residues:
            # Modulo 1 all values are one class.
            tail: Formula = disjunction(
                Congruence(variable, period, Linear((), residue)) if period > 1 else TRUE
                for residue in sorted(residues)
            )
            later = Comparison(">=", variable, Linear((), start))
            values.append(conjunction((later, tail)))
        terms.append(conjunction((where, disjunction(values))))
    return disjunction(terms).negated()
