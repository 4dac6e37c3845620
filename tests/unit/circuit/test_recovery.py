"""A recovered circuit has the values of the clauses, whole and under values of what stays."""

from __future__ import annotations

from random import Random

import pytest

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import conjuncts, recovered, residual
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from tests.support.qbf_truth import qbf_truth
from tests.support.random_qbf import random_circuit, random_clausal


def clausified(formula: Qbf, *, polarity: bool, placement: str) -> Qbf:
    form = clausal_form(formula, polarity=polarity, placement=placement)  # type: ignore[arg-type]
    return parse_qdimacs(qdimacs_text(form))


def same_residuals(clauses: Qbf, circuit: Qbf, rng: Random) -> None:
    """Values at the whole formula and under random values of what stays."""
    assert qbf_truth(clauses) is qbf_truth(circuit)
    stays = [v for scope in circuit.scopes for v in scope.variables]
    for _ in range(4):
        chosen = rng.sample(stays, rng.randint(0, len(stays)))
        values = {v: rng.random() < 0.5 for v in chosen}
        left, right = residual(clauses, values), residual(circuit, values)
        assert qbf_truth(left) is qbf_truth(right), values


@pytest.mark.parametrize("seed", range(300))
def test_random_clauses_keep_their_values(seed: int) -> None:
    rng = Random(seed)
    formula = random_clausal(rng, odd=0.05)
    variables = [v for scope in formula.scopes for v in scope.variables]
    keep = rng.sample(variables, rng.randint(0, len(variables) // 2))
    circuit = recovered(formula, keep, definitions_only=rng.random() < 0.2)
    assert set(keep) <= {v for scope in circuit.scopes for v in scope.variables}
    same_residuals(formula, circuit, rng)


@pytest.mark.parametrize("placement", ["innermost", "early"])
@pytest.mark.parametrize("polarity", [False, True])
def test_clausified_circuits_come_back(polarity: bool, placement: str) -> None:
    gates = kept = 0
    for seed in range(120):
        rng = Random(seed)
        # Without constants and dead gates.
        formula = residual(random_circuit(rng, named=False), {})
        clauses = clausified(formula, polarity=polarity, placement=placement)
        if conjuncts(formula) is not None:
            continue
        original = [v for scope in formula.scopes for v in scope.variables]
        circuit = recovered(clauses, original)
        same_residuals(clauses, circuit, rng)
        stays = {v for scope in circuit.scopes for v in scope.variables}
        assert set(original) <= stays
        before = {v for scope in clauses.scopes for v in scope.variables}
        gates += len(before - set(original))
        kept += len(stays - set(original))
    assert kept <= 0.1 * gates, (kept, gates)


def test_one_sided_definitions_stay_where_only_definitions_are_asked_for() -> None:
    text = "p cnf 4 3\ne 1 2 0\na 3 0\ne 4 0\n-4 1 0\n-4 3 0\n4 2 0\n"
    formula = parse_qdimacs(text)
    assert recovered(formula, definitions_only=True) is formula
    assert 4 in recovered(formula, (1, 2)).gates


def test_a_variable_defined_by_what_stands_right_of_it_stays() -> None:
    # exists 1 forall 2 exists 3: 1 <-> 2 is false, and must not become a gate that reads 2.
    formula = parse_qdimacs("p cnf 2 2\ne 1 0\na 2 0\n-1 2 0\n1 -2 0\n")
    assert recovered(formula) is formula
    assert not qbf_truth(recovered(formula))


def test_a_circuit_is_left_alone() -> None:
    inner = {3: Gate(Connective.AND, (1, 2)), 4: Gate(Connective.XOR, (3, 1))}
    formula = Qbf((Scope(Quantifier.EXISTS, (1, 2)),), inner, 4)
    assert recovered(formula) is formula
