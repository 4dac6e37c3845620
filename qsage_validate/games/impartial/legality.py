"""Why a ground action is illegal, in the words of the file.

The formulas are evaluated as they stand, which shares no code with the compiled rules that list
the legal moves.
"""

from __future__ import annotations

from qsage_validate.formats.source import Place
from qsage_validate.games.impartial.formula import And, Formula
from qsage_validate.games.impartial.model import Action, state_text
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.impartial.printer import formula_text
from qsage_validate.games.impartial.rules import ImpartialRules
from qsage_validate.games.protocol import Illegality


def illegality(
    rules: ImpartialRules, state: State, name: str, arguments: tuple[int, ...]
) -> Illegality | None:
    """What forbids the action ``name`` with ``arguments`` in ``state``; ``None``: it is legal."""
    game = rules.game
    shown = f"{name}({','.join(map(str, arguments))})"
    action = next((a for a in game.actions if a.name == name), None)
    if action is None or len(arguments) != len(action.parameters):
        return Illegality("unknown move", f"{shown}: no move of this game")
    values = game.state(state)
    if game.ending.holds(values):
        rule = formula_text(game.ending)
        text = f"{shown}: the play has ended, for {rule} is true"
        return Illegality(rule, text)
    chosen = dict(zip(action.parameters, arguments, strict=True))
    for index, (formula, rule, place) in enumerate(_conditions(action)):
        if not formula.holds(values | chosen):
            used = formula.variables()
            known = {n: v for n, v in (values | chosen).items() if n in used}
            where = _where(place)
            text = f"{shown}: {rule} is false for {state_text(tuple(known), tuple(known.values()))}"
            return Illegality(rule, text + where, index=index)
    after = state_after(action, game.variables, state, chosen)
    if not game.constraint.holds(game.state(after)):
        rule = formula_text(game.constraint)
        leads = state_text(game.variables, after)
        return Illegality(rule, f"{shown}: leads to {leads}, where {rule} is false")
    return None


def _conditions(action: Action) -> list[tuple[Formula, str, Place | None]]:
    if action.conditions:
        return [(one.formula, one.text, one.place) for one in action.conditions]
    whole = action.precondition
    parts = whole.parts if isinstance(whole, And) else (whole,)
    return [(part, formula_text(part), None) for part in parts]


def _where(place: Place | None) -> str:
    if place is None:
        return ""
    return f" ({place.file or 'the game'}, line {place.line})"


def state_after(
    action: Action, variables: tuple[str, ...], state: State, chosen: dict[str, int]
) -> State:
    """The state that the effects lead to, applicable or not; the first of a variable counts."""
    before = dict(zip(variables, state, strict=True))
    values = before | chosen
    after = dict(before)
    done: set[str] = set()
    for effect in action.effects:
        if effect.variable not in done and effect.condition.holds(values):
            done.add(effect.variable)
            after[effect.variable] = effect.expression.value(values)
    return tuple(after[name] for name in variables)
