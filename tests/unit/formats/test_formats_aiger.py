from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import Aig
from qsage_validate.errors import InputError
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.aiger_parts import AigerFile
from tests.support.generated import LINES, aigs, values
from tests.support.readers import read_aiger


def evaluate(file: AigerFile, inputs: list[bool]) -> list[bool]:
    result = values(file.aig, inputs)
    return [result[x >> 1] != bool(x & 1) for x in file.outputs.tolist()]


HALF_ADDER = b"""\
aag 7 2 0 2 3
2
4
6
12
6 13 15
12 2 4
14 3 5
i0 x
i1 y
o0 s
o1 c
c
half adder
second line
"""


def test_the_half_adder_of_the_format_paper() -> None:
    file = parse_aiger(HALF_ADDER, "adder.aag")
    assert not file.binary
    assert file.inputs.tolist() == [1, 2]
    assert file.output_literals.tolist() == [6, 12]
    assert file.input_symbols == {0: "x", 1: "y"}
    assert file.output_symbols == {0: "s", 1: "c"}
    assert file.comments == ("half adder", "second line")
    assert file.max_variable == 7
    for x in (False, True):
        for y in (False, True):
            assert evaluate(file, [x, y]) == [x != y, x and y]
    assert file.literal(7) == file.literal(6) ^ 1
    assert file.literal(1) == 1
    for undefined in (8, 11, 16):
        with pytest.raises(KeyError):
            file.literal(undefined)


def test_the_binary_half_adder_of_the_format_paper() -> None:
    file = parse_aiger(b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02i0 x\no1 c\nc\nhalf adder\n")
    assert file.binary
    assert file.aig.fanin0.tolist() == [4, 5, 9]
    assert file.aig.fanin1.tolist() == [2, 3, 7]
    assert evaluate(file, [True, False]) == [True, False]
    assert evaluate(file, [True, True]) == [False, True]
    assert (file.input_symbols, file.output_symbols) == ({0: "x"}, {1: "c"})


def test_the_smallest_files_of_the_format_paper() -> None:
    assert parse_aiger(b"aag 0 0 0 0 0\n").aig.num_variables == 0
    assert parse_aiger(b"aag 0 0 0 1 0\n0\n").outputs.tolist() == [0]
    assert parse_aiger(b"aag 0 0 0 1 0\n1").outputs.tolist() == [1]
    assert parse_aiger(b"aag 1 1 0 1 0\n2\n3\n").outputs.tolist() == [3]
    assert parse_aiger(b"aig 0 0 0 1 0 0 0 0 0\n1\n").outputs.tolist() == [1]
    assert parse_aiger(b"aag 1 1 0 1 0\r\n2\r\n2\r\ni0 x\r\n").input_symbols == {0: "x"}


def test_constants_and_equal_inputs_of_gates() -> None:
    """As QuAbS and QBFcert write them: ``2v 1 1``, ``2v 0 0``, ``2v 1 0``, ``2v 2w 1``."""
    file = parse_aiger(b"aag 5 1 0 4 4\n2\n4\n6\n8\n10\n4 1 1\n6 0 0\n8 1 0\n10 2 1\n")
    assert evaluate(file, [True]) == [True, False, False, True]
    assert evaluate(file, [False]) == [True, False, False, False]


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"", (1, 1), "an empty file"),
        (b"aig", (1, 1), "a header with 0 numbers"),
        (b"aag 1 1 0 1\n2\n2\n", (1, 1), "a header with 4 numbers"),
        (b"aag 1 1 0 1 0 0 0 0 0 0\n2\n2\n", (1, 1), "a header with 10 numbers"),
        (b"aag 1 1 0 x 0\n2\n", (1, 11), "'x', expected a number in a header"),
        (b"aag 1 1 0 -1 0\n2\n", (1, 11), "'-1', expected a number"),
        (b"aag 0 0 0 0 0", (1, 14), "the end of the file, expected a line end"),
        (b"exists(1)\n", (1, 1), "'exists(1)', expected a header"),
        (b"aag 2 1 1 0 0\n2\n4 2\n", (1, 9), "1 latch, which is unsupported"),
        (b"aag 1 1 0 0 0 1\n2\n2\n", (1, 15), "1 bad state, which is unsupported"),
        (b"aag 1 1 0 0 0 0 2\n2\n2\n", (1, 17), "2 constraints, which are unsupported"),
        (b"aag 1 1 0 0 0 0 0 3\n2\n2\n", (1, 19), "3 justice properties"),
        (b"aag 1 1 0 0 0 0 0 0 4\n2\n2\n", (1, 21), "4 fairness constraints"),
        (b"aag 4000000000 4000000000 0 0 0\n", (1, 1), "needs 8,000,000,000 bytes with 0"),
        (b"aag 4000000000 0 0 0 0\n", (1, 5), "4000000000 as the maximal index in a file of"),
        (b"aag 1 1 0 1 1\n2\n2\n4 2 2\n", (1, 5), "1 as the maximal index, expected at least 2"),
        (b"aag 1 1 0 1 0\n2\n", (1, 1), "needs 4 bytes with 2"),
        (
            b"aag 3 1 0 0 2\n2\n4 2 2 \n    \n",
            (4, 1),
            "0 numbers, expected a gate (3 numbers a line)",
        ),
        (b"aag 9 1 0 0 2\n2\n4 20 20 4 4 4 4 \n", (4, 1), "file after 2 of 3 lines"),
        (b"aag 1 1 0 1 0\n3\n2\n", (2, 1), "input 3, expected an even literal"),
        (b"aag 1 1 0 1 0\n0\n2\n", (2, 1), "input 0, expected an even literal"),
        (b"aag 1 1 0 1 0\n4\n2\n", (2, 1), "input 4, expected a literal up to 3"),
        (b"aag 1 1 0 1 0\n2\n4\n", (3, 1), "output 4, expected a literal up to 3"),
        (b"aag 2 1 0 1 0\n2\n4\n", (3, 1), "an output 4, which is not defined"),
        (b"aag 2 2 0 1 0\n2\n2\n2\n", (3, 1), "a second definition of 2"),
        (b"aag 2 1 0 1 1\n2\n2\n2 1 1\n", (4, 1), "a second definition of 2"),
        (b"aag 4 1 0 1 2\n2\n2\n6 2 2\n6 2 2\n", (5, 1), "a second definition of 6"),
        (b"aag 2 1 0 1 1\n2\n2\n5 2 2\n", (4, 1), "gate 5, expected an even literal"),
        (b"aag 3 1 0 1 1\n2\n2\n4 6 2\n", (4, 1), "a gate of 6, which is not defined"),
        (b"aag 3 1 0 1 1\n2\n2\n4 2 7\n", (4, 1), "a gate of 7, which is not defined"),
        (b"aag 2 1 0 1 1\n2\n2\n4 2 4\n", (4, 1), "a gate that depends on itself"),
        (b"aag 3 1 0 1 2\n2\n2\n4 6 2\n6 2 4\n", (4, 1), "a gate that depends on itself"),
        (b"aag 2 1 0 1 1\n2\n2\n4 2  \n", (4, 1), "2 numbers, expected a gate (3 numbers"),
        (b"aag 2 1 0 1 1\n2\n2\n4 2 2 2\n", (4, 1), "4 numbers, expected a gate"),
        (b"aag 2 1 0 1 1\n2\n2\n4 2 x\n", (4, 5), "'x', expected a gate"),
        (b"aag 2 1 0 1 1\n2\n2\n4 2 -2\n", (4, 5), "'-2', expected a gate"),
        (b"aag 2 1 0 1 1\n2\n2\n4 2 99999999999\n", (4, 5), "'99999999999', expected a gate"),
        (b"aag 1 1 0 0 0\n2\ni1 x\n", (3, 1), "a symbol for i1, expected one of 1 inputs"),
        (b"aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", (4, 1), "a second symbol for i0"),
        (b"aag 1 1 0 0 0\n2\nl0 x\n", (3, 1), "'l0 x', expected a symbol"),
        (b"aag 1 1 0 0 0\n2\n\ni0 x\n", (3, 1), "'', expected a symbol"),
        (b"aag 1 1 0 0 0\n2\ni0 \xff\n", (3, 4), "byte 0xff that is not UTF-8"),
    ],
)
def test_errors_in_ascii_name_the_place(data: bytes, place: tuple[int, int], message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_aiger(data, "file.aag")
    assert message in str(error.value)
    assert (error.value.line, error.value.column) == place


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"aig 3 1 0 1 1\n2\n\x02\x02", "3 as the maximal index, expected 2"),
        (b"aig 4000000000 4000000000 0 0 0\n", "4000000000 as the maximal index in a file"),
        (b"aig 2 1 0 1 1\n2\n\x02", "the end of the file in gate 1 of 1 at byte 17"),
        (b"aig 3 1 0 2 2\n2\n2 \n\x02\x82", "the end of the file in gate 1 of 2 at byte 21"),
        (b"aig 2 1 0 1 1\n7\n\x02\x02", "output 7 at byte 14, expected a literal up to 5"),
        (b"aig 2 1 0 1 1\n2\n\x00\x02", "gate 4 with inputs 4 and 2 at byte 16"),
        (b"aig 2 1 0 1 1\n2\n\x05\x00", "gate 4 with inputs -1 and -1 at byte 16"),
        (b"aig 2 1 0 1 1\n2\n\x02\x03", "gate 4 with inputs 2 and -1 at byte 16"),
        (b"aig 2 1 0 1 1\n2\n\x82\x80\x80\x80\x80\x01\x00", "more than 5 bytes at byte 16"),
        (b"aig 2 1 0 1 1\n2\n\x82\x80\x80\x80\x80\x80\x80", "more than 5 bytes at byte 16"),
        (b"aig 2 1 0 1 1\n2\n\x02\x02i7 x\n", "a symbol for i7 at byte 18"),
        (b"aig 2 1 0 1 1\n2\n\x02\x02rest", "'rest' at byte 18, expected a symbol"),
    ],
)
def test_errors_in_binary_name_the_byte(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_aiger(data, "file.aig")
    assert message in str(error.value)


@given(case=aigs(), binary=st.booleans(), data=st.data())
@settings(max_examples=80)
def test_graphs_survive_writing_and_reading(
    case: tuple[Aig, list[int]], binary: bool, data: st.DataObject
) -> None:
    aig, outputs = case
    symbol = LINES.filter(lambda text: text == text.rstrip("\r"))
    names = {
        count: data.draw(st.dictionaries(st.integers(0, count - 1), symbol)) if count else {}
        for count in {aig.num_inputs, len(outputs)}
    }
    comments = tuple(data.draw(st.lists(LINES, max_size=3)))
    written = aiger_bytes(
        aig,
        outputs,
        binary=binary,
        input_symbols=names[aig.num_inputs],
        output_symbols=names[len(outputs)],
        comments=comments,
    )
    file = parse_aiger(written)
    assert (file.input_symbols, file.output_symbols) == (names[aig.num_inputs], names[len(outputs)])
    assert file.comments == comments
    assert file.outputs.tolist() == outputs
    pairs = np.stack((aig.fanin0, aig.fanin1), axis=1)
    expected = np.sort(pairs, axis=1)[:, ::-1] if binary else pairs
    assert np.array_equal(np.stack((file.aig.fanin0, file.aig.fanin1), axis=1), expected)
    again = aiger_bytes(
        file.aig,
        file.outputs,
        binary=binary,
        input_symbols=file.input_symbols,
        output_symbols=file.output_symbols,
        comments=file.comments,
    )
    assert again == written


@given(case=aigs(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_gates_in_any_order_with_any_indices(case: tuple[Aig, list[int]], seed: int) -> None:
    """Shuffled, sparsely numbered ASCII files hold the same functions."""
    aig, outputs = case
    rng = random.Random(seed)
    indices = [0, *rng.sample(range(1, 100), aig.num_variables)]
    data = aiger_bytes(aig, outputs, binary=False, variables=indices)
    lines = data.split(b"\n")
    first = 1 + aig.num_inputs + len(outputs)
    gates = lines[first:-1]
    rng.shuffle(gates)
    file = parse_aiger(b"\n".join([*lines[:first], *gates, b""]))
    assert file.inputs.tolist() == indices[1 : aig.num_inputs + 1]
    assert file.output_literals.tolist() == [2 * indices[x >> 1] + (x & 1) for x in outputs]
    inputs = [rng.random() < 0.5 for _ in range(aig.num_inputs)]
    before, after = values(aig, inputs), values(file.aig, inputs)
    for variable, index in enumerate(indices):
        literal = file.literal(2 * index)
        assert after[literal >> 1] != bool(literal & 1) or not before[variable]
        assert (after[literal >> 1] != bool(literal & 1)) == before[variable]


def test_a_path_of_many_gates_in_reverse() -> None:
    depth = 100_000
    gates = [b"%d %d %d" % (2 * v, 2 * v - 1, 2 * v - 2) for v in range(depth, 1, -1)]
    data = b"\n".join([b"aag %d 1 0 1 %d" % (depth, depth - 1), b"2", b"%d" % (2 * depth), *gates])
    file = parse_aiger(data)
    assert file.aig.num_gates == depth - 1
    assert (file.aig.fanin0 >> 1 == np.arange(1, depth)).all()


def test_large_deltas() -> None:
    """Numbers of one to four bytes in one file."""
    inputs = 3_000_000
    left = np.array([2 * inputs, 2, 2 * inputs + 3], dtype=np.int32)
    right = np.array([2 * inputs - 300, 0, 40_000], dtype=np.int32)
    data = aiger_bytes(Aig(inputs, left, right), [], binary=True)
    # Inputs take no room in a binary file, which makes so many of them implausible.
    with pytest.raises(InputError, match="as the maximal index"):
        parse_aiger(data)
    padded = data + b"c\n" + bytes(b"x" * inputs)
    file = parse_aiger(padded)
    assert file.aig.fanin0.tolist() == left.tolist()
    assert file.aig.fanin1.tolist() == right.tolist()


@pytest.mark.parametrize(
    "arguments",
    [
        {"outputs": [4]},
        {"outputs": [-1]},
        {"outputs": [2], "input_symbols": {1: "x"}},
        {"outputs": [2], "output_symbols": {0: "two\nlines"}},
        {"outputs": [2], "comments": ["two\nlines"]},
        {"outputs": [2], "variables": [0, 1], "binary": True},
        {"outputs": [2], "variables": [0, 0]},
        {"outputs": [2], "variables": [0]},
    ],
)
def test_what_cannot_be_written(arguments: dict[str, object]) -> None:
    aig = Aig(1, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))
    with pytest.raises(ValueError):  # noqa: PT011 - each case has its own text
        aiger_bytes(aig, **{"binary": False, **arguments})  # type: ignore[arg-type]


def test_a_graph_out_of_order_is_not_written_in_binary() -> None:
    aig = Aig(1, np.array([6, 2], dtype=np.int32), np.array([2, 2], dtype=np.int32))
    with pytest.raises(ValueError, match="topological order"):
        aiger_bytes(aig, [4], binary=True)


def test_real_files(shared_data: Path) -> None:
    files = sorted(shared_data.glob("certificates/*/*.a[ai]g"))
    assert len(files) == 11
    for path in files:
        file = read_aiger(path)
        written = aiger_bytes(
            file.aig,
            file.outputs,
            binary=True,
            input_symbols=file.input_symbols,
            output_symbols=file.output_symbols,
            comments=file.comments,
        )
        if file.binary:
            assert written == path.read_bytes()
        ascii_form = path.with_suffix(".aag")
        if file.binary and ascii_form.exists():
            # QuAbS wrote both forms of one circuit, with the fan-ins in another order.
            other = read_aiger(ascii_form)
            assert np.array_equal(np.maximum(other.aig.fanin0, other.aig.fanin1), file.aig.fanin0)
            assert np.array_equal(np.minimum(other.aig.fanin0, other.aig.fanin1), file.aig.fanin1)
            assert other.outputs.tolist() == file.outputs.tolist()
            assert other.output_symbols == file.output_symbols
    unordered = read_aiger(shared_data / "certificates/qbfcert-ascii/httt-4x4_5_tic.aag")
    assert (unordered.aig.num_gates, len(unordered.outputs)) == (108_788, 425)
    variables = np.arange(20, 20 + unordered.aig.num_gates)
    assert (unordered.aig.fanin0 >> 1 < variables).all()
    assert (unordered.aig.fanin1 >> 1 < variables).all()


def large_graph(gates: int) -> Aig:
    """A graph in which each gate reads the one before it and an earlier one."""
    before = 2 * np.arange(1, gates + 1, dtype=np.int32) + 2
    earlier = 2 * (1 + (np.arange(gates) * 7919 % np.arange(2, gates + 2))).astype(np.int32)
    return Aig(2, before, earlier)


def test_binary_gates_of_several_blocks_are_read_as_they_were_written() -> None:
    aig = large_graph(150_000)
    read = parse_aiger(aiger_bytes(aig, [2 * aig.num_variables], binary=True))
    larger, smaller = np.maximum(aig.fanin0, aig.fanin1), np.minimum(aig.fanin0, aig.fanin1)
    assert np.array_equal(read.aig.fanin0, larger)
    assert np.array_equal(read.aig.fanin1, smaller)


def test_an_error_in_a_later_block_names_its_gate_and_byte() -> None:
    data = aiger_bytes(large_graph(150_000), [4], binary=True)
    with pytest.raises(InputError, match=r"the end of the file in gate 1\d{5} of 150000"):
        parse_aiger(data[: -len(data) // 10])
    # A gate cannot read itself: its first difference is no zero.
    at = data.index(b"\n", data.index(b"\n") + 1) + 1
    numbers = 0
    while numbers < 2 * 140_000:
        numbers += data[at] < 128
        at += 1
    with pytest.raises(InputError, match=rf"found gate 280006 with .* at byte {at}, expected"):
        parse_aiger(data[:at] + b"\0" * (len(data) - at))


def test_reading_binary_gates_takes_little_more_memory_than_the_gates() -> None:
    data = aiger_bytes(large_graph(300_000), [4], binary=True)
    tracemalloc.start()
    try:
        parse_aiger(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 8 bytes a gate for the graph, 4 for its numbering, and one block at a time beside them.
    assert peak < 45 * 300_000
