"""DQDIMACS and DQCIR: QDIMACS and QCIR with dependency sets.

Formats: Síč, *Satisfiability of DQBF Using Binary Decision Diagrams* (2020, appendix C), and the
README of DQBDD.  A line ``d 6 1 4 0`` and a statement ``depend(6, 1, 4)`` have an existential
variable and the universal variables that its function may read.  These stand left of it.  ``e`` and
``exists`` mean all universal variables on their left, and variables that nothing quantifies read
none.  Without its dependency set such a variable is one of a scope of its own: the core's readers
read that, with the same offsets.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qcir_writer import NAME
from qsage_validate.formats.qdimacs import Dimacs, parse_qdimacs, split_dimacs
from qsage_validate.formats.source import (
    HASH,
    Format,
    Path,
    Source,
    label,
    quoted,
    read_bytes,
    sniff_bytes,
)

_LINE: Final = re.compile(rb"[ \t\r\n]*([aed])(?![^ \t\r\n])([^\n]*)")
_D_LINE: Final = "a variable and its dependency set, ended by 0"
_UNIVERSAL: Final = "a universal variable of a line or statement before this one"

_STATEMENT: Final = re.compile(r"\s*(free|forall|exists|depend)(\s*)\(([^()=]*)\)", re.IGNORECASE)
_NAME: Final = re.compile(rf"\s*({NAME})\s*")
_DEPEND: Final = "a variable and its dependency set"
_BINDS: Final = re.compile(r"=\s*(?:exists|forall)\s*\(", re.IGNORECASE)


def read_dqbf(path: Path) -> Qbf:
    """The formula in a DQDIMACS or DQCIR file; raises :class:`InputError` with line and column."""
    return parse_dqbf(read_bytes(path), label(path))


def parse_dqbf(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``: DQCIR where its content is that, else DQDIMACS."""
    clausal = sniff_bytes(data) is not Format.DQCIR
    return parse_dqdimacs(data, path) if clausal else parse_dqcir(data, path)


def parse_dqdimacs(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``; raises :class:`InputError` with line and column."""
    dimacs = split_dimacs(data, path)
    depends: dict[int, frozenset[int]] = {}
    universal: set[int] = set()
    seen: dict[int, int] = {}
    plain = bytearray(dimacs.data)
    at = dimacs.start
    while (line := _LINE.match(dimacs.code, at)) is not None:
        at, letter = line.end(), line.group(1)
        if letter == b"d":
            variable, own, end = _d_line(dimacs, *line.span(2), universal, seen)
            depends[variable] = own
            plain[line.start(1)] = ord("e")
            # The set is cut out: "d 6 1 4 0" becomes "e 6     0".
            zero = dimacs.code.rindex(b"0", end, at)
            plain[end:zero] = b" " * (zero - end)
            continue
        numbers, offsets = dimacs.numbers(*line.span(2), "the variables of a block", dimacs.limit)
        for offset, variable in zip(offsets, numbers.tolist(), strict=True):
            seen.setdefault(variable, offset)
            if letter == b"a" and variable > 0:
                universal.add(variable)
    return replace(parse_qdimacs(bytes(plain), path), depends=depends)


def _d_line(
    dimacs: Dimacs, start: int, end: int, universal: set[int], seen: dict[int, int]
) -> tuple[int, frozenset[int], int]:
    """The variable, its dependency set, and the offset behind the variable."""
    numbers, offsets = dimacs.numbers(start, end, _D_LINE, dimacs.limit)
    found = numbers.tolist()
    if not found or found[-1] != 0:
        raise dimacs.error(len(dimacs.code[:end].rstrip()), "the end of a line", _D_LINE)
    for offset, number in zip(offsets, found[:-1], strict=False):
        if number <= 0:
            raise dimacs.error(offset, str(number), "a variable")
    if len(found) == 1:
        raise dimacs.error(offsets[0], "0", _D_LINE)
    variable, first = found[0], offsets[0]
    if variable in seen:
        again = f"variable {variable} again (it is in line {dimacs.line_of(seen[variable])})"
        raise dimacs.error(first, again, "each variable once in the prefix")
    seen[variable] = first
    for offset, read in zip(offsets[1:], found[1:-1], strict=False):
        if read not in universal:
            raise dimacs.error(offset, f"variable {read} in a dependency set", _UNIVERSAL)
    word = re.compile(rb"\S+").match(dimacs.code, first)
    return variable, frozenset(found[1:-1]), first if word is None else word.end()


def parse_dqcir(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``; raises :class:`InputError` with line and column.

    It has to be prenex: dependency sets are not defined in the scope of a quantifier gate.
    """
    source = Source.decode(data, path, HASH)
    code = re.sub(r"#[^\r\n]*", lambda comment: " " * len(comment.group()), source.text)
    sets: dict[str, list[str]] = {}
    universal: set[str] = set()
    pieces: list[str] = []
    at = done = 0
    while (statement := _STATEMENT.match(code, at)) is not None:
        at, keyword = statement.end(), statement.group(1).lower()
        start, end = statement.span(3)
        if keyword == "forall":
            universal.update(name.strip() for name in statement.group(3).split(","))
        if keyword == "depend":
            name, behind, read = _depend(source, code, start, end, universal)
            if name in sets:
                found = f"variable {quoted(name)} again"
                raise source.error(start, found, "each variable once in the prefix")
            sets[name] = read
            pieces += [source.text[done : statement.start(1)], "exists"]
            pieces += [source.text[statement.end(1) : behind], " " * (end - behind)]
            done = end
    binds = _BINDS.search(code, at)
    if binds is not None:
        raise source.error(binds.start(), "a quantifier gate", "gates of a prenex DQCIR formula")
    formula = parse_qcir("".join([*pieces, source.text[done:]]), path)
    numbers = formula.by_text()
    depends = {numbers[v]: frozenset(numbers[u] for u in read) for v, read in sets.items()}
    return replace(formula, depends=depends)


def _depend(
    source: Source, code: str, start: int, end: int, universal: set[str]
) -> tuple[str, int, list[str]]:
    """The variable of ``depend(...)``, the offset behind it, and its dependency set."""
    names: list[str] = []
    behind = start
    while True:
        comma = code.find(",", start, end)
        stop = end if comma < 0 else comma
        match = _NAME.fullmatch(code, start, stop)
        if match is None:
            where = start + len(code[start:stop]) - len(code[start:stop].lstrip())
            raise source.error(where, quoted(code[start:stop].strip() or code[stop]), _DEPEND)
        if names and match.group(1) not in universal:
            found = f"{quoted(match.group(1))} in a dependency set"
            raise source.error(match.start(1), found, _UNIVERSAL)
        behind = behind if names else match.end(1)
        names.append(match.group(1))
        if comma < 0:
            return names[0], behind, names[1:]
        start = comma + 1


def dependency_sets(formula: Qbf) -> dict[int, tuple[int, ...]]:
    """The universal variables that each existential variable's function may read, in order."""
    found: dict[int, tuple[int, ...]] = {}
    universal: tuple[int, ...] = ()
    for scope in formula.scopes:
        if scope.quantifier is Quantifier.FORALL:
            universal += scope.variables
            continue
        for variable in scope.variables:
            own = formula.depends.get(variable)
            found[variable] = universal if own is None else tuple(v for v in universal if v in own)
    return found
