"""The typed model of an impartial game: variables, actions, legal and ending states.

Source: the SynMS paper, section 3 (Definition 1); the semantics is in ``rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qsage_validate.formats.source import Place
from qsage_validate.games.impartial.formula import TRUE, Formula, Linear, constants


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct of a precondition: its meaning, its words in the file, and where they stand."""

    formula: Formula
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Effect:
    """``variable := expression`` when ``condition`` holds in the state before the action."""

    variable: str
    expression: Linear
    condition: Formula = TRUE


@dataclass(frozen=True, slots=True)
class Action:
    """A named action with integer parameters.

    All effects read the state before the action.  When several effects of one variable apply,
    the first of the file counts; the checks of the synthesis layer report such states.
    ``conditions`` are the conjuncts of the precondition as the file has them, if there is one.
    """

    name: str
    parameters: tuple[str, ...]
    precondition: Formula
    effects: tuple[Effect, ...]
    place: Place | None = field(default=None, compare=False)
    conditions: tuple[Condition, ...] = field(default=(), compare=False)

    def grounded(self, values: Mapping[str, Linear]) -> Action:
        """The semi-ground action: expressions over the state put for all parameters."""
        missing = [name for name in self.parameters if name not in values]
        if missing:
            raise ValueError(f"found no expression for {', '.join(missing)} of {self.name}")
        effects = tuple(
            Effect(e.variable, e.expression.substitute(values), e.condition.substitute(values))
            for e in self.effects
        )
        return Action(self.name, (), self.precondition.substitute(values), effects, self.place)


@dataclass(frozen=True, slots=True)
class ImpartialGame:
    """The tuple ⟨X, A, C, E⟩ of Definition 1.

    A player at an ending state, or one without an action, loses in normal play and wins in
    misère play.
    """

    name: str
    variables: tuple[str, ...]
    actions: tuple[Action, ...]
    constraint: Formula
    ending: Formula
    file: str | None = field(default=None, compare=False)

    def state(self, values: tuple[int, ...]) -> dict[str, int]:
        """The values in the order of the variables, by name."""
        return dict(zip(self.variables, values, strict=True))

    def constants(self) -> frozenset[int]:
        """The integers in the file, without signs."""
        found = set(constants(self.constraint) | constants(self.ending))
        for action in self.actions:
            found |= constants(action.precondition)
            for effect in action.effects:
                found |= constants(effect.condition)
                found.add(effect.expression.constant)
                found.update(factor for _, factor in effect.expression.terms)
        return frozenset(abs(number) for number in found)


def state_text(variables: tuple[str, ...], values: tuple[int, ...]) -> str:
    """A state for people: ``v1 = 3, v2 = 0``."""
    return ", ".join(f"{n} = {v}" for n, v in zip(variables, values, strict=True))
