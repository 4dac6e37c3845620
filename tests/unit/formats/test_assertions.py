"""Assertions are read as they are written, and every mistake has its place."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.formats.assertions import (
    Condition,
    Join,
    Name,
    Not,
    guard,
    names,
    parse_assertions,
    spellings,
    value,
)
from qsage_validate.formats.source import Source

TEXT = """c SQval's form
p cnf 300 2
225 0
-1 2 0

# in words
always not (black b2 and white b2)   # no square has two stones
ply 3: black (2,2) or black (2, 3)
END: goal
always (cell 1 1 x) or not (does xplayer (mark 1 1))
"""


def conditions(text: str) -> list[Condition]:
    read = parse_assertions(Source(text, "a")).all
    return [one.condition for one in read if not one.clause]


def test_both_forms_in_one_file() -> None:
    read = parse_assertions(Source(TEXT, "a")).all
    assert [one.line for one in read] == [3, 4, 7, 8, 9, 10]
    clauses = [one.condition for one in read if one.clause]
    assert clauses == [
        Join(False, (Name("225", TEXT.index("225")),)),
        Join(False, (Not(Name("1", TEXT.index("-1 "))), Name("2", TEXT.index("2 0\n\n")))),
    ]
    assert all(one.end for one in read if one.clause)
    said = [one for one in read if not one.clause]
    assert [(one.ply, one.end) for one in said] == [
        (None, False),
        (3, False),
        (None, True),
        (None, False),
    ]
    assert [[name.text for name in names(one.condition)] for one in said] == [
        ["black b2", "white b2"],
        ["black (2,2)", "black (2,3)"],
        ["goal"],
        ["(cell 1 1 x)", "(does xplayer (mark 1 1))"],
    ]
    offset = next(names(said[0].condition)).offset
    assert TEXT[offset:].startswith("black b2")


def test_what_binds_how() -> None:
    (first,) = conditions("always a or not b and c")
    a, b, c = (Name("a", 7), Name("b", 16), Name("c", 22))
    assert first == Join(False, (a, Join(True, (Not(b), c))))


def test_an_implication_is_a_disjunction_with_a_guard() -> None:
    (chained,) = conditions("always a and b implies c implies d or e")
    assert value(chained, {"a": True, "b": True, "c": True, "d": False, "e": False}.get) is False
    asked = guard(chained)
    assert asked is not None
    assert [name.text for name in names(asked)] == ["a", "b", "c"]
    guards = conditions(
        "always not a or b\nalways not (a and b)\nalways not a or not b\nend: a or b"
    )
    shown = [None if (own := guard(c)) is None else [n.text for n in names(own)] for c in guards]
    assert shown == [["a"], None, None, None]
    (denied, nested) = conditions("always a implies not b\nalways a implies (not b or c)")
    for condition, asked_for in ((denied, ["a"]), (nested, ["a", "b"])):
        own = guard(condition)
        assert own is not None
        assert [name.text for name in names(own)] == asked_for


@given(st.lists(st.integers(1, 3).flatmap(lambda v: st.sampled_from((v, -v))), max_size=5))
def test_a_clause_cannot_be_broken_where_its_guard_fails(clause: list[int]) -> None:
    text = " ".join(map(str, [*clause, 0]))
    (read,) = parse_assertions(Source(text, "a")).all
    asked = guard(read.condition)
    for bits in product((False, True), repeat=3):
        known = dict(zip("123", bits, strict=True))
        holds = any(bits[abs(x) - 1] is (x > 0) for x in clause)
        assert value(read.condition, known.get) is holds
        if asked is not None and not value(asked, known.get):
            assert holds


WORDS = st.recursive(
    st.sampled_from(["goal", "black b2", "white (2,3)", "(on 1)"]),
    lambda inner: st.one_of(
        inner.map(lambda x: f"not ({x})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda x: f"({x[0]}) {x[1]} ({x[2]})"
        ),
    ),
    max_leaves=8,
)


@given(WORDS)
def test_conditions_mean_what_python_makes_of_them(text: str) -> None:
    (condition,) = conditions(f"always {text}")
    used = ["goal", "black b2", "white (2,3)", "(on 1)"]
    python = text
    for k, name in enumerate(used):
        python = python.replace(name, f"V{k}")
    for bits in product((False, True), repeat=4):
        known = dict(zip(used, bits, strict=True))

        def truth(name: str, known: dict[str, bool] = known) -> bool:
            return next(known[s] for s in spellings(name) if s in known)

        expected = eval(python, {f"V{k}": bit for k, bit in enumerate(bits)})
        assert value(condition, truth) is expected


def test_unknown_names_leave_open_what_depends_on_them() -> None:
    (both, either, neither) = conditions("always a and b\nalways a or b\nalways not b\n")
    for a, expected in ((True, (None, True, None)), (False, (False, None, None))):
        known = {"a": a}
        assert tuple(value(c, known.get) for c in (both, either, neither)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alway x", "a:1:1: found 'alway', expected 'always', 'ply N:', 'end:' or a clause"),
        ("\nply 3 x", "a:2:1: found 'ply', expected 'always', 'ply N:', 'end:' or a clause"),
        ("always", "a:1:7: found the end of the line, expected a name, 'not' or '('"),
        ("always (a or b", "a:1:15: found the end of the line, expected ')'"),
        ("always a) b", "a:1:9: found ')', expected 'and', 'or', 'implies' or the end of the line"),
        ("always a implies", "a:1:17: found the end of the line, expected a name, 'not' or '('"),
        ("c nothing\n", "a:2:1: found no assertion, expected a clause, or a line like 'end: goal'"),
        ("\x0bend: x\n1 x 0", "a:2:3: found 'x', expected a variable with its sign, or 0"),
        ("end: and", "a:1:6: found 'and', expected a name, 'not' or '('"),
        ("1 2", "a:1:4: found the end of the line, expected 0 after the clause"),
        ("1 0 2", "a:1:5: found '2', expected nothing behind the clause's 0"),
        ("1 x 0", "a:1:3: found 'x', expected a variable with its sign, or 0"),
    ],
)
def test_mistakes_have_their_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_assertions(Source(text, "a"))
    assert str(error.value) == message


def test_depth_is_limited() -> None:
    with pytest.raises(InputError, match="at most 100 conditions in one another"):
        conditions("always " + "not " * 200 + "a")


@given(st.text(alphabet="always plyend:not()andorimplies 012-#\n,\x0b\x85é", max_size=60))
def test_any_text_is_read_or_refused_in_a_line(text: str) -> None:
    try:
        parse_assertions(Source(text, "a"))
    except InputError as refused:
        check_message(refused)


def check_message(refused: InputError) -> None:
    """One printing line with both halves."""
    assert str(refused).isprintable()
    assert ": found " in str(refused)
