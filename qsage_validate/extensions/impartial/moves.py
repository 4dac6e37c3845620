"""Lists the moves of a state, by code that is generated once for each game.

Labelling asks for the moves of many thousands of states; loops over the parameters with their
bounds worked out beforehand are some fifty times quicker than walking through the formulas.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from qsage_validate.errors import InputError
from qsage_validate.extensions.impartial.formula import (
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
