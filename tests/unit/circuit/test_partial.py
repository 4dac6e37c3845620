"""Partial evaluation says nothing that a completion contradicts."""

from __future__ import annotations

from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.strategies.herbrand import (
    PartialSimulator,
    evaluate_partially,
    literal_value,
    requirements,
)
from tests.support.generated import qbfs


def completions(qbf: Qbf, partial: dict[int, bool]) -> list[dict[int, bool]]:
    """The values of all variables and gates under every completion."""
    free = [v for v in qbf.quantifiers() if v not in partial]
    return [
        qbf.evaluate({**partial, **dict(zip(free, bits, strict=True))})
        for bits in product((False, True), repeat=len(free))
    ]


@st.composite
def partials(draw: st.DrawFn) -> tuple[Qbf, dict[int, bool]]:
    qbf = draw(qbfs())
    assume(qbf.num_variables <= 8)
    partial = {
        v: value
        for v in qbf.quantifiers()
        if (value := draw(st.sampled_from([None, True, False]))) is not None
    }
    return qbf, partial


@given(partials(), st.booleans())
def test_what_is_determined_holds_in_every_completion(
    case: tuple[Qbf, dict[int, bool]], constants: bool
) -> None:
    qbf, partial = case
    values = evaluate_partially(qbf, partial, constants=constants)
    for complete in completions(qbf, partial):
        for variable, value in values.items():
            assert value is None or complete[variable] is value


@given(partials())
def test_a_total_assignment_determines_everything(case: tuple[Qbf, dict[int, bool]]) -> None:
    qbf, partial = case
    total = {v: partial.get(v, False) for v in qbf.quantifiers()}
    assert evaluate_partially(qbf, total) == qbf.evaluate(total)


@given(partials(), st.data())
def test_many_assignments_at_once_are_evaluated_alike(
    case: tuple[Qbf, dict[int, bool]], data: st.DataObject
) -> None:
    qbf, partial = case
    partials = [partial, {}, {v: x for v, x in partial.items() if data.draw(st.booleans())}]
    variables = [*qbf.quantifiers(), *qbf.gates, 10**6]
    literals = data.draw(st.lists(st.sampled_from([*variables, *(-v for v in variables)])))
    simulator = PartialSimulator(qbf)
    for _ in range(2):
        found = simulator.run(partials, literals)
        for assignment, values in zip(partials, found, strict=True):
            known = evaluate_partially(qbf, assignment)
            assert list(values) == [literal_value(known, x) for x in literals]


@given(partials(), st.booleans())
def test_requirements_are_what_makes_the_output_true(
    case: tuple[Qbf, dict[int, bool]], constants: bool
) -> None:
    """In every completion in which the output holds, all of its requirements do."""
    qbf, partial = case
    values = evaluate_partially(qbf, partial, constants=constants)
    required = list(requirements(qbf, values, qbf.output))
    assert len(required) == len(set(required))
    for complete in completions(qbf, partial):
        if complete[abs(qbf.output)] == (qbf.output > 0):
            assert all(literal_value(complete, literal) for literal in required)


def test_conjunctions_and_decided_disjunctions_are_taken_apart() -> None:
    qbf = parse_qcir(
        "#QCIR-G14\nexists(1, 2, 3, 4, 5)\noutput(9)\n"
        "6 = or(1, 2)\n7 = or(3, 6)\n8 = and(4, -5)\n9 = and(7, 8)\n"
    )

    def parts(**known: bool) -> set[int]:
        partial = {int(name[1:]): value for name, value in known.items()}
        return set(requirements(qbf, evaluate_partially(qbf, partial), qbf.output))

    assert parts() == {7, 4, -5}
    assert parts(v3=False) == {6, 4, -5}
    assert parts(v3=False, v1=False) == {2, 4, -5}
    assert parts(v3=True) == {4, -5}
    assert parts(v3=False, v1=False, v2=False) == {7, 4, -5}


def test_constants_can_be_left_open() -> None:
    qbf = parse_qcir("#QCIR-G14\nexists(1)\noutput(3)\n2 = or()\n3 = and(1, 2)\n")
    assert evaluate_partially(qbf, {1: True}) == {1: True, 2: False, 3: False}
    open_values = evaluate_partially(qbf, {1: True}, constants=False)
    assert open_values == {1: True, 2: None, 3: None}
    assert list(requirements(qbf, open_values, 3)) == [1]
