"""QCIR-14 as it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qcir_words import BARE_NAME

# Lines that are written at one time.
_LINES: Final = 1 << 14


def qcir_text(qbf: Qbf, *, cleansed: bool = False) -> str:
    """The formula as QCIR-14 text: header, comments, prefix, output, gates, one a line.

    Comments go back to their lines as far as that is possible, which makes writing what was
    read from such a text reproduce it.  Identifiers are ``Qbf.names`` where there are any;
    with ``cleansed`` they are the numbers.  Raises ``ValueError`` for a formula that has no
    such text (a name that is no identifier or stands for two things, a line break in a
    comment).
    """
    names = {} if cleansed else _names(qbf)
    header = "#QCIR-G14" if names else f"#QCIR-G14 {qbf.max_variable}"
    lines = chain([header], _with_comments(_lines(qbf, names), qbf.comments), [""])
    # A million lines are not texts of their own all at once.
    return "\n".join(map("\n".join, iter(lambda: list(islice(lines, _LINES)), [])))


def _lines(qbf: Qbf, names: Mapping[int, str]) -> Iterator[str]:
    def literals(xs: Iterable[int]) -> str:
        if not names:
            return ", ".join(map(str, xs))
        return ", ".join(("-" if x < 0 else "") + names.get(abs(x), str(abs(x))) for x in xs)

    for s in qbf.scopes:
        yield f"{s.quantifier.value}({literals(s.variables)})"
    yield f"output({literals((qbf.output,))})"
    for g, gate in qbf.gates.items():
        yield f"{literals((g,))} = {gate.connective.value}({literals(gate.inputs)})"


def _names(qbf: Qbf) -> dict[int, str]:
    """The names of variables and gates that are not their numbers; each stands for one thing."""
    if not qbf.names:
        return {}
    used = {v for scope in qbf.scopes for v in scope.variables}.union(qbf.gates)
    names = {v: text for v, text in qbf.names.items() if v in used and text != str(v)}
    numbers = {str(v) for v in used.difference(names)}
    if len(set(names.values())) != len(names) or not numbers.isdisjoint(names.values()):
        raise ValueError("two variables or gates have one name")
    for text in names.values():
        if not BARE_NAME.fullmatch(text):
            raise ValueError(f"{text!r} is no QCIR identifier")
    return names


def _with_comments(queue: Iterator[str], comments: tuple[tuple[int, str], ...]) -> Iterator[str]:
    line = 2
    for wanted, text in comments:
        if "\n" in text or "\r" in text:
            raise ValueError(f"a line break in the comment {text!r}")
        while line < wanted and (statement := next(queue, None)) is not None:
            yield statement
            line += 1
        yield f"#{text}"
        line += 1
    yield from queue
