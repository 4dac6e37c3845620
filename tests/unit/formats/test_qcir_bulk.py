"""QCIR read in bulk is what the careful reader reads, and errors are the careful reader's."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError
from qsage_validate.formats import qcir, qcir_bulk
from qsage_validate.formats.qcir import parse_qcir, read_carefully
from qsage_validate.formats.qcir_bulk import (
    GateTable,
    NameTable,
    Suspicion,
    WordTable,
    read_ordinary,
)
from qsage_validate.formats.writing import qcir_text
from tests.support.generated import damaged, qbfs
from tests.unit.formats.test_fuzz_readers import QCIR

ORDINARY = [
    b"#QCIR-G14 7\nexists(1, 2)\nforall(3)\noutput(-7)\n5 = and(1, -3)\n# why\n"
    b"6 = xor(2, 5)\n7 = ite(6, 3, -1)\n",
    b"free(p)\nFORALL(x_1 ,\n  y)\noutput( g ) # g (yes)\nh=or()\ng = Or(x_1, -y, h)",
    b"\xef\xbb\xbf#QCIR-G14\r\n# M\xfcller\r\nexists(1)\r\noutput(4)\r\n4 = and(3, 2)\r\n"
    b"3 = or(1, a-b)\r\n2 = and(007, 3)\r\na-b=or(1)\r\n007 = and(0)\r\n0 = or()\r\n",
    b"exists()output(2)exists(2)3=and(2,2)",
]


# fmt: off
WORDS = (
    "1", "2", "3", "-1", "-2", "-", "x", "-x", "x-y", "0", "00", "(", ")", ",", "=", ";", "#",
    "and", "or", "xor", "ite", "exists", "forall", "free", "AND", "output(1)", "exists(1)",
    "3=and(1,-2)", "x=or(", "1000001", "9999999999", "\xe4", "\x7f", "\n", "\r", "\t", "\x0b",
)
# fmt: on


def same(one: Qbf, other: Qbf) -> bool:
    """Equal, and in the same order too."""
    return (
        one == other
        and one.free == other.free
        and list(one.gates.items()) == list(other.gates.items())
        and list(one.names.items()) == list(other.names.items())
    )


def told(read: Callable[[], object]) -> str:
    """The error that is told, with its place."""
    try:
        read()
    except InputError as error:
        return f"{error} {error.excerpt}"
    return ""


def explained(data: bytes, suspicion: Suspicion) -> None:
    qcir._Reader(qcir._source(data, None)).explain(suspicion, data)


def compared(data: bytes) -> bool:
    """Whether ``data`` is read in bulk; then it has to be as the careful reader reads it."""
    found = read_ordinary(data, "file")
    if not isinstance(found, Qbf):
        assert told(lambda: explained(data, found)) in ("", told(lambda: read_carefully(data)))
        return False
    assert same(found, read_carefully(data, "file"))
    assert isinstance(found.gates, GateTable)
    return True


@pytest.fixture(params=[1, 7, 50, 1 << 20])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qcir_bulk, "_BLOCK", request.param)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("data", ORDINARY)
def test_ordinary_files_are_read_in_bulk(data: bytes) -> None:
    assert compared(data)


@pytest.mark.parametrize(
    "data",
    [
        b"exists(1)\noutput(2)\n2 = exists(3; 1)\n",
        "exists(ä)\noutput(ä)\n".encode(),
        b"exists(1)\noutput(- 1)\n",
        b"exists(4000000000, 3)\noutput(4000000000)\n",
        b"exists(8000000)\noutput(8000000)\n",
        b"exists(1)\x0boutput(1)\n",
    ],
)
def test_what_is_unusual_is_left_to_the_careful_reader(data: bytes) -> None:
    assert isinstance(read_ordinary(data, "file"), Suspicion)
    parse_qcir(data)


@settings(max_examples=150)
@given(qbf=st.booleans().flatmap(lambda named: qbfs(named=named)), block=st.integers(1, 60))
def test_any_formula(qbf: Qbf, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qcir_bulk, "_BLOCK", block)
        data = qcir_text(qbf).encode()
        # A comment may have a NUL, which is no text, or what ends a line elsewhere.
        assert compared(data) or not data.isascii() or b"\0" in data


@settings(max_examples=400)
@given(data=damaged([*QCIR, *ORDINARY]), block=st.integers(1, 60))
def test_damaged_files(data: bytes, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qcir_bulk, "_BLOCK", block)
        compared(data)


@settings(max_examples=300)
@given(
    parts=st.lists(
        st.sampled_from(WORDS),
        max_size=14,
    ),
    block=st.integers(1, 30),
)
def test_random_words(parts: list[str], block: int) -> None:
    data = " ".join(["exists(1,2) output(1)", *parts]).encode("latin-1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qcir_bulk, "_BLOCK", block)
        compared(data)


def large(names: bool = False, shuffled: bool = False, last: int = 9_000) -> list[str]:
    """The lines of a formula that is large enough to be read in bulk, unless it is cut."""
    chosen = random.Random(5)
    word = (lambda v: f"g{v}") if names else str
    lines = [f"# line {k}" for k in range(3)]
    lines += [f"exists({', '.join(map(word, range(1, 101)))})", f"output({word(last)})"]
    gates = [
        f"{word(v)} = {chosen.choice(('and', 'or', 'xor'))}("
        f"{chosen.choice(('', '-'))}{word(chosen.randrange(1, v))}, {word(chosen.randrange(1, v))})"
        for v in range(101, last + 1)
    ]
    if shuffled:
        chosen.shuffle(gates)
    return lines + gates


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_large_files(names: bool, shuffled: bool) -> None:
    text = "\n".join(large(names, shuffled)) + "\n"
    qbf = parse_qcir(text)
    assert isinstance(qbf.gates, GateTable)
    assert same(qbf, read_carefully(text))
    assert same(parse_qcir(text.encode()), qbf)


@pytest.mark.parametrize(
    "wrong",
    [
        "8000 = nand(1, 2)",
        "7999 = and(1, 2)",
        "7 = and(1, 2)",
        "8000 = and(1,, 2)",
        "8000 = and(1, 9001)",
        "8000 = xor(1, 2, 3)",
        "8000 = and(8001, 8000)",
        "exists(-9001)",
        "free(9001)",
        "output(1, 2)",
        "8000 = nand(1, 2) 8000 = and(1,, 2)",
        "= and(1, 2)",
        "8000 = and(1, 2) \xe4",
        "exists(9001)",
        "output(2)",
    ],
)
def test_errors_are_told_as_by_the_careful_reader(wrong: str) -> None:
    lines = large()
    at = next(k for k, line in enumerate(lines) if line.startswith("8000 = "))
    lines[at] = wrong
    data = "\n".join(lines).encode("latin-1")
    with pytest.raises(InputError) as told:
        parse_qcir(data, "file")
    with pytest.raises(InputError) as expected:
        read_carefully(data, "file")
    assert str(told.value) == str(expected.value)
    assert told.value.line is not None


@pytest.mark.parametrize(
    "wrong",
    ["7999 = and(1, 2)", "7 = and(1, 2)", "8000 = and(1,, 2)", "8000 = and(1, 9001)",
     "8000 = xor(1, 2, 3)", "= and(1, 2)", "output(2)", "8000 = nand(1, 2)", "8000 = exists(1, 2)",
     "nand(1, 2)", "exists(9001)", "free(9001)", "output(1, 2)", "8000 = and(8000)"],
)  # fmt: skip
@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("comment", ["# plain", "# größer"])
def test_errors_are_found_without_reading_the_whole_file_carefully(
    wrong: str, names: bool, comment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [comment, *large(names)]
    at = next(k for k, line in enumerate(lines) if line.lstrip("g").startswith("8000 = "))
    lines[at] = re.sub(r"\b\d+", r"g\g<0>", wrong) if names else wrong
    text = "\n".join(lines)
    expected = told(lambda: read_carefully(text))
    assert expected.startswith(f"<input>:{at + 1}:")
    monkeypatch.setattr(qcir, "read_carefully", lambda *_: pytest.fail("read carefully"))
    assert told(lambda: parse_qcir(text)) == expected
    assert told(lambda: parse_qcir(text.encode())) == expected


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_cycle_is_found_without_reading_the_whole_file_carefully(
    names: bool, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["# größer", *large(names, shuffled=True)]
    word = "g" if names else ""
    for at, line in enumerate(lines):
        if line.startswith(f"{word}150 = "):
            lines[at] = f"{word}150 = or({word}3, -{word}8000)"
        elif line.startswith(f"{word}8000 = "):
            lines[at] = f"{word}8000 = and({word}4, {word}150, {word}151)"
    data = "\n".join(lines).encode(encoding)
    expected = told(lambda: read_carefully(data))
    assert "which depends on itself" in expected
    monkeypatch.setattr(qcir, "read_carefully", lambda *_: pytest.fail("read carefully"))
    assert told(lambda: parse_qcir(data)) == expected


def test_a_table_of_gates_is_a_mapping() -> None:
    found = read_ordinary(ORDINARY[0], None)
    assert isinstance(found, Qbf)
    gates, plain = found.gates, read_carefully(ORDINARY[0]).gates
    assert len(gates) == 3
    assert dict(gates) == plain
    assert gates == plain
    assert plain == gates
    assert list(gates.values()) == list(plain.values())
    assert list(gates.keys() | {99}) == list(plain.keys() | {99})
    assert (4 in gates, 5 in gates, -5 in gates, 99 in gates) == (
        False, True, False, False,
    )  # fmt: skip
    assert gates.get(1) is None
    with pytest.raises(KeyError):
        gates[8]
    assert pickle.loads(pickle.dumps(gates)) == gates


def test_a_table_of_names_is_a_mapping() -> None:
    text = "\n".join(large(names=True))
    found, plain = parse_qcir(text).names, read_carefully(text).names
    assert isinstance(found, NameTable)
    assert found == plain
    assert list(found) == list(plain)
    first, last = min(plain), max(plain)
    assert (found[first], found[last]) == (plain[first], plain[last])
    assert (first in found, first - 1 in found, last + 1 in found) == (True, False, False)
    assert found.get(last + 1) is None
    assert pickle.loads(pickle.dumps(found)) == plain


@given(st.lists(st.text("ab", min_size=1, max_size=20), min_size=1), st.integers(1, 5))
def test_words_are_numbered_by_their_first_appearance(words: list[str], block: int) -> None:
    data = (" ".join(words) + " ").encode() + bytes(8)
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    lengths = np.array([len(word) for word in words])
    table = WordTable(data)
    found: list[int] = []
    for at in range(0, len(words), block):
        part = slice(at, at + block)
        found += table.numbers((ends - lengths)[part], lengths[part]).tolist()
    distinct = list(dict.fromkeys(words))
    assert found == [distinct.index(word) for word in words]
    assert table.text()[0].decode() == "".join(distinct)


def test_two_words_with_one_hash_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qcir_bulk, "_mixed", np.zeros_like)
    text = "\n".join(large(names=True))
    assert isinstance(read_ordinary(text.encode(), None), Suspicion)
    assert parse_qcir(text) == read_carefully(text)
