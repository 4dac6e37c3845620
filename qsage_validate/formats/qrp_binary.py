"""Traces in bytes: DepQBF's ``bqrp``, several times smaller than its text.

The header ``p bqrp VARIABLES STEPS`` is text and ended by a zero byte.  All numbers behind it
are little endian in groups of seven bits, the highest bit set in all bytes but the last; 0 only
ends lists, so that a zero byte is always such an end.  A scope is a zero byte, ``a`` or ``e``,
its variables and 0.  A step is its id, its literals (twice the variable, plus one when negated),
0, its antecedents and 0.  Behind the last one stand a zero byte and ``r SAT`` or ``r UNSAT``.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.bytes_of import BytesOf
from qsage_validate.formats.qrp_steps import (
    Columns,
    Numbers,
    Offsets,
    QrpDialect,
    QrpProof,
    join_columns,
    make_qrp,
    qrp_error,
)

_BLOCK: Final = 1 << 21
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
    size = _BLOCK
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
