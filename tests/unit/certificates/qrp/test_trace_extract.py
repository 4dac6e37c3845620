"""Traces of real solvers: each is a proof, and gives functions that win."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from qsage_validate.certificates.by_proof import conjunctions, extract
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.qrp_check import QrpProved, check_qrp
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.kernel.certificate import CertificateKind
from tests.support.random_qbf import random_circuit, random_qbf, truth
from tests.support.readers import parse_qrp
from tests.support.tracing import WAYS, hard_qdimacs, require_solvers, traced


def certify(formula: Qbf, folder: Path, solver: str, binary: bool) -> bool:
    """The answer, after everything that a trace leads to has been checked."""
    true, path = traced(formula, folder, solver, binary=binary)
    trace = read_qrp(path)
    assert trace.true is true
    checked = check_qrp(formula, trace)
    assert isinstance(checked, QrpProved), checked
    certificate = extract(formula, trace)
    assert certificate.kind is (CertificateKind.SKOLEM if true else CertificateKind.HERBRAND)
    proved = check(formula, certificate)
    assert isinstance(proved, CertificateProved), proved
    return true


@pytest.mark.parametrize(("solver", "binary"), WAYS)
def test_small_formulas_are_certified_and_agree_with_their_truth(
    solver: str, binary: bool, tmp_path: Path
) -> None:
    require_solvers()
    answers = []
    for seed in range(24):
        formula = random_qbf(Random(seed))
        answers.append(certify(formula, tmp_path, solver, binary))
        assert answers[-1] is truth(formula), seed
    assert 6 < sum(answers) < 18


@pytest.mark.parametrize(("solver", "binary"), WAYS)
def test_longer_proofs_are_certified(solver: str, binary: bool, tmp_path: Path) -> None:
    require_solvers()
    answers = [certify(hard_qdimacs(Random(seed)), tmp_path, solver, binary) for seed in range(15)]
    assert 1 < sum(answers) < 14


def test_any_antecedent_may_be_reduced_before_it_is_resolved() -> None:
    """Step 3 has lost -2 of step 2, before it was resolved on 1: 3 is right of what is left."""
    prefix = "e 1 0\na 2 0\ne 3 0\n"
    formula = parse_qdimacs(f"p cnf 3 3\n{prefix}1 2 3 0\n-1 -2 0\n-3 0\n")
    steps = "1 1 2 3 0 0\n2 -1 -2 0 0\n3 2 3 0 1 2 0\n4 -3 0 0\n5 0 3 4 0\n"
    trace = parse_qrp(f"p qrp 3 5\n{prefix}{steps}r UNSAT\n".encode())
    assert isinstance(check_qrp(formula, trace), QrpProved)
    assert isinstance(check(formula, extract(formula, trace)), CertificateProved)


@pytest.mark.parametrize("solver", ["depqbf", "qute"])
def test_clauses_of_a_circuit_are_certified_as_clauses(solver: str, tmp_path: Path) -> None:
    require_solvers()
    gates = 0
    for seed in range(24):
        form = clausal_form(random_circuit(Random(seed)))
        gates += len(conjunctions(form))
        certify(parse_qdimacs(qdimacs_text(form)), tmp_path, solver, False)
    assert gates > 60


def test_gates_in_clauses() -> None:
    text = "p cnf 9 13\ne 1 0\na 2 0\ne 3 4 5 6 7 0\ne 8 0\na 9 0\n"
    clauses = """
        3 -1 -2 0 -3 1 0 -3 2 0
        -4 3 -1 0 4 -3 0 4 1 0
        5 -1 0 -5 1 0
        6 0
        7 -1 -2 0 -7 1 0
        -8 9 0 8 -9 0
    """
    form = clausal_form(parse_qdimacs(text + clauses.strip()))
    # 7 does not imply 2, and 9 is right of 8.
    assert conjunctions(form) == {3: (1, 2), -4: (-3, 1), 5: (1,), 6: ()}


def test_gates_of_a_circuit_may_have_smaller_numbers_than_its_variables(tmp_path: Path) -> None:
    require_solvers()
    text = "#QCIR-G14\nforall(8)\nexists(9)\noutput(2)\n1 = or(9)\n2 = xor(1, 8)\n"
    formula = parse_qcir(text)
    form = clausal_form(formula)
    assert conjunctions(form).keys() & {9, -9}
    assert certify(formula, tmp_path, "depqbf", False)


def test_gates_are_named_when_they_are_asked_for(tmp_path: Path) -> None:
    require_solvers()
    for seed in range(20):
        formula = random_circuit(Random(seed))
        true, path = traced(formula, tmp_path, "depqbf")
        certificate = extract(formula, path, gates=True)
        assert certificate.extra.keys() == formula.gates.keys()
        assert extract(formula, path).extra == {}
        if true:
            clauses = parse_qdimacs(qdimacs_text(clausal_form(formula)))
            functions = {**certificate.functions, **certificate.extra}
            functions = {v: f for v, f in functions.items() if v in clauses.quantifiers()}
            whole = replace(certificate, functions=functions, extra={})
            assert isinstance(check(clauses, whole), CertificateProved)


@pytest.mark.parametrize("name", ["domineering-2x2_2", "domineering__4x2_5"])
@pytest.mark.parametrize(("solver", "binary"), WAYS)
def test_formulas_of_games(
    name: str, solver: str, binary: bool, shared_data: Path, tmp_path: Path
) -> None:
    require_solvers()
    formula = read_formula(shared_data / "certificates" / "quabs" / f"{name}.qcir")
    assert certify(formula, tmp_path, solver, binary) is (name == "domineering-2x2_2")
