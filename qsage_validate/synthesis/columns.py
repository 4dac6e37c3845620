"""Formulas for games in which a single variable has no bound: ultimately periodic columns.

For each choice of the bounded variables the labels along the free one are a column; its losing
values are some single ones, and from some value on whole residue classes.  The formula that says
just that is large but seldom wrong; it is made small once it is proved.
"""

from __future__ import annotations

from typing import Final

from qsage_validate.games.impartial.boxes import intervals
from qsage_validate.games.impartial.formula import (
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
