"""Finite instances of impartial games as QBF: their truth is who wins."""

from __future__ import annotations

import pytest

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.errors import UsageError
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.rules import ImpartialRules, box_states
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.solvers.qbf_solving import available, solve_formula
from qsage_validate.system.limits import Deadline, Limits
from tests.support.heap_rules import MISERE, RULES, problem
from tests.support.heaps import encode_heaps
from tests.support.qbf_truth import qbf_truth

# Games of one heap have the longer plays.
_BOX = {"take-away-3": 9, "subtract-a-square": 10}


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("name", families.names())
def test_the_formula_is_true_where_the_first_player_wins(name: str, misere: bool) -> None:
    rules = ImpartialRules(families.load(name), misere=misere)
    for state in box_states(rules.game, _BOX.get(name, 20)):
        assert qbf_truth(encode_heaps(rules, state)) is rules.winning(state), state


@pytest.mark.parametrize(
    ("name", "text"), [*RULES.items(), ("take-away-3", MISERE)], ids=[*RULES, "misere"]
)
def test_solvers_agree_with_winning_formulas(name: str, text: str) -> None:
    pytest.importorskip("pyqbf", reason="pyqbf (the extra 'solve') is not installed")
    strategy = problem(name, text, misere=text == MISERE).strategy
    contenders = [b for b in available() if b.name == "depqbf"] or available()[:1]
    states = box_states(strategy.rules.game, 18)
    for state in states[:: max(1, len(states) // 6)]:
        formula = encode_heaps(strategy.rules, state)
        solved = solve_formula(formula, contenders, Limits(Deadline.after(60)))
        assert solved.truth is strategy.winning(state), state


def test_each_ply_is_a_block_of_its_player() -> None:
    rules = ImpartialRules(families.load("take-away-3"))
    formula = encode_heaps(rules, (5,))
    assert [len(scope.variables) for scope in formula.scopes] == [2] * 5
    kinds = [scope.quantifier for scope in formula.scopes]
    assert kinds == [Quantifier.EXISTS, Quantifier.FORALL] * 2 + [Quantifier.EXISTS]
    assert qbf_truth(parse_qcir(qcir_text(formula)))


def test_large_states_are_not_written_out() -> None:
    rules = ImpartialRules(families.load("two-heap-nim"))
    with pytest.raises(UsageError, match="too many moves"):
        encode_heaps(rules, (90, 90))
