from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed, strash
from qsage_validate.circuit.simplify import tabulated
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack


def make_aig(num_inputs: int, gates: list[tuple[int, int]]) -> Aig:
    """A graph with exactly these gates: constants and equal fan-ins stay as they are."""
    left = np.array([a for a, _ in gates], dtype=np.int32)
    right = np.array([b for _, b in gates], dtype=np.int32)
    return Aig(num_inputs, left, right)


@st.composite
def aigs(draw: st.DrawFn) -> tuple[Aig, list[int]]:
    """Small graphs with outputs; constants, repetitions and dead gates included."""
    num_inputs = draw(st.integers(0, 5))
    gates: list[tuple[int, int]] = []
    for k in range(draw(st.integers(0, 25))):
        literal = st.integers(0, 2 * (num_inputs + k) + 1)
        gates.append((draw(literal), draw(literal)))
    last = 2 * (num_inputs + len(gates)) + 1
    outputs = draw(st.lists(st.integers(0, last), max_size=6))
    return make_aig(num_inputs, gates), outputs


def evaluate(aig: Aig, inputs: tuple[bool, ...], outputs: list[int]) -> list[bool]:
    """The definition, gate by gate."""
    values = [False, *inputs]
    for a, b in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        values.append((values[a >> 1] ^ bool(a & 1)) and (values[b >> 1] ^ bool(b & 1)))
    return [values[x >> 1] ^ bool(x & 1) for x in outputs]


def all_plays(num_inputs: int) -> NDArray[np.bool_]:
    rows = np.arange(1 << num_inputs)[:, None] >> np.arange(num_inputs)[None, :]
    return (rows & 1).astype(np.bool_)


@given(aigs())
@settings(max_examples=80)
def test_simulation_is_evaluation(case: tuple[Aig, list[int]]) -> None:
    aig, outputs = case
    plays = all_plays(aig.num_inputs)
    got = unpack(GraphSimulator(aig, outputs).run(pack(plays)), len(plays))
    assert got.tolist() == [evaluate(aig, tuple(p), outputs) for p in plays.tolist()]


@given(aigs())
@settings(max_examples=80)
def test_graphs_of_truth_tables_have_the_same_functions(case: tuple[Aig, list[int]]) -> None:
    aig, outputs = case
    again, moved = tabulated(aig, outputs)
    for play in all_plays(aig.num_inputs).tolist():
        assert evaluate(again, tuple(play), moved) == evaluate(aig, tuple(play), outputs)


@given(aigs())
@settings(max_examples=80)
def test_reduction_keeps_the_functions_and_never_grows(case: tuple[Aig, list[int]]) -> None:
    aig, outputs = case
    smaller, moved = strash(aig, outputs)
    assert smaller.num_inputs == aig.num_inputs
    assert smaller.num_gates <= aig.num_gates
    assert int(np.count_nonzero(smaller.cone(moved))) == smaller.num_gates
    for play in all_plays(aig.num_inputs).tolist():
        assert evaluate(smaller, tuple(play), moved) == evaluate(aig, tuple(play), outputs)


@given(st.integers(0, 200), st.integers(0, 4))
@settings(max_examples=50)
def test_packing_has_an_inverse(plays: int, signals: int) -> None:
    bits = np.random.default_rng(plays * 7 + signals).integers(0, 2, (plays, signals)) == 1
    words = pack(bits)
    assert words.shape == (signals, -(-plays // 64))
    assert np.array_equal(unpack(words, plays), bits)


def test_play_p_is_bit_p_of_its_word() -> None:
    plays = np.zeros((70, 1), dtype=np.bool_)
    plays[[1, 65]] = True
    assert pack(plays).tolist() == [[2, 2]]


def test_a_deep_chain_and_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.circuit.simulate._BYTES_PER_PASS", 1 << 24)
    # x1 & !(x2 & !(x1 & !(x2 & ...))): 20,000 levels, no recursion anywhere.
    gates = [(2, 4)]
    for k in range(20_000):
        gates.append((2 if k % 2 else 4, 2 * (3 + k) + 1))
    aig = make_aig(2, gates)
    outputs = [2 * aig.num_variables, 2 * aig.num_variables + 1]
    simulator = GraphSimulator(aig, outputs)
    assert simulator.depth == 20_001
    inputs = np.random.default_rng(1).integers(0, 1 << 63, (2, 130), dtype=np.uint64)
    got = simulator.run(inputs)
    plays = unpack(inputs, 130 * 64)
    table = {(a, b): evaluate(aig, (a, b), outputs) for a in (False, True) for b in (False, True)}
    assert unpack(got, 130 * 64).tolist() == [table[a, b] for a, b in plays.tolist()]
    # Splitting into passes changes nothing.
    assert np.array_equal(simulator.run(inputs[:, :3]), got[:, :3])


def test_constants_inputs_and_nothing_as_outputs() -> None:
    aig = make_aig(1, [])
    inputs = np.array([[5]], dtype=np.uint64)
    everything = (1 << 64) - 1
    assert GraphSimulator(aig, [FALSE, TRUE, 2, 3]).run(inputs)[:, 0].tolist() == [
        0,
        everything,
        5,
        everything ^ 5,
    ]
    assert GraphSimulator(aig, []).run(inputs).shape == (0, 1)
    assert GraphSimulator(aig, [2]).run(np.empty((1, 0), dtype=np.uint64)).shape == (1, 0)


def test_wrong_shapes_are_refused() -> None:
    simulator = GraphSimulator(make_aig(2, [(2, 4)]), [6])
    with pytest.raises(ValueError, match=r"shape \(1, 1\) for 2 inputs"):
        simulator.run(np.zeros((1, 1), dtype=np.uint64))
    with pytest.raises(ValueError, match="1 literals for 2 inputs"):
        embed(AigBuilder(1), make_aig(2, []), [2], [])
