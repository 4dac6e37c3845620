"""SynMS as its paper prints it: Algorithms 1 and 2 over the classification of section 4.

Each round enumerates atoms of growing size until they tell all positive states from all negative
ones, chooses few of them by partial MaxSAT, and takes the characteristic formula over these.  The
verification is the one of all methods: "unknown" is undecided here, where the published program
takes it for proved.

Errata, by the evident meaning.  Line 22 of Algorithm 2 adds to the positive states a state that
may be losing, where a condition holds on it: such a state joins the negative ones.  Line 10 of
Algorithm 1 classifies the counterexample alone, whose label may be right: the successors that the
candidate labels wrongly join too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import numpy as np

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.formula import (
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rules import ImpartialMove, ImpartialRules
from qsage_validate.extensions.impartial.synthesis.atoms import (
    LEVELS,
    SampledLiteral,
    comparison,
    distinct_literals,
    expressions,
)
from qsage_validate.extensions.impartial.synthesis.checks.formula import Verifier
from qsage_validate.extensions.impartial.synthesis.checks.sample import StateSample
from qsage_validate.extensions.impartial.synthesis.checks.strategy import (
    Claim,
    rule_claims,
    verify_strategy,
    whole_claims,
)
from qsage_validate.extensions.impartial.synthesis.classification import blocks, hitting_set
from qsage_validate.extensions.impartial.synthesis.semi_ground import (
    SemiGround,
    coverage,
    greedy_cover,
)
from qsage_validate.extensions.impartial.synthesis.smt.solver import SmtSolver
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialRule, ImpartialStrategy
from qsage_validate.extensions.impartial.synthesis.winning_formula import (
    FormulaResult,
    FormulaSearch,
    Technique,
)
from qsage_validate.extensions.impartial.synthesis.winning_strategy import StrategyResult
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

MAXSAT_SECONDS: Final = 3.0
"""The time limit of one MaxSAT call in the paper's section 6.1."""

SMT_SECONDS: Final = 10.0
"""The time limit of one question to the SMT solver in the paper's section 6.1."""

_FIRST_STATES: Final = 20
_MAX_SIZE: Final = 7
_MAX_ATOMS: Final = 4000
_MAX_NUMBER: Final = 64
_MAX_MOVES: Final = 40


def synms_formula(
    rules: ImpartialRules, solver: SmtSolver, deadline: Deadline, tell: Tell = nobody
) -> FormulaResult:
    """Algorithm 1; the result is as that of ``synthesise_formula``."""
    search = FormulaSearch(rules, solver, deadline, tell)
    search.verifier.question_seconds = SMT_SECONDS
    rules.deadline = deadline
    return search.run(_formula)


def _formula(search: FormulaSearch, result: FormulaResult) -> None:
    _label_first_states(search)
    while search.goes_on(result, "atoms were chosen"):
        candidate = exact_classifier(search.game, search.sample(), search.deadline)
        if candidate is None:
            raise UndecidedError("no atoms that were tried tell winning from losing states")
        wrong = search.refuting(result, candidate, Technique.CLASSIFICATION)
        if wrong is None:
            return
        _learn(search, candidate, wrong)


def _label_first_states(search: FormulaSearch) -> None:
    """Line 1: legal states that the solver names, until one is winning and one is losing."""
    seen: list[ImpartialFormula] = [search.game.constraint]
    for _ in range(_FIRST_STATES):
        state = search.verifier.model("another legal state", seen, search.deadline)
        if state is None:
            return
        search.label(state)
        if len(set(search.labels.values())) == 2:
            return
        seen.append(_is(search.game, state).negated())


def _is(game: ImpartialGame, state: State) -> ImpartialFormula:
    return conjunction(
        ImpartialComparison("=", Linear.variable(name), Linear((), value))
        for name, value in zip(game.variables, state, strict=True)
    )


def _learn(search: FormulaSearch, candidate: ImpartialFormula, state: State) -> None:
    """Lines 10 and 11: label the counterexample, and its successors that are said wrongly."""
    before = len(search.labels)
    rules, game = search.rules, search.game
    search.label_small(state)
    for move in rules.applicable(state):
        after = move.after
        if rules.is_legal(after) and rules.winning(after) != candidate.holds(game.state(after)):
            search.label_small(after)
    if len(search.labels) == before and search.flaw is None:
        raise UndecidedError("a counterexample showed no state that is labelled wrongly")


def exact_classifier(
    game: ImpartialGame, sample: StateSample, deadline: Deadline
) -> ImpartialFormula | None:
    """Lines 4 and 5: the characteristic formula of the positive states over few atoms.

    ``None`` when the atoms of all levels leave a positive and a negative state alike (Theorem 3).
    """
    atoms = distinguishing_atoms(game, sample, deadline)
    if atoms is None:
        return None
    clauses = hard_constraints(sample, atoms, deadline)
    chosen, _ = hitting_set(clauses, [1] * len(atoms), deadline, MAXSAT_SECONDS)
    return characteristic_formula(sample, [atoms[number] for number in sorted(chosen)])


def distinguishing_atoms(
    game: ImpartialGame, sample: StateSample, deadline: Deadline
) -> list[SampledLiteral] | None:
    """The atoms up to the least size at which each positive state differs from each negative one.

    Atoms that agree, or disagree, on all states of the sample are represented by one.
    """
    for level in range(LEVELS):
        deadline.check("atoms were enumerated")
        atoms = distinct_literals(sample, _atoms(game, level), _MAX_ATOMS)[::2]
        mixed = _mixed([sample.mask], sample.target)
        for number, atom in enumerate(atoms):
            if not mixed and (number == 0 or atom.size > atoms[number - 1].size):
                return atoms[:number]
            parts = (part for b in mixed for part in (b & atom.bits, b & ~atom.bits))
            mixed = _mixed(parts, sample.target)
        if not mixed:
            return atoms
    return None


def _atoms(game: ImpartialGame, level: int) -> list[ImpartialFormula]:
    """Atoms of at most the paper's greatest size, the small ones first.

    The paper does not say which integers its atoms have.  Here they are 0 to 2, those of the
    game and their successors; each level adds the sums of two of the level before.
    """
    numbers = {0, 1, 2}
    for number in game.constants():
        numbers |= {number, number + 1}
    for _ in range(level):
        numbers |= {a + b for a in numbers for b in numbers}
    found: list[ImpartialFormula] = []
    for expression in expressions(game.variables, level):
        for number in sorted(n for n in numbers if n <= _MAX_NUMBER):
            for constant in {number, -number} if len(expression.terms) > 1 else {number}:
                found += [comparison(relation, expression, constant) for relation in ("=", "<=")]
            if number > 1:
                found += [Congruence(expression, number, Linear((), r)) for r in range(number)]
    return sorted((atom for atom in found if atom.size <= _MAX_SIZE), key=lambda atom: atom.size)


def _mixed(parts: Iterable[int], target: int) -> list[int]:
    return [part for part in parts if part & target and part & ~target]


def hard_constraints(
    sample: StateSample, atoms: Sequence[SampledLiteral], deadline: Deadline
) -> list[list[int]]:
    """Section 4: for each positive and each negative state the atoms that tell them apart.

    Equal constraints stand once.  Numbers are places in ``atoms``.
    """
    count = len(sample.states)
    rows = [[bool(atom.bits >> place & 1) for place in range(count)] for atom in atoms]
    table = np.array(rows, dtype=np.bool_).reshape(len(atoms), count)
    positive = np.array(
        [bool(sample.target >> place & 1) for place in range(count)], dtype=np.bool_
    )
    negative = table[:, ~positive]
    found: dict[bytes, list[int]] = {}
    for column in table[:, positive].T:
        deadline.check("pairs of states were compared")
        for pair in (negative ^ column[:, None]).T:
            found.setdefault(pair.tobytes(), np.flatnonzero(pair).tolist())
    return list(found.values())


def characteristic_formula(
    sample: StateSample, atoms: Sequence[SampledLiteral]
) -> ImpartialFormula:
    """Definition 10: the patterns of the positive states over ``atoms``, as a disjunction."""
    patterns = [b for b in blocks(atoms, sample.mask) if b & sample.target]
    return disjunction(
        conjunction(
            atom.formula if atom.bits & pattern else atom.formula.negated() for atom in atoms
        )
        for pattern in patterns
    )


def synms_strategy(
    verifier: Verifier, found: FormulaResult, deadline: Deadline, tell: Tell = nobody
) -> StrategyResult:
    """Algorithm 2: a winning and complete strategy for the proved formula of ``found``, proved."""
    formula = found.proved.formula
    verifier.question_seconds = SMT_SECONDS
    search = _StrategySearch(verifier, formula, found.labels, deadline, tell)
    try:
        search.run()
        strategy = ImpartialStrategy(tuple(search.simplified()))
    except UndecidedError as error:
        return StrategyResult(str(error), ImpartialStrategy(tuple(search.rules)))
    verification = verify_strategy(verifier, formula, strategy, deadline)
    return StrategyResult(verification.reason, strategy, verification)


class _StrategySearch:
    """The positive and negative states of Algorithm 2, and the rules that were proved."""

    def __init__(
        self,
        verifier: Verifier,
        formula: ImpartialFormula,
        labels: dict[State, bool],
        deadline: Deadline,
        tell: Tell,
    ) -> None:
        self.verifier, self.formula, self.deadline, self.tell = verifier, formula, deadline, tell
        self.game = verifier.game
        self.target = conjunction((self.game.constraint, without_not(formula).negated()))
        self.positive = [state for state, wins in labels.items() if wins]
        self.negative = [state for state, wins in labels.items() if not wins]
        self.rules: list[ImpartialRule] = []
        self.refused: set[SemiGround] = set()

    def run(self) -> None:
        """Lines 2 to 22: until the conditions of the rules are the winning formula together."""
        while True:
            self.deadline.check("rules were made")
            before = len(self.rules), len(self.positive), len(self.negative), len(self.refused)
            for action in self.pool():
                self.make_rule(action)
            state = self.counterexample(whole_claims(self.verifier, self.formula, self.rules))
            if state is None:
                return
            wins = self.formula.holds(self.game.state(state))
            self.add(self.positive if wins else self.negative, state)
            after = len(self.rules), len(self.positive), len(self.negative), len(self.refused)
            if after == before:
                raise UndecidedError("a round made no rule and found no new state")

    def pool(self) -> list[SemiGround]:
        """Line 3: semi-ground actions one of which serves each positive state."""
        wanted = [(n, state, self.good_moves(state)) for n, state in enumerate(self.positive)]
        covered = coverage(self.game, wanted)
        for action in self.refused:
            covered.pop(action, None)
        everything = (1 << len(wanted)) - 1
        return greedy_cover(covered, everything, [rule.action for rule in self.rules])

    def good_moves(self, state: State) -> list[ImpartialMove]:
        rules = self.verifier.rules
        good = (
            move
            for move in rules.applicable(state)
            if rules.is_legal(move.after) and not self.formula.holds(self.game.state(move.after))
        )
        return list(islice(good, _MAX_MOVES))

    def make_rule(self, action: SemiGround) -> None:
        """Lines 5 to 17: a condition for ``action``; a rule, or a state that it gets wrong."""
        served = without_not(self.verifier.served(action, self.target))
        states = (*self.positive, *self.negative)
        here = [served.holds(self.game.state(state)) for state in self.positive]
        sample = StateSample.of(self.game.variables, states, [*here, *[False] * len(self.negative)])
        condition = exact_classifier(self.game, sample, self.deadline)
        if condition is None:
            self.refused.add(action)
            return
        rule = ImpartialRule(condition, action)
        state = self.counterexample(rule_claims(self.verifier, self.formula, rule))
        if state is None:
            self.tell(Progress(f"rule {rule.text(self.game)}"))
            self.rules.append(rule)
        else:
            self.add(self.positive, state)

    def counterexample(self, claims: Iterable[Claim]) -> State | None:
        for title, formulas, _ in claims:
            state = self.verifier.model(title, formulas, self.deadline)
            if state is not None:
                return state
        return None

    @staticmethod
    def add(states: list[State], state: State) -> None:
        if state not in states:
            states.append(state)

    def simplified(self) -> list[ImpartialRule]:
        """Line 20: the rules without those whose condition implies the one of another rule."""
        kept = list(self.rules)
        for rule in sorted(self.rules, key=lambda one: -one.size):
            for other in kept:
                if other is not rule and self.implies(rule.condition, other.condition):
                    kept.remove(rule)
                    break
        return kept

    def implies(self, one: ImpartialFormula, other: ImpartialFormula) -> bool:
        formulas = (self.game.constraint, without_not(one), without_not(other).negated())
        return self.verifier.model("a rule covers another", formulas, self.deadline) is None
