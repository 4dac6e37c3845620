"""Expansion decides formulas and certifies them, without any solver; the dual does so too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.by_proof import dual, for_dual
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.parts import for_circuit, for_clausal_form
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qbf_to_qdimacs, qdimacs_text
from qsage_validate.games.registry import resolve_command
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.system.limits import Deadline
from tests.support.certificate_truth import falsifying_choice
from tests.support.random_qbf import circuits, qbfs, truth

FORMULAS = st.one_of(qbfs(), circuits())


@given(FORMULAS)
def test_the_certificate_is_of_the_side_that_wins(formula: Qbf) -> None:
    certificate = expand(formula)
    assert (certificate.kind is CertificateKind.SKOLEM) == truth(formula)
    assert isinstance(check(formula, certificate), CertificateProved)
    assert falsifying_choice(formula, certificate) is None
    assert set(certificate.functions) == set(formula.variables(certificate.kind.decides))


@given(FORMULAS)
def test_the_dual_is_the_negation_and_shares_its_certificates(formula: Qbf) -> None:
    negation = dual(formula)
    assert truth(negation) is not truth(formula)
    assert dual(negation).scopes == formula.scopes
    certificate = for_dual(expand(negation))
    assert (certificate.kind is CertificateKind.SKOLEM) == truth(formula)
    assert isinstance(check(formula, certificate), CertificateProved)


@given(FORMULAS)
def test_certificates_of_the_clausal_form_are_certificates_of_the_circuit(formula: Qbf) -> None:
    clausal = parse_qdimacs(qbf_to_qdimacs(formula))
    certificate = for_circuit(expand(clausal), formula)
    assert isinstance(check(formula, certificate), CertificateProved)
    assert set(certificate.functions) <= set(formula.variables(certificate.kind.decides))
    assert isinstance(
        check(clausal, for_clausal_form(certificate, formula, clausal)), CertificateProved
    )


@given(FORMULAS, st.booleans())
def test_functions_may_read_gates_that_are_placed_early(formula: Qbf, polarity: bool) -> None:
    form = clausal_form(formula, polarity=polarity, placement="early")
    clausal = parse_qdimacs(qdimacs_text(form))
    certificate = for_circuit(expand(clausal), formula)
    assert isinstance(check(formula, certificate), CertificateProved)
    back = for_clausal_form(certificate, formula, clausal)
    assert isinstance(check(clausal, back), CertificateProved)


def test_a_function_that_reads_a_gate_reads_the_circuit() -> None:
    """White answers the gate, which only Black's first move decides; then Black loses."""
    text = "#QCIR-G14\nexists(1, 2)\nforall(3)\nexists(4)\noutput(7)\n"
    formula = parse_qcir(text + "5 = and(1, 2)\n6 = xor(5, 3)\n7 = and(6, 4)\n")
    aig = Aig(1, np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    reading = CircuitCertificate(CertificateKind.HERBRAND, aig, (5,), {3: 2}, Dialect.CAQE)
    moved = for_circuit(reading, formula)
    assert moved.inputs == (1, 2, 4)
    assert isinstance(check(formula, moved), CertificateProved)
    clausal = parse_qdimacs(qdimacs_text(clausal_form(formula, placement="early")))
    assert isinstance(check(clausal, reading), CertificateProved)


def test_limits() -> None:
    formula = encode(resolve_command(["httt", "--size", "3x3", "--depth", "5"])).qbf
    with pytest.raises(UndecidedError, match="the expansion needs more than 1,000 gates"):
        expand(formula, max_gates=1000)
    with pytest.raises(UndecidedError, match="the time for the expansion is over"):
        expand(formula, deadline=Deadline.after(-1))
