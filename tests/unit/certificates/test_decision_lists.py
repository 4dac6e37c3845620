"""Certificates that are checked along their decision lists, against the kernel's one call."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from qsage_validate.certificates import definitions as lists
from qsage_validate.certificates.definitions import proved_by_lists
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.registry import encode
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.kernel.obligation import prove_formula
from qsage_validate.solvers.backend import Missing
from qsage_validate.solvers.backends import get_backend
from qsage_validate.system.limits import Deadline
from tests.support.random_certificates import all_choices, certified, meaning

Case = tuple[Qbf, CircuitCertificate]


@settings(max_examples=150)
@given(certified())
def test_random_functions(case: Case) -> None:
    """Small certificates are proved exactly where no choice beats them."""
    formula, certificate = case
    lost = certificate.kind is CertificateKind.HERBRAND
    choices = all_choices(formula.variables(certificate.kind.decides.dual))
    outputs = (meaning(formula, certificate, choice)[abs(formula.output)] for choice in choices)
    beaten = any((value != (formula.output < 0)) == lost for value in outputs)
    proved, _ = proved_by_lists(formula, certificate)
    assert proved is not beaten


@pytest.fixture(scope="module")
def extracted() -> Case:
    """The clauses of ET of an empty Hex board, and the functions of DepQBF's trace."""
    from qsage_validate.certificates.routes import RouteOptions, certify_formula

    available = get_backend("depqbf").availability()
    if isinstance(available, Missing):
        pytest.skip(f"DepQBF: {available}")
    clauses = clausal_form(encode(hex_network(4, 4, 7), "et").qbf)
    formula = parse_qdimacs(qdimacs_text(clauses))
    certificate = certify_formula(formula, RouteOptions("trace", solver="depqbf")).certificate
    assert isinstance(certificate, CircuitCertificate)
    assert certificate.kind is CertificateKind.HERBRAND
    return formula, certificate


def test_functions_of_a_trace(extracted: Case) -> None:
    formula, certificate = extracted
    proved, effort = proved_by_lists(formula, certificate)
    assert proved
    assert effort.calls > 1, "conditions were asked about"
    assert prove_formula(formula, certificate) is None


@pytest.mark.parametrize("conflicts", [1000, 1])
def test_damaged_functions(
    extracted: Case, conflicts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one literal of the graph turned over, lists prove what the kernel proves, no more.

    With one conflict for a question most of them stay open: an open condition is not refuted.
    """
    monkeypatch.setattr(lists, "_CONFLICTS", conflicts)
    monkeypatch.setattr(lists, "_OPEN", 1_000_000)
    formula, certificate = extracted
    aig = certificate.aig
    wrong = 0
    for gate in range(aig.num_gates // 12, aig.num_gates, aig.num_gates // 6):
        fanin = aig.fanin0.copy()
        fanin[gate] ^= 1
        damaged = replace(certificate, aig=Aig(aig.num_inputs, fanin, aig.fanin1))
        right = prove_formula(formula, damaged) is None
        wrong += not right
        proved, _ = proved_by_lists(formula, damaged)
        assert right or not proved, gate
    for variable, literal in certificate.functions.items():
        damaged = replace(certificate, functions={**certificate.functions, variable: literal ^ 1})
        right = prove_formula(formula, damaged) is None
        wrong += not right
        assert right or not proved_by_lists(formula, damaged)[0], variable
    assert wrong > 2, "the damage is felt"


def test_no_time_is_no_proof(extracted: Case) -> None:
    assert not proved_by_lists(*extracted, deadline=Deadline.after(0))[0]
