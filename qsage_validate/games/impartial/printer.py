"""Prints impartial games in the published dialect; what is printed parses back to the same."""

from __future__ import annotations

from qsage_validate.games.impartial.formula import (
    TRUE,
    Comparison,
    Congruence,
    Formula,
    Linear,
    Truth,
    prefix_text,
)
from qsage_validate.games.impartial.model import Action, Effect, ImpartialGame

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


def formula_text(formula: Formula) -> str:
    """The formula as the dialect writes it; a constant is the empty ``(and)`` or ``(or)``."""
    return prefix_text(formula, _atom_text)


def _atom_text(formula: Formula) -> str:
    match formula:
        case Truth(value):
            return "(and)" if value else "(or)"
        case Comparison(relation, left, right):
            return f"({relation} {expression_text(left)} {expression_text(right)})"
        case Congruence(expression, modulus, residue, equal):
            text = f"(%= {expression_text(expression)} {modulus} {expression_text(residue)})"
            return text if equal else f"(not {text})"
    raise TypeError(f"no formula: {formula!r}")


def _effect_text(effect: Effect) -> str:
    text = f"(assign ?{effect.variable} {expression_text(effect.expression)})"
    if effect.condition == TRUE:
        return text
    return f"(when {formula_text(effect.condition)} {text})"


def _action_text(action: Action) -> str:
    effects = [_effect_text(effect) for effect in action.effects]
    effect = effects[0] if len(effects) == 1 else f"(and {' '.join(effects)})"
    return (
        f"  (:action {action.name}\n"
        f"    :parameters ({' '.join('?' + name for name in action.parameters)})\n"
        f"    :precondition {formula_text(action.precondition)}\n"
        f"    :effect {effect})"
    )


def game_text(game: ImpartialGame) -> str:
    """The text of a file with this game."""
    lines = [
        f"(define (domain {game.name})",
        f"  (:objects {' '.join('?' + name for name in game.variables)})",
        f"  (:tercondition {formula_text(game.ending)})",
        f"  (:constraint {formula_text(game.constraint)})",
        *map(_action_text, game.actions),
    ]
    return "\n".join(lines) + ")\n"
