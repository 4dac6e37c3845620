"""One synthesis from the game to the checked answer, as the commands and benchmarks run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from qsage_validate.extensions.impartial.boxes import box_states
from qsage_validate.extensions.impartial.formula import ImpartialFormula
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.rules import EndlessGameError, ImpartialRules
from qsage_validate.extensions.impartial.synthesis.checks.cross_check import CrossCheck, cross_check
from qsage_validate.extensions.impartial.synthesis.checks.endless import play_of
from qsage_validate.extensions.impartial.synthesis.checks.formula import Verifier
from qsage_validate.extensions.impartial.synthesis.checks.model_checks import (
    GameWarning,
    check_game,
)
from qsage_validate.extensions.impartial.synthesis.checks.termination import (
    Endless,
    Terminates,
    Termination,
    prove_termination,
)
from qsage_validate.extensions.impartial.synthesis.enum_method import (
    enumerate_formula,
    enumerate_strategy,
)
from qsage_validate.extensions.impartial.synthesis.smt.solver import SmtSolver
from qsage_validate.extensions.impartial.synthesis.synms import synms_formula, synms_strategy
from qsage_validate.extensions.impartial.synthesis.winning_formula import (
    FormulaOutcome,
    FormulaResult,
    synthesise_formula,
)
from qsage_validate.extensions.impartial.synthesis.winning_strategy import (
    StrategyResult,
    synthesise_strategy,
)
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

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
