"""The values of an outermost block as QBF solvers print them: a result and ``V`` lines.

DepQBF and CAQE (``--qdo``) print QDIMACS's result, ``s cnf 1 4 3`` or ``s cnf 0 4 3`` with the
formula's numbers of variables and clauses, and a line ``V 1 0`` for each variable; RAReQS one line
``V +1 -2`` and the result behind it.  QuAbS (``--partial-assignment``) prints ``V 1 -2 0`` and
``r SAT`` or ``r UNSAT``, Qute ``SAT`` or ``UNSAT`` and a line ``v 1 -2 0``, Quantor
``s SATISFIABLE`` or ``s UNSATISFIABLE`` and such lines.  Variables that have no value may have any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from qsage_validate.formats.source import LETTER_C, Source, quoted

_RESULT: Final = re.compile(
    r"s[ \t]+cnf[ \t]+([01])(?:[ \t]+\d+){0,2}|(?:r[ \t]+)?(UN)?SAT|s[ \t]+(UN)?SATISFIABLE"
)
_COMMENT: Final = re.compile(r"c(?:[ \t].*)?")
_LITERAL: Final = re.compile(r"[+-]?([^\s+,()=#-][^\s,()=#]*)")
_LINE: Final = (
    "a result ('s cnf 1', 'r SAT', 'SAT' or 's SATISFIABLE', or of a false formula), a line "
    "'V LITERALS 0' or 'v LITERALS 0', or 'c …'"
)


@dataclass(frozen=True, slots=True)
class OuterValue:
    """The value of a variable, by the name that the file has for it, and where it stands."""

    name: str
    value: bool
    offset: int


@dataclass(frozen=True)
class OuterBlock:
    """The output of a solver: ``truth`` is ``None`` where it has no result line.

    ``result`` is the place of that line.
    """

    values: tuple[OuterValue, ...]
    truth: bool | None
    result: int
    source: Source


def parse_outer_block(data: bytes, path: str | None = None) -> OuterBlock:
    """The values in ``data``.

    Raises :class:`InputError` with line and column for a line of another form, a second result,
    and for a file without lines of values.
    """
    source = Source.decode(data, path, LETTER_C)
    values: list[OuterValue] = []
    truth: bool | None = None
    result, seen = 0, False
    for _, start, line in source.lines():
        text = line.strip()
        at = start + len(line) - len(line.lstrip())
        said = _RESULT.fullmatch(text)
        if said is not None:
            if truth is not None:
                raise source.error(at, "a second result", "one result")
            digit, *negations = said.groups()
            truth = digit == "1" if digit else not any(negations)
            result = at
        elif re.match(r"[Vv](?:\s|$)", text):
            seen = True
            values += _values(source, at + 1, text[1:])
        elif text and not _COMMENT.fullmatch(text):
            raise source.error(at, quoted(text), _LINE)
    if not seen:
        raise source.end_error("a line 'V LITERALS 0' with the values of the outermost block")
    return OuterBlock(tuple(values), truth, result, source)


def _values(source: Source, start: int, text: str) -> list[OuterValue]:
    """The literals of one line, whose 0 at the end may be missing."""
    words = [(start + m.start(), m.group()) for m in re.finditer(r"\S+", text)]
    found: list[OuterValue] = []
    for place, (at, word) in enumerate(words):
        if word == "0":
            if place + 1 < len(words):
                behind, more = words[place + 1]
                raise source.error(behind, quoted(more), "the end of the line behind 0")
            return found
        match = _LITERAL.fullmatch(word)
        if match is None:
            raise source.error(at, quoted(word), "a variable, with '-' where it is false")
        found.append(OuterValue(match.group(1), not word.startswith("-"), at))
    return found
