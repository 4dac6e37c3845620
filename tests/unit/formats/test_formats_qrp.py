"""Reading traces: every dialect, every block boundary, and everything that can be wrong."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats import qrp as qrp_text
from qsage_validate.formats import qrp_steps as bqrp
from qsage_validate.formats import qrp_steps as trace
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.formats.qrp_steps import QrpDialect, QrpProof
from qsage_validate.formats.source import Format, sniff_bytes
from tests.support.generated import damaged
from tests.support.readers import parse_qrp
from tests.support.trace_files import WrittenStep, read_plainly, trace_bytes
from tests.support.tracing import hard_qdimacs, require_solvers, traced

SCOPES = (Scope(Quantifier.EXISTS, (1, 300)), Scope(Quantifier.FORALL, (2,)))
STEPS = (
    WrittenStep(3, (1, -2)),
    WrittenStep(4, (-1, 300)),
    WrittenStep(70_000, (-2, 300), (3, 4)),
    WrittenStep(70_001, (), (70_000,)),
)
REFUTATION = trace_bytes(STEPS, true=False, scopes=SCOPES)
PROOF = trace_bytes(STEPS, true=True, dialect=QrpDialect.QUTE, scopes=SCOPES)
BINARY = trace_bytes(STEPS, true=True, dialect=QrpDialect.BQRP, scopes=SCOPES)


def all_steps(read: QrpProof) -> list[WrittenStep]:
    """All that a trace holds, literals included."""
    steps = np.arange(read.num_steps, dtype=np.int32)
    literals: list[tuple[int, ...]] = []
    for run in read.runs(steps):
        flat, first = read.literals(run)
        bounds = first.tolist()
        literals += [tuple(flat[a:b].tolist()) for a, b in pairwise(bounds)]
    ids, antecedents, first = (x.tolist() for x in (read.ids, read.antecedents, read.first))
    return [
        WrittenStep(
            ids[k], literals[k], tuple(ids[a] for a in antecedents[first[k] : first[k + 1]])
        )
        for k in range(read.num_steps)
    ]


@st.composite
def written(draw: st.DrawFn) -> list[WrittenStep]:
    """Steps whose antecedents exist, the last one empty; ids go up, or anywhere."""
    count = draw(st.integers(1, 12))
    gaps = st.sampled_from((1, 1, 1, 2, 60, 127, 20_000))
    ids = np.cumsum([draw(gaps) for _ in range(count)]).tolist()
    if draw(st.booleans()):
        ids = draw(st.permutations(ids))
    literal = st.sampled_from((1, 2, 63, 64, 100, 8191, 8192, 1_000_000)).flatmap(
        lambda v: st.sampled_from((v, -v))
    )
    steps = []
    for k in range(count):
        literals = tuple(draw(st.lists(literal, max_size=6)))
        below = tuple(draw(st.lists(st.sampled_from(ids[:k]), max_size=3))) if k else ()
        steps.append(WrittenStep(ids[k], literals if k < count - 1 else (), below))
    return steps


@settings(max_examples=60)
@given(written(), st.booleans(), st.sampled_from(QrpDialect))
def test_what_is_written_is_read(steps: list[WrittenStep], true: bool, dialect: QrpDialect) -> None:
    data = trace_bytes(steps, true=true, dialect=dialect, scopes=SCOPES)
    read = parse_qrp(data)
    assert read.dialect is dialect
    assert read.true is true
    assert read.scopes == SCOPES
    assert all_steps(read) == steps
    assert read.final == len(steps) - 1
    if dialect is QrpDialect.QUTE:
        assert read.cubes is not None
        assert read.cubes.all() == true


@given(written(), st.sampled_from(QrpDialect), st.integers(1, 40))
def test_blocks_may_end_anywhere(steps: list[WrittenStep], dialect: QrpDialect, size: int) -> None:
    data = trace_bytes(steps, true=True, dialect=dialect, scopes=SCOPES)
    with pytest.MonkeyPatch.context() as patch:
        for module in (qrp_text, bqrp):
            patch.setattr(module, "_BLOCK", size)
        patch.setattr(trace, "_SPAN", size)
        assert all_steps(parse_qrp(data)) == steps


def test_a_real_trace_is_read_as_it_is_read_plainly(tmp_path: Path) -> None:
    require_solvers()
    formula = hard_qdimacs(Random(3))
    _, path = traced(formula, tmp_path, "depqbf")
    steps = all_steps(read_qrp(path))
    assert steps == read_plainly(path.read_text())
    assert len(steps) > 20
    _, path = traced(formula, tmp_path, "depqbf", binary=True)
    assert all_steps(read_qrp(path)) == steps


@pytest.mark.parametrize("dialect", QrpDialect)
def test_prefixes_may_be_long(dialect: QrpDialect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.formats.numbers._BLOCK", 1 << 14)
    scopes = [Scope(Quantifier.EXISTS, (3, 1))]
    scopes += [Scope(Quantifier.FORALL, tuple(range(10, 12_000)))]
    scopes += [Scope(Quantifier.EXISTS, (2,))] * 4_000
    read = parse_qrp(trace_bytes(STEPS, true=False, dialect=dialect, scopes=scopes))
    assert list(read.scopes) == scopes
    assert all_steps(read) == list(STEPS)


def test_needed_steps_are_those_that_the_last_one_rests_on() -> None:
    steps = [
        WrittenStep(1, (1,)),
        WrittenStep(2, (2,)),
        WrittenStep(3, (-1,)),
        WrittenStep(4, (5,), (2,)),
        WrittenStep(5, (), (1, 3)),
        WrittenStep(6, (7,), (5, 4)),
    ]
    read = parse_qrp(trace_bytes(steps, true=False))
    assert read.final == 4
    assert read.needed().tolist() == [0, 2, 4]


def test_needed_steps_over_many_blocks() -> None:
    count = 70_001
    steps = [WrittenStep(1, (1,)), WrittenStep(2, (2,))]
    steps += [WrittenStep(k, (1,), (k - 2,)) for k in range(3, count)]
    steps.append(WrittenStep(count, (), (count - 1,)))
    read = parse_qrp(trace_bytes(steps, true=False, dialect=QrpDialect.BQRP))
    assert read.needed().tolist() == [*range(1, count - 1, 2), count - 1]


def test_files_compressed_or_not(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.qrp", tmp_path / "a.qrp.gz"
    plain.write_bytes(REFUTATION)
    packed.write_bytes(gzip.compress(REFUTATION))
    assert all_steps(read_qrp(plain)) == all_steps(read_qrp(packed)) == list(STEPS)


def test_a_file_that_becomes_shorter_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.qrp"
    path.write_bytes(REFUTATION)
    read = read_qrp(path)
    path.write_bytes(REFUTATION[:20])
    with pytest.raises(InputError, match="found a file that has become shorter"):
        all_steps(read)
    path.unlink()
    with pytest.raises(InputError, match="found no such file"):
        all_steps(read)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (REFUTATION, Format.QRP),
        (b"c by DepQBF\n" + REFUTATION, Format.QRP),
        (PROOF, Format.QUTE),
        (b"1 1 0 0\n2 1 0 1 0\n", Format.QUTE),
        (b"a " + b"12345 " * 20_000, Format.QUTE),
        (BINARY, Format.BQRP),
        (b"p cnf 2 1\ne 1 0\n1 0\n", Format.QDIMACS),
        (b"e 1 2\n", Format.QUTE),
        (b"exists(1)\n", Format.QCIR),
    ],
)
def test_sniffing(data: bytes, found: Format) -> None:
    assert sniff_bytes(data) is found


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "<t>:1:1: found an empty file, expected a QRP trace (of DepQBF or Qute)"),
        (
            b"p cnf 1 1\n1 0\n",
            "<t>:1:1: found a file in the format QDIMACS, expected a QRP trace (of DepQBF or Qute)",
        ),
        (
            b"p qrp 1\nr SAT\n",
            "<t>:1:1: found 'p qrp 1', expected a header 'p qrp VARIABLES STEPS'",
        ),
        (
            b"p qrp 1 1\ne x 0\nr SAT\n",
            "<t>:2:1: found 'e x 0', expected a scope or a step",
        ),
        (
            b"p qrp 1 1\n1 0 0\n",
            "<t>:2: found the end of the file, expected a line 'r SAT' or 'r UNSAT' at its end",
        ),
        (
            b"p qrp 1 1\n1 1 0 0\nr SAT\n",
            "<t>:4: found the end of the file, expected the empty cube that ends a proof",
        ),
        (
            b"p qrp 1 1\n1 0 0\nr MAYBE\n",
            "<t>:3: found the end of the file, expected a line 'r SAT' or 'r UNSAT' at its end",
        ),
        (
            b"p qrp 1 1\n1 1 0\n2 0 1 0\nr SAT\n",
            "<t>:2:6: found the end of a line, expected the number of a step, or 0 to end the"
            " antecedents",
        ),
        (
            b"p qrp 1 1\n1 1 0 0 5\n2 0 1 0\nr SAT\n",
            "<t>:2:9: found '5', expected the end of the line",
        ),
        (
            b"p qrp 1 1\n1 1x 0 0\n2 0 1 0\nr SAT\n",
            "<t>:2:3: found '1x', expected a literal, or 0 to end the literals",
        ),
        (
            b"p qrp 1 1\nr SAT\n1 0 0\nr SAT\n",
            "<t>:2:1: found 'r', expected the number of a step",
        ),
        (
            b"p qrp 1 1\n\n1 0 0\nr SAT\n",
            "<t>:2:1: found a blank line, expected a step",
        ),
        (
            b"p qrp 1 1\n1 1 0 0\n2 0 -1 0\nr SAT\n",
            "<t>:3:5: found '-1', expected the number of a step, or 0 to end the antecedents",
        ),
        (
            b"p qrp 1 1\n1 1 0 0\n2 0 9 0\nr SAT\n",
            "<t>:3: found antecedent 9 of step 2, expected the number of an earlier step",
        ),
        (
            b"p qrp 1 1\n1 1 0 2 0\n2 0 1 0\nr SAT\n",
            "<t>:2: found antecedent 2 of step 1, expected the number of an earlier step",
        ),
        (
            b"p qrp 1 1\n7 1 0 0\n7 0 7 0\nr SAT\n",
            "<t>:3: found step 7 again, expected a new one",
        ),
        (
            b"p qrp 1 1\n12345678901 1 0 0\nr SAT\n",
            "<t>:2:1: found '12345678901', expected the number of a step",
        ),
        (
            b"p qrp 1 1\n1 - 0 0\n2 0 1 0\nr SAT\n",
            "<t>:2:3: found '-', expected a literal",
        ),
        (
            b"p qrp 1 1\n1 2-1 0 0\n2 0 1 0\nr SAT\n",
            "<t>:2:3: found '2-1', expected a literal",
        ),
        (
            b"p qrp 1 1\n1 1 1234567890 0 0\n2 0 1 0\nr SAT\n",
            "<t>:2:5: found '1234567890', expected a literal",
        ),
        (
            b"e 1 0\n1 2 1 0 0\n",
            "<t>:2:3: found '2', expected 0 for a clause or 1 for a cube",
        ),
        (
            b"e 1 0\n1 0 1 0 0\n2 0 1 0 1 0",
            "<t>:3: found the end of the file, expected the empty clause or cube that ends a proof",
        ),
        (
            b"e 1 0\n1 0 1 0 0\n2 0 0 1",
            "<t>:3:8: found the end of a line, expected the number of a step, or 0 to end the"
            " antecedents",
        ),
        (b"p bqrp 9", "<t>: found no header at byte 0, expected 'p bqrp VARIABLES STEPS'"),
        (
            BINARY[:-3],
            "<t>: found the end of the file at byte 54, expected 'r SAT' or 'r UNSAT' at its end",
        ),
        (
            b"p bqrp 9 9\0\1\2\0\x80\x80\0\0r SAT\n",
            "<t>: found a malformed number at byte 14, expected the number of a step",
        ),
        (
            b"p bqrp 9 9\0\1\x80\0\0\2\0\1\0\0r SAT\n",
            "<t>: found a malformed number at byte 12, expected a literal",
        ),
        (
            b"p bqrp 9 9\0\1\1\0\0\2\0\1\0\0r SAT\n",
            "<t>: found a malformed number at byte 12, expected a literal",
        ),
        (
            b"p bqrp 9 9\0\1\2\0\0\2\0\1\0\0\0\0r SAT\n",
            "<t>: found no number at byte 19, expected the number of a step",
        ),
        (
            b"p bqrp 9 9\0\1\2\0\0\2\0\5\0\0r SAT\n",
            "<t>: found antecedent 5 of step 2 at byte 16, expected the number of an earlier step",
        ),
        (
            b"p bqrp 9 9\0\1\2\0\0\2\0\0r SAT\n",
            "<t>: found the result at byte 17, expected the end of a step",
        ),
    ],
)
def test_messages(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        all_steps(parse_qrp(data, "<t>"))
    assert str(caught.value).startswith(message)


def read_or_refuse(data: bytes) -> None:
    """Read all of a trace; an error must be one line."""
    message = "t:"
    try:
        all_steps(parse_qrp(data, "t"))
    except InputError as error:
        message = str(error)
    assert message.startswith("t:")
    assert "\n" not in message


@pytest.mark.parametrize("data", [REFUTATION, PROOF, BINARY])
def test_no_beginning_of_a_trace_is_one(data: bytes) -> None:
    for end in range(len(data) - 1):
        with pytest.raises(InputError) as caught:
            all_steps(parse_qrp(data[:end], "t"))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [REFUTATION, PROOF, BINARY])
@given(data_=st.data())
def test_damaged_traces_are_read_or_refused(data: bytes, data_: st.DataObject) -> None:
    read_or_refuse(data_.draw(damaged([data])))


@given(
    st.sampled_from((b"p qrp 3 3\n", b"e 1 2 3 0\n", b"p bqrp 3 3\0")),
    st.lists(
        st.sampled_from((b"0", b"1", b"-2", b"3", b" ", b" ", b"\n", b"\t", b"\0", b"\x81")),
        max_size=40,
    ),
    st.sampled_from((b"", b"r SAT\n", b"\nr UNSAT\n", b"\0r SAT\n")),
)
def test_files_of_the_alphabet_are_read_or_refused(
    head: bytes, body: list[bytes], tail: bytes
) -> None:
    read_or_refuse(head + b"".join(body) + tail)
