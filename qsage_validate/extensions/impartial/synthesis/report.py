"""A synthesis as text, as Python, as SMT-LIB, as JSON, and as a folder with the proofs."""

from __future__ import annotations

import json
from os import makedirs, path
from typing import Any

from qsage_validate.errors import InputError
from qsage_validate.extensions.impartial.formula import ImpartialFormula
from qsage_validate.extensions.impartial.model import ImpartialGame, state_text
from qsage_validate.extensions.impartial.moves import formula_source, identifiers, linear_source
from qsage_validate.extensions.impartial.synthesis.checks.termination import Terminates
from qsage_validate.extensions.impartial.synthesis.checks.termination import (
    to_dict as termination_json,
)
from qsage_validate.extensions.impartial.synthesis.smt.session import Synthesis, Verdict
from qsage_validate.extensions.impartial.synthesis.smt.smtlib import SmtQuestion, definition
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialStrategy
from qsage_validate.formats.writing import write_atomic


def text(result: Synthesis) -> str:
    """A synthesis for people: the verdict, the formula, the rules, the checks."""
    formula, verdict = result.formula, result.verdict
    lines = [f"{verdict.value}: {_headline(result)}"]
    if verdict is not Verdict.IMPOSSIBLE:
        lines.append(str(result.termination))
    said = {
        Verdict.PROVED: "winning formula",
        Verdict.IF_PLAYS_END: "winning formula if plays end",
        Verdict.CONTRADICTED: "formula, contradicted",
    }
    if formula.formula is not None:
        lines.append(f"{said[verdict]} (size {formula.formula.size}): {formula.formula}")
    elif formula.candidate is not None:
        lines.append(f"last candidate, not proved: {formula.candidate}")
    strategy = result.strategy
    if strategy is not None:
        count = len(strategy.strategy.rules) if strategy.strategy else 0
        size = strategy.strategy.size if strategy.strategy else 0
        lines.append(
            f"strategy {_strategy_outcome(result)}: {strategy.reason} ({count} rules, size {size})"
        )
        if strategy.strategy is not None and strategy.strategy.rules:
            lines += [f"  {line}" for line in strategy.strategy.text(result.game).splitlines()]
    checked = result.checked
    if checked is not None:
        lines.append(_checked_line(result))
    return "\n".join(lines)


def _headline(result: Synthesis) -> str:
    play = "misère" if result.options.misere else "normal"
    return f"{result.game.name}, {play} play: {reason(result)}"


def reason(result: Synthesis) -> str:
    if result.verdict is not Verdict.CONTRADICTED:
        return result.formula.reason
    return (
        f"{result.formula.reason}, but backward induction contradicts the answer: proof or "
        "induction is wrong"
    )


def _strategy_outcome(result: Synthesis) -> str:
    """The outcome of the strategy, which is no more certain than its formula."""
    assert result.strategy is not None
    if result.strategy.proved:
        return result.verdict.value
    return "undecided"


def _checked_line(result: Synthesis) -> str:
    checked = result.checked
    assert checked is not None
    if checked.mistake is not None:
        shown = state_text(result.game.variables, checked.mistake)
        return f"cross-check: DISAGREES with backward induction at {shown}: {checked.reason}"
    if not checked.states:
        return "cross-check: none, backward induction had no answer in time"
    return f"cross-check: agrees with backward induction on {checked.states:,} states"


def to_dict(result: Synthesis) -> dict[str, Any]:
    """A synthesis for programs; states are lists in the order of ``variables``."""
    formula, strategy, checked = result.formula, result.strategy, result.checked
    proved = result.found or result.found_if_plays_end
    found: dict[str, Any] = {
        "game": result.game.name,
        "variables": list(result.game.variables),
        "method": result.options.method.value,
        "misere": result.options.misere,
        "outcome": result.verdict.value,
        "reason": reason(result),
        "termination": termination_json(result.termination),
        "formula": _shown(result.found),
        "formula_if_plays_end": _shown(result.found_if_plays_end),
        "size": None if formula.formula is None else formula.formula.size,
        "candidate": _shown(formula.candidate if proved is None else None),
        "technique": formula.technique.value if formula.technique else None,
        "rounds": formula.rounds,
        "labelled": len(formula.labels),
        "seconds": round(result.formula_seconds, 3),
        "solver_seconds": round(result.solver_seconds, 3),
        "warnings": [warning.text for warning in result.warnings],
    }
    if strategy is not None:
        rules = strategy.strategy.rules if strategy.strategy else ()
        found["strategy"] = {
            "outcome": _strategy_outcome(result),
            "reason": strategy.reason,
            "rules": [
                {"condition": str(r.condition), "action": r.action.text(result.game)} for r in rules
            ],
            "size": strategy.strategy.size if strategy.strategy else None,
            "seconds": round(result.strategy_seconds, 3),
        }
    if checked is not None:
        found["cross_check"] = {
            "states": checked.states,
            "complete": checked.complete,
            "agrees": checked.agrees,
            "mistake": None if checked.mistake is None else list(checked.mistake),
        }
    return found


def _shown(formula: ImpartialFormula | None) -> str | None:
    return None if formula is None else str(formula)


def python_module(
    game: ImpartialGame,
    formula: ImpartialFormula,
    strategy: ImpartialStrategy | None,
    *,
    misere: bool = False,
) -> str:
    """A Python module with ``is_winning`` and, for a strategy, ``move``."""
    names = identifiers(game.variables)
    arguments = ", ".join(names[v] for v in game.variables)
    play = "misère" if misere else "normal"
    title = game.name.replace("\\", " ").replace('"', "'")
    lines = [
        f'"""The game {title}: who wins ({play} play), for all legal states."""',
        "",
        "",
        f"def is_winning({arguments}):",
        '    """Whether the player to move wins."""',
        f"    return {_outer(formula_source(formula, names))}",
    ]
    if strategy is not None:
        lines += [
            "",
            "",
            f"def move({arguments}):",
            '    """A winning move as (action, parameters); None when there is none."""',
        ]
        for rule in strategy.rules:
            values = "".join(f"{linear_source(a, names)}, " for a in rule.action.arguments).strip()
            lines += [
                f"    if {_outer(formula_source(rule.condition, names))}:",
                f'        return "{rule.action.name}", ({values})',
            ]
        lines.append("    return None")
    return "\n".join(lines) + "\n"


def _outer(source: str) -> str:
    """Without one pair of parentheses around all of it."""
    if not source.startswith("(") or not source.endswith(")"):
        return source
    depth = 0
    for place, sign in enumerate(source):
        depth += (sign == "(") - (sign == ")")
        if not depth and place < len(source) - 1:
            return source
    return source[1:-1]


def smtlib_module(
    game: ImpartialGame, formula: ImpartialFormula, strategy: ImpartialStrategy | None
) -> str:
    """SMT-LIB definitions of the legal states, the winning formula and the rules' conditions."""
    lines = [
        f"; {' '.join(game.name.split())}: the winning formula over all legal states",
        definition("legal", game.variables, game.constraint),
        definition("winning", game.variables, formula),
    ]
    for number, rule in enumerate(strategy.rules if strategy is not None else (), start=1):
        lines.append(f"; {rule.action.text(game)}")
        lines.append(definition(f"rule{number}", game.variables, rule.condition))
    return "\n".join(lines)


def questions(result: Synthesis) -> tuple[SmtQuestion, ...]:
    """The questions of all proofs; an SMT solver answers each one with ``unsat``."""
    found: tuple[SmtQuestion, ...] = ()
    if isinstance(result.termination, Terminates):
        found += result.termination.questions
    if result.formula.verification is not None:
        found += result.formula.verification.questions
    if result.strategy is not None and result.strategy.verification is not None:
        found += result.strategy.verification.questions
    return found


def write_folder(result: Synthesis, folder: str) -> list[str]:
    """Write the report's files into ``folder``, which is made; returns their names.

    ``report.txt``, ``report.json`` and, with a formula, ``winning.py``, ``winning.smt2`` and
    ``proof-NN.smt2``, each of which an SMT solver must answer with ``unsat``; with a strategy
    also ``strategy.txt``, which ``parse_strategy`` reads.
    """
    try:
        makedirs(folder, exist_ok=True)
    except OSError as error:
        found = f"an error: {error.strerror}"
        raise InputError(folder, None, None, found, "a folder that can be written") from None
    files = {
        "report.txt": text(result) + "\n",
        "report.json": json.dumps(to_dict(result), ensure_ascii=False, indent=2) + "\n",
    }
    if result.found is not None:
        strategy = proved_strategy(result)
        misere = result.options.misere
        files["winning.py"] = python_module(result.game, result.found, strategy, misere=misere)
        files["winning.smt2"] = smtlib_module(result.game, result.found, strategy)
        if strategy is not None:
            files["strategy.txt"] = f"# {_headline(result)}\n{strategy.text(result.game)}\n"
        for number, question in enumerate(questions(result), start=1):
            files[f"proof-{number:02}.smt2"] = question.text
    for name, content in files.items():
        write_atomic(path.join(folder, name), content)
    return list(files)


def proved_strategy(result: Synthesis) -> ImpartialStrategy | None:
    """The strategy, if it and its formula were proved."""
    return None if result.found is None else proved_rules(result)


def proved_rules(result: Synthesis) -> ImpartialStrategy | None:
    """The strategy, if it was proved to be that of its formula, whatever is proved of that."""
    strategy = result.strategy
    return strategy.strategy if strategy is not None and strategy.proved else None
