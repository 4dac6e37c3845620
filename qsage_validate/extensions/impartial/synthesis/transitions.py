"""The effects of actions, as formulas over the state before them.

Effects are functions of the state and the parameters, so that the successor state is put into
formulas by substitution; no variables of its own are needed (Definition 5 of the SynMS paper
has them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.extensions.impartial.formula import (
    TRUE,
    ImpartialFormula,
    Linear,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.model import ImpartialAction, ImpartialGame


@dataclass(frozen=True)
class ActionOutcome:
    """One case of an action: where ``guard`` holds, the variables get these expressions."""

    guard: ImpartialFormula
    assignment: dict[str, Linear]


def outcomes(action: ImpartialAction) -> list[ActionOutcome]:
    """The cases of an action's conditional effects; exactly one guard holds in each state.

    When several effects of one variable apply, the first one counts, as in the rules.
    """
    conditions = list(dict.fromkeys(e.condition for e in action.effects if e.condition != TRUE))
    found: list[ActionOutcome] = []
    for choice in _choices(len(conditions)):
        true = {c for c, chosen in zip(conditions, choice, strict=True) if chosen}
        assignment: dict[str, Linear] = {}
        for effect in action.effects:
            if effect.condition == TRUE or effect.condition in true:
                assignment.setdefault(effect.variable, effect.expression)
        guard = conjunction(
            c if chosen else c.negated() for c, chosen in zip(conditions, choice, strict=True)
        )
        found.append(ActionOutcome(guard, assignment))
    return found


def _choices(count: int) -> Iterator[tuple[bool, ...]]:
    if not count:
        yield ()
        return
    for rest in _choices(count - 1):
        yield (*rest, True)
        yield (*rest, False)


def after(action: ImpartialAction, formula: ImpartialFormula) -> ImpartialFormula:
    """The formula that holds before the action exactly when ``formula`` holds after it."""
    cases = outcomes(action)
    if len(cases) == 1:
        return formula.substitute(cases[0].assignment)
    return disjunction(
        conjunction((case.guard, formula.substitute(case.assignment))) for case in cases
    )


@dataclass(frozen=True)
class ActionPlies:
    """The plies that one outcome of an action makes: from a legal state that is no end.

    ``holds`` is over the state variables and the action's parameters: the state is legal and no
    end, the action is applicable, and the state after it is legal.  ``values`` is that state.
    """

    index: int
    action: ImpartialAction
    holds: ImpartialFormula
    values: dict[str, Linear]


def steps(game: ImpartialGame) -> list[ActionPlies]:
    """All plies that the rules allow; every play is a sequence of them."""
    running = without_not(game.ending).negated()
    found = []
    for index, action in enumerate(game.actions):
        for outcome in outcomes(action):
            legal = game.constraint.substitute(outcome.assignment)
            parts = (game.constraint, running, action.precondition, outcome.guard, legal)
            values = {
                name: outcome.assignment.get(name, Linear.variable(name)) for name in game.variables
            }
            found.append(ActionPlies(index, action, without_not(conjunction(parts)), values))
    return found


def reaches(action: ImpartialAction, target: ImpartialFormula) -> ImpartialFormula:
    """The action is applicable and leads to a state with ``target`` (parameters stay free)."""
    return conjunction((action.precondition, after(action, target)))
