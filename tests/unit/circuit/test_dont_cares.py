from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed
from qsage_validate.circuit.simplify import Judge, columns_as_bits, simplify
from qsage_validate.system.limits import Deadline
from tests.support.random_certificates import evaluate_aig, random_aig


def judge_of(aig: Aig, functions: list[int], care: int) -> Judge:
    """Fails where ``care`` (a literal of ``aig``) holds and a function is not what it was."""
    builder = AigBuilder(aig.num_inputs + len(functions))
    inputs = builder.inputs[: aig.num_inputs]
    *were, cared = embed(builder, aig, inputs, [*functions, care])
    differ = [builder.xor(a, b) for a, b in zip(were, builder.inputs[len(inputs) :], strict=True)]
    graph, (failure,) = builder.build([builder.and_(cared, builder.or_all(differ))])
    return Judge(graph, failure)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Aig, list[int], int, list[int]]:
    aig = random_aig(draw, draw(st.integers(1, 5)), most=24)
    literal = st.integers(0, 2 * aig.num_variables + 1)
    functions = draw(st.lists(literal, min_size=1, max_size=3))
    levels = [draw(st.integers(0, 2)) for _ in range(aig.num_inputs)]
    return aig, functions, draw(literal), levels


def reach(aig: Aig, literal: int, levels: list[int]) -> int:
    """The highest level of an input that a function's structure reads."""
    cone = {literal >> 1}
    for variable in range(aig.num_variables, aig.num_inputs, -1):
        if variable in cone:
            gate = variable - aig.num_inputs - 1
            cone |= {int(aig.fanin0[gate]) >> 1, int(aig.fanin1[gate]) >> 1}
    return max((levels[v - 1] for v in cone if 0 < v <= aig.num_inputs), default=-1)


@given(cases())
@settings(max_examples=80)
def test_functions_stay_what_they_are_where_it_matters(
    case: tuple[Aig, list[int], int, list[int]],
) -> None:
    aig, functions, care, levels = case
    done = simplify(aig, functions, judge_of(aig, functions, care), levels)
    assert done.aig.num_gates <= aig.restrict_to_cone(functions)[0].num_gates
    for inputs in product((False, True), repeat=aig.num_inputs):
        before, after = evaluate_aig(aig, list(inputs)), evaluate_aig(done.aig, list(inputs))
        if before[care]:
            assert [after[f] for f in done.functions] == [before[f] for f in functions]
    for old, new in zip(functions, done.functions, strict=True):
        assert reach(done.aig, new, levels) <= reach(aig, old, levels)


@given(cases())
@settings(max_examples=40)
def test_nothing_is_left_where_nothing_matters(case: tuple[Aig, list[int], int, list[int]]) -> None:
    aig, functions, _, levels = case
    done = simplify(aig, functions, judge_of(aig, functions, FALSE), levels)
    assert done.aig.num_gates == 0
    assert done.finished


def test_a_gate_becomes_a_gate_that_there_is() -> None:
    builder = AigBuilder(3)
    a, b, c = builder.inputs
    both = builder.and_(a, b)
    # Where c holds, xor(a, b) & c and or(a, b) & !(a & b) are the same.
    first = builder.and_(builder.xor(a, b), c)
    aig, (f, g) = builder.build([first, both])
    done = simplify(aig, [f, g], judge_of(aig, [f, g], TRUE), [0, 0, 0])
    assert done.aig.num_gates <= aig.num_gates
    cared = judge_of(aig, [f, g], 2 * 3)
    assert simplify(aig, [f, g], cared, [0, 0, 0]).aig.num_gates < done.aig.num_gates


def test_functions_that_fail_from_the_start_are_an_error() -> None:
    builder = AigBuilder(1)
    aig, (f,) = builder.build([builder.inputs[0]])
    with pytest.raises(ValueError, match="fail from the start"):
        simplify(aig, [f ^ 1], judge_of(aig, [f], TRUE), [0])


def test_a_deadline_keeps_what_there_is() -> None:
    builder = AigBuilder(4)
    a, b, c, d = builder.inputs
    aig, (f,) = builder.build([builder.and_(builder.xor(a, b), builder.xor(c, d))])
    done = simplify(aig, [f], judge_of(aig, [f], FALSE), [0] * 4, deadline=Deadline.after(-1))
    assert (done.aig.num_gates, done.replaced, done.proofs) == (aig.num_gates, 0, 0)
    assert not done.finished


def test_columns_as_bits() -> None:
    plays = np.array([[1, 0], [0, 0], [1, 1]], dtype=np.bool_)
    assert columns_as_bits(plays) == [0b101, 0b100]
