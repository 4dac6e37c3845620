"""Finite boxes of legal states, and the values of formulas on many states at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from qsage_validate.extensions.impartial.formula import (
    OPERATORS,
    Congruence,
    ImpartialAnd,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialNot,
    ImpartialOr,
    Linear,
    Truth,
    without_not,
)
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.moves import State

Column = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


def linear_values(expression: Linear, columns: Mapping[str, Column]) -> Column:
    """The values of an expression on states given as one array for each variable."""
    length = len(next(iter(columns.values())))
    total = np.full(length, expression.constant, dtype=np.int64)
    for name, factor in expression.terms:
        total += factor * columns[name]
    return total


def formula_values(formula: ImpartialFormula, columns: Mapping[str, Column]) -> Bits:
    """The truth values of a formula on states given as one array for each variable."""
    match formula:
        case ImpartialComparison(relation):
            found: Bits = OPERATORS[relation](linear_values(formula.difference, columns), 0)
            return found
        case Congruence(_, modulus, _, equal):
            zero: Bits = linear_values(formula.difference, columns) % modulus == 0
            return zero if equal else ~zero
        case ImpartialAnd(parts):
            bits = formula_values(parts[0], columns)
            for part in parts[1:]:
                bits = bits & formula_values(part, columns)
            return bits
        case ImpartialOr(parts):
            bits = formula_values(parts[0], columns)
            for part in parts[1:]:
                bits = bits | formula_values(part, columns)
            return bits
        case ImpartialNot(part):
            return ~formula_values(part, columns)
        case Truth(value):
            return np.full(len(next(iter(columns.values()))), value)
    raise TypeError(f"no formula: {formula!r}")


def columns_of(variables: Sequence[str], states: Sequence[State]) -> dict[str, Column]:
    """One array for each variable, over ``states``."""
    table = np.array(states, dtype=np.int64).reshape(len(states), len(variables))
    return {name: table[:, i].copy() for i, name in enumerate(variables)}


@dataclass(frozen=True)
class Interval:
    """The values that the constraint leaves to one variable; ``None`` is no bound."""

    lower: int | None
    upper: int | None


def intervals(game: ImpartialGame) -> dict[str, Interval]:
    """The bounds of each variable that the constraint states outright.

    Conditions of one variable that the constraint has as a conjunct count, others do not.
    """
    constraint = without_not(game.constraint)
    parts = constraint.parts if isinstance(constraint, ImpartialAnd) else (constraint,)
    lower: dict[str, list[int]] = {name: [] for name in game.variables}
    upper: dict[str, list[int]] = {name: [] for name in game.variables}
    for part in parts:
        if not isinstance(part, ImpartialComparison) or len(part.difference.terms) != 1:
            continue
        ((name, factor),) = part.difference.terms
        constant = part.difference.constant
        for sign in _signs(part.relation):
            # sign * (factor * v + constant) >= offset, as one bound of v
            strict = part.relation in ("<", ">")
            if sign * factor > 0:
                lower[name].append(-((sign * constant - strict) // abs(factor)))
            else:
                upper[name].append((sign * constant - strict) // abs(factor))
    return {
        name: Interval(
            max(lower[name]) if lower[name] else None, min(upper[name]) if upper[name] else None
        )
        for name in game.variables
    }


def _signs(relation: str) -> tuple[int, ...]:
    return {"=": (1, -1), ">": (1,), ">=": (1,), "<": (-1,), "<=": (-1,)}.get(relation, ())


def box_states(game: ImpartialGame, states: int) -> list[State]:
    """Legal states in a box with about ``states`` points, sorted by sum and then by values.

    Variables that the constraint bounds to few values get all of them; the others share what
    is left alike.  A variable without a lower bound begins at minus a half of its share.
    """
    bounds = intervals(game)
    share = _shares(bounds, states)
    axes = []
    for name in game.variables:
        low, high, side = bounds[name].lower, bounds[name].upper, share[name]
        if low is None:
            low = -(side // 2) if high is None else high - side + 1
        last = low + side - 1
        axes.append(np.arange(low, last + 1 if high is None else min(last, high) + 1))
    grids = np.meshgrid(*axes, indexing="ij")
    columns = {
        name: grid.ravel().astype(np.int64)
        for name, grid in zip(game.variables, grids, strict=True)
    }
    if not len(next(iter(columns.values()))):
        return []
    legal = formula_values(game.constraint, columns)
    table = np.stack([columns[name][legal] for name in game.variables], axis=1)
    order = np.lexsort([*reversed(table.T), np.abs(table).sum(axis=1)])
    return [tuple(row) for row in table[order].tolist()]


def _shares(bounds: Mapping[str, Interval], states: int) -> dict[str, int]:
    """The number of values for each variable, so that the box has about ``states`` points."""
    widths = {
        name: one.upper - one.lower + 1
        for name, one in bounds.items()
        if one.lower is not None and one.upper is not None
    }
    share: dict[str, int] = {}
    left = states
    waiting = set(bounds)
    while waiting:
        side = max(2, int(left ** (1 / len(waiting)) + 1e-9))
        narrow = [name for name in waiting if widths.get(name, side + 1) <= side]
        if not narrow:
            return share | dict.fromkeys(waiting, side)
        for name in narrow:
            share[name] = max(1, widths[name])
            left = max(1, left // share[name])
            waiting.remove(name)
    return share
