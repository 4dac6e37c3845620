"""JSON from files: values say what they have to be, and where they stand if they are not."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from qsage_validate.errors import InputError
from qsage_validate.formats.source import Source, quoted

# Keys of JSON objects as programs write them: ``dont_cares`` for ``don't-cares``


def snake_key(key: str) -> str:
    """``key`` in lower case, its words joined by underscores."""
    return re.sub(r"[ -]+", "_", key.replace("'", "")).lower()


def snake_case(value: Mapping[str, object]) -> dict[str, object]:
    """``value`` with such keys, in the objects inside of it, too."""

    def inner(part: object) -> object:
        if isinstance(part, dict):
            return snake_case(part)
        return [inner(each) for each in part] if isinstance(part, list) else part

    return {snake_key(key): inner(part) for key, part in value.items()}


# JSON from files: values say what they have to be, and where they stand if they are not


_MAX_DIGITS: Final = 1000
_NO_BLANK: Final = re.compile(r"[^ \t\n\r]")
_TOKEN: Final = re.compile(r'[{}\[\]]|(?P<string>"(?:[^"\\]|\\.)*")(?P<colon>[ \t\n\r]*:)?')


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """The placeholder of a number that cannot be used; it fits no schema."""

    text: str


def _integer(digits: str) -> object:
    # Python's own limit is 4,300 digits, beyond which it raises an error without a place.
    return int(digits) if len(digits) <= _MAX_DIGITS else _Unreadable(f"{len(digits):,} digits")


class _DoubledKeyError(ValueError):
    """An object has two fields with one name."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Readers differ in which of two fields counts, so that neither does.
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DoubledKeyError
    return found


_DECODER: Final = json.JSONDecoder(
    parse_int=_integer, parse_constant=_Unreadable, object_pairs_hook=_object
)

_NAMES: Final[Mapping[type, str]] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a truth value",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Json:
    """A value in a JSON document, and the way to it: keys of objects and places in lists.

    Methods say what the value has to be.  They raise :class:`InputError` at its place for anything
    else, with ``what``, the kind of the document, as what was expected where nothing else is.
    """

    source: Source
    value: object
    what: str
    way: tuple[str | int, ...] = ()

    def error(self, found: str, expected: str) -> InputError:
        return self.source.error(_offset(self.source.text, self.way), found, expected)

    def __getitem__(self, key: str) -> Json:
        found = self.get(key)
        if found is None:
            raise self.error(f"no {key!r}", f"{self.what} with it")
        return found

    def get(self, key: str) -> Json | None:
        """A field that may be left out, or ``None``."""
        fields = self.mapping()
        return self._at(key, fields[key]) if key in fields else None

    def given(self, key: str) -> Json | None:
        """A field that may be left out or ``null``, or ``None``."""
        found = self.get(key)
        return None if found is None or found.value is None else found

    def fields(self) -> dict[str, Json]:
        return {key: self._at(key, value) for key, value in self.mapping().items()}

    def items(self) -> list[Json]:
        return [self._at(number, value) for number, value in enumerate(self.array())]

    def _at(self, step: str | int, value: object) -> Json:
        return Json(self.source, value, self.what, (*self.way, step))

    def mapping(self) -> Mapping[str, Any]:
        """An object, as Python has it."""
        if not isinstance(self.value, dict):
            raise self._other("an object")
        return self.value

    def array(self) -> Sequence[Any]:
        """A list, as Python has it."""
        if not isinstance(self.value, list):
            raise self._other("a list")
        return self.value

    def text(self) -> str:
        """A text of whole characters."""
        if not isinstance(self.value, str):
            raise self._other("a text")
        if any("\ud800" <= c <= "\udfff" for c in self.value):
            raise self.error("half of a character", "a text of whole characters")
        return self.value

    def path(self) -> str:
        """The path of a file, as the system has it: perhaps of several lines, or no UTF-8."""
        if not isinstance(self.value, str):
            raise self._other("a text")
        try:
            os.fsencode(self.value)
        except UnicodeEncodeError:
            raise self.error("half of a character", "the path of a file") from None
        if "\0" in self.value:
            raise self.error("a NUL", "the path of a file")
        return self.value

    def line(self) -> str:
        text = self.text()
        if len(f"{text}.".splitlines()) != 1:
            raise self.error("a text of several lines", "one line")
        return text

    def one_of(self, *known: str) -> str:
        text = self.text()
        if text not in known:
            raise self.error(quoted(text), f"one of {', '.join(known)}")
        return text

    def integer(self, least: int = 0, most: int | None = None) -> int:
        expected = f"a whole number, {least} or more"
        if most is not None:
            expected = f"a whole number from {least} to {most}"
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self._other(expected)
        if self.value < least or (most is not None and self.value > most):
            raise self.error(quoted(str(self.value)), expected)
        return self.value

    def number(self) -> float:
        """A number that is finite."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self._other("a number")
        try:
            finite = math.isfinite(float(self.value))
        except OverflowError:
            finite = False
        if not finite:
            raise self.error("a number that is too large", "a finite number")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self._other("true or false")
        return self.value

    def each(self, fits: Callable[[Any], bool], expected: str) -> Sequence[Any]:
        """A list of which each value ``fits``; for long ones, without an object for each value."""
        values = self.array()
        for number, value in enumerate(values):
            if not fits(value):
                raise self._at(number, value)._other(expected)
        return values

    def _other(self, expected: str) -> InputError:
        if isinstance(self.value, _Unreadable):
            return self.error(self.value.text, expected)
        where = f" for {self.way[-1]!r}" if self.way and isinstance(self.way[-1], str) else ""
        return self.error(f"{_NAMES[type(self.value)]}{where}", expected)


def parse_json(source: Source, what: str) -> Json:
    """The JSON in a text that is to be ``what``, as ``a transcript``; raises ``InputError``."""
    text = source.text
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise source.error(error.pos, f"no JSON ({error.msg})", what) from None
    except _DoubledKeyError:
        at, key = _doubled(text)
        raise source.error(at, f"{quoted(key)} twice in an object", "each name once") from None
    except RecursionError:
        raise source.error(0, "JSON that is nested too deeply", what) from None
    return Json(source, value, what)


def as_json(value: object, what: str) -> Json:
    """A value of Python's as the JSON that it would be written as."""
    return parse_json(Source(json.dumps(value)), what)


def _offset(text: str, way: tuple[str | int, ...]) -> int:
    """The offset of the value that a path of keys and indices leads to; the text is valid JSON."""
    at = _skip(text, 0)
    for step in way:
        at = _in_list(text, at, step) if isinstance(step, int) else _in_object(text, at, step)
    return at


def _in_list(text: str, at: int, number: int) -> int:
    at = _skip(text, at + 1)
    for _ in range(number):
        at = _skip(text, _skip(text, _DECODER.raw_decode(text, at)[1]) + 1)
    return at


def _in_object(text: str, at: int, key: str) -> int:
    found = at
    at = _skip(text, at + 1)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            found = at
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _doubled(text: str) -> tuple[int, str]:
    """The second of two fields with one name in a text that is JSON: its place, and the name."""
    names: list[set[str]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            names.append(set())
        elif token in "}]":
            names.pop()
        elif match["colon"]:
            name = json.loads(match["string"])
            if name in names[-1]:
                return match.start(), name
            names[-1].add(name)
    raise AssertionError("called where there are two")


def _skip(text: str, at: int) -> int:
    match = _NO_BLANK.search(text, at)
    return len(text) if match is None else match.start()
