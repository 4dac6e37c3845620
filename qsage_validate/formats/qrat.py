"""QRAT traces: what a preprocessor did to a formula, a line a step.

Format: Heule, Seidl and Biere, *A unified proof system for QBF preprocessing* (IJCAR 2014), as
Bloqqer writes it.  ``l1 l2 … 0`` adds a clause, ``d l1 l2 … 0`` deletes one, and
``u l1 l2 … 0`` takes the universal literal ``l1`` out of one; where the step rests on a pivot
that is the first literal.  Behind the 0 Bloqqer names the technique.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Final, NamedTuple

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.source import Path, byte_error, label, quoted, read_bytes


class QratAction(Enum):
    """The action of a step; the values are the letters of the format."""

    ADD = ""
    DELETE = "d"
    REDUCE = "u"


class QratStep(NamedTuple):
    """One step: the clause in the trace's order, what the trace calls it, and its line.

    The clause of a ``REDUCE`` still has the removed literal, in first place.
    """

    action: QratAction
    literals: tuple[int, ...]
    technique: str
    line: int


@dataclass(frozen=True, slots=True)
class QratTrace:
    """The steps from a formula to what a preprocessor made of it."""

    steps: tuple[QratStep, ...]
    path: str | None = None

    def error(self, step: QratStep, found: str, expected: str) -> InputError:
        return InputError(self.path, step.line, None, found, expected)


_LINE: Final = re.compile(
    rb"[ \t]*(?:([du])[ \t]+)?((?:-?[1-9][0-9]{0,9}[ \t]+)*)0(?![^ \t\r])(.*)"
)
_LITERAL: Final = re.compile(rb"-?[1-9][0-9]{0,9}\Z")
_ACTIONS: Final = {None: QratAction.ADD, b"d": QratAction.DELETE, b"u": QratAction.REDUCE}
_MAX_VARIABLE: Final = (1 << 31) - 1


def read_qrat(path: Path) -> QratTrace:
    """Read a trace (compressed or not).  Raises :class:`InputError` with line and column."""
    return parse_qrat(read_bytes(path), label(path))


def parse_qrat(data: bytes | str, path: str | None = None) -> QratTrace:
    """The trace in ``data``; errors as in :func:`read_qrat`.

    Blank lines and lines that begin with ``c`` are skipped.  A trace without a line says that
    nothing was done.  The last line must be complete: programs that are killed cut it off.
    """
    raw = data.encode() if isinstance(data, str) else data
    techniques: dict[bytes, str] = {}
    match_line = _LINE.fullmatch
    steps = []
    offset = 0
    for number, line in enumerate(raw.split(b"\n"), start=1):
        match = match_line(line)
        if match is None:
            blank = line.strip()
            if blank and not blank.startswith(b"c"):
                raise _malformed(path, raw, offset, line)
            offset += len(line) + 1
            continue
        letter, clause, comment = match.groups()
        literals = tuple(map(int, clause.split()))
        if literals and max(*literals, -min(literals)) > _MAX_VARIABLE:
            raise byte_error(path, raw, offset, "a variable beyond 2147483647", "a literal")
        technique = techniques.get(comment)
        if technique is None:
            technique = comment.decode("utf-8", "replace").strip()
            techniques[comment] = technique
        if letter == b"u" and not literals:
            raise byte_error(path, raw, offset, "a reduction of no literal", "'u' and a clause")
        steps.append(QratStep(_ACTIONS[letter], literals, technique, number))
        offset += len(line) + 1
    if raw and not raw.endswith(b"\n"):
        raise byte_error(path, raw, len(raw), "the end of the file", "the end of a line")
    return QratTrace(tuple(steps), path)


def _malformed(path: str | None, data: bytes, offset: int, line: bytes) -> InputError:
    tokens = [(m.start(), m.group()) for m in re.finditer(rb"[^ \t\r]+", line)]
    if tokens and tokens[0][1] in (b"d", b"u"):
        del tokens[0]
    for start, token in tokens:
        if not _LITERAL.match(token):
            found = quoted(token.decode("utf-8", "replace"))
            return byte_error(path, data, offset + start, found, "a literal, or 0 to end a clause")
    end = offset + len(line.rstrip())
    return byte_error(path, data, end, "the end of the line", "a 0 that ends the clause")


def introduced_levels(scopes: Sequence[Scope], trace: QratTrace) -> dict[int, int]:
    """The scopes, as indices into ``scopes``, of variables that a trace introduces.

    ``scopes`` must alternate and be non-empty.  An expansion of the universal ``u`` makes a copy
    of each existential that depends on it, by two clauses that say "equal unless ``u``"; the
    copies are what those existentials are where ``u`` is false, so they depend on no variable
    to the right of any of them: they go to the leftmost scope of those copied together.  (The
    universal itself occurs nowhere any more, so that it may stay left of its copies.)  Other
    new variables, those that split long clauses, are innermost; the index is
    ``len(scopes)`` when the innermost scope is universal.
    """
    levels = {v: level for level, scope in enumerate(scopes) for v in scope.variables}
    innermost = len(scopes)
    if scopes and scopes[-1].quantifier is Quantifier.EXISTS:
        innermost -= 1
    known = len(levels)
    used = {abs(x) for x in set(chain.from_iterable(step.literals for step in trace.steps))}
    new = used.difference(levels)
    lowest = min(new, default=0)
    batch: list[int] = []
    leftmost = innermost
    previous: QratStep | None = None
    for step in trace.steps if new else ():
        copied = None
        if step.action is QratAction.ADD and previous is not None:
            copied = _copied(previous, step, levels)
        if copied is not None:
            copy, original = copied
            if not batch:
                leftmost = innermost
            batch.append(copy)
            levels[copy] = leftmost
            if levels[original] < leftmost:
                leftmost = levels[original]
                levels.update(dict.fromkeys(batch, leftmost))
            previous = None
            continue
        if previous is not None:
            batch.clear()
            _place(previous, levels, innermost)
            previous = None
        literals = step.literals
        if (
            step.action is QratAction.ADD
            and literals
            and (max(literals) >= lowest or -min(literals) >= lowest)
            and any(abs(literal) not in levels for literal in literals)
        ):
            previous = step
        else:
            batch.clear()
    if previous is not None:
        _place(previous, levels, innermost)
    return dict(list(levels.items())[known:])


def _place(step: QratStep, levels: dict[int, int], level: int) -> None:
    for literal in step.literals:
        levels.setdefault(abs(literal), level)


def _copied(first: QratStep, second: QratStep, known: dict[int, int]) -> tuple[int, int] | None:
    """Copy and original when two steps define a copy: ``-c u x`` and ``c u -x``."""
    if len(first.literals) != 3 or len(second.literals) != 3:
        return None
    copy = -first.literals[0]
    if abs(copy) in known or second.literals[0] != copy:
        return None
    one, other = set(first.literals[1:]), set(second.literals[1:])
    if len(one) != 2 or len(other) != 2 or len(one & other) != 1:
        return None
    (x,), (y,) = one - other, other - one
    return (abs(copy), abs(x)) if x == -y and abs(x) in known else None
