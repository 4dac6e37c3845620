"""Lists the moves of a state, by code that is generated once for each game.

Labelling asks for the moves of many thousands of states; loops over the parameters with their
bounds worked out beforehand are some fifty times quicker than walking through the formulas.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from qsage_validate.games.impartial.bounds import Range, parameter_ranges
from qsage_validate.games.impartial.formula import (
    TRUE,
    And,
    Comparison,
    Congruence,
    Formula,
    Linear,
    Not,
    Or,
    Truth,
)
from qsage_validate.games.impartial.model import Action, ImpartialGame

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
    """Like :func:`compile_moves`, with nothing but the states after the moves."""
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
            after = f"({''.join(_value(game, action, v, names) + ',' for v in game.variables)})"
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


def _value(game: ImpartialGame, action: Action, variable: str, names: dict[str, str]) -> str:
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


def semi_ground_text(action: Action, arguments: tuple[Linear, ...]) -> str:
    """The action with its arguments, for people: ``take(v1 - v2)``."""
    return f"{action.name}({', '.join(map(str, arguments))})"


_RELATIONS = {"=": "=="}


def identifiers(variables: tuple[str, ...]) -> dict[str, str]:
    """A Python identifier for each variable: its own name, unless that is a keyword."""
    return {v: f"{v}_" if keyword.iskeyword(v) else v for v in variables}


def linear_source(expression: Linear, names: Mapping[str, str]) -> str:
    """The expression as Python source; ``names`` says what each variable is called there."""
    return str(Linear.of({names[n]: a for n, a in expression.terms}, expression.constant))


def formula_source(formula: Formula, names: Mapping[str, str]) -> str:
    """The formula as a Python expression; ``names`` as in :func:`linear_source`."""
    match formula:
        case Truth(value):
            return str(value)
        case Comparison(relation, left, right):
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
        case And(parts):
            return "(" + " and ".join(formula_source(p, names) for p in parts) + ")"
        case Or(parts):
            return "(" + " or ".join(formula_source(p, names) for p in parts) + ")"
        case Not(part):
            return f"(not {formula_source(part, names)})"
    raise TypeError(f"no formula: {formula!r}")
