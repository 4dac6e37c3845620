"""What is left of a graph when inputs are fixed: equal digests mean equal functions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.aig import Aig, AigBuilder
from qsage_validate.circuit.simulate import Cofactors, GraphSimulator, columns, pack, unpack


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Aig, list[int]]:
    inputs = draw(st.integers(1, 6))
    gates = draw(st.integers(0, 40))
    left, right = [], []
    for gate in range(gates):
        last = 2 * (inputs + gate) + 1
        left.append(draw(st.integers(0, last)))
        right.append(draw(st.integers(0, last)))
    aig = Aig(inputs, np.asarray(left, dtype=np.int32), np.asarray(right, dtype=np.int32))
    literals = st.integers(0, 2 * aig.num_variables + 1)
    return aig, draw(st.lists(literals, min_size=1, max_size=4))


@given(st.integers(0, 200), st.integers(1, 3), st.integers(0, 1 << 30))
@settings(max_examples=40, deadline=None)
def test_columns_are_the_transposed_bits(rows: int, words: int, seed: int) -> None:
    bits = np.random.default_rng(seed).random((64 * words, rows)) < 0.5
    found = columns(pack(bits))
    assert found.shape == (64 * words, -(-rows // 64))
    assert (found == pack(bits.T)).all()


@given(graphs(), st.data())
@settings(max_examples=80, deadline=None)
def test_equal_digests_are_equal_functions(
    graph: tuple[Aig, list[int]], data: st.DataObject
) -> None:
    aig, outputs = graph
    count = aig.num_inputs
    fixed = sorted(data.draw(st.sets(st.integers(0, count - 1))))
    free = [k for k in range(count) if k not in fixed]
    assignments = (np.arange(1 << len(fixed))[:, None] >> np.arange(len(fixed))) & 1
    plays = np.zeros((len(assignments), count), dtype=np.bool_)
    plays[:, fixed] = assignments
    cofactors = Cofactors(aig, outputs, fixed)
    digests = cofactors.digests(pack(plays), len(plays))
    # Free inputs are not looked at.
    noisy = plays.copy()
    noisy[:, free] = True
    assert cofactors.digests(pack(noisy), len(plays)) == digests
    # Many packs at a time say as much as one after the other.
    twice = np.stack([pack(plays), pack(plays[::-1])], axis=1)
    both = cofactors.digests(twice, len(plays))
    pairs = list(zip(digests, digests[::-1], strict=True))
    assert [[a == b for b in both] for a in both] == [[a == b for b in pairs] for a in pairs]
    simulator = GraphSimulator(aig, outputs)
    functions: dict[bytes, list[list[bool]]] = {}
    for digest, play in zip(digests, plays, strict=True):
        every = np.repeat(play[None, :], 1 << len(free), axis=0)
        every[:, free] = (np.arange(1 << len(free))[:, None] >> np.arange(len(free))) & 1
        table = unpack(simulator.run(pack(every)), len(every)).tolist()
        assert functions.setdefault(digest, table) == table
    if not free:  # what is left are constants
        assert len(functions) == len({str(table) for table in functions.values()})


def test_what_does_not_matter_any_more_is_not_told_apart() -> None:
    builder = AigBuilder(4)
    a, b, c, d = builder.inputs
    # The sum of a and b is all that counts, and later only whether c and d are equal to it.
    total = builder.xor(a, b)
    aig, outputs = builder.build([builder.and_(total, builder.xor(c, d))])
    plays = np.asarray([[x, y, 0, 0] for x in (0, 1) for y in (0, 1)], dtype=np.bool_)
    digests = Cofactors(aig, outputs, [0, 1]).digests(pack(plays), 4)
    assert digests[0] == digests[3] != digests[1] == digests[2]
    # A gate that is left but reaches no output any more.
    aig, outputs = builder.build([builder.and_(builder.and_(a, c), builder.and_(b, d))])
    digests = Cofactors(aig, outputs, [0, 1]).digests(pack(plays), 4)
    assert digests[0] == digests[1] == digests[2] != digests[3]
