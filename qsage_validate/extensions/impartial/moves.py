"""Moves of games with heaps, one by one and for all positions of a box.

Labelling asks for the moves of many thousands of states; loops over the parameters with their
bounds worked out beforehand are some fifty times quicker than walking through the formulas.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from qsage_validate.errors import InputError
from qsage_validate.extensions.impartial.formula import (
    OPERATORS,
    TRUE,
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
from qsage_validate.extensions.impartial.model import ImpartialAction, ImpartialGame

# Lists the moves of a state, by code that is generated once for each game


State = tuple[int, ...]
"""The values of the state variables, in the order of the game."""

GroundMove = tuple[int, tuple[int, ...], State]
"""The action's index, the values of its parameters, the state after it."""


def compile_moves(game: ImpartialGame) -> Callable[[State], Iterator[GroundMove]]:
    """A function that lists the applicable ground actions of a state, possibly repeated.

    Raises ``InputError`` when an action has an unbounded parameter.
    """
    found: Callable[[State], Iterator[GroundMove]]
    found = _compiled(_moves_source(game, successors_only=False), "moves")
    return found


def compile_successors(game: ImpartialGame) -> Callable[[State], Iterator[State]]:
    """:func:`compile_moves` without the moves: the successor states alone."""
    found: Callable[[State], Iterator[State]]
    found = _compiled(_moves_source(game, successors_only=True), "moves")
    return found


def compile_test(game: ImpartialGame, which: str) -> Callable[[State], bool]:
    """A function that says whether a state fulfils the game's ``constraint`` or ``ending``."""
    formula = game.constraint if which == "constraint" else game.ending
    names = _names(game.variables, "s")
    lines = ["def test(state):", *_unpacking(game), f"    return {formula_source(formula, names)}"]
    found: Callable[[State], bool] = _compiled("\n".join(lines), "test")
    return found


def _compiled(source: str, name: str) -> Any:
    # The source has names of our own making (s0, k1, ...) and integers, nothing of the file.
    scope: dict[str, Any] = {}
    exec(compile(source, "<rules of the game>", "exec"), scope)
    return scope[name]


def _names(variables: tuple[str, ...], letter: str) -> dict[str, str]:
    return {variable: f"{letter}{i}" for i, variable in enumerate(variables)}


def _unpacking(game: ImpartialGame) -> list[str]:
    names = "".join(f"s{i}," for i in range(len(game.variables)))
    return [f"    {names} = state"]


def _moves_source(game: ImpartialGame, *, successors_only: bool) -> str:
    lines = ["def moves(state):", *_unpacking(game)]
    for index, action in enumerate(game.actions):
        names = _names(game.variables, "s") | _names(action.parameters, "k")
        for ranges in parameter_ranges(action):
            indent = "    "
            for one in ranges:
                lines.append(f"{indent}{_loop(one, names)}")
                indent += "    "
            lines.append(f"{indent}if {formula_source(action.precondition, names)}:")
            after = f"({''.join(_value(action, v, names) + ',' for v in game.variables)})"
            if successors_only:
                lines.append(f"{indent}    yield {after}")
            else:
                chosen = "".join(f"k{i}," for i in range(len(action.parameters)))
                lines.append(f"{indent}    yield {index}, ({chosen}), {after}")
    # A generator even when no precondition can ever hold.
    lines += ["    return", "    yield"]
    return "\n".join(lines)


def _loop(one: Range, names: dict[str, str]) -> str:
    lower = [
        linear_source(low, names) if d == 1 else f"-(({linear_source(-low, names)}) // {d})"
        for low, d in one.lower
    ]
    upper = [
        linear_source(high, names) if d == 1 else f"({linear_source(high, names)}) // {d}"
        for high, d in one.upper
    ]
    first = lower[0] if len(lower) == 1 else f"max({', '.join(lower)})"
    last = upper[0] if len(upper) == 1 else f"min({', '.join(upper)})"
    return f"for {names[one.parameter]} in range({first}, {last} + 1):"


def _value(action: ImpartialAction, variable: str, names: dict[str, str]) -> str:
    """The variable's value after the action; the first effect that applies counts."""
    text = names[variable]
    for effect in reversed(action.effects):
        if effect.variable != variable:
            continue
        value = linear_source(effect.expression, names)
        if effect.condition == TRUE:
            text = value
        else:
            text = f"({value} if {formula_source(effect.condition, names)} else {text})"
    return text


def semi_ground_text(action: ImpartialAction, arguments: tuple[Linear, ...]) -> str:
    """The action with its arguments, for people: ``take(v1 - v2)``."""
    return f"{action.name}({', '.join(map(str, arguments))})"


_RELATIONS = {"=": "=="}


def identifiers(variables: tuple[str, ...]) -> dict[str, str]:
    """A Python identifier for each variable: its own name, unless that is a keyword."""
    return {v: f"{v}_" if keyword.iskeyword(v) else v for v in variables}


def linear_source(expression: Linear, names: Mapping[str, str]) -> str:
    """The expression as Python source; ``names`` says what each variable is called there."""
    return str(Linear.of({names[n]: a for n, a in expression.terms}, expression.constant))


def formula_source(formula: ImpartialFormula, names: Mapping[str, str]) -> str:
    """The formula as a Python expression; ``names`` as in :func:`linear_source`."""
    match formula:
        case Truth(value):
            return str(value)
        case ImpartialComparison(relation, left, right):
            sign = _RELATIONS.get(relation, relation)
            return f"{linear_source(left, names)} {sign} {linear_source(right, names)}"
        case Congruence(expression, modulus, residue, equal):
            sign = "==" if equal else "!="
            if residue.is_constant:
                rest = residue.constant % modulus
            else:
                expression, rest = expression - residue, 0
            divided = linear_source(expression, names)
            if not divided.isidentifier():
                divided = f"({divided})"
            return f"{divided} % {modulus} {sign} {rest}"
        case ImpartialAnd(parts) | ImpartialOr(parts):
            return "(" + f" {formula.word} ".join(formula_source(p, names) for p in parts) + ")"
        case ImpartialNot(part):
            return f"(not {formula_source(part, names)})"
    raise TypeError(f"no formula: {formula!r}")


MAX_CUBES: Final = 256
# -- Bounds of an action's parameters ----------------------------------------------------------
#
# The precondition is split into cubes; in each one the parameters are eliminated one after the
# other (Fourier and Motzkin, over the rationals, so that the bounds may be too wide but never too
# narrow).  What is left bounds each parameter by the state and the parameters before it.

_MAX_INEQUALITIES: Final = 400


@dataclass(frozen=True)
class Range:
    """``max(lower / divisor) <= parameter <= min(upper / divisor)``, rounded inwards."""

    parameter: str
    lower: tuple[tuple[Linear, int], ...]
    upper: tuple[tuple[Linear, int], ...]


def parameter_ranges(action: ImpartialAction) -> tuple[tuple[Range, ...], ...]:
    """For each cube of the precondition the ranges of the parameters, outermost first.

    Every applicable ground action is in the ranges of some cube; the precondition itself must
    still be tested.  Raises ``InputError`` at the action when a parameter is unbounded.
    """
    if not action.parameters:
        return ((),)
    found: dict[tuple[Range, ...], None] = {}
    for cube in _cubes(action):
        inequalities = _inequalities(cube)
        if inequalities is not None:
            found[_ranges(action, inequalities)] = None
    return tuple(found)


def _cubes(action: ImpartialAction) -> Iterator[tuple[ImpartialFormula, ...]]:
    def split(formula: ImpartialFormula) -> list[tuple[ImpartialFormula, ...]]:
        match formula:
            case ImpartialOr(parts):
                cubes = [cube for part in parts for cube in split(part)]
            case ImpartialAnd(parts):
                cubes = [
                    tuple(atom for cube in choice for atom in cube)
                    for choice in product(*map(split, parts))
                ]
            case _:
                return [(formula,)]
        if len(cubes) > MAX_CUBES:
            raise _error(action, f"a precondition with more than {MAX_CUBES} cases", "fewer 'or'")
        return cubes

    yield from split(without_not(action.precondition))


def _error(action: ImpartialAction, found: str, expected: str) -> InputError:
    place = action.place
    if place is None:
        return InputError(None, None, None, f"{found} in action {action.name}", expected)
    return InputError(
        place.file, place.line, place.column, f"{found} in action {action.name}", expected
    )


def _inequalities(cube: Iterable[ImpartialFormula]) -> set[Linear] | None:
    """Expressions that are at least 0 in the cube; ``None`` when it is plainly empty."""
    found: set[Linear] = set()
    for atom in cube:
        if not isinstance(atom, ImpartialComparison):
            continue
        difference = atom.difference
        match atom.relation:
            case ">=":
                found.add(difference)
            case ">":
                found.add(difference - 1)
            case "<=":
                found.add(-difference)
            case "<":
                found.add(-difference - 1)
            case "=":
                found |= {difference, -difference}
    if any(e.is_constant and e.constant < 0 for e in found):
        return None
    return {e for e in found if not e.is_constant}


def _ranges(action: ImpartialAction, inequalities: set[Linear]) -> tuple[Range, ...]:
    ranges: list[Range] = []
    for parameter in reversed(action.parameters):
        lower: set[tuple[Linear, int]] = set()
        upper: set[tuple[Linear, int]] = set()
        rest: set[Linear] = set()
        for expression in inequalities:
            factor = dict(expression.terms).get(parameter, 0)
            if not factor:
                rest.add(expression)
                continue
            other = Linear.of(
                {n: a for n, a in expression.terms if n != parameter}, expression.constant
            )
            # factor * k + other >= 0
            if factor > 0:
                lower.add((-other, factor))
            else:
                upper.add((other, -factor))
        if not lower or not upper:
            side = "above" if lower else "below"
            raise _error(
                action,
                f"the parameter ?{parameter}, unbounded {side},",
                "a precondition that bounds it",
            )
        for low, low_divisor in lower:
            for high, high_divisor in upper:
                shadow = high.scaled(low_divisor) - low.scaled(high_divisor)
                if not shadow.is_constant:
                    rest.add(shadow)
        if len(rest) > _MAX_INEQUALITIES:
            raise _error(action, "too many bounds of parameters", "a simpler precondition")
        inequalities = rest
        ranges.append(Range(parameter, _sorted_tuple(lower), _sorted_tuple(upper)))
    return tuple(reversed(ranges))


def _order(bound: tuple[Linear, int]) -> str:
    return f"{bound[0]}/{bound[1]}"


def _sorted_tuple(bounds: set[tuple[Linear, int]]) -> tuple[tuple[Linear, int], ...]:
    return tuple(sorted(bounds, key=_order))


# Finite boxes of legal states, and the values of formulas on many states at once


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
