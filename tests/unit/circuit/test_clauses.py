from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from qsage_validate.circuit.aig import Aig, AigBuilder
from qsage_validate.circuit.sat import CircuitClauses, circuit_clauses, load
from tests.support.generated import aigs, values
from tests.support.readers import read_aiger


def as_lists(clauses: CircuitClauses) -> list[list[int]]:
    result: list[list[int]] = [[]]
    for literal in clauses.literals.tolist():
        if literal:
            result[-1].append(literal)
        else:
            result.append([])
    assert result.pop() == []
    return result


def truths(model: list[int], literal: int) -> bool:
    return (model[abs(literal) - 1] > 0) == (literal > 0)


@given(case=aigs(), data=st.data())
@settings(max_examples=80)
def test_models_are_the_evaluations(case: tuple[Aig, list[int]], data: st.DataObject) -> None:
    """For all inputs: one model, and in it every kept literal has its value."""
    aig, outputs = case
    inputs = data.draw(st.permutations(range(3, 3 + aig.num_inputs)))
    clauses = circuit_clauses(aig, inputs=inputs, keep=outputs)
    lists = as_lists(clauses)
    used = {abs(x) for clause in lists for x in clause}
    assert max(used, default=0) <= clauses.max_variable
    with Solver("cadical153") as solver:
        load(solver, clauses.literals)
        for bits in itertools.product((False, True), repeat=aig.num_inputs):
            expected = values(aig, list(bits))
            assume = [v if bit else -v for v, bit in zip(inputs, bits, strict=True)]
            assert solver.solve(assumptions=assume)
            model = solver.get_model()
            model += [-v for v in range(len(model) + 1, clauses.max_variable + 1)]
            for literal in outputs:
                value = expected[literal >> 1] != bool(literal & 1)
                assert truths(model, clauses.literal(literal)) == value
            # Nothing is left open: the inputs decide every variable of the clauses.
            blocking = [-v if truths(model, v) else v for v in sorted(used)]
            if blocking:
                solver.add_clause([*blocking, 1000])
                assert not solver.solve(assumptions=[*assume, -1000])


@given(case=aigs(), data=st.data())
@settings(max_examples=60)
def test_clauses_can_follow_as_they_are_asked_for(
    case: tuple[Aig, list[int]], data: st.DataObject
) -> None:
    aig, outputs = case
    clauses = circuit_clauses(aig, keep=outputs[:1])
    bits = data.draw(st.lists(st.booleans(), min_size=aig.num_inputs, max_size=aig.num_inputs))
    expected = values(aig, bits)
    with Solver("minisat22") as solver:
        load(solver, clauses.literals)
        for k in range(1, len(outputs) + 1):
            assert solver.solve(assumptions=[v if bit else -v for v, bit in enumerate(bits, 1)])
            model = solver.get_model()
            for literal in outputs[:k]:
                value = expected[literal >> 1] != bool(literal & 1)
                assert truths(model, clauses.literal(literal)) == value
            following = circuit_clauses(
                aig, keep=outputs[k : k + 1], first=clauses.max_variable + 1, known=clauses.sat_of
            )
            load(solver, following.literals)
            assert following.max_variable >= clauses.max_variable
            before = clauses.sat_of != 0
            assert (following.sat_of[before] == clauses.sat_of[before]).all()
            clauses = following
    again = circuit_clauses(aig, keep=outputs, first=clauses.max_variable + 1, known=clauses.sat_of)
    assert len(again.literals) == 0


def test_a_conjunction_of_many_is_one_gate() -> None:
    builder = AigBuilder(8)
    chain = builder.inputs[0]
    for literal in builder.inputs[1:]:
        chain = builder.and_(chain, literal)
    aig, (output,) = builder.build([chain])
    clauses = circuit_clauses(aig, keep=[output])
    assert clauses.max_variable == 9
    assert as_lists(clauses) == [
        *([-9, v] for v in range(1, 9)),
        [9, *(-v for v in range(1, 9))],
    ]
    with pytest.raises(KeyError):
        clauses.literal(output - 2)


def test_a_gate_that_is_used_twice_or_negated_or_kept_is_not_merged() -> None:
    builder = AigBuilder(4)
    a, b, c, d = builder.inputs
    shared = builder.and_(a, b)
    outputs = [builder.and_(shared, c), builder.and_(shared, d)]
    aig, outputs = builder.build(outputs)
    assert circuit_clauses(aig, keep=outputs).max_variable == 7
    builder = AigBuilder(3)
    a, b, c = builder.inputs
    aig, outputs = builder.build([builder.and_(builder.and_(a, b) ^ 1, c)])
    assert circuit_clauses(aig, keep=outputs).max_variable == 5
    builder = AigBuilder(3)
    a, b, c = builder.inputs
    inner = builder.and_(a, b)
    aig, outputs = builder.build([builder.and_(inner, c), inner ^ 1])
    assert circuit_clauses(aig, keep=outputs).literal(outputs[1]) == -4


def test_numbering() -> None:
    builder = AigBuilder(2)
    a, b = builder.inputs
    aig, (gate, negative) = builder.build([builder.and_(a, b), builder.and_(a, b ^ 1) ^ 1])
    clauses = circuit_clauses(aig, inputs=[5, 6], keep=[gate, negative, a, 1], first=20)
    assert clauses.literal(gate) == 20
    assert clauses.literal(negative) == -21
    assert clauses.literal(a) == 5
    assert clauses.max_variable == 22  # the constant
    with pytest.raises(ValueError, match="1 variables for 2 inputs"):
        circuit_clauses(aig, inputs=[5])
    with pytest.raises(ValueError, match="the first new variable"):
        circuit_clauses(aig, inputs=[5, 6], known=clauses.sat_of)


def test_only_the_cone_is_taken() -> None:
    builder = AigBuilder(3)
    a, b, c = builder.inputs
    aig, (first, second) = builder.build([builder.and_(a, b), builder.and_(b ^ 1, c)])
    clauses = circuit_clauses(aig, keep=[first])
    assert clauses.max_variable == 4
    with pytest.raises(KeyError):
        clauses.literal(second)


class Collector:
    def __init__(self) -> None:
        self.clauses: list[list[int]] = []

    def append_formula(self, formula: list[list[int]], no_return: bool = True) -> None:
        self.clauses += formula


@given(clauses=st.lists(st.lists(st.integers(-9, 9).filter(bool), max_size=5), max_size=30))
@settings(max_examples=60)
def test_loading_hands_over_every_clause(clauses: list[list[int]]) -> None:
    flat = np.array([x for clause in clauses for x in (*clause, 0)], dtype=np.int32)
    collector = Collector()
    load(collector, flat)
    assert sorted(collector.clauses) == sorted(clauses)


def test_loading_many_clauses_of_mixed_lengths() -> None:
    clauses = [[k + 1] * (k % 7) for k in range(100_000)]
    flat = np.array([x for clause in clauses for x in (*clause, 0)], dtype=np.int32)
    collector = Collector()
    load(collector, flat)
    assert sorted(collector.clauses) == sorted(clauses)


def test_loading_refuses_an_open_clause() -> None:
    for literals in ([1], [1, 0, 2]):
        with pytest.raises(ValueError, match="not ended"):
            load(Collector(), np.array(literals, dtype=np.int32))


def test_a_real_certificate_shrinks(shared_data: Path) -> None:
    file = read_aiger(shared_data / "certificates/quabs/httt-3x3_5_el.aig")
    clauses = circuit_clauses(file.aig, keep=file.outputs.tolist())
    assert file.aig.num_gates == 360_931
    assert clauses.max_variable < 30_000
    assert np.count_nonzero(clauses.literals == 0) < 400_000
