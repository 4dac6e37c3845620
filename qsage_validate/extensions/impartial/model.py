"""The typed model of an impartial game: variables, actions, legal and ending states.

Source: the SynMS paper, section 3 (Definition 1); the semantics is in ``rules``.

``game_text`` prints a game in the published dialect; what is printed parses back to the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qsage_validate.extensions.impartial.formula import (
    TRUE,
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    Truth,
    constants,
    prefix_text,
)
from qsage_validate.formats.source import Place


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct of a precondition: its meaning, its words in the file, and where they stand."""

    formula: ImpartialFormula
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class ImpartialEffect:
    """``variable := expression`` when ``condition`` holds in the state before the action."""

    variable: str
    expression: Linear
    condition: ImpartialFormula = TRUE


@dataclass(frozen=True, slots=True)
class ImpartialAction:
    """A named action with integer parameters.

    All effects read the state before the action.  When several effects of one variable apply,
    the first of the file counts; the checks of the synthesis layer report such states.
    ``conditions`` are the conjuncts of the precondition as the file has them, if there is one.
    """

    name: str
    parameters: tuple[str, ...]
    precondition: ImpartialFormula
    effects: tuple[ImpartialEffect, ...]
    place: Place | None = field(default=None, compare=False)
    conditions: tuple[Condition, ...] = field(default=(), compare=False)

    def grounded(self, values: Mapping[str, Linear]) -> ImpartialAction:
        """The semi-ground action: expressions over the state put for all parameters."""
        missing = [name for name in self.parameters if name not in values]
        if missing:
            raise ValueError(f"found no expression for {', '.join(missing)} of {self.name}")
        effects = tuple(
            ImpartialEffect(
                e.variable, e.expression.substitute(values), e.condition.substitute(values)
            )
            for e in self.effects
        )
        return ImpartialAction(
            self.name, (), self.precondition.substitute(values), effects, self.place
        )


@dataclass(frozen=True, slots=True)
class ImpartialGame:
    """The tuple ⟨X, A, C, E⟩ of Definition 1.

    A player at an ending state, or one without an action, loses in normal play and wins in
    misère play.
    """

    name: str
    variables: tuple[str, ...]
    actions: tuple[ImpartialAction, ...]
    constraint: ImpartialFormula
    ending: ImpartialFormula
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


# Up to here products are printed as the sums that the published files have.
_MAX_SUMMANDS = 16


def expression_text(expression: Linear) -> str:
    """The expression with binary ``+`` and ``-``."""
    plus: list[str] = []
    minus: list[str] = []
    for name, factor in expression.terms:
        side = plus if factor > 0 else minus
        if abs(factor) > _MAX_SUMMANDS:
            side.append(f"(* {abs(factor)} ?{name})")
        else:
            side += [f"?{name}"] * abs(factor)
    if expression.constant > 0 or not expression.terms:
        plus.append(str(expression.constant))
    elif expression.constant < 0:
        minus.append(str(-expression.constant))
    text = _sum(plus) if plus else "0"
    for part in minus:
        text = f"(- {text} {part})"
    return text


def _sum(parts: list[str]) -> str:
    text = parts[-1]
    for part in reversed(parts[:-1]):
        text = f"(+ {part} {text})"
    return text


def formula_text(formula: ImpartialFormula) -> str:
    """The formula as the dialect writes it; a constant is the empty ``(and)`` or ``(or)``."""
    return prefix_text(formula, _atom_text)


def _atom_text(formula: ImpartialFormula) -> str:
    match formula:
        case Truth(value):
            return "(and)" if value else "(or)"
        case ImpartialComparison(relation, left, right):
            return f"({relation} {expression_text(left)} {expression_text(right)})"
        case Congruence(expression, modulus, residue, equal):
            text = f"(%= {expression_text(expression)} {modulus} {expression_text(residue)})"
            return text if equal else f"(not {text})"
    raise TypeError(f"no formula: {formula!r}")


def _effect_text(effect: ImpartialEffect) -> str:
    text = f"(assign ?{effect.variable} {expression_text(effect.expression)})"
    if effect.condition == TRUE:
        return text
    return f"(when {formula_text(effect.condition)} {text})"


def _action_text(action: ImpartialAction) -> str:
    effects = [_effect_text(effect) for effect in action.effects]
    effect = effects[0] if len(effects) == 1 else f"(and {' '.join(effects)})"
    return (
        f"  (:action {action.name}\n"
        f"    :parameters ({' '.join('?' + name for name in action.parameters)})\n"
        f"    :precondition {formula_text(action.precondition)}\n"
        f"    :effect {effect})"
    )


def game_text(game: ImpartialGame) -> str:
    lines = [
        f"(define (domain {game.name})",
        f"  (:objects {' '.join('?' + name for name in game.variables)})",
        f"  (:tercondition {formula_text(game.ending)})",
        f"  (:constraint {formula_text(game.constraint)})",
        *map(_action_text, game.actions),
    ]
    return "\n".join(lines) + ")\n"
