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
from qsage_validate.formats.source import Source, byte_error, quoted

_COMMENT: Final = re.compile(rb"^[ \t]*c([^\r\n]*)", re.MULTILINE)
_PROBLEM: Final = re.compile(rb"[ \t]*p[ \t]+cnf[ \t]+([0-9]+)[ \t]+([0-9]+)[ \t]*\r?(?:\n|\Z)")
_HEADER: Final = "a header 'p cnf VARIABLES CLAUSES'"
# Tables and solvers are sized by the largest variable: it may exceed the number of bytes in
# the file by this.
_SPARE_VARIABLES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Dimacs:
    """A DIMACS text with its comments cut out.

    ``code`` has blanks in their place, so that offsets agree with the file; ``start`` is the
    offset behind the problem line.  ``comments`` are ``(offset, text behind the c)``.
    """

    data: bytes
    code: bytes
    path: str | None
    variables: int
    clauses: int
    start: int
    comments: tuple[tuple[int, str], ...]

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at a byte of the file."""
        return byte_error(self.path, self.data, offset, found, expected)

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a byte."""
        return self.data.count(b"\n", 0, offset) + 1

    def numbers(self, start: int, end: int, what: str) -> tuple[NDArray[np.int32], list[int]]:
        """The numbers of ``code[start:end]`` and their offsets; checked to be literals or 0."""
        try:
            values, offsets = parse_integers(self.code, start, end, signed=True)
        except NotANumberError as error:
            raise self.error(error.offset, quoted(error.token), what) from None
        wrong = np.flatnonzero(np.abs(values) > self.variables)
        if len(wrong):
            k = int(wrong[0])
            found = f"variable {abs(int(values[k]))}"
            raise self.error(int(offsets[k]), found, f"at most {self.variables} (the header)")
        return values.astype(np.int32), offsets.tolist()

    def clause_literals(self, start: int) -> NDArray[np.int32]:
        """All clauses from ``start`` to the end, each ended by 0."""
        literals, offsets = self.numbers(start, len(self.code), "a literal, or 0 to end a clause")
        end = len(self.data.rstrip())
        if len(literals) and literals[-1] != 0:
            raise self.error(end, "the end of the file", "a 0 that ends the last clause")
        ends = np.flatnonzero(literals == 0)
        if len(ends) < self.clauses:
            found = f"the end of the file after {len(ends)} clauses"
            raise self.error(end, found, f"{self.clauses} (the header's number)")
        if len(ends) > self.clauses:
            extra = int(ends[self.clauses - 1]) + 1 if self.clauses else 0
            found = f"clause {self.clauses + 1}"
            raise self.error(offsets[extra], found, f"{self.clauses} (the header's number)")
        return literals


def split_dimacs(data: bytes, path: str | None) -> Dimacs:
    """Cut out the comments and read the problem line.

    Raises :class:`InputError` for what is no text, and for a header that is missing,
    malformed or absurd.
    """
    Source.decode(data, path).check_not_empty(_HEADER)
    data = data.removeprefix(b"\xef\xbb\xbf")
    comments: list[tuple[int, str]] = []
    pieces: list[bytes] = []
    at = 0
    for match in _COMMENT.finditer(data):
        start, end = match.span()
        comments.append((start, match.group(1).decode()))
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
    limit = len(data) + _SPARE_VARIABLES
    for group, most, what in ((1, limit, "variables"), (2, len(data), "clauses")):
        digits = header.group(group).lstrip(b"0")
        if len(digits) > 12 or int(digits or b"0") > most:
            found = f"{digits[:20].decode()} {what} in a file of {len(data):,} bytes"
            raise byte_error(path, data, header.start(group), found, f"at most {most}")
    return Dimacs(
        data=data,
        code=code,
        path=path,
        variables=int(header.group(1)),
        clauses=int(header.group(2)),
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
        """The number of clauses."""
        return int(np.count_nonzero(self.literals == 0))


def parse_pedant(data: bytes, path: str | None = None) -> PedantFile:
    """The model in ``data``.

    Raises :class:`InputError` with line and column for malformed or truncated files, numbers
    that the header excludes, and a CNF without any ``c Model for variable N.``, which is no
    certificate.
    """
    dimacs = split_dimacs(data, path)
    defined: set[int] = set()
    for offset, text in dimacs.comments:
        match = _MODEL.fullmatch(text)
        if match is None:
            continue
        word = match.group(1)
        if not re.fullmatch(r"[0-9]{1,10}", word) or not 1 <= int(word) <= dimacs.variables:
            expected = f"a variable from 1 to {dimacs.variables}"
            raise dimacs.error(offset, f"a model for variable {word}", expected)
        defined.add(int(word))
    literals = dimacs.clause_literals(dimacs.start)
    if not defined:
        found = "a CNF without a comment 'c Model for variable N.'"
        raise dimacs.error(0, found, "a model that Pedant wrote with --cnf")
    return PedantFile(literals, frozenset(defined), dimacs.variables, path)
