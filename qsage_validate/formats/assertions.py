"""Assertions about plays: clauses in DIMACS, or conditions on the position in words.

A line of integers is a clause of SQval's assertion files (Shaik, Heisinger, Seidl and van de
Pol, SAT 2023): signed numbers of the formula's variables and gates, ended by 0; it holds at the
end of every play.  ``p cnf`` lines and comments (``c …``, ``# …``) are passed over.  Any other
line is ``WHEN CONDITION``:

    always not (black b2 and white b2)
    ply 3: black (2,2) or black (2,3)
    end: open (1,1) implies goal

``always`` speaks of every position of a play, ``ply N`` of the one after ply ``N`` (0: the
start), ``end`` of the last one.  A condition joins names by ``not``, ``and``, ``or``, ``implies``
and parentheses; ``not`` binds tightest, ``implies`` weakest.  A name is what is written between
these: ``black b2``, ``white (2,2)``, ``(cell 1 1 x)``.  Blanks within a name count as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from qsage_validate.formats.source import HASH_OR_C, Path, Source

GOAL: Final = "goal!"
"""The name that says of a position that Black has won by the rules; no atom is called so."""

_MAX_DEPTH: Final = 100
_WHEN: Final = re.compile(r"\s*(?:(always)\b:?|(end)\b:?|ply\s+(\d{1,9})\s*:)", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"\s*-?\d")
_SKIP: Final = re.compile(r"\s*(?:#.*|c(?:\s.*)?|p\s+cnf\b.*)?$", re.DOTALL)
_WORDS: Final = frozenset({"and", "or", "not", "implies"})
_TOKEN: Final = re.compile(r"[()]|[^\s()]+")
# The text in parentheses behind a word that belongs to its name: coordinates.
_COORDINATES: Final = re.compile(r"\(\s*\d+\s*,\s*\d+\s*\)")

Truth = Callable[[str], bool | None]
"""The value of a name, ``None`` where it has none."""


@dataclass(frozen=True, slots=True)
class Name:
    """Something that holds in a position or not; ``offset`` is where the file names it."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition


@dataclass(frozen=True, slots=True)
class Join:
    """A conjunction, or else a disjunction, of conditions.

    Of what was written as an implication the first ``asked`` parts are the complements of what it
    asks for.
    """

    conjunction: bool
    parts: tuple[Condition, ...]
    asked: int = 0


Condition = Name | Not | Join


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition on positions: on all of them, on that after ``ply``, or on the last.

    ``ply`` is ``None`` for all; ``end`` is set for the last.  A ``clause`` is a disjunction, at the
    end, of variables and gates that are named by their numbers.  ``offset`` is where the file says
    of which ply it speaks.
    """

    text: str
    line: int
    offset: int
    condition: Condition
    ply: int | None = None
    end: bool = False
    clause: bool = False


@dataclass(frozen=True)
class Assertions:
    """The assertions of a file, in its order."""

    source: Source
    all: tuple[Assertion, ...]


def read_assertions(path: Path) -> Assertions:
    """Read a file of assertions, at least one; raises ``InputError`` where there is a mistake."""
    return parse_assertions(Source.open(path, HASH_OR_C))


def parse_assertions(source: Source) -> Assertions:
    """The assertions of a text; errors as for :func:`read_assertions`."""
    found: list[Assertion] = []
    for number, offset, line in source.lines():
        if not _SKIP.match(line):
            one = _clause if _CLAUSE.match(line) else _words
            found.append(one(source, line.split("#", 1)[0], offset, number))
    if not found:
        raise source.error(len(source.text), "no assertion", "a clause, or a line like 'end: goal'")
    return Assertions(source, tuple(found))


def value(condition: Condition, truth: Truth) -> bool | None:
    """The condition under the names' values; ``None`` where it depends on one that has none."""
    match condition:
        case Name(text):
            return truth(text)
        case Not(part):
            found = value(part, truth)
            return None if found is None else not found
        case Join(conjunction, parts):
            values = {value(part, truth) for part in parts}
            if (not conjunction) in values:
                return not conjunction
            return None if None in values else conjunction


def guard(condition: Condition) -> Condition | None:
    """The premise of an implication: where it is false the condition cannot be broken.

    The premise of ``A implies B`` is ``A`` and the premise of ``B``.  That of a disjunction with
    parts ``not A`` and others is the conjunction of these ``A``.  Other conditions have no guard.
    """
    if not isinstance(condition, Join) or condition.conjunction:
        return None
    parts, first = condition.parts, condition.asked
    asked = [part.part for part in (parts[:first] or parts) if isinstance(part, Not)]
    inner = [own for part in parts[first:] if (own := guard(part)) is not None] if first else []
    if not asked or len(asked) == len(parts):
        return None
    return Join(conjunction=True, parts=(*asked, *inner))


def spellings(name: str) -> Iterator[str]:
    """The name, and the name without its outer parentheses, one pair after the other."""
    yield name
    while _enclosed(name):
        name = name[1:-1]
        yield name


def _enclosed(name: str) -> bool:
    depth = 0
    for place, character in enumerate(name):
        depth += (character == "(") - (character == ")")
        if depth == 0 and place < len(name) - 1:
            return False
    return name.startswith("(") and name.endswith(")")


def names(condition: Condition) -> Iterator[Name]:
    """All names in a condition, in the file's order."""
    match condition:
        case Name():
            yield condition
        case Not(part):
            yield from names(part)
        case Join(_, parts):
            for part in parts:
                yield from names(part)


def _clause(source: Source, line: str, offset: int, number: int) -> Assertion:
    literals: list[Condition] = []
    ended = False
    for token in re.finditer(r"\S+", line):
        text, at = token.group(), offset + token.start()
        if ended:
            raise source.error(at, repr(text), "nothing behind the clause's 0")
        if not re.fullmatch(r"-?\d{1,9}", text):
            raise source.error(at, repr(text), "a variable with its sign, or 0")
        ended = text == "0"
        if int(text):
            name = Name(str(abs(int(text))), at)
            literals.append(name if int(text) > 0 else Not(name))
        elif not ended:
            raise source.error(at, repr(text), "0 at the clause's end")
    if not ended:
        raise source.error(offset + len(line.rstrip()), "the end of the line", "0 after the clause")
    condition = Join(conjunction=False, parts=tuple(literals))
    return Assertion(line.strip(), number, offset, condition, end=True, clause=True)


def _words(source: Source, line: str, offset: int, number: int) -> Assertion:
    when = _WHEN.match(line)
    start = offset + len(line) - len(line.lstrip())
    if when is None:
        found = line.split(maxsplit=1)[0] if line.split() else "nothing"
        raise source.error(start, repr(found), "'always', 'ply N:', 'end:' or a clause")
    condition = _Parser(source, line, offset, when.end()).whole()
    ply = None if when[3] is None else int(when[3])
    return Assertion(" ".join(line.split()), number, start, condition, ply, when[2] is not None)


class _Parser:
    """Reads one condition."""

    def __init__(self, source: Source, line: str, offset: int, start: int) -> None:
        self._source = source
        self._line = line
        self._offset = offset
        self._tokens = list(_TOKEN.finditer(line, start))
        self._next = 0
        self._depth = 0

    def whole(self) -> Condition:
        condition = self._implication()
        if self._next < len(self._tokens):
            raise self._error("'and', 'or', 'implies' or the end of the line")
        return condition

    def _word(self) -> str:
        """The next token in lower case; empty at the end."""
        if self._next == len(self._tokens):
            return ""
        return self._tokens[self._next].group().lower()

    def _error(self, expected: str) -> Exception:
        if self._next == len(self._tokens):
            at = self._offset + len(self._line.rstrip())
            return self._source.error(at, "the end of the line", expected)
        token = self._tokens[self._next]
        return self._source.error(self._offset + token.start(), repr(token.group()), expected)

    def _implication(self) -> Condition:
        """``A implies B implies C`` is ``not A or not B or C``."""
        parts = [self._join(conjunction=False)]
        while self._word() == "implies":
            self._next += 1
            parts.append(self._join(conjunction=False))
        *asked, last = parts
        if not asked:
            return last
        return Join(conjunction=False, parts=(*map(Not, asked), last), asked=len(asked))

    def _join(self, *, conjunction: bool) -> Condition:
        operand = self._factor if conjunction else lambda: self._join(conjunction=True)
        parts = [operand()]
        while self._word() == ("and" if conjunction else "or"):
            self._next += 1
            parts.append(operand())
        return parts[0] if len(parts) == 1 else Join(conjunction, tuple(parts))

    def _factor(self) -> Condition:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error(f"at most {_MAX_DEPTH} conditions in one another")
        try:
            if self._word() == "not":
                self._next += 1
                return Not(self._factor())
            if self._word() == "(":
                return self._parentheses()
            return self._name()
        finally:
            self._depth -= 1

    def _parentheses(self) -> Condition:
        """A condition in parentheses, or a name that is a term: ``(cell 1 1 x)``."""
        first = self._next
        self._next += 1
        condition = self._implication()
        if self._word() != ")":
            raise self._error("')'")
        self._next += 1
        if isinstance(condition, Name):
            # Parentheses around a single name change nothing, so that they may be the term's.
            start = self._offset + self._tokens[first].start()
            return Name(f"({condition.text})", start)
        return condition

    def _name(self) -> Name:
        start = self._next
        while (word := self._word()) and word not in _WORDS:
            if word == ")":
                break
            if word == "(":
                there = _COORDINATES.match(self._line, self._tokens[self._next].start())
                if there is None and self._next == start:
                    break
                if there is None:
                    self._term()
                    continue
                while self._next < len(self._tokens) and (
                    self._tokens[self._next].start() < there.end()
                ):
                    self._next += 1
                continue
            self._next += 1
        if self._next == start:
            raise self._error("a name, 'not' or '('")
        first, last = self._tokens[start], self._tokens[self._next - 1]
        text = _normal(self._line[first.start() : last.end()])
        return Name(text, self._offset + first.start())

    def _term(self) -> None:
        """Pass over a term in parentheses within a name."""
        depth = 0
        while self._next < len(self._tokens):
            word = self._word()
            depth += (word == "(") - (word == ")")
            self._next += 1
            if depth == 0:
                return
        raise self._error("')'")


def _normal(text: str) -> str:
    text = " ".join(text.split())
    return re.sub(r"\s*([(),])\s*", r"\1", text).replace(")(", ") (").replace("(", " (").strip()
