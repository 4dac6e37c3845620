"""The formula level's CNF and its proof, against what formula and certificate mean."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from qsage_validate.certificates.check import CertificateProved, check_matrix
from qsage_validate.certificates.reader import parse_certificate, read_certificate
from qsage_validate.circuit.qbf import Connective, Gate, Qbf
from qsage_validate.errors import UndecidedError
from qsage_validate.formats.formula import read_formula
from qsage_validate.kernel.certificate import Certificate, CertificateKind, CircuitCertificate
from qsage_validate.kernel.lrat import CheckedProof, check_steps, read_cnf
from qsage_validate.kernel.obligation import Cnf
from qsage_validate.proving.formula_cnf import (
    Derivation,
    NotProvedError,
    formula_cnf,
    formula_proof,
    refutation,
)
from qsage_validate.system.limits import Deadline
from tests.support.lrat import refutes
from tests.support.random_certificates import all_choices, certified, meaning, pedant_text
from tests.support.rup import RupChecker, parse_cnf

pytestmark = pytest.mark.slow

SAMPLES = ["tic", "hex", "evader", "domineering"]


def sample(repository: Path, name: str) -> tuple[Qbf, Certificate]:
    formula = read_formula(repository / "certificates" / f"{name}.qcir")
    return formula, read_certificate(repository / "certificates" / f"{name}.aig", formula)


def accepted(cnf: Cnf, derivation: Derivation) -> CheckedProof:
    clauses = read_cnf("cnf", [line.encode() for line in cnf.lines()])
    return check_steps(clauses, [line.encode() for line in derivation.lines()], "lrat")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_proofs_of_the_samples_are_accepted(name: str, repository: Path) -> None:
    cnf, derivation = formula_proof(*sample(repository, name))
    assert accepted(cnf, derivation).clauses == len(cnf.clauses)
    assert refutes(parse_cnf("".join(cnf.lines())), "".join(derivation.lines()))
    assert cnf == formula_cnf(*sample(repository, name))


def test_the_lemmas_of_equal_gates_make_a_proof_small(repository: Path) -> None:
    formula, certificate = sample(repository, "domineering")
    _, derivation = formula_proof(formula, certificate)
    given = derivation.given
    steps = zip(derivation.clauses, derivation.hints, strict=True)
    ours = [clause for clause, hints in steps if max(hints) <= given and len(clause) == 2]
    assert ours, "equal gates are said to be equal, from clauses of the CNF alone"


def test_the_cnf_says_what_the_files_say(repository: Path) -> None:
    """Under the clauses but the last, each choice of the opponent has the play's values."""
    formula, certificate = sample(repository, "hex")
    assert isinstance(certificate, CircuitCertificate)
    cnf = formula_cnf(formula, certificate)
    *clauses, last = cnf.clauses
    assert last == (-formula.output,)
    rng = random.Random(5)
    for _ in range(5):
        choice = {v: rng.random() < 0.5 for v in certificate.inputs}
        checker = RupChecker([*clauses, *((v if x else -v,) for v, x in choice.items())])
        assert not checker.refuted
        for variable, value in meaning(formula, certificate, choice).items():
            assert checker.follows((variable if value else -variable,))
            assert not checker.follows((-variable if value else variable,))


def test_spans_cover_variables_and_clauses_once(repository: Path) -> None:
    for name in SAMPLES:
        cnf = formula_cnf(*sample(repository, name))
        for spans, most in (
            (cnf.variable_spans, cnf.variables),
            (cnf.clause_spans, len(cnf.clauses)),
        ):
            assert [n for s in spans for n in range(s.first, s.last + 1)] == [*range(1, most + 1)]


@given(certified())
@settings(max_examples=60)
def test_there_is_a_proof_exactly_when_nothing_beats_the_certificate(
    case: tuple[Qbf, CircuitCertificate],
) -> None:
    formula, certificate = case
    beaten = any(
        (meaning(formula, certificate, choice)[abs(formula.output)] != (formula.output < 0))
        != (certificate.kind is CertificateKind.SKOLEM)
        for choice in all_choices(formula.variables(certificate.kind.decides.dual))
    )
    if beaten:
        with pytest.raises(NotProvedError):
            formula_proof(formula, certificate)
        with pytest.raises(NotProvedError):
            refutation(formula_cnf(formula, certificate))
    else:
        cnf, derivation = formula_proof(formula, certificate)
        accepted(cnf, derivation)
        assert refutes(list(cnf.clauses), "".join(derivation.lines()))


@given(certified())
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
def test_clause_sets_have_proofs_too(case: tuple[Qbf, CircuitCertificate]) -> None:
    formula, certificate = case
    certificate = replace(certificate, extra={})
    assume(certificate.kind is CertificateKind.SKOLEM and certificate.functions)
    # Helpers get numbers that are gates of the formula: they must be kept apart.
    first = max(v for scope in formula.scopes for v in scope.variables) + 1
    clauses = parse_certificate(pedant_text(certificate, first).encode())
    if isinstance(check_matrix(formula, certificate), CertificateProved):
        accepted(*formula_proof(formula, clauses))
    else:
        with pytest.raises(NotProvedError):
            formula_proof(formula, clauses)


def test_inputs_that_contradict_each_other_make_a_gate_false(repository: Path) -> None:
    """The same literal and its negation, as inputs themselves and as what inputs equal."""
    formula, certificate = sample(repository, "hex")
    first = formula.max_variable + 1
    v = certificate.inputs[0] if isinstance(certificate, CircuitCertificate) else 0
    same = Gate(Connective.AND, (v, v))
    for inputs in ((v, -v), (first, -v), (-v, first), (first, -(first + 1)), (first, -first)):
        gates = {
            **formula.gates,
            first: same,
            first + 1: same,
            first + 2: Gate(Connective.AND, inputs),
            first + 3: Gate(Connective.AND, (formula.output, -(first + 2))),
        }
        accepted(*formula_proof(replace(formula, gates=gates, output=first + 3), certificate))


def test_a_deadline_ends_in_undecided(repository: Path) -> None:
    with pytest.raises(UndecidedError, match="time is up"):
        formula_proof(*sample(repository, "tic"), deadline=Deadline.after(0))
