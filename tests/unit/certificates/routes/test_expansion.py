"""Expansion decides formulas and certifies them, without any solver; the dual does so too."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.certificates import by_expansion
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
from qsage_validate.system.limits import NEVER, Deadline
from tests.support.certificate_truth import falsifying_choice
from tests.support.random_qbf import circuits, qbfs, random_qbf, truth

FORMULAS = st.one_of(qbfs(), circuits())


@given(FORMULAS)
def test_the_certificate_is_of_the_side_that_wins(formula: Qbf) -> None:
    certificate = expand(formula)
    assert (certificate.kind is CertificateKind.SKOLEM) == truth(formula)
    assert isinstance(check(formula, certificate), CertificateProved)
    assert falsifying_choice(formula, certificate) is None
    assert set(certificate.functions) == set(formula.variables(certificate.kind.decides))


@pytest.mark.parametrize("most_values", [1000, 1], ids=["enough", "too few"])
def test_blocks_are_eliminated_by_values(most_values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as there is a block; where too many values are needed, variable by variable."""
    for name, value in (("_BLOCK_GROWTH", 0), ("_FEW", 0), ("_MOST_VALUES", most_values)):
        monkeypatch.setattr(by_expansion, name, value)
    found = list[bool]()
    by_values = by_expansion._Expansion._eliminate_by_values

    def counted(*given: Any) -> bool:
        found.append(by_values(*given))
        return found[-1]

    monkeypatch.setattr(by_expansion._Expansion, "_eliminate_by_values", counted)
    rng = Random(5)
    for _ in range(150):
        formula = random_qbf(rng, most=8)
        certificate = expand(formula)
        assert (certificate.kind is CertificateKind.SKOLEM) == truth(formula)
        assert isinstance(check(formula, certificate), CertificateProved)
        assert falsifying_choice(formula, certificate) is None
    assert found.count(True) > 40
    assert (False in found) is (most_values == 1)


TRIED = """#QCIR-G14
forall(1, 2)
exists(3)
forall(4)
exists(5)
output(10)
6 = and(1, 2)
7 = xor(3, {gate})
8 = or(-4, -7)
9 = or(5, -5)
10 = and(8, 9)
"""


@pytest.mark.parametrize(("gate", "taken"), [("6", True), ("-6", True), ("1", False)])
def test_a_function_that_is_tried_is_taken_where_nothing_is_lost(gate: str, taken: bool) -> None:
    """Variable 3 has to be ``gate``; gate 6, its complement and the constants are tried for it."""
    formula = parse_qcir(TRIED.format(gate=gate))
    tried = by_expansion._Expansion(formula, None, NEVER, 1000, {3: [6]})
    certificate = tried.certificate()
    assert isinstance(check(formula, certificate), CertificateProved)
    assert (tried.choices[3].aig is tried.first) is taken


def test_a_variable_that_has_its_function_is_not_tried() -> None:
    text = "#QCIR-G14\nforall(1)\nexists(2)\nforall(3)\nexists(4)\noutput(7)\n"
    formula = parse_qcir(text + "5 = xor(4, 3)\n6 = xor(2, 1)\n7 = and(-5, -6)\n")
    certificate = expand(formula, tried={4: [1], 2: [1]})
    assert isinstance(check(formula, certificate), CertificateProved)


def test_functions_of_a_side_that_loses_are_given_undecided() -> None:
    formula = parse_qcir("#QCIR-G14\nforall(1)\nexists(2)\noutput(3)\n3 = and(1, 2)\n")
    assert expand(formula).kind is CertificateKind.HERBRAND
    asked = expand(formula, of=CertificateKind.SKOLEM)
    assert asked.kind is CertificateKind.SKOLEM
    assert not isinstance(check(formula, asked), CertificateProved)


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
