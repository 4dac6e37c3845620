"""Synthesises strategies for a proved winning formula: the method ``hybrid``.

The proof of the formula leaves semi-ground actions that serve all winning states.  Where one
serves is a formula already, the precondition and the losing states with the successor put in, and
the rule with it is winning and complete as it stands; classification then looks for a small
formula that is equal to it on all legal states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.formula import (
    ImpartialAnd,
    ImpartialFormula,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.synthesis.atoms import (
    LEVELS,
    enumerate_atoms,
    moduli,
    periods,
)
from qsage_validate.extensions.impartial.synthesis.checks.formula import (
    ClaimStatus,
    ClaimVerification,
    Verifier,
)
from qsage_validate.extensions.impartial.synthesis.checks.sample import StateSample
from qsage_validate.extensions.impartial.synthesis.checks.strategy import (
    difference,
    verify_strategy,
)
from qsage_validate.extensions.impartial.synthesis.classification import best_cover, classify
from qsage_validate.extensions.impartial.synthesis.enumeration import smallest_formulas
from qsage_validate.extensions.impartial.synthesis.semi_ground import SemiGround
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialRule, ImpartialStrategy
from qsage_validate.extensions.impartial.synthesis.winning_formula import FormulaResult
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

_ROUNDS: Final = 12
_MAX_STATES: Final = 2500


@dataclass
class StrategyResult:
    """The strategy, proved or as far as it came."""

    reason: str
    strategy: ImpartialStrategy | None = None
    verification: ClaimVerification | None = None

    @property
    def proved(self) -> bool:
        return self.verification is not None and self.verification.status is ClaimStatus.PROVED


class _Conditions:
    """Looks for small formulas equal to given ones on all legal states."""

    def __init__(
        self,
        verifier: Verifier,
        labels: dict[State, bool],
        formula: ImpartialFormula,
        deadline: Deadline,
    ) -> None:
        self.verifier = verifier
        self.deadline = deadline
        self.states: list[State] = list(labels)[:_MAX_STATES]
        self.labels = labels
        game = verifier.game
        self.known = [game.constraint, formula]
        self.periods = periods(list(labels), labels)
        self.constants = game.constants()

    def sample(self, formula: ImpartialFormula) -> StateSample:
        plain = StateSample(self.verifier.game.variables, tuple(self.states), 0)
        return replace(plain, target=plain.values(formula))

    def small(self, exact: ImpartialFormula) -> ImpartialFormula:
        """A formula equal to ``exact``, no larger; the smallest one that is found in time."""
        best = self.without_needless(exact)
        level = 0
        for _ in range(_ROUNDS):
            if self.deadline.over or level == LEVELS:
                break
            sample = self.sample(exact)
            candidate = self.candidate(sample, level)
            if candidate is None or candidate.size >= best.size:
                # Larger atoms do not make smaller formulas where these make none.
                level = LEVELS if candidate is not None else level + 1
                continue
            try:
                state = difference(self.verifier, candidate, exact, self.deadline.sooner(5.0))
            except UndecidedError:
                break
            if state is None:
                return candidate
            self.states.append(state)
        return best

    def candidate(self, sample: StateSample, level: int) -> ImpartialFormula | None:
        wanted = moduli(self.constants, self.periods, level)
        literals = enumerate_atoms(sample, level, wanted)
        part = self.deadline.sooner(2.0)
        found = smallest_formulas(sample.target, sample.mask, literals, part)
        if found:
            return found[0]
        covered = best_cover(sample.target, sample.mask, literals, part, most=500)
        if covered is not None:
            return covered
        try:
            return classify(sample.target, sample.mask, literals, self.deadline.sooner(3.0))
        except UndecidedError:
            return None

    def without_needless(self, exact: ImpartialFormula) -> ImpartialFormula:
        """``exact`` without the conjuncts that the others and the constraint imply."""
        if not isinstance(exact, ImpartialAnd):
            return exact
        game = self.verifier.game
        parts = sorted(exact.parts, key=lambda part: part.size, reverse=True)
        for part in list(parts):
            rest = [other for other in parts if other is not part]
            wrong = (game.constraint, *rest, part.negated())
            sample = self.sample(conjunction(wrong))
            if sample.target:
                continue
            try:
                title, part_of_time = "a conjunct is implied", self.deadline.sooner(2.0)
                if self.verifier.model(title, wrong, part_of_time) is None:
                    parts = rest
            except UndecidedError:
                continue
        return conjunction(part for part in exact.parts if part in parts)


def synthesise_strategy(
    verifier: Verifier, found: FormulaResult, deadline: Deadline, tell: Tell = nobody
) -> StrategyResult:
    """A winning and complete strategy for the proved formula of ``found``, proved."""
    game = verifier.game
    formula, witnesses, labels = found.proved.formula, found.proved.witnesses, found.labels
    target = conjunction((game.constraint, without_not(formula).negated()))
    conditions = _Conditions(verifier, labels, formula, deadline.or_after(600.0).share(0.7))
    served = {one: without_not(verifier.served(one, target)) for one in witnesses}
    try:
        kept = _needed(verifier, formula, served, deadline)
    except UndecidedError as error:
        return StrategyResult(str(error))
    rules = []
    for one in kept:
        rule = ImpartialRule(conditions.small(served[one]), one)
        tell(Progress(f"rule {rule.text(game)}"))
        rules.append(rule)
    strategy = ImpartialStrategy(tuple(rules))
    verification = verify_strategy(verifier, formula, strategy, deadline)
    return StrategyResult(verification.reason, strategy, verification)


def _needed(
    verifier: Verifier,
    formula: ImpartialFormula,
    served: dict[SemiGround, ImpartialFormula],
    deadline: Deadline,
) -> list[SemiGround]:
    """The actions that are left when those whose states others serve are dropped."""
    domain = verifier.to_move(formula)
    sample = StateSample(verifier.game.variables, tuple(verifier.sample), 0)
    bits = {one: sample.values(conjunction((formula, served[one]))) for one in served}
    kept = list(served)
    # Those that serve the fewest states first: they are the likeliest to be needless.
    for one in sorted(served, key=lambda o: (bits[o].bit_count(), -o.size)):
        others = [other for other in kept if other != one]
        union = 0
        for other in others:
            union |= bits[other]
        if bits[one] & ~union or not others:
            continue
        some = disjunction(served[other] for other in others)
        try:
            title = "the other actions serve all winning states"
            if verifier.model(title, (*domain, some.negated()), deadline.sooner(3.0)) is None:
                kept = others
        except UndecidedError:
            continue
    return kept
