from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from qsage_validate.certificates.reader import parse_certificate
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import UsageError
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    Dialect,
    wrong_dependency,
)
from tests.support.random_certificates import all_choices, certified

Case = tuple[Qbf, CircuitCertificate]
FORMS = [
    (Dialect.CAQE, True),
    (Dialect.CAQE, False),
    (Dialect.QBFCERT_BINARY, True),
    (Dialect.QBFCERT_ASCII, False),
]


def readable(case: Case) -> bool:
    """Whether a reader accepts the certificate and can tell its kind from the variables."""
    formula, certificate = case
    return bool(certificate.functions) and wrong_dependency(certificate, formula) is None


@pytest.mark.parametrize(("dialect", "binary"), FORMS)
@given(case=certified())
@settings(max_examples=25)
def test_what_is_written_reads_back(dialect: Dialect, binary: bool, case: Case) -> None:
    assume(readable(case))
    formula, certificate = case
    # Other functions of a file have the names of gates.
    extra = dict(zip(formula.gates, certificate.extra.values(), strict=False))
    certificate = replace(certificate, extra=extra)
    data = certificate_bytes(certificate, formula, dialect=dialect, binary=binary)
    assert data == certificate_bytes(certificate, formula, dialect=dialect, binary=binary)
    assert data.startswith(b"aig" if binary else b"aag")
    back = parse_certificate(data, formula)
    assert isinstance(back, CircuitCertificate)
    assert back.dialect is dialect
    assert back.kind is certificate.kind
    assert back.inputs == certificate.inputs
    assert list(back.functions) == list(certificate.functions)
    assert list(back.extra) == list(certificate.extra)
    if dialect is not Dialect.QBFCERT_ASCII:
        assert back.functions == certificate.functions
        assert back.extra == certificate.extra
        assert gates(back.aig) == gates(certificate.aig)
    wanted = [*formula.quantifiers(), *certificate.extra]
    choices = list(all_choices(formula.variables(certificate.kind.decides.dual)))
    written, read = (
        SimulationOracle(c, formula).many(choices, wanted).tolist() for c in (certificate, back)
    )
    assert read == written


def gates(aig: Aig) -> list[list[int]]:
    """The fan-ins of each gate; the binary form sorts them."""
    pairs = zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True)
    return [sorted(pair) for pair in pairs]


def small() -> Case:
    """forall 1 2 exists 3 4 5 6: a gate, its complement, an input, and a shared gate."""
    formula = Qbf(
        (Scope(Quantifier.FORALL, (1, 2)), Scope(Quantifier.EXISTS, (3, 4, 5, 6))),
        {7: Gate(Connective.OR, (3, 4, 5, 6))},
        7,
    )
    aig = Aig(2, np.array([2], dtype=np.int32), np.array([5], dtype=np.int32))
    functions = {3: 6, 4: 7, 5: 2, 6: 6}
    return formula, CircuitCertificate(CertificateKind.SKOLEM, aig, (1, 2), functions, Dialect.CAQE)


def test_the_ascii_dialect_names_variables_by_indices() -> None:
    formula, certificate = small()
    text = certificate_bytes(certificate, formula, dialect=Dialect.QBFCERT_ASCII, binary=False)
    assert text.decode().splitlines() == [
        "aag 6 2 0 4 4",
        "2",
        "4",
        "6",
        "8",
        "10",
        "12",
        "6 2 5",
        "8 7 7",
        "10 2 2",
        "12 6 6",
    ]


def test_the_caqe_dialect_ends_with_its_result() -> None:
    formula, certificate = small()
    lines = certificate_bytes(certificate, formula, binary=False).decode().splitlines()
    assert lines[0] == "aag 3 2 0 5 1"
    assert lines[7] == "1"
    assert lines[9:] == ["i0 1", "i1 2", "o0 3", "o1 4", "o2 5", "o3 6", "o4 result"]


def test_names_are_written_and_read() -> None:
    formula, certificate = small()
    named = Qbf(formula.scopes, formula.gates, formula.output, {1: "white", 3: "black", 7: "goal"})
    data = certificate_bytes(certificate, named, binary=False)
    assert b"i0 white\n" in data
    assert b"o0 black\n" in data
    back = parse_certificate(data, named)
    assert isinstance(back, CircuitCertificate)
    assert back.functions == certificate.functions
    with pytest.raises(UsageError, match="'white' is no number"):
        certificate_bytes(certificate, named, dialect=Dialect.QBFCERT_ASCII)


@pytest.mark.parametrize("dialect", [Dialect.QAIGER, Dialect.PEDANT])
def test_other_dialects_are_not_written(dialect: Dialect) -> None:
    with pytest.raises(UsageError, match=f"'{dialect.value}'; choose one of caqe"):
        certificate_bytes(small()[1], dialect=dialect)
