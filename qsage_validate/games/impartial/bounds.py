"""Bounds of an action's parameters, so that its applicable ground actions can be listed.

The precondition is split into cubes; in each one the parameters are eliminated one after the
other (Fourier and Motzkin, over the rationals, so that the bounds may be too wide but never too
narrow).  What is left bounds each parameter by the state and the parameters before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from qsage_validate.errors import InputError
from qsage_validate.games.impartial.formula import (
    And,
    Comparison,
    Formula,
    Linear,
    Or,
    without_not,
)
from qsage_validate.games.impartial.model import Action

MAX_CUBES: Final = 256
_MAX_INEQUALITIES: Final = 400


@dataclass(frozen=True)
class Range:
    """``max(lower / divisor) <= parameter <= min(upper / divisor)``, rounded inwards."""

    parameter: str
    lower: tuple[tuple[Linear, int], ...]
    upper: tuple[tuple[Linear, int], ...]


def parameter_ranges(action: Action) -> tuple[tuple[Range, ...], ...]:
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


def _cubes(action: Action) -> Iterator[tuple[Formula, ...]]:
    def split(formula: Formula) -> list[tuple[Formula, ...]]:
        match formula:
            case Or(parts):
                cubes = [cube for part in parts for cube in split(part)]
            case And(parts):
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


def _error(action: Action, found: str, expected: str) -> InputError:
    place = action.place
    if place is None:
        return InputError(None, None, None, f"{found} in action {action.name}", expected)
    return InputError(
        place.file, place.line, place.column, f"{found} in action {action.name}", expected
    )


def _inequalities(cube: Iterable[Formula]) -> set[Linear] | None:
    """Expressions that are at least 0 in the cube; ``None`` when it is plainly empty."""
    found: set[Linear] = set()
    for atom in cube:
        if not isinstance(atom, Comparison):
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


def _ranges(action: Action, inequalities: set[Linear]) -> tuple[Range, ...]:
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
