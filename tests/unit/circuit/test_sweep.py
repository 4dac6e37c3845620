from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder
from qsage_validate.circuit.cubes import Splitting, satisfy_by_cubes
from qsage_validate.circuit.sat import Answer, Satisfiable, TimedOut, Unsatisfiable
from qsage_validate.circuit.simplify import sweep
from qsage_validate.system.limits import Deadline, Progress
from qsage_validate.system.pool import WorkerFailedError, ordered_map
from tests.support.child_work import nap, square, vanish
from tests.support.random_certificates import evaluate_aig, random_aig

pytestmark = pytest.mark.slow


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Aig, list[int]]:
    aig = random_aig(draw, draw(st.integers(0, 5)), most=30)
    literal = st.integers(0, 2 * aig.num_variables + 1)
    return aig, draw(st.lists(literal, min_size=1, max_size=4))


def truth_table(aig: Aig, outputs: list[int]) -> list[tuple[bool, ...]]:
    rows = []
    for inputs in product((False, True), repeat=aig.num_inputs):
        values = evaluate_aig(aig, list(inputs))
        rows.append(tuple(values[x] for x in outputs))
    return rows


# --- Sweeping -------------------------------------------------------------------------------


@given(graphs())
@settings(max_examples=60)
def test_sweeping_changes_no_function_and_merges_all_that_are_equal(
    case: tuple[Aig, list[int]],
) -> None:
    aig, outputs = case
    swept = sweep(aig, outputs)
    table = truth_table(aig, outputs)
    assert truth_table(swept.aig, list(swept.outputs)) == table
    assert swept.aig.num_gates <= aig.num_gates
    # No limit was reached in graphs this small: equal functions are one literal.
    for a, x in enumerate(swept.outputs):
        for b, y in enumerate(swept.outputs):
            if all(row[a] == row[b] for row in table):
                assert x == y


def multiplexer_tree(builder: AigBuilder, order: list[int]) -> int:
    """The parity of the inputs, computed in the given order."""
    total = FALSE
    for k in order:
        total = builder.ite(builder.inputs[k], total ^ 1, total)
    return total


def test_sweeping_merges_what_hashing_does_not() -> None:
    builder = AigBuilder(12)
    forwards = multiplexer_tree(builder, list(range(12)))
    backwards = multiplexer_tree(builder, list(range(12))[::-1])
    aig, (a, b) = builder.build([forwards, backwards])
    assert a >> 1 != b >> 1
    swept = sweep(aig, [a, b], conflicts=10_000)
    assert swept.outputs[0] == swept.outputs[1]
    assert swept.merged > 0
    assert swept.calls == swept.merged + swept.refuted + swept.open
    # What may not be asked is not merged, and still the same function.
    unswept = sweep(aig, [a, b], calls=0)
    assert (unswept.merged, unswept.calls) == (0, 0)
    assert unswept.aig.num_gates == aig.num_gates
    assert sweep(aig, [a, b], deadline=Deadline.after(-1)).calls == 0


def test_what_random_tests_call_constant_is_not_believed() -> None:
    # True under one input in 2 to the 30: no random test finds it.
    builder = AigBuilder(30)
    rare = builder.and_all(builder.inputs)
    aig, (literal,) = builder.build([rare])
    swept = sweep(aig, [literal])
    assert swept.merged == 0
    assert swept.refuted > 0
    assert swept.aig.num_gates == aig.num_gates


# --- Cases ----------------------------------------------------------------------------------


# Splits whatever it gets, and has no patience with the quick solver.
EAGER = Splitting(small=0, many=1 << 30, inputs=2, conflicts=0, parallel=0)


@given(graphs(), st.sampled_from([Splitting(), Splitting(first=0), EAGER, Splitting(small=0)]))
@settings(max_examples=80)
def test_cases_find_what_trying_everything_finds(
    case: tuple[Aig, list[int]], splitting: Splitting
) -> None:
    aig, (literal, *_) = case
    answer, effort = satisfy_by_cubes(aig, literal, splitting=splitting)
    table = truth_table(aig, [literal])
    if any(value for (value,) in table):
        assert isinstance(answer, Satisfiable)
        assert evaluate_aig(aig, list(answer.inputs))[literal]
    else:
        assert answer == Unsatisfiable()
    assert effort.calls >= 0


def pigeons(count: int, extra: bool = False) -> tuple[Aig, int]:
    """``count + 1`` pigeons in ``count`` holes: never, unless one more input says otherwise."""
    builder = AigBuilder((count + 1) * count + 1)
    rows = [builder.inputs[p * count : (p + 1) * count] for p in range(count + 1)]
    conditions = [builder.or_all(row) for row in rows]
    for hole in range(count):
        for p in range(count + 1):
            conditions += [
                builder.and_(rows[p][hole], rows[q][hole]) ^ 1 for q in range(p + 1, count + 1)
            ]
    literal = builder.and_all(conditions)
    if extra:
        rest = builder.and_all([builder.inputs[-1], builder.inputs[1], builder.inputs[0] ^ 1])
        literal = builder.or_(literal, rest)
    aig, (moved,) = builder.build([literal])
    return aig, moved


@pytest.mark.parametrize("extra", [False, True])
def test_the_answer_does_not_depend_on_the_number_of_processes(extra: bool) -> None:
    aig, literal = pigeons(5, extra)
    seen: list[Progress] = []
    one = satisfy_by_cubes(aig, literal, splitting=EAGER, tell=seen.append)
    two = satisfy_by_cubes(aig, literal, splitting=EAGER, jobs=2)
    assert one == two
    if extra:
        # The first case with an answer: input 1 false, input 2 true.
        assert isinstance(one[0], Satisfiable)
        assert one[0].inputs[:2] == (False, True)
    else:
        assert one[0] == Unsatisfiable()
        # Not given away at once, only from the first case that is not quick.
        later = Splitting(small=0, many=1 << 30, inputs=2, conflicts=0, parallel=1 << 30)
        assert satisfy_by_cubes(aig, literal, splitting=later, jobs=2)[0] == one[0]
        assert seen == [Progress("cases", f"{k} of 4 cases", k, 4) for k in range(1, 5)]


@pytest.mark.parametrize("small", [0, 1 << 30])
def test_graphs_of_many_inputs_are_neither_swept_nor_split_at_once(small: int) -> None:
    """Sweeping took ten times as long as the answer for Herbrand functions of clausal formulas."""
    aig, literal = pigeons(7)
    assert aig.num_inputs == 57
    patient = Splitting(small=small, first=0, conflicts=0)
    answer, effort = satisfy_by_cubes(aig, literal, splitting=patient)
    assert answer == Unsatisfiable()
    assert (effort.calls, effort.cubes) == (2 if small else 1, 0)
    _, other = satisfy_by_cubes(aig, literal, splitting=replace(patient, many=57))
    assert other.calls > 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_deadline_ends_all_cases(jobs: int) -> None:
    aig, literal = pigeons(12)
    started = time.monotonic()
    answer, _ = satisfy_by_cubes(
        aig, literal, splitting=EAGER, jobs=jobs, deadline=Deadline.after(0.5)
    )
    assert isinstance(answer, TimedOut)
    assert time.monotonic() - started < 30


def test_no_case_is_begun_after_the_deadline() -> None:
    aig, literal = pigeons(12)
    splitting = Splitting(small=0, many=1 << 30, inputs=12, conflicts=0)
    answer, effort = satisfy_by_cubes(
        aig, literal, splitting=splitting, deadline=Deadline.after(0.5)
    )
    assert isinstance(answer, TimedOut)
    assert effort.cubes < 1 << 10


# --- Processes ------------------------------------------------------------------------------


def test_results_come_in_order() -> None:
    assert list(ordered_map(square, 100, 7, 2)) == [k * k for k in range(7)]
    assert list(ordered_map(square, 100, 0, 3)) == []


def test_errors_of_processes_are_raised() -> None:
    with pytest.raises(MemoryError):
        list(ordered_map(square, 2, 3, 1))
    with pytest.raises(WorkerFailedError, match="ValueError: no square"):
        list(ordered_map(square, -1, 3, 1))


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(WorkerFailedError, match="exit code 7"):
        list(ordered_map(vanish, 7, 3, 1))


def test_closing_ends_the_processes() -> None:
    results = ordered_map(nap, 300.0, 3, 2)
    assert isinstance(results, Generator)
    assert next(results) == 0
    started = time.monotonic()
    results.close()
    assert time.monotonic() - started < 60


def test_a_graph_without_inputs_has_one_case() -> None:
    aig = Aig(0, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
    answers: list[Answer] = [satisfy_by_cubes(aig, x, splitting=EAGER)[0] for x in (0, 1)]
    assert answers == [Unsatisfiable(), Satisfiable(())]
