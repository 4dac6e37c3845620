"""The steps of Q-resolution traces, in text and in binary.

Traces are far larger than memory should be.  An index is kept, some 30 bytes a step: where its
literals are, and its antecedents.  Literals are read from the file when they are asked for, for
as many steps at once as one likes, so that what no proof needs is never read again.

*In binary.*  The header ``p bqrp VARIABLES STEPS`` is text and ended by a zero byte.  All numbers
behind it are little endian in groups of seven bits, the highest bit set in all bytes but the
last; 0 only ends lists, so that a zero byte is always such an end.  A scope is a zero byte, ``a``
or ``e``, its variables and 0.  A step is its id, its literals (twice the variable, plus one when
negated), 0, its antecedents and 0.  Behind the last one stand a zero byte and ``r SAT`` or ``r
UNSAT``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from math import inf
from os import fspath
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.source import STDIN, Path, label, open_input, read_bytes
from qsage_validate.formats.unpacking import compression

# Files that are too large to be held in memory, read piece by piece


_BLOCK: Final = 1 << 22


@dataclass(frozen=True, eq=False)
class BytesOf:
    """The bytes of a file by offset.

    ``data`` are all of them where they had to be read at once (pipes, compressed files); else
    the file is opened again for each piece, so that nothing has to be closed.
    """

    path: str | None
    size: int
    data: bytes | None = field(default=None, repr=False)

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end`` or the end of the file.

        Raises :class:`InputError` when the file cannot be read or has become shorter.
        """
        stop = min(end, self.size)
        if self.data is not None:
            return self.data[start:stop]
        assert self.path is not None, "only what is in memory has no path"
        with open_input(self.path, pipes=False, most=inf) as file:
            try:
                file.seek(start)
                found = file.read(stop - start)
            except OSError as error:
                raise InputError(
                    self.path, None, None, f"an error: {error.strerror}", "a readable file"
                ) from None
        if len(found) < stop - start:
            raise InputError(
                self.path, None, None, "a file that has become shorter", f"{self.size:,} bytes"
            )
        return found

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a byte."""
        counted = 0
        for start in range(0, offset, _BLOCK):
            counted += self.read(start, min(start + _BLOCK, offset)).count(b"\n")
        return counted + 1


def bytes_of(path: Path) -> BytesOf:
    """The bytes of ``path``, decompressed when they are compressed; ``-`` is standard input.

    Raises :class:`InputError` as :func:`~qsage_validate.formats.source.read_bytes` does.
    """
    name = fspath(path)
    if name != STDIN and os.path.isfile(name):
        with open_input(name, pipes=False, most=inf) as file:
            size = os.fstat(file.fileno()).st_size
            if compression(file.read(8)) is None:
                return BytesOf(name, size)
    data = read_bytes(path)
    return BytesOf(label(path), len(data), data)


# The steps of a QRP trace, indexed: what the dialects of traces share


Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]

# Literals are asked for in runs of steps that lie in so many bytes of the file.
_SPAN: Final = 1 << 22


Decode = Callable[[BytesOf, bytes, int, Offsets, Offsets], tuple[Numbers, Offsets]]
"""The literals in segments of some bytes that lie at an offset of a file."""


class QrpDialect(Enum):
    """The conventions that a trace follows."""

    QRP = "qrp"
    BQRP = "bqrp"
    QUTE = "qute"


@dataclass(frozen=True, eq=False)
class QrpProof:
    """The steps of a trace, in the order of the file; literals stay there.

    Steps are called by their index from 0.  ``ids`` are the file's own numbers, shape
    ``(steps,)``; ``antecedents[first[k] : first[k + 1]]`` are the steps that step ``k`` is made
    of, all of them smaller than ``k``; ``begin`` and ``end`` say where the bytes of its literals
    are.  ``true`` is the result, ``final`` the empty clause or cube that it rests on, ``cubes``
    which steps are cubes, where the dialect says so.  ``scopes`` is the prefix as the solver
    wrote it.
    """

    dialect: QrpDialect
    scopes: tuple[Scope, ...]
    ids: Numbers
    antecedents: Numbers
    first: Offsets
    begin: Offsets
    end: Offsets
    cubes: NDArray[np.bool_] | None
    true: bool
    final: int
    file: BytesOf
    decode: Decode

    @property
    def path(self) -> str | None:
        """The name of the file in messages."""
        return self.file.path

    @property
    def num_steps(self) -> int:
        """All steps, needed or not."""
        return len(self.ids)

    def needed(self) -> Numbers:
        """The steps that the final one rests on, itself included, in ascending order."""
        return needed_steps(self.final, self.antecedents, self.first)

    def runs(self, steps: Numbers) -> list[Numbers]:
        """Ascending ``steps`` in pieces whose literals are read together."""
        pieces = (self.begin[steps] // _SPAN) if len(steps) else np.empty(0, dtype=np.int64)
        return np.split(steps, np.flatnonzero(np.diff(pieces)) + 1)

    def literals(self, steps: Numbers) -> tuple[Numbers, Offsets]:
        """The literals of ascending ``steps``, one after the other, and where each begins.

        The offsets have one entry more than there are steps.  Raises :class:`InputError` for
        what is no literal.
        """
        if not len(steps):
            return np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        base = int(self.begin[steps[0]])
        data = self.file.read(base, int(self.end[steps[-1]]))
        segments = (self.begin[steps] - base, self.end[steps] - base)
        return self.decode(self.file, data, base, *segments)

    def place(self, step: int) -> str:
        """The place of a step, for messages: ``line 12`` or ``byte 345``."""
        if self.dialect is QrpDialect.BQRP:
            return f"byte {int(self.begin[step])}"
        return f"line {self.file.line_of(int(self.begin[step]))}"


def needed_steps(final: int, antecedents: Numbers, first: Offsets) -> Numbers:
    """The steps that ``final`` rests on, itself included, in ascending order."""
    needed = bytearray(final + 1)
    needed[final] = 1
    block = 1 << 16
    for start in range((final // block) * block, -1, -block):
        stop = min(start + block, final + 1)
        bounds = first[start : stop + 1].tolist()
        below = antecedents[bounds[0] : bounds[-1]].tolist()
        base = bounds[0]
        for step in range(stop - start - 1, -1, -1):
            if needed[start + step]:
                for k in range(bounds[step] - base, bounds[step + 1] - base):
                    needed[below[k]] = 1
    return np.flatnonzero(np.frombuffer(needed, dtype=np.uint8)).astype(np.int32)


def make_qrp(
    file: BytesOf,
    dialect: QrpDialect,
    scopes: tuple[Scope, ...],
    columns: Columns,
    true: bool | None,
    decode: Decode,
) -> QrpProof:
    """The trace of what an index pass found; ``true`` is the result where the file has one.

    Raises :class:`InputError` for an id that is given twice, an antecedent that no earlier step
    has, and when there is no empty clause or cube of the right kind.
    """
    antecedents = _resolve(file, dialect, columns)
    empty = columns.empty
    if columns.cubes is not None and true is not None:
        empty = empty & (columns.cubes == true)
    finals = np.flatnonzero(empty)
    if not len(finals):
        what = "clause or cube" if true is None else "cube" if true else "clause"
        raise qrp_error(
            file, dialect, file.size, "the end of the file", f"the empty {what} that ends a proof"
        )
    final = int(finals[-1])
    if true is None:
        assert columns.cubes is not None, "a file without a result says what its steps are"
        true = bool(columns.cubes[final])
    return QrpProof(
        dialect=dialect,
        scopes=scopes,
        ids=columns.ids,
        antecedents=antecedents,
        first=columns.first,
        begin=columns.begin,
        end=columns.end,
        cubes=columns.cubes,
        true=true,
        final=final,
        file=file,
        decode=decode,
    )


@dataclass(frozen=True, eq=False)
class Columns:
    """An index before antecedents are looked up: they are still the file's ids."""

    ids: Numbers
    antecedent_ids: Numbers
    first: Offsets
    begin: Offsets
    end: Offsets
    empty: NDArray[np.bool_]
    cubes: NDArray[np.bool_] | None


def join_columns(blocks: list[Columns], kinds: bool | None) -> Columns:
    """The columns of all blocks of a file; ``kinds`` says whether it tells cubes from clauses."""
    no: Numbers = np.empty(0, dtype=np.int32)
    nowhere: Offsets = np.empty(0, dtype=np.int64)
    counts = [len(b.antecedent_ids) for b in blocks]
    firsts = [b.first[:-1] + k for b, k in zip(blocks, accumulate(counts, initial=0), strict=False)]
    flags = np.empty(0, dtype=np.bool_)
    cubes: list[NDArray[np.bool_]] = [b.cubes for b in blocks if b.cubes is not None]
    return Columns(
        ids=np.concatenate([no, *(b.ids for b in blocks)]),
        antecedent_ids=np.concatenate([no, *(b.antecedent_ids for b in blocks)]),
        first=np.concatenate([nowhere, *firsts, np.array([sum(counts)], dtype=np.int64)]),
        begin=np.concatenate([nowhere, *(b.begin for b in blocks)]),
        end=np.concatenate([nowhere, *(b.end for b in blocks)]),
        empty=np.concatenate([flags, *(b.empty for b in blocks)]),
        cubes=np.concatenate([flags, *cubes]) if kinds else None,
    )


def _resolve(file: BytesOf, dialect: QrpDialect, columns: Columns) -> Numbers:
    """The steps that the ids of antecedents mean."""
    ids, wanted = columns.ids, columns.antecedent_ids
    owner = np.repeat(np.arange(len(ids), dtype=np.int32), np.diff(columns.first))
    if len(ids) and int(ids[-1]) - int(ids[0]) == len(ids) - 1 and bool((np.diff(ids) == 1).all()):
        found = wanted - ids[0]
    else:
        order = np.argsort(ids, kind="stable").astype(np.int32)
        ordered = ids[order]
        twice = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(twice):
            step = int(order[twice + 1].min())
            raise _step_error(file, dialect, columns, step, f"step {ids[step]} again", "a new one")
        at = np.minimum(np.searchsorted(ordered, wanted), max(len(ids) - 1, 0))
        found = np.where(ordered[at] == wanted, order[at], -1) if len(wanted) else wanted
    wrong = np.flatnonzero((found < 0) | (found >= owner))
    if len(wrong):
        k = int(wrong[0])
        what = f"antecedent {wanted[k]} of step {ids[owner[k]]}"
        raise _step_error(
            file, dialect, columns, int(owner[k]), what, "the number of an earlier step"
        )
    steps: Numbers = found.astype(np.int32)
    return steps


def _step_error(
    file: BytesOf, dialect: QrpDialect, columns: Columns, step: int, found: str, expected: str
) -> InputError:
    return qrp_error(file, dialect, int(columns.begin[step]), found, expected)


def qrp_error(
    file: BytesOf, dialect: QrpDialect, offset: int, found: str, expected: str
) -> InputError:
    """The error at a byte of a trace: with the line of a text, else with the byte."""
    if dialect is QrpDialect.BQRP:
        return InputError(file.path, None, None, f"{found} at byte {offset}", expected)
    return InputError(file.path, file.line_of(offset), None, found, expected)


# Traces in bytes: DepQBF's ``bqrp``, several times smaller than its text


_BYTES_PER_BLOCK: Final = 1 << 21
_TAIL: Final = 64
_HEAD: Final = 1 << 16
# Four groups of seven bits are enough for what occurs, and fit into 32 bits with a sign.
_GROUPS: Final = 4

_HEADER: Final = re.compile(rb"p[ \t]+bqrp[ \t]+[0-9]{1,10}[ \t]+[0-9]{1,10}\0")
_SCOPE: Final = re.compile(rb"\0([ae])([^\0]*)\0")
_RESULT: Final = re.compile(rb"\0r ((?:UN)?SAT)\s*\Z", re.IGNORECASE)
_QUANTIFIERS: Final = {b"a": Quantifier.FORALL, b"e": Quantifier.EXISTS}


def index_binary(file: BytesOf) -> QrpProof:
    """Index a binary trace; errors as in :func:`~qsage_validate.formats.qrp.read_qrp`."""
    scopes, start = _head(file)
    tail = max(start, file.size - _TAIL)
    result = _RESULT.search(file.read(tail, file.size))
    if result is None:
        expected = "'r SAT' or 'r UNSAT' at its end"
        raise _error(file, file.size, "the end of the file", expected)
    end = tail + result.start()
    blocks: list[Columns] = []
    at = start
    while at < end:
        data, following = _whole_steps(file, at, end)
        blocks.append(_index_block(file, data, at))
        at = following
    columns = join_columns(blocks, None)
    true = result.group(1).upper() == b"SAT"
    return make_qrp(file, QrpDialect.BQRP, scopes, columns, true, binary_literals)


def _head(file: BytesOf) -> tuple[tuple[Scope, ...], int]:
    """The scopes, and where the first step begins."""
    data = file.read(0, min(file.size, _HEAD))
    header = _HEADER.match(data)
    if header is None:
        raise _error(file, 0, "no header", "'p bqrp VARIABLES STEPS' and a zero byte")
    scopes: list[Scope] = []
    at = header.end()
    while at < file.size:
        scope = _SCOPE.match(data, at)
        if scope is None and len(data) < file.size and data[at : at + 1] in (b"", b"\0"):
            # The prefix of a large formula: go on with more of the file.
            data = file.read(0, min(file.size, 2 * len(data)))
            continue
        if scope is None:
            break
        found = _numbers(np.frombuffer(scope.group(2), dtype=np.uint8))
        if found is None:
            raise _error(file, at, "a malformed number in a scope", "a variable")
        scopes.append(Scope(_QUANTIFIERS[scope.group(1)], tuple(found[0].tolist())))
        at = scope.end()
    return tuple(scopes), at


def _whole_steps(file: BytesOf, start: int, end: int) -> tuple[bytes, int]:
    """Some steps from ``start`` on, and where the next one begins."""
    size = _BYTES_PER_BLOCK
    while True:
        data = file.read(start, min(start + size, end))
        zeros = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 0)
        whole = len(zeros) // 2 * 2
        last = start + size >= end
        if last and (whole != len(zeros) or not data.endswith(b"\0")):
            raise _error(file, end, "the result", "the end of a step")
        if whole:
            cut = int(zeros[whole - 1]) + 1
            return data[:cut], start + cut
        size *= 2


def _index_block(file: BytesOf, data: bytes, base: int) -> Columns:
    """The index of some whole steps; literals are not looked at."""
    raw = np.frombuffer(data, dtype=np.uint8)
    zeros = np.flatnonzero(raw == 0)
    first, second = zeros[0::2], zeros[1::2]
    starts = np.concatenate([np.zeros(1, dtype=np.int64), second[:-1] + 1])
    ids = np.zeros(len(starts), dtype=np.int32)
    at = starts.copy()
    active = np.arange(len(starts))
    for group in range(_GROUPS):
        byte = raw[at[active]].astype(np.int32)
        ids[active] |= (byte & 127) << (7 * group)
        at[active] += 1
        active = active[byte >= 128]
    bad = np.flatnonzero((ids <= 0) | (at > first))
    if len(bad) or len(active):
        k = int(min([*bad[:1].tolist(), *active[:1].tolist()]))
        raise _error(file, base + int(starts[k]), "no number", "the number of a step")
    pieces = [data[s:e] for s, e in zip((first + 1).tolist(), second.tolist(), strict=True)]
    found = _numbers(np.frombuffer(b"".join(pieces), dtype=np.uint8), second - first - 1)
    if found is None:
        _explain(file, pieces, base + first + 1, "the number of a step")
    return Columns(
        ids=ids,
        antecedent_ids=found[0],
        first=found[1],
        begin=at + base,
        end=first + base,
        empty=at == first,
        cubes=None,
    )


def binary_literals(
    file: BytesOf, data: bytes, base: int, starts: Offsets, ends: Offsets
) -> tuple[Numbers, Offsets]:
    """The literals in segments of ``data``, and where those of each segment begin.

    ``base`` is where ``data`` lies in the file.  Raises :class:`InputError` for what is no
    literal.
    """
    pieces = [data[s:e] for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
    found = _numbers(np.frombuffer(b"".join(pieces), dtype=np.uint8), ends - starts)
    if found is None or (found[0] < 2).any():
        _explain(file, pieces, base + starts, "a literal", least=2)
    codes, first = found
    half = codes >> 1
    return np.where(codes & 1, -half, half).astype(np.int32), first


def _numbers(
    raw: NDArray[np.uint8], lengths: Offsets | None = None
) -> tuple[Numbers, Offsets] | None:
    """The numbers in segments of the given lengths, and where each's begin.

    ``None`` when a number is cut off, too large or 0.
    """
    bounds = np.zeros(1 if lengths is None else len(lengths) + 1, dtype=np.int64)
    if lengths is not None:
        np.cumsum(lengths, out=bounds[1:])
    last = np.flatnonzero(raw < 128)
    size = np.diff(last, prepend=-1)
    if len(raw) and (not len(last) or last[-1] != len(raw) - 1):
        return None
    # A segment that ends within a number would lend it to the next one.
    inner = bounds[(bounds > 0) & (bounds <= len(raw))]
    if (raw[inner - 1] >= 128).any() or int(size.max(initial=0)) > _GROUPS:
        return None
    values = raw[last].astype(np.int32)
    for group in range(1, _GROUPS):
        longer = np.flatnonzero(size > group)
        values[longer] = (values[longer] << 7) | (raw[last[longer] - group] & 127)
    if (values == 0).any():
        return None
    return values, np.searchsorted(last, bounds).astype(np.int64)


def _explain(
    file: BytesOf, pieces: list[bytes], starts: Offsets, what: str, least: int = 1
) -> NoReturn:
    for piece, start in zip(pieces, starts.tolist(), strict=True):
        found = _numbers(np.frombuffer(piece, dtype=np.uint8))
        if found is None or (found[0] < least).any():
            raise _error(file, start, "a malformed number", what)
    raise AssertionError("no number is malformed")


def _error(file: BytesOf, offset: int, found: str, expected: str) -> InputError:
    return qrp_error(file, QrpDialect.BQRP, offset, found, expected)
