"""JSON from files: what does not fit is told at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.formats.json_text import Json, as_json, parse_json
from qsage_validate.formats.source import Source

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def read(text: str) -> Json:
    return parse_json(Source(text, "f"), "a thing")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: found no JSON (Expecting value), expected a thing"),
        ('{\n "a": }', "f:2:7: found no JSON (Expecting value), expected a thing"),
        ("[" * 100_000, "f:1:1: found JSON that is nested too deeply, expected a thing"),
        ("{} x", "f:1:4: found no JSON (Extra data), expected a thing"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "1:1: found a list, expected an object"),
        ("{}", "1:1: found no 'a', expected a thing with it"),
        ('{"a": "1"}', "1:7: found a text for 'a', expected a whole number, 0 or more"),
        (
            '{"b": [{}],\n"a": true}',
            "2:6: found a truth value for 'a', expected a whole number",
        ),
        ('{"a": 1, "a": 1.5}', "1:10: found 'a' twice in an object, expected each name once"),
        (
            '{"b": {"c": 0, "d": {}},\n "a": [{"a": "{", "\\u0061" : 1}]}',
            "2:19: found 'a' twice in an object",
        ),
        ('{"a": -2}', "1:7: found '-2', expected a whole number, 0 or more"),
        (
            '{"a": ' + "9" * 5000 + "}",
            "1:7: found 5,000 digits, expected a whole number",
        ),
        ('{"a": NaN}', "1:7: found NaN, expected a whole number, 0 or more"),
    ],
)
def test_what_is_no_number_is_told_at_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)["a"].integer()
    assert str(error.value).startswith(f"f:{message}")


@pytest.mark.parametrize(
    ("text", "ask", "message"),
    [
        ("1e999", Json.number, "found a number that is too large, expected a finite number"),
        ("9" * 400, Json.number, "found a number that is too large"),
        ("1", Json.boolean, "found a number, expected true or false"),
        (r'"\ud800"', Json.text, "found half of a character, expected a text of whole"),
        (r'"a\r"', Json.line, "found a text of several lines, expected one line"),
        (r'"a\u2028b"', Json.line, "found a text of several lines, expected one line"),
        ("null", Json.array, "found null, expected a list"),
        ('"x"', lambda value: value.one_of("a", "b"), "found 'x', expected one of a, b"),
        ("[1, 2, true]", lambda value: value.each(_is_number, "a number"), "found a truth value"),
    ],
)
def test_what_does_not_fit(text: str, ask: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        ask(read(text))
    assert message in str(error.value)


def _is_number(value: object) -> bool:
    return type(value) is int


def test_the_place_in_a_list_of_a_file_that_begins_later() -> None:
    text = '[{"a": [1,\n {"b": "x"}]}]'
    (one,) = parse_json(Source(text, "f", 7), "a thing").items()
    with pytest.raises(InputError) as error:
        one["a"].items()[1]["b"].integer()
    assert str(error.value).startswith("f:8:8: found a text for 'b'")


@given(VALUES)
def test_a_value_is_found_where_it_stands(value: Any) -> None:
    text = json.dumps(value, indent=1)
    decoder = json.JSONDecoder()
    waiting = [(read(text), value)]
    while waiting:
        node, own = waiting.pop()
        assert node.value == own
        error = node.error("x", "y")
        assert error.line is not None
        assert error.column is not None
        offset = node.source.line_start(error.line) + error.column - 1
        assert decoder.raw_decode(text, offset)[0] == own
        if isinstance(own, dict):
            waiting += [(node[key], each) for key, each in own.items()]
        elif isinstance(own, list):
            waiting += zip(node.items(), own, strict=True)


def test_fields_that_may_be_left_out() -> None:
    thing = as_json({"a": None, "b": 0}, "a thing")
    assert thing.get("c") is None
    assert thing.given("a") is None
    found = thing.given("b")
    assert found is not None
    assert found.integer() == 0
