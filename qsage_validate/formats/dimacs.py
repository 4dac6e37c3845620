"""DIMACS: what QDIMACS and plain files share, and Pedant's model files (``--cnf``).

These have Skolem functions as a set of clauses.  Variables are the formula's; what is above them
helps to define the functions.  A comment ``c Model for variable N.`` stands before the clauses of
each function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import InputError
from qsage_validate.formats.numbers import NotANumberError, parse_integers
from qsage_validate.formats.source import (
    BOM,
    LETTER_C,
    Source,
    byte_error,
    decoded_comment,
    quoted,
)

_COMMENT: Final = re.compile(rb"^[ \t]*c([^\r\n]*)", re.MULTILINE)
_PROBLEM: Final = re.compile(
    rb"[ \t]*p[ \t]+cnf[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*\r?(?:\n|\Z)"
)
_HEADER: Final = "a header 'p cnf VARIABLES CLAUSES'"
# Tables and solvers are sized by the largest variable: it may exceed the number of bytes in
# the file by this.
_SPARE_VARIABLES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Dimacs:
    """A DIMACS text with its comments cut out.

    ``code`` has blanks in their place, so that offsets agree with the file; ``header`` is the
    offset of the problem line, ``start`` that behind it.  ``variables`` and ``clauses`` are the
    numbers there, which may be wrong.  ``comments`` are ``(offset, text behind the c)``.
    """

    data: bytes
    code: bytes
    path: str | None
    variables: int
    clauses: int
    header: int
    start: int
    comments: tuple[tuple[int, str], ...]

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at a byte of the file."""
        return byte_error(self.path, self.data, offset, found, expected)

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a byte."""
        return self.data.count(b"\n", 0, offset) + 1

    @property
    def limit(self) -> int:
        """The largest variable that a file of this size may have."""
        return len(self.data) + _SPARE_VARIABLES

    def numbers(
        self, start: int, end: int, what: str, most: int
    ) -> tuple[NDArray[np.int32], list[int]]:
        """The numbers of ``code[start:end]`` and their offsets: variables up to ``most``, or 0."""
        try:
            values, offsets = parse_integers(self.code, start, end, signed=True)
        except NotANumberError as error:
            raise self.error(error.offset, quoted(error.token), what) from None
        wrong = np.flatnonzero(np.abs(values) > most)
        if len(wrong):
            k = int(wrong[0])
            why = "the header" if most == self.variables else "in a file of this size"
            found = f"variable {abs(int(values[k]))}"
            raise self.error(int(offsets[k]), found, f"at most {most} ({why})")
        return values.astype(np.int32), offsets.tolist()

    def clause_literals(self, start: int, most: int) -> NDArray[np.int32]:
        """All clauses from ``start`` to the end, each ended by 0."""
        what = "a literal, or 0 to end a clause"
        literals, _ = self.numbers(start, len(self.code), what, most)
        if len(literals) and literals[-1] != 0:
            end = len(self.data.rstrip())
            raise self.error(end, "the end of the file", "a 0 that ends the last clause")
        return literals

    def fault(self, variables: int, clauses: int) -> InputError | None:
        """The error in the header, where the file has so many of either."""
        said: list[str] = []
        there: list[str] = []
        if not variables <= self.variables <= self.limit:
            said.append(f"{self.variables:,} variable{'s' * (self.variables != 1)}")
            there.append(f"{variables:,}")
        if clauses != self.clauses:
            said.append(f"{self.clauses:,} clause{'s' * (self.clauses != 1)}")
            there.append(f"{clauses:,}")
        if not said:
            return None
        found, expected = f"a header of {' and '.join(said)}", " and ".join(there)
        return self.error(self.header, found, f"{expected}, as in the file")


def split_dimacs(data: bytes, path: str | None) -> Dimacs:
    """Cut out the comments and read the problem line.

    Raises :class:`InputError` for what is no text, and for a header that is missing or malformed.
    """
    Source.decode(data, path, LETTER_C).check_not_empty(_HEADER)
    data = data.removeprefix(BOM)
    comments: list[tuple[int, str]] = []
    pieces: list[bytes] = []
    at = 0
    for match in _COMMENT.finditer(data):
        start, end = match.span()
        comments.append((start, decoded_comment(match.group(1))))
        pieces += (data[at:start], b" " * (end - start))
        at = end
    pieces.append(data[at:])
    code = b"".join(pieces)
    blank = re.match(rb"\s*", code)
    begin = blank.end() if blank else 0
    if begin == len(code):
        raise byte_error(path, data, len(data.rstrip()), "the end of the file", _HEADER)
    begin = code.rfind(b"\n", 0, begin) + 1
    header = _PROBLEM.match(code, begin)
    if header is None:
        end = code.find(b"\n", begin)
        line = code[begin : end if end >= 0 else len(code)].strip()
        found = quoted(line[:60].decode("utf-8", "replace"))
        raise byte_error(path, data, begin, found, _HEADER)
    return Dimacs(
        data=data,
        code=code,
        path=path,
        variables=int(header.group(1)),
        clauses=int(header.group(2)),
        header=header.start(),
        start=header.end(),
        comments=tuple(comments),
    )


_MODEL: Final = re.compile(r"\s*Model for variable\s+(\S+?)\.?\s*")


@dataclass(frozen=True, eq=False)
class PedantFile:
    """The clauses of a model file.

    ``literals`` are all clauses in the order of the file, each ended by 0; ``defined`` the
    variables that the file announces models for; ``max_variable`` the header's number of
    variables.
    """

    literals: NDArray[np.int32]
    defined: frozenset[int]
    max_variable: int
    path: str | None = None

    @property
    def num_clauses(self) -> int:
        return int(np.count_nonzero(self.literals == 0))


def parse_pedant(data: bytes, path: str | None = None) -> PedantFile:
    """The model in ``data``.

    Raises :class:`InputError` with line and column for malformed or truncated files, numbers
    that the header excludes, and a CNF without any ``c Model for variable N.``, which is no
    certificate.
    """
    dimacs = split_dimacs(data, path)
    most = min(dimacs.variables, dimacs.limit)
    defined: set[int] = set()
    for offset, text in dimacs.comments:
        match = _MODEL.fullmatch(text)
        if match is None:
            continue
        word = match.group(1)
        if not re.fullmatch(r"[0-9]{1,10}", word) or not 1 <= int(word) <= most:
            expected = f"a variable from 1 to {most}"
            raise dimacs.error(offset, f"a model for variable {word}", expected)
        defined.add(int(word))
    literals = dimacs.clause_literals(dimacs.start, most)
    fault = dimacs.fault(0, int(np.count_nonzero(literals == 0)))
    if fault is not None:
        raise fault  # a certificate is cut off then
    if not defined:
        found = "a CNF without a comment 'c Model for variable N.'"
        raise dimacs.error(0, found, "a model that Pedant wrote with --cnf")
    return PedantFile(literals, frozenset(defined), dimacs.variables, path)
