"""The generator of random formulas: what it covers, and that its oracle is right."""

from __future__ import annotations

from random import Random

from hypothesis import given

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from tests.support.qbf_truth import qbf_truth
from tests.support.random_qbf import (
    circuits,
    qbfs,
    random_circuit,
    random_clausal,
    random_dense_qdimacs,
    random_qdimacs,
    truth,
)


def test_truth_of_the_smallest_formulas() -> None:
    assert truth(parse_qdimacs("p cnf 0 0\n"))
    assert not truth(parse_qdimacs("p cnf 0 1\n0\n"))
    same, order = "1 -2 0\n-1 2 0\n", {"a 1 0\ne 2 0\n": True, "e 2 0\na 1 0\n": False}
    for prefix, expected in order.items():
        assert truth(parse_qdimacs(f"p cnf 2 2\n{prefix}{same}")) is expected
    assert truth(parse_qcir("exists(c)\nforall(a, b)\noutput(g)\ng = ite(c, h, b)\nh = or(a, -a)"))
    assert not truth(parse_qcir("forall(a)\noutput(-g)\ng = xor(a, h)\nh = and()"))


@given(qbfs())
def test_two_oracles_agree_on_clauses(formula: Qbf) -> None:
    assert truth(formula) == qbf_truth(formula)


@given(circuits())
def test_two_oracles_agree_on_circuits(formula: Qbf) -> None:
    expected = qbf_truth(formula)
    assert truth(formula) == expected
    clausal = parse_qdimacs(qdimacs_text(clausal_form(formula)))
    assert qbf_truth(clausal) == expected


def test_both_answers_and_all_oddities_occur() -> None:
    rng = Random(1)
    texts = [random_qdimacs(rng) for _ in range(600)]
    formulas = [parse_qdimacs(text) for text in texts]
    true = sum(map(truth, formulas))
    assert 0.3 < true / len(formulas) < 0.7
    matrices = [
        [gate.inputs for gate in list(f.gates.values())[:-1]] + [f.gates[f.output].inputs]
        for f in formulas
    ]
    clauses = [clause for matrix in matrices for clause in matrix[:-1]]
    assert any(clause == () for clause in clauses)
    assert any(-x in clause for clause in clauses for x in clause)
    assert any(abs(x) not in f.gates for f in formulas for x in f.gates[f.output].inputs)
    assert any(not scope.variables for f in formulas for scope in f.scopes)
    assert any(f.gates[f.output].inputs == () for f in formulas)
    mentioned = [{abs(x) for g in f.gates.values() for x in g.inputs} for f in formulas]
    prefixes = [{v for scope in f.scopes for v in scope.variables} for f in formulas]
    assert any(p - m for p, m in zip(prefixes, mentioned, strict=True))
    written = [
        {int(x) for line in t.splitlines() if line[0] in "ae" for x in line.split()[1:]}
        for t in texts
    ]
    assert any(p - w for p, w in zip(prefixes, written, strict=True)), "no free variables"
    kinds = {scope.quantifier for f in formulas for scope in f.scopes[:1]}
    assert kinds == set(Quantifier)
    assert max(len(f.merged_scopes()) for f in formulas) >= 4


def test_circuits_are_true_and_false() -> None:
    rng = Random(2)
    formulas = [random_circuit(rng) for _ in range(400)]
    assert 0.3 < sum(map(truth, formulas)) / len(formulas) < 0.7
    assert {bool(f.names) for f in formulas} == {True, False}
    assert len({gate.connective for f in formulas for gate in f.gates.values()}) == 4


def test_dense_formulas_are_true_and_false_and_have_nothing_odd() -> None:
    rng = Random(4)
    formulas = [parse_qdimacs(random_dense_qdimacs(rng)) for _ in range(60)]
    assert 0.25 < sum(map(truth, formulas)) / len(formulas) < 0.75
    for formula in formulas:
        clauses = [gate.inputs for gate in list(formula.gates.values())[:-1]]
        assert {len(clause) for clause in clauses} == {4}
        assert formula.merged_scopes()[-1].quantifier is Quantifier.EXISTS


def test_one_seed_gives_one_campaign() -> None:
    one, two = Random(3), Random(3)
    assert [random_clausal(one) for _ in range(20)] == [random_clausal(two) for _ in range(20)]
