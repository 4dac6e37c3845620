"""Expansion decides formulas and certifies them, without any solver; the dual does so too."""

from __future__ import annotations

from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.certificates.certificate import Kind
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.clausal import for_circuit, for_clausal_form
from qsage_validate.certificates.dual import dual, for_dual
from qsage_validate.certificates.expansion import expand
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import encode
from qsage_validate.errors import UndecidedError
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.games.registry import resolve_command
from tests.support.certificate_truth import falsifying_choice
from tests.support.random_qbf import circuits, qbfs, truth

FORMULAS = st.one_of(qbfs(), circuits())


@given(FORMULAS)
def test_the_certificate_is_of_the_side_that_wins(formula: Qbf) -> None:
    certificate = expand(formula)
    assert (certificate.kind is Kind.SKOLEM) == truth(formula)
    assert isinstance(check(formula, certificate), CertificateProved)
    assert falsifying_choice(formula, certificate) is None
    assert set(certificate.functions) == set(formula.variables(certificate.kind.decides))


@given(FORMULAS)
def test_the_dual_is_the_negation_and_shares_its_certificates(formula: Qbf) -> None:
    negation = dual(formula)
    assert truth(negation) is not truth(formula)
    assert dual(negation).scopes == formula.scopes
    certificate = for_dual(expand(negation))
    assert (certificate.kind is Kind.SKOLEM) == truth(formula)
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


def test_limits() -> None:
    formula = encode(resolve_command(["httt", "--size", "3x3", "--depth", "5"])).qbf
    with pytest.raises(UndecidedError, match="the expansion needs more than 1,000 gates"):
        expand(formula, max_gates=1000)
    with pytest.raises(UndecidedError, match="the time for the expansion is over"):
        expand(formula, deadline=monotonic() - 1)
