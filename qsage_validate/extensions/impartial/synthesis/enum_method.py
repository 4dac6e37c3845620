"""The method Enum: enumeration of formulas and strategies (Wu et al., after the SynMS paper).

Formulas are enumerated by size until one agrees with the examples; the verification says what is
wrong with it, and that state becomes an example.  The strategy comes from cutting the winning
formula into terms, for each of which one semi-ground action must do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.boxes import box_states
from qsage_validate.extensions.impartial.formula import (
    Congruence,
    ImpartialAnd,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialOr,
    Linear,
    conjunction,
    without_not,
)
from qsage_validate.extensions.impartial.model import ImpartialAction
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.extensions.impartial.synthesis.atoms import (
    LEVELS,
    enumerate_atoms,
    expressions,
    moduli,
)
from qsage_validate.extensions.impartial.synthesis.checks.formula import Verifier
from qsage_validate.extensions.impartial.synthesis.checks.strategy import verify_strategy
from qsage_validate.extensions.impartial.synthesis.enumeration import Enumerator
from qsage_validate.extensions.impartial.synthesis.semi_ground import SemiGround
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

_FIRST_STATES: Final = 20
_MAX_SIZE: Final = 26
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
        candidate = enumerator.find(sample.target, _MAX_SIZE, search.deadline)
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
