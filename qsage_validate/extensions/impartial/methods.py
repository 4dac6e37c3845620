"""The methods of the synthesis: from formula to strategy, by enumeration, and by counterexamples.

The proof of the formula leaves semi-ground actions that serve all winning states.  Where one
serves is a formula already, the precondition and the losing states with the successor put in, and
the rule with it is winning and complete as it stands; classification then looks for a small
formula that is equal to it on all legal states.

Formulas are enumerated by size until one agrees with the examples; the verification says what is
wrong with it, and that state becomes an example.  The strategy comes from cutting the winning
formula into terms, for each of which one semi-ground action must do.

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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final

import numpy as np

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.candidates import (
    LEVELS,
    Enumerator,
    SampledLiteral,
    StateSample,
    best_cover,
    blocks,
    classify,
    comparison,
    distinct_literals,
    enumerate_atoms,
    expressions,
    hitting_set,
    moduli,
    periods,
    smallest_formulas,
)
from qsage_validate.extensions.impartial.model import (
    Congruence,
    ImpartialAction,
    ImpartialAnd,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialGame,
    ImpartialOr,
    Linear,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.proofs import (
    Claim,
    ClaimStatus,
    ClaimVerification,
    Verifier,
    difference,
    rule_claims,
    verify_strategy,
    whole_claims,
)
from qsage_validate.extensions.impartial.rules import (
    ImpartialMove,
    ImpartialRules,
    State,
    box_states,
)
from qsage_validate.extensions.impartial.smt import SmtSolver
from qsage_validate.extensions.impartial.strategy import (
    ImpartialRule,
    ImpartialStrategy,
    SemiGround,
    coverage,
    greedy_cover,
)
from qsage_validate.extensions.impartial.winning_formula import (
    FormulaResult,
    FormulaSearch,
    Technique,
)
from qsage_validate.system.limits import Deadline, Progress, Tell, nobody

# Synthesises strategies for a proved winning formula: the method ``hybrid``


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


# The method Enum: enumeration of formulas and strategies (Wu et al., after the SynMS paper)


_FIRST_STATES: Final = 20
_MAX_FORMULA_SIZE: Final = 26
_MAX_TERMS: Final = 200
_MAX_CONSTANT: Final = 12


def enumerate_formula(
    rules: ImpartialRules, solver: SmtSolver, deadline: Deadline, tell: Tell = nobody
) -> FormulaResult:
    """The smallest winning formula, found by enumeration; results as ``synthesise_formula``."""
    search = FormulaSearch(rules, solver, deadline, tell)
    rules.deadline = deadline
    return search.run(_enumerated)


def _enumerated(search: FormulaSearch, result: FormulaResult) -> None:
    for state in box_states(search.game, 1000)[:_FIRST_STATES]:
        search.label(state)
    level = 0
    while search.goes_on(result, "formulas were enumerated"):
        sample = search.sample()
        literals = enumerate_atoms(sample, level, moduli(search.game.constants(), (), level))
        enumerator = Enumerator(literals, sample.mask)
        candidate = enumerator.find(sample.target, _MAX_FORMULA_SIZE, search.deadline)
        if candidate is None:
            search.deadline.check("formulas were enumerated")
            level += 1
            if level == LEVELS:
                raise UndecidedError("no enumerated formula fits all states")
            continue
        wrong = search.refuting(result, candidate, Technique.ENUMERATION)
        if wrong is None:
            return
        search.add(wrong)


def enumerate_strategy(
    verifier: Verifier, found: FormulaResult, deadline: Deadline, tell: Tell = nobody
) -> StrategyResult:
    """A strategy with one rule for each term of the formula, if each one has an action.

    Its rules are winning; they need not be complete, and that is not asked of them.
    """
    game, formula = verifier.game, found.proved.formula
    target = conjunction((game.constraint, without_not(formula).negated()))
    rules: list[ImpartialRule] = []
    try:
        for term in _terms(without_not(formula), verifier):
            tell(Progress(f"term {term}"))
            action = _action_for(verifier, term, target, deadline)
            if action is None:
                why = f"no enumerated action does for the whole term {term}"
                return StrategyResult(why, ImpartialStrategy(tuple(rules)))
            rules.append(ImpartialRule(term, action))
    except UndecidedError as error:
        return StrategyResult(str(error), ImpartialStrategy(tuple(rules)))
    strategy = ImpartialStrategy(tuple(rules))
    verification = verify_strategy(verifier, formula, strategy, deadline, complete=False)
    return StrategyResult(verification.reason, strategy, verification)


def _terms(formula: ImpartialFormula, verifier: Verifier) -> Iterator[ImpartialFormula]:
    """The formula cut into terms by the division rules; unsatisfiable terms are left out.

    ``or`` is cut into its parts, ``!=`` into ``<`` and ``>``, and a negated congruence into one
    congruence for each other residue.
    """
    split = _split(formula)
    if len(split) > _MAX_TERMS:
        raise UndecidedError(f"the formula has more than {_MAX_TERMS} terms")
    for term in map(conjunction, split):
        if any(term.holds(verifier.game.state(state)) for state in verifier.sample):
            yield term


def _split(formula: ImpartialFormula) -> list[tuple[ImpartialFormula, ...]]:
    match formula:
        case ImpartialOr(parts):
            return [term for part in parts for term in _split(part)]
        case ImpartialAnd(parts):
            chosen = product(*map(_split, parts))
            return [tuple(atom for term in choice for atom in term) for choice in chosen]
        case ImpartialComparison("!=", left, right):
            return [
                (ImpartialComparison("<", left, right),),
                (ImpartialComparison(">", left, right),),
            ]
        case Congruence(expression, modulus, residue, False) if residue.is_constant:
            return [
                (Congruence(expression, modulus, Linear((), other)),)
                for other in range(modulus)
                if other != residue.constant % modulus
            ]
    return [(formula,)]


def _action_for(
    verifier: Verifier, term: ImpartialFormula, target: ImpartialFormula, deadline: Deadline
) -> SemiGround | None:
    game = verifier.game
    states = [game.state(s) for s in verifier.sample]
    inside = [s for s in states if term.holds(s)]
    for index, action in enumerate(game.actions):
        for arguments in _arguments(action, game.variables):
            deadline.check("actions were enumerated")
            one = SemiGround(index, action.name, arguments)
            served = without_not(verifier.served(one, target))
            if not all(served.holds(s) for s in inside):
                continue
            wrong = (game.constraint, term, served.negated())
            if verifier.model("the action does for the term", wrong, deadline) is None:
                return one
    return None


def _arguments(action: ImpartialAction, variables: tuple[str, ...]) -> Iterator[tuple[Linear, ...]]:
    constants = range(_MAX_CONSTANT + 1)
    single = [Linear((), c) for c in constants]
    for expression in [*expressions(variables, 0), *(-e for e in expressions(variables, 0))]:
        single += [expression + c for c in range(-_MAX_CONSTANT, _MAX_CONSTANT + 1)]
    single.sort(key=lambda e: e.size)
    if len(action.parameters) > 1:
        single = single[:60]
    yield from product(single, repeat=len(action.parameters))


# SynMS as its paper prints it: Algorithms 1 and 2 over the classification of section 4


MAXSAT_SECONDS: Final = 3.0
"""The time limit of one MaxSAT call in the paper's section 6.1."""

SMT_SECONDS: Final = 10.0
"""The time limit of one question to the SMT solver in the paper's section 6.1."""

_MAX_ATOM_SIZE: Final = 7
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
    return sorted(
        (atom for atom in found if atom.size <= _MAX_ATOM_SIZE), key=lambda atom: atom.size
    )


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
