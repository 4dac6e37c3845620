"""QRAT traces: steps, positions of errors, and where new variables belong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.qrat import (
    QratAction,
    QratStep,
    QratTrace,
    introduced_levels,
    parse_qrat,
    read_qrat,
)
from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.qdimacs import ClausalForm
from tests.support.generated import damaged
from tests.support.readers import extended_scopes, output_form

E, A = Quantifier.EXISTS, Quantifier.FORALL
TRACE = b"""-7 4 5 0 expansion: adding new variable
7 4 -5 0 expansion: adding new variable
c a remark of somebody
d 1 -2 0 blocked clause
u 4 1 0
  -4 -5 0
d 0 empty
0

"""


def test_what_each_line_does() -> None:
    assert parse_qrat(TRACE).steps == (
        QratStep(QratAction.ADD, (-7, 4, 5), "expansion: adding new variable", 1),
        QratStep(QratAction.ADD, (7, 4, -5), "expansion: adding new variable", 2),
        QratStep(QratAction.DELETE, (1, -2), "blocked clause", 4),
        QratStep(QratAction.REDUCE, (4, 1), "", 5),
        QratStep(QratAction.ADD, (-4, -5), "", 6),
        QratStep(QratAction.DELETE, (), "empty", 7),
        QratStep(QratAction.ADD, (), "", 8),
    )


def test_windows_line_ends_and_no_lines() -> None:
    assert parse_qrat(b"d 1 0 unit\r\n").steps == (QratStep(QratAction.DELETE, (1,), "unit", 1),)
    assert parse_qrat("").steps == ()


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.qrat"
    path.write_bytes(TRACE)
    assert read_qrat(path).path == str(path)
    with pytest.raises(InputError, match="no such file"):
        read_qrat(tmp_path / "absent")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0\n2 x 0\n", "t:2:3: found 'x', expected a literal, or 0 to end a clause"),
        ("d 1 -2\n", "t:1:7: found the end of the line, expected a 0 that ends the clause"),
        ("d\n", "t:1:2: found the end of the line, expected a 0 that ends the clause"),
        ("e 1 0\n", "t:1:1: found 'e', expected a literal, or 0 to end a clause"),
        ("1 02 0\n", "t:1:3: found '02', expected a literal, or 0 to end a clause"),
        ("1 +2 0\n", "t:1:3: found '+2', expected a literal, or 0 to end a clause"),
        ("u 0\n", "t:1:1: found a reduction of no literal, expected 'u' and a clause"),
        ("1 0\nd 2 0 un", "t:2:9: found the end of the file, expected the end of a line"),
        ("9999999999 0\n", "t:1:1: found a variable beyond 2147483647, expected a literal"),
    ],
)
def test_what_is_no_trace(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_qrat(text, "t")
    assert str(caught.value) == message


@given(data=damaged([TRACE]))
@settings(max_examples=150)
def test_damaged_traces_are_read_or_refused_in_a_line(data: bytes) -> None:
    refused_or_read(data)


@given(content=st.text("0123456789 -\n\tcdu", max_size=60))
@settings(max_examples=100)
def test_random_text(content: str) -> None:
    refused_or_read(content.encode())


def test_every_truncation() -> None:
    for length in range(len(TRACE)):
        refused_or_read(TRACE[:length])


def refused_or_read(data: bytes) -> None:
    """Parse; any exception but an InputError of one line escapes and fails the test."""
    try:
        trace = parse_qrat(data, "t")
    except InputError as refused:
        check_message(refused)
        return
    introduced_levels((Scope(E, (1,)), Scope(A, (4,)), Scope(E, (5,))), trace)


def check_message(refused: InputError) -> None:
    """One printing line with both halves."""
    assert str(refused).isprintable()
    assert ": found " in str(refused)


PREFIX = (Scope(E, (1,)), Scope(A, (2,)), Scope(E, (3,)), Scope(A, (4,)), Scope(E, (5, 6)))


def levels(*clauses: tuple[int, ...], scopes: tuple[Scope, ...] = PREFIX) -> dict[int, int]:
    steps = tuple(QratStep(QratAction.ADD, c, "", k) for k, c in enumerate(clauses, start=1))
    return introduced_levels(scopes, QratTrace(steps))


def test_copies_belong_to_the_leftmost_of_those_copied_together() -> None:
    both = levels((-7, 2, 5), (7, 2, -5), (-8, 2, 3), (8, 2, -3))
    assert both == {7: 2, 8: 2}
    # A clause in between makes two expansions of them.
    apart = levels((-7, 2, 5), (7, 2, -5), (1, 3), (-8, 2, 3), (8, 2, -3))
    assert apart == {7: 4, 8: 2}


def test_copies_of_copies() -> None:
    again = levels((-7, 4, 3), (7, 4, -3), (1,), (-8, 2, 7), (8, 2, -7), (-9, 2, 6), (9, 2, -6))
    assert again == {7: 2, 8: 2, 9: 2}


def test_other_new_variables_are_innermost() -> None:
    assert levels((1, 3, -7), (7, 5)) == {7: 4}
    assert levels((1, 3, -7), (7, 5), scopes=PREFIX[:2]) == {3: 2, 5: 2, 7: 2}
    # The second half is missing: no copy.
    assert levels((-7, 2, 3)) == {7: 4}
    steps = (
        QratStep(QratAction.ADD, (-7, 2, 3), "", 1),
        QratStep(QratAction.DELETE, (7, 2, -3), "", 2),
    )
    assert introduced_levels(PREFIX, QratTrace(steps)) == {7: 4}
    assert levels((-7, 2, 3), (-7, 2, -3)) == {7: 4}
    # Clauses that name a literal twice copy nothing.
    assert levels((-7, 2, 2), (7, 2, 2)) == {7: 4}


def test_the_prefix_with_the_new_variables() -> None:
    steps = [(-7, 2, 3), (7, 2, -3), (1, 3), (8, 5), (-8, 6)]
    trace = QratTrace(tuple(QratStep(QratAction.ADD, c, "", 1) for c in steps))
    assert extended_scopes(PREFIX, trace) == (
        *PREFIX[:2], Scope(E, (3, 7)), PREFIX[3], Scope(E, (5, 6, 8)),
    )  # fmt: skip
    assert extended_scopes(PREFIX[:2], QratTrace(trace.steps[3:4])) == (
        *PREFIX[:2], Scope(E, (8, 5)),
    )  # fmt: skip


def test_what_is_left_under_the_prefix_of_the_trace() -> None:
    steps = [(-7, 2, 3), (7, 2, -3), (1, 3), (8, 5), (-8, 6)]
    trace = QratTrace(tuple(QratStep(QratAction.ADD, c, "", 1) for c in steps))
    form = ClausalForm(PREFIX, ((1, 2, 3),), 6)
    left = output_form(form, trace, [(7, 4), (8, 1)])
    scopes = (Scope(E, (1, 7)), Scope(A, (4,)), Scope(E, (8,)))
    assert left == ClausalForm(scopes, ((7, 4), (8, 1)), 8)
    assert output_form(form, trace, []) == ClausalForm((), (), 0)
