"""Random impartial games and formulas, and rules of them that share no code with the project's."""

from __future__ import annotations

from functools import cache
from itertools import product

from hypothesis import strategies as st

from qsage_validate.extensions.impartial.model import (
    TRUE,
    Congruence,
    ImpartialAction,
    ImpartialComparison,
    ImpartialEffect,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    conjunction,
    disjunction,
    negation,
)

VARIABLES = ("v1", "v2")


@st.composite
def linears(draw: st.DrawFn, names: tuple[str, ...] = VARIABLES) -> Linear:
    """Expressions with small numbers."""
    factors = {name: draw(st.integers(-3, 3)) for name in names}
    return Linear.of(factors, draw(st.integers(-6, 6)))


@st.composite
def formulas(
    draw: st.DrawFn, names: tuple[str, ...] = VARIABLES, depth: int = 2
) -> ImpartialFormula:
    """Formulas of every shape; none is a constant as it stands."""
    kind = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "%", "%", "and", "or", "not"]))
    if kind in ("and", "or", "not") and depth:
        if kind == "not":
            return negation(draw(formulas(names, depth - 1)))
        parts = draw(st.lists(formulas(names, depth - 1), min_size=2, max_size=3))
        return conjunction(parts) if kind == "and" else disjunction(parts)
    if kind in ("and", "or", "not", "%"):
        modulus = draw(st.integers(1, 7))
        residue = Linear((), draw(st.integers(0, modulus - 1)))
        return Congruence(draw(linears(names)), modulus, residue, draw(st.booleans()))
    return ImpartialComparison(kind, draw(linears(names)), draw(linears(names)))


@st.composite
def games(draw: st.DrawFn) -> ImpartialGame:
    """Games of one or two heaps that always end: an action takes from some heap."""
    count = draw(st.integers(1, 2))
    variables = VARIABLES[:count]
    zero = conjunction(ImpartialComparison("=", Linear.variable(v)) for v in variables)
    legal: list[ImpartialFormula] = [
        ImpartialComparison(">=", Linear.variable(v)) for v in variables
    ]
    if count == 2:
        most = Linear((), draw(st.integers(0, 2)))
        legal.append(ImpartialComparison("<=", Linear.variable("v2"), most))
    actions = []
    for number in range(draw(st.integers(1, 2))):
        target = draw(st.sampled_from(variables))
        k, v = Linear.variable("k"), Linear.variable(target)
        conditions: list[ImpartialFormula] = [
            ImpartialComparison(">=", k, Linear((), 1)),
            ImpartialComparison("<=", k, draw(st.sampled_from([v, Linear((), 3), Linear((), 2)]))),
            ImpartialComparison(">=", v, k),
        ]
        if draw(st.booleans()):
            conditions.append(draw(formulas((*variables, "k"), 1)))
        effects = [ImpartialEffect(target, v - k)]
        if count == 2 and draw(st.booleans()):
            other = "v2" if target == "v1" else "v1"
            effects.append(ImpartialEffect(other, Linear(), draw(formulas((*variables, "k"), 0))))
        actions.append(
            ImpartialAction(f"a{number}", ("k",), conjunction(conditions), tuple(effects))
        )
    ending = draw(st.sampled_from([zero, conjunction([zero, TRUE])]))
    return ImpartialGame("random", variables, tuple(actions), conjunction(legal), ending)


def naive_labels(
    game: ImpartialGame, side: int, *, misere: bool = False
) -> dict[tuple[int, ...], bool]:
    """Who wins each legal state below ``side``: all values of all parameters are tried."""

    @cache
    def wins(state: tuple[int, ...]) -> bool:
        values = dict(zip(game.variables, state, strict=True))
        if game.ending.holds(values):
            return misere
        after = [s for s in naive_successors(game, state) if legal(game, s)]
        return any(not wins(s) for s in after) if after else misere

    states = product(range(side), repeat=len(game.variables))
    return {state: wins(state) for state in states if legal(game, state)}


def legal(game: ImpartialGame, state: tuple[int, ...]) -> bool:
    return game.constraint.holds(dict(zip(game.variables, state, strict=True)))


def naive_successors(game: ImpartialGame, state: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The states after all applicable ground actions with parameters from -1 to 40."""
    found = set()
    values = dict(zip(game.variables, state, strict=True))
    for action in game.actions:
        for chosen in product(range(-1, 41), repeat=len(action.parameters)):
            full = values | dict(zip(action.parameters, chosen, strict=True))
            if action.precondition.holds(full):
                changed = dict(values)
                for effect in reversed(action.effects):
                    if effect.condition.holds(full):
                        changed[effect.variable] = effect.expression.value(full)
                found.add(tuple(changed[name] for name in game.variables))
    return found
