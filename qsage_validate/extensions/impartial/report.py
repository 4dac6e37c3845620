"""A run of the synthesis and its report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from os import makedirs, path
from typing import Any, Final

from qsage_validate.errors import InputError, counted, one_line
from qsage_validate.extensions.impartial.methods import (
    StrategyResult,
    enumerate_formula,
    enumerate_strategy,
    synms_formula,
    synms_strategy,
    synthesise_strategy,
)
from qsage_validate.extensions.impartial.model import ImpartialFormula, ImpartialGame, state_text
from qsage_validate.extensions.impartial.proofs import GameWarning, Verifier, check_game
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialRules,
    box_states,
    formula_source,
    identifiers,
    linear_source,
)
from qsage_validate.extensions.impartial.smt import SmtQuestion, SmtSolver, definition
from qsage_validate.extensions.impartial.strategy import CrossCheck, ImpartialStrategy, cross_check
from qsage_validate.extensions.impartial.termination import (
    Endless,
    Terminates,
    Termination,
    play_of,
    prove_termination,
)
from qsage_validate.extensions.impartial.termination import to_dict as termination_json
from qsage_validate.extensions.impartial.winning_formula import (
    FormulaOutcome,
    FormulaResult,
    synthesise_formula,
)
from qsage_validate.formats.writing import write_atomic
from qsage_validate.system.limits import Deadline, Progress, Stopwatch, Tell, nobody

# One synthesis from the game to the checked answer, as the commands and benchmarks run it


CROSS_CHECKED_STATES: Final = 2000
"""The approximate number of states on which an answer is compared with backward induction."""

_CROSS_CHECK_SECONDS: Final = 20.0
_ENDLESS_DEPTH: Final = 5_000
"""A longer play is not followed in a game of which it is not proved that every play ends."""


class SynthesisMethod(Enum):
    """The method to find formulas and strategies; ``synms`` is the SynMS paper's own."""

    HYBRID = "hybrid"
    SYNMS = "synms"
    ENUM = "enum"


class Verdict(Enum):
    """The verdict of a synthesis.

    ``PROVED``: the formula is the winning formula.  ``IF_PLAYS_END``: it fulfils the three
    constraints, so that whom it calls the winner wins every play that ends; that all plays end
    is not proved.  ``IMPOSSIBLE``: there is no winning formula.  ``ENDLESS``: none was found, and
    there is a play without end.  ``CONTRADICTED``: proof and backward induction contradict each
    other.
    """

    PROVED = "proved"
    IF_PLAYS_END = "if plays end"
    IMPOSSIBLE = "impossible"
    ENDLESS = "endless"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


_Formulas = Callable[[ImpartialRules, SmtSolver, Deadline, Tell], FormulaResult]
_Strategies = Callable[[Verifier, FormulaResult, Deadline, Tell], StrategyResult]

_METHODS: Final[dict[SynthesisMethod, tuple[_Formulas, _Strategies]]] = {
    SynthesisMethod.HYBRID: (synthesise_formula, synthesise_strategy),
    SynthesisMethod.SYNMS: (synms_formula, synms_strategy),
    SynthesisMethod.ENUM: (enumerate_formula, enumerate_strategy),
}


@dataclass(frozen=True)
class SynthesisOptions:
    """Options of a synthesis.

    ``seconds`` are for the formula and again for the strategy; ``together``: for both.
    """

    method: SynthesisMethod = SynthesisMethod.HYBRID
    strategy: bool = False
    misere: bool = False
    seconds: float | None = None
    memory_mb: int | None = None
    together: bool = False


@dataclass
class Synthesis:
    """The result of a synthesis, with the seconds of each step."""

    game: ImpartialGame
    options: SynthesisOptions
    formula: FormulaResult
    termination: Termination
    strategy: StrategyResult | None = None
    checked: CrossCheck | None = None
    warnings: list[GameWarning] = field(default_factory=list)
    formula_seconds: float = 0.0
    strategy_seconds: float = 0.0
    solver_seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows from formula, termination and cross-check together."""
        if self.formula.outcome is FormulaOutcome.IMPOSSIBLE:
            return Verdict.IMPOSSIBLE
        if self.formula.formula is None:
            endless = isinstance(self.termination, Endless)
            return Verdict.ENDLESS if endless else Verdict.UNDECIDED
        if self.checked is not None and not self.checked.agrees:
            return Verdict.CONTRADICTED
        ends = isinstance(self.termination, Terminates)
        return Verdict.PROVED if ends else Verdict.IF_PLAYS_END

    @property
    def found(self) -> ImpartialFormula | None:
        """The winning formula: proved, and not at odds with backward induction."""
        return self.formula.formula if self.verdict is Verdict.PROVED else None

    @property
    def found_if_plays_end(self) -> ImpartialFormula | None:
        """The formula that is proved except for the end of all plays."""
        return self.formula.formula if self.verdict is Verdict.IF_PLAYS_END else None


def synthesise(
    game: ImpartialGame,
    options: SynthesisOptions | None = None,
    tell: Tell = nobody,
    solver: SmtSolver | None = None,
) -> Synthesis:
    """Synthesise, prove and cross-check; a ``solver`` that is given is used and left open.

    Raises ``InputError`` for a game that makes no sense, ``MissingExtraError`` without z3.
    """
    options = options or SynthesisOptions()
    if solver is not None:
        return _synthesise(game, options, tell, solver)
    with SmtSolver(options.memory_mb) as own:
        return _synthesise(game, options, tell, own)


def _synthesise(
    game: ImpartialGame, options: SynthesisOptions, tell: Tell, solver: SmtSolver
) -> Synthesis:
    rules = ImpartialRules(game, misere=options.misere)
    asked = solver.seconds
    deadline = Deadline.after(options.seconds)
    watch = Stopwatch()
    warnings = check_game(game, solver, deadline)
    for warning in warnings:
        tell(Progress("warning", warning.text))
    termination = prove_termination(game, solver, deadline)
    if not isinstance(termination, Terminates):
        warnings.append(GameWarning(str(termination)))
        tell(Progress("warning", str(termination)))
        rules.max_depth = _ENDLESS_DEPTH
    search, find_rules = _METHODS[options.method]
    try:
        found = search(rules, solver, deadline, tell)
    except EndlessGameError as error:
        found = FormulaResult(FormulaOutcome.UNDECIDED, str(error))
        termination = Endless(game, play_of(rules, error.cycle))
    result = Synthesis(game, options, found, termination, warnings=warnings)
    result.formula_seconds = watch.seconds
    formula = result.formula.formula
    if formula is not None:
        if options.strategy:
            watch = Stopwatch()
            verifier = Verifier(rules, solver, tuple(result.formula.labels))
            if not options.together:
                deadline = Deadline.after(options.seconds)
            result.strategy = find_rules(verifier, result.formula, deadline, tell)
            result.strategy_seconds = watch.seconds
        proved = result.strategy if result.strategy and result.strategy.proved else None
        # A new set of rules, so that labels are made anew.
        fresh = ImpartialRules(game, misere=options.misere)
        fresh.max_depth = rules.max_depth
        result.checked = cross_check(
            fresh,
            formula,
            proved.strategy if proved else None,
            box_states(game, CROSS_CHECKED_STATES),
            Deadline.after(_CROSS_CHECK_SECONDS),
        )
    result.solver_seconds = solver.seconds - asked
    return result


# A synthesis as text, as Python, as SMT-LIB, as JSON, and as a folder with the proofs


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
        lines.append(f"last candidate, not proved: {one_line(str(formula.candidate))}")
    strategy = result.strategy
    if strategy is not None:
        outcome = _outcome_of(strategy, result)
        count = len(strategy.strategy.rules) if strategy.strategy else 0
        size = strategy.strategy.size if strategy.strategy else 0
        rules = counted(count, "rule")
        lines.append(f"strategy {outcome}: {strategy.reason} ({rules}, size {size})")
        if strategy.strategy is not None and strategy.strategy.rules:
            lines += [f"  {line}" for line in strategy.strategy.text(result.game).splitlines()]
    checked = result.checked
    if checked is not None:
        lines.append(_checked_line(checked, result))
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


def _outcome_of(strategy: StrategyResult, result: Synthesis) -> str:
    """The outcome of the strategy, which is no more certain than its formula."""
    if strategy.proved:
        return result.verdict.value
    return "undecided"


def _checked_line(checked: CrossCheck, result: Synthesis) -> str:
    if checked.mistake is not None:
        shown = state_text(result.game.variables, checked.mistake)
        return f"cross-check: DISAGREES with backward induction at {shown}: {checked.reason}"
    if not checked.states:
        return "cross-check: none, backward induction had no answer in time"
    return f"cross-check: agrees with backward induction on {counted(checked.states, 'state')}"


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
            "outcome": _outcome_of(strategy, result),
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
                f"        return {json.dumps(rule.action.name, ensure_ascii=False)}, ({values})",
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
