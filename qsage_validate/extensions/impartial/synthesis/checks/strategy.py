"""Proves or refutes strategies: Definition 7 of the SynMS paper, relative to a proved formula.

For every rule: where its condition holds on winning states, the action is applicable and leads
to a legal losing state (winning); wherever the action does so, the condition holds (complete).
For the whole: the conditions together are the winning formula (in misère play: on states from
which there is a move at all).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.formula import (
    ImpartialFormula,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.synthesis.checks.formula import (
    ClaimStatus,
    ClaimVerification,
    Verifier,
)
from qsage_validate.extensions.impartial.synthesis.smt.smtlib import SmtQuestion
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialRule, ImpartialStrategy
from qsage_validate.system.limits import Deadline

Claim = tuple[str, tuple[ImpartialFormula, ...], str]
"""A title, formulas that have no model together, and what a model of them shows."""


def rule_claims(
    verifier: Verifier, formula: ImpartialFormula, rule: ImpartialRule
) -> Iterator[Claim]:
    game, text = verifier.game, rule.text(verifier.game)
    target = conjunction((game.constraint, without_not(formula).negated()))
    served = without_not(verifier.served(rule.action, target))
    condition = without_not(rule.condition)
    yield (
        f"the rule is winning: {text}",
        (game.constraint, formula, condition, served.negated()),
        "the rule's action is not applicable or does not lead to a legal losing state",
    )
    yield (
        f"the rule is complete: {text}",
        (game.constraint, served, condition.negated()),
        "the rule's action leads to a legal losing state, but its condition does not hold",
    )


def whole_claims(
    verifier: Verifier, formula: ImpartialFormula, rules: Sequence[ImpartialRule]
) -> Iterator[Claim]:
    game = verifier.game
    some = without_not(disjunction(rule.condition for rule in rules))
    yield (
        "the conditions hold on winning states only",
        (game.constraint, some, without_not(formula).negated()),
        "a condition holds, but the state is losing",
    )
    yield (
        "each winning state has a rule",
        (*verifier.to_move(formula), some.negated()),
        "the state is winning, but no rule's condition holds",
    )


def verify_strategy(
    verifier: Verifier,
    formula: ImpartialFormula,
    strategy: ImpartialStrategy,
    deadline: Deadline,
    *,
    complete: bool = True,
) -> ClaimVerification:
    """The check that ``strategy`` is winning and complete.

    ``formula`` is the proved winning formula.
    With ``complete=False`` the single rules need not be complete, only the whole.
    """
    questions: list[SmtQuestion] = []
    claims: list[Claim] = []
    for rule in strategy.rules:
        of_rule = list(rule_claims(verifier, formula, rule))
        claims += of_rule if complete else of_rule[:1]
    claims += whole_claims(verifier, formula, strategy.rules)
    for title, formulas, meaning in claims:
        try:
            state = verifier.model(title, formulas, deadline)
        except UndecidedError as error:
            return ClaimVerification(ClaimStatus.UNDECIDED, str(error), questions=tuple(questions))
        if state is not None:
            reason = f"{verifier.shown(state)}: {meaning} ({title})"
            return ClaimVerification(ClaimStatus.REFUTED, reason, state, questions=tuple(questions))
        questions.append(verifier.question(title, formulas))
    return ClaimVerification(
        ClaimStatus.PROVED,
        "all rules are winning and complete" if complete else "all rules are winning",
        questions=tuple(questions),
    )


def difference(
    verifier: Verifier, one: ImpartialFormula, other: ImpartialFormula, deadline: Deadline
) -> State | None:
    """A legal state in which the two formulas differ; ``None`` when they are equal.

    Raises ``UndecidedError`` when the solver does not know.
    """
    plain, second = without_not(one), without_not(other)
    differ = disjunction(
        (conjunction((plain, second.negated())), conjunction((second, plain.negated())))
    )
    return verifier.model("the formulas are equal", (verifier.game.constraint, differ), deadline)
