from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateRefuted,
    CertificateUndecided,
    CheckResult,
    check,
)
from qsage_validate.certificates.learning import (
    LearningStyle,
    defined_gates,
    feature_circuit,
    learn,
)
from qsage_validate.certificates.reader import parse_certificate, read_certificate
from qsage_validate.certificates.smaller import (
    WrongCertificateError,
    minimised,
    rebuild,
)
from qsage_validate.circuit.aig import Aig, AigBuilder, embed
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.foreign import layout_from_meta
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import UndecidedError
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.meta import read_meta
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, wrong_dependency
from qsage_validate.system.limits import Deadline
from tests.support.certificate_truth import falsifying_choice
from tests.support.expanded import expanded
from tests.support.plays import certified as made_by_search
from tests.support.random_certificates import certified, pedant_text
from tests.support.random_qbf import circuits, qbfs

pytestmark = pytest.mark.slow

Made = tuple[Qbf, CircuitCertificate]


def holds(formula: Qbf, certificate: CircuitCertificate) -> bool:
    """Both levels, the second by a check that is the tests' own."""
    return (
        wrong_dependency(certificate, formula) is None
        and falsifying_choice(formula, certificate) is None
    )


# --- Small formulas of every kind ---------------------------------------------------------------


@given(st.one_of(circuits(), qbfs()))
@settings(max_examples=50)
def test_what_comes_out_is_a_certificate_and_not_larger(formula: Qbf) -> None:
    certificate = expanded(formula)
    assert holds(formula, certificate)
    found = minimised(formula, certificate)
    assert holds(formula, found.certificate)
    assert found.certificate.kind is certificate.kind
    assert found.gates <= certificate.aig.num_gates
    assert found.smaller == (found.gates < certificate.aig.num_gates)
    assert isinstance(check(formula, found.certificate), CertificateProved)
    assert not found.certificate.extra


@given(certified())
@settings(max_examples=50)
def test_only_certificates_that_hold_become_smaller(case: tuple[Qbf, CircuitCertificate]) -> None:
    formula, certificate = case
    if holds(formula, certificate):
        smaller = minimised(formula, certificate).certificate
        assert holds(formula, smaller)
        assert set(smaller.functions) == set(certificate.functions)
    else:
        with pytest.raises(WrongCertificateError, match="the certificate does not hold"):
            minimised(formula, certificate)


@given(st.one_of(circuits(), qbfs()), st.booleans(), st.sampled_from((0.0, 1.0, 4.0)))
@settings(max_examples=50)
def test_learning_alone_ends_with_a_certificate(formula: Qbf, part: bool, thrift: float) -> None:
    teacher = expanded(formula)
    definitions = defined_gates(formula, teacher.kind.decides)
    circuit = feature_circuit(formula, teacher.kind.decides, None, definitions)
    keep = [v for v in teacher.functions if v % 2] if part else []
    learnt = learn(circuit, teacher, style=LearningStyle(thrift=thrift), keep=keep)
    assert learnt.certificate is not None, learnt.why
    assert holds(formula, learnt.certificate)


@given(circuits())
def test_learning_from_a_wrong_certificate_says_so(formula: Qbf) -> None:
    """It ends, with a certificate that holds by luck or with the reason."""
    teacher = expanded(formula)
    wrong = replace(teacher, functions={v: f ^ 1 for v, f in teacher.functions.items()})
    circuit = feature_circuit(formula, teacher.kind.decides)
    learnt = learn(circuit, wrong)
    if learnt.certificate is None:
        assert learnt.wrong
        assert learnt.why == "the certificate that is given loses a play"
    else:
        assert holds(formula, learnt.certificate)


# --- Gates of the clausal form -----------------------------------------------------------------


@given(qbfs(most=6, clauses=14))
@settings(max_examples=60)
def test_gates_are_what_the_clauses_say(formula: Qbf) -> None:
    gates = defined_gates(formula, Quantifier.EXISTS)
    level = formula.levels()
    variables = list(level)
    for bits in product((False, True), repeat=len(variables)):
        values = dict(zip(variables, bits, strict=True))
        if formula.truth(values):
            for variable, gate in gates.items():
                own = Qbf(formula.scopes, {99: gate}, 99)
                assert own.truth(values) == values[variable]
    assert all(level[abs(x)] <= level[v] for v, gate in gates.items() for x in gate.inputs)
    assert defined_gates(formula, Quantifier.FORALL) == {}


def test_the_gates_of_a_circuit_are_found_in_its_clausal_form() -> None:
    formula = parse_qcir(
        "#QCIR-G14\nexists(1)\nforall(2, 3)\nexists(4)\noutput(9)\n"
        "5 = and(2, -3)\n6 = or(-5, 1, 4)\n7 = xor(6, 2)\n8 = or(7, 3)\n9 = and(8, 6)\n"
    )
    clausal = parse_qdimacs(qdimacs_text(clausal_form(formula)))
    found = defined_gates(clausal, Quantifier.EXISTS)

    def meaning(number: int, values: dict[int, bool]) -> bool:
        return Qbf(formula.scopes, {99: found[number]}, 99).truth(values)

    assert set(found) >= {5, 6, 7, 8}
    for bits in product((False, True), repeat=4):
        values = formula.evaluate(dict(zip((1, 2, 3, 4), bits, strict=True)))
        for number in found:
            if number != 9:
                assert meaning(number, values) == values[number]


# --- Limits and forms ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def domino() -> Made:
    """Two in a row on 3x3 within three plies, as the search compiles it."""
    made = made_by_search(("httt", "--size=3x3", "--shape=domino", "--depth=3"))
    return made.encoding.qbf, made.certificate


def test_the_same_certificate_becomes_the_same(domino: Made) -> None:
    formula, certificate = domino
    layout = layout_from_comments(formula)
    first = minimised(formula, certificate, layout=layout)
    second = minimised(formula, certificate, layout=layout)
    assert first.gates < certificate.aig.num_gates
    for a, b in zip(
        (first.certificate.aig.fanin0, first.certificate.aig.fanin1),
        (second.certificate.aig.fanin0, second.certificate.aig.fanin1),
        strict=True,
    ):
        assert a.tolist() == b.tolist()


def test_without_time_only_structure_is_looked_at(domino: Made) -> None:
    formula, certificate = domino
    found = minimised(formula, certificate, deadline=Deadline.after(-1))
    # The check gets a moment in any case.
    assert [stage.name for stage in found.stages] == ["structure", "check"]
    assert holds(formula, found.certificate)


def test_what_cannot_be_checked_is_not_touched(
    domino: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def undecided(*_: object, **__: object) -> CertificateUndecided:
        return CertificateUndecided("no answer within 0.1 seconds")

    monkeypatch.setattr("qsage_validate.certificates.smaller.check", undecided)
    with pytest.raises(UndecidedError, match="not known whether the certificate holds"):
        minimised(*domino)
    formula, certificate = domino
    wrong = replace(certificate, functions={v: f ^ 1 for v, f in certificate.functions.items()})
    with pytest.raises(WrongCertificateError, match="it loses a"):
        minimised(formula, wrong)


def test_a_result_that_does_not_pass_the_check_is_not_handed_out(
    domino: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    formula, certificate = domino
    asked = []

    def once(formula: Qbf, certificate: CircuitCertificate, **_: object) -> CheckResult:
        asked.append(certificate)
        if len(asked) == 1:
            return check(formula, certificate)
        return CertificateRefuted("it loses", {})

    monkeypatch.setattr("qsage_validate.certificates.smaller.check", once)
    found = minimised(formula, certificate)
    assert len(asked) == 2
    assert found.certificate is asked[0]
    assert found.stages[-1].note == "refuted: it loses"


def test_functions_of_gates_are_left_out_and_counted(
    domino: tuple[Qbf, CircuitCertificate],
) -> None:
    formula, certificate = domino
    gates = list(formula.gates)[:3]
    more = replace(certificate, extra=dict.fromkeys(gates, 2))
    found = minimised(formula, more)
    assert (found.dropped, dict(found.certificate.extra)) == (3, {})


def test_clauses_become_a_circuit(domino: Made) -> None:
    formula, certificate = domino
    clauses = parse_certificate(pedant_text(certificate, 5000).encode(), formula)
    found = minimised(formula, clauses)
    assert holds(formula, found.certificate)
    assert found.certificate.kind is CertificateKind.SKOLEM


def test_a_formula_without_any_variable() -> None:
    formula = parse_qcir("#QCIR-G14\noutput(g)\ng = and()\n")
    assert minimised(formula, expanded(formula)).certificate.aig.num_gates == 0


def test_equal_gates_of_a_deep_graph_meet(domino: Made) -> None:
    """Constants and dead gates go before anything else."""
    formula, certificate = domino
    aig = certificate.aig
    ones = np.ones(50, dtype=np.int32)
    padded = Aig(
        aig.num_inputs,
        np.concatenate((aig.fanin0, ones)),
        np.concatenate((aig.fanin1, ones)),
    )
    found = minimised(formula, replace(certificate, aig=padded))
    assert found.original == aig.num_gates + 50
    assert found.stages[0].name == "structure"
    assert found.stages[0].gates <= aig.num_gates


# --- Moves kept, all else rebuilt -----------------------------------------------------------


@pytest.mark.parametrize("name", ["tic", "evader", "hex", "breakthrough", "connect3"])
def test_everything_but_the_moves_follows_from_the_encoding(repository: Path, name: str) -> None:
    """Rebuilt from Black's moves and claims, whatever stands for the rest."""
    formula = read_formula(repository / "certificates" / f"{name}.qcir")
    certificate = read_certificate(repository / "certificates" / f"{name}.aig", formula)
    layout = layout_from_comments(formula)
    assert isinstance(certificate, CircuitCertificate)
    assert layout is not None
    moves = {abs(v) for m in layout.moves for v in m.all_variables}
    goals = layout.goals
    kept = moves | {*goals.black_condition, *goals.black_x, *goals.black_y}
    spoilt = {v: f if v in kept else 0 for v, f in certificate.functions.items()}
    assert not holds(formula, replace(certificate, functions=spoilt))
    rebuilt = rebuild(formula, layout, replace(certificate, functions=spoilt))
    assert rebuilt is not None
    assert holds(formula, rebuilt)


def test_only_own_encodings_of_the_winner_black_can_be_rebuilt(
    repository: Path, domino: Made
) -> None:
    formula, certificate = domino
    layout = layout_from_comments(formula)
    assert layout is not None
    assert rebuild(formula, replace(layout, encoding="Q-sage"), certificate) is None
    assert rebuild(formula, replace(layout, model={}), certificate) is None
    assert rebuild(formula, layout, replace(certificate, kind=CertificateKind.HERBRAND)) is None


def test_a_certificate_is_rebuilt_on_the_way(domino: Made) -> None:
    """Gates that say the same in a roundabout way go with the definitions."""
    formula, certificate = domino
    layout = layout_from_comments(formula)
    builder = AigBuilder(len(certificate.inputs))
    outputs = embed(builder, certificate.aig, builder.inputs, list(certificate.functions.values()))
    first, second = builder.inputs[:2]
    noise = builder.and_(builder.xor(first, second), builder.eq(first, second))
    aig, functions = builder.build([builder.or_(f, noise) for f in outputs])
    larger = replace(
        certificate, aig=aig, functions=dict(zip(certificate.functions, functions, strict=True))
    )
    found = minimised(formula, larger, layout=layout)
    assert "definitions" in [stage.name for stage in found.stages]
    assert holds(formula, found.certificate)


# --- Certificates of other tools ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "most"),
    [("httt-3x3_3_domino", 80), ("domineering__4x2_5", 60)],
)
def test_certificates_of_quabs(shared_data: Path, name: str, most: int) -> None:
    folder = shared_data / "certificates" / "quabs"
    formula = read_formula(folder / f"{name}.qcir")
    certificate = read_certificate(folder / f"{name}.aig", formula)
    layout = layout_from_meta(read_meta(folder / f"{name}.meta"), formula)
    found = minimised(formula, certificate, layout=layout)
    assert holds(formula, found.certificate)
    assert found.gates < most < found.original
