"""QRP traces: what a QBF solver derived on its way to the answer, step by step.

Three dialects, recognised by the content:

- ``qrp`` (Niemetz, Preiner, Lonsing, Seidl and Biere, *Resolution-based certificate extraction
  for QBF*, SAT 2012; DepQBF's ``--trace=qrp``): a header ``p qrp VARIABLES STEPS``, the prefix,
  one line ``id literals 0 antecedents 0`` a step, and ``r SAT`` or ``r UNSAT``.  A step without
  antecedents is a clause of the formula or an initial cube, one antecedent is a reduction, two
  are a resolution; the literals are those after reduction.
- ``bqrp``, the same in bytes (``formats/qrp_steps.py``).
- Qute's ``--trace``: no header and no result; behind the id stands 0 for a clause or 1 for a
  cube; a step may have any number of antecedents, which are resolved in that order.

In steps that no proof needs, only the alphabet of the literals is checked.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.qrp_steps import (
    BytesOf,
    Columns,
    Numbers,
    Offsets,
    QrpDialect,
    QrpProof,
    bytes_of,
    index_binary,
    join_columns,
    make_qrp,
)
from qsage_validate.formats.source import Format, Path, quoted, sniff_bytes


def read_qrp(path: Path) -> QrpProof:
    """Index a trace (compressed or not, ``-`` for standard input).

    A file that is not compressed is read piece by piece and must stay where it is while the
    trace is used.  Raises :class:`InputError` with the line (of text) or the byte (of ``bqrp``)
    for what is malformed, ends too early, or proves nothing.
    """
    return index_qrp(bytes_of(path))


def index_qrp(file: BytesOf) -> QrpProof:
    """Index the trace in ``file``; errors as in :func:`read_qrp`."""
    found = sniff_bytes(file.read(0, 1 << 16))
    if found is Format.BQRP:
        return index_binary(file)
    if found not in (Format.QRP, Format.QUTE):
        kind = "an empty file" if not file.size else "a file that is no trace"
        if file.size and found is not Format.UNKNOWN:
            kind = f"a file in the format {found.value}"
        raise InputError(file.path, 1, 1, kind, "a QRP trace (of DepQBF or Qute)")
    return index_text(file, QrpDialect.QRP if found is Format.QRP else QrpDialect.QUTE)


Raw = NDArray[np.uint8]

# Numbers of so many digits fit into 32 bits.
_DIGITS: Final = 9
_BLOCK: Final = 1 << 22
_TAIL: Final = 256

_HEADER: Final = re.compile(rb"p[ \t]+qrp[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*")
_SCOPE: Final = re.compile(rb"([ae])((?:[ \t]+[1-9][0-9]{0,8})*)[ \t]+0[ \t]*")
_RESULT: Final = re.compile(rb"(?:\A|\n)[ \t]*r[ \t]+((?:UN)?SAT)[ \t]*\r?\n?\s*\Z", re.IGNORECASE)
_QUANTIFIERS: Final = {b"a": Quantifier.FORALL, b"e": Quantifier.EXISTS}
_LITERAL: Final = re.compile(rb"-?[1-9][0-9]{0,8}")
_NUMBER: Final = re.compile(rb"[1-9][0-9]{0,8}")
_LINE: Final = {
    QrpDialect.QRP: re.compile(rb"[0-9]+\s.*\S[ \t\r]{0,2}"),
    QrpDialect.QUTE: re.compile(rb"[0-9]+\s[01]\s.*\S[ \t\r]{0,2}"),
}
_WORD: Final = re.compile(rb"[^ \t\r\n]+")

_ALPHABET: Final = np.zeros(256, dtype=np.bool_)
_ALPHABET[np.frombuffer(b" \t\r\n-0123456789", dtype=np.uint8)] = True


def index_text(file: BytesOf, dialect: QrpDialect) -> QrpProof:
    """Index a trace in text; errors as in :func:`~qsage_validate.formats.qrp.read_qrp`."""
    scopes, start = _head(file, dialect)
    end, true = file.size, None
    if dialect is QrpDialect.QRP:
        end, true = _result(file, start)
    blocks: list[Columns] = []
    at = start
    while at < end:
        data, following = _whole_lines(file, at, end)
        block = _index_block(data, at, dialect)
        if block is None:
            _explain(file, data, at, dialect)
        blocks.append(block)
        at = following
    return make_qrp(
        file, dialect, scopes, join_columns(blocks, dialect is QrpDialect.QUTE), true, text_literals
    )


def _whole_lines(file: BytesOf, start: int, end: int) -> tuple[bytes, int]:
    """Some lines from ``start`` on, the last with a line end, and where the next one begins."""
    size = _BLOCK
    while True:
        data = file.read(start, min(start + size, end))
        if start + size >= end:
            return (data if data.endswith(b"\n") else data + b"\n"), end
        cut = data.rfind(b"\n") + 1
        if cut:
            return data[:cut], start + cut
        size *= 2


# --- Beginning and end ---------------------------------------------------------------------


def _head(file: BytesOf, dialect: QrpDialect) -> tuple[tuple[Scope, ...], int]:
    """The scopes, and where the first step begins."""
    scopes: list[Scope] = []
    header = dialect is QrpDialect.QRP
    at = 0
    while at < file.size:
        data, following = _whole_lines(file, at, file.size)
        start = 0
        while start < len(data):
            stop = data.index(b"\n", start)
            line = data[start:stop].rstrip(b"\r")
            if header and (match := _HEADER.fullmatch(line)):
                header = False
            elif not header and (match := _SCOPE.fullmatch(line)):
                variables = tuple(int(v) for v in match.group(2).split())
                scopes.append(Scope(_QUANTIFIERS[match.group(1)], variables))
            elif line[:1] not in (b"c", b"#"):
                if header or line[:1] in (b"a", b"e", b"p"):
                    expected = "a header 'p qrp VARIABLES STEPS'" if header else "a scope or a step"
                    raise _line_error(file, at + start, line, expected)
                return tuple(scopes), at + start
            start = stop + 1
        at = following
    return tuple(scopes), file.size


def _result(file: BytesOf, start: int) -> tuple[int, bool]:
    """The offset of the line with the result, and true if it says that the formula is true."""
    tail = max(start, file.size - _TAIL)
    data = file.read(tail, file.size)
    match = _RESULT.search(data)
    if match is None:
        shown = data.rstrip()
        line = file.line_of(tail + len(shown))
        expected = "a line 'r SAT' or 'r UNSAT' at its end"
        raise InputError(file.path, line, None, "the end of the file", expected)
    at = match.start() + (data[match.start() : match.start() + 1] == b"\n")
    return tail + at, match.group(1).upper() == b"SAT"


def _line_error(file: BytesOf, offset: int, line: bytes, expected: str) -> InputError:
    found = quoted(line[:60].decode("ascii", "backslashreplace"))
    return InputError(
        file.path, file.line_of(offset), 1, found if line else "a blank line", expected
    )


# --- Steps ---------------------------------------------------------------------------------


def _index_block(data: bytes, base: int, dialect: QrpDialect) -> Columns | None:
    """The index of some whole lines; ``None`` when something in them is malformed.

    Literals are only looked at byte by byte.
    """
    raw = np.frombuffer(b"\n" + data, dtype=np.uint8)  # so that each byte has one before it
    base -= 1
    if not _ALPHABET[raw].all():
        return None
    ends = np.flatnonzero(raw == 10)
    starts, ends = ends[:-1] + 1, ends[1:]
    ids, at = _leading_numbers(raw, starts)
    if ids is None:
        return None
    cubes: NDArray[np.bool_] | None = None
    if dialect is QrpDialect.QUTE:
        mark = raw[np.minimum(at + 1, len(raw) - 1)]
        if ((mark != 48) & (mark != 49)).any() or (
            raw[np.minimum(at + 2, len(raw) - 1)] > 32
        ).any():
            return None
        cubes = mark == 49
        at = at + 2
    zeros = np.flatnonzero(raw == 48)
    zeros = zeros[(raw[zeros - 1] <= 32) & (raw[np.minimum(zeros + 1, len(raw) - 1)] <= 32)]
    if cubes is not None:
        line = np.searchsorted(starts, zeros, side="right") - 1
        zeros = zeros[zeros >= at[line]]
    bounds = np.searchsorted(zeros, starts)
    if not np.array_equal(bounds, np.arange(0, 2 * len(starts), 2)) or len(zeros) != 2 * len(
        starts
    ):
        return None
    first, second = zeros[0::2], zeros[1::2]
    tail = ends - second
    if int(tail.max(initial=1)) > 3 or (raw[second + 1] > 32).any():
        return None
    if (raw[ends - 1][tail == 3] > 32).any():
        return None
    found = _numbers(b"".join(_slices(raw.tobytes(), first + 1, second)), second - first - 1)
    if found is None or (found[0] <= 0).any():
        return None
    return Columns(
        ids=ids,
        antecedent_ids=found[0],
        first=found[1],
        begin=at + base,
        end=first + base,
        empty=first - at == 1,
        cubes=cubes,
    )


def _leading_numbers(raw: Raw, starts: Offsets) -> tuple[Numbers | None, Offsets]:
    """The numbers at ``starts`` and the offsets behind them."""
    values = np.zeros(len(starts), dtype=np.int32)
    at = starts.copy()
    active = np.arange(len(starts))
    for _ in range(_DIGITS):
        digit = raw[at[active]].astype(np.int32) - 48
        active = active[digit >= 0]
        values[active] = values[active] * 10 + digit[digit >= 0]
        at[active] += 1
    if (values <= 0).any() or (raw[at] > 32).any() or (raw[at] == 10).any():
        return None, at
    return values, at


def _slices(data: bytes, starts: Offsets, ends: Offsets) -> list[bytes]:
    return [data[s:e] for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]


def text_literals(
    file: BytesOf, data: bytes, base: int, starts: Offsets, ends: Offsets
) -> tuple[Numbers, Offsets]:
    """The literals in segments of ``data``, and where those of each segment begin.

    ``base`` is where ``data`` lies in the file.  Raises :class:`InputError` for what is no
    literal.
    """
    segments = _slices(data, starts, ends)
    found = _numbers(b"".join(segments), ends - starts)
    if found is None:
        for start, segment in zip(starts.tolist(), segments, strict=True):
            for match in _WORD.finditer(segment):
                if not _LITERAL.fullmatch(match.group()):
                    offset = base + start + match.start()
                    raise _word_error(file, offset, match.group(), "a literal")
        raise AssertionError("no literal is malformed")
    return found


def _numbers(data: bytes, lengths: Offsets) -> tuple[Numbers, Offsets] | None:
    """The numbers, none of them 0, in segments of the given lengths, and where each's begin.

    Each segment begins and ends with white space.  ``None`` when something is no number.
    """
    raw = np.frombuffer(data, dtype=np.uint8)
    bounds = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
    blank = raw <= 32
    last = np.flatnonzero(~blank[:-1] & blank[1:]) if len(raw) else np.empty(0, dtype=np.int64)
    values = raw[last].astype(np.int32) - 48
    # A sign cannot stand last, and an end that is no digit is one.
    if (values < 0).any() or (values > 9).any():
        return None
    active = np.arange(len(last))
    at = last - 1
    power = 1
    for _ in range(_DIGITS):
        byte = raw[at]
        digit = byte >= 48
        if not digit.all():
            ended = byte[~digit]
            signed = active[~digit][ended == 45]
            # The sign must be the first byte of its word.
            if (raw[at[~digit][ended == 45] - 1] > 32).any():
                return None
            np.negative(values, out=values, where=_mask(len(values), signed))
            active, at, byte = active[digit], at[digit], byte[digit]
        if not len(active):
            break
        power *= 10
        if power > 100_000_000:
            return None
        values[active] += (byte.astype(np.int32) - 48) * power
        at = at - 1
    if (values == 0).any():
        return None
    return values, np.searchsorted(last, bounds).astype(np.int64)


def _mask(size: int, where: Offsets) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[where] = True
    return mask


# --- What is wrong -------------------------------------------------------------------------


def _explain(file: BytesOf, data: bytes, base: int, dialect: QrpDialect) -> NoReturn:
    """Raise the error of the first malformed line of ``data``."""
    at = 0
    for line in data.split(b"\n")[:-1]:
        _explain_line(file, line, base + at, dialect)
        at += len(line) + 1
    raise AssertionError("no line is malformed")


def _explain_line(file: BytesOf, line: bytes, base: int, dialect: QrpDialect) -> None:
    words = [(m.group(), base + m.start()) for m in _WORD.finditer(line)]
    end = (b"", base + len(line.rstrip()))
    if not words or line[:1] in (b" ", b"\t"):
        raise _line_error(file, base, line, "a step")
    wanted = [(_NUMBER, "the number of a step")]
    if dialect is QrpDialect.QUTE:
        wanted.append((re.compile(rb"[01]"), "0 for a clause or 1 for a cube"))
    for pattern, what in wanted:
        word, offset = words.pop(0) if words else end
        if not pattern.fullmatch(word):
            raise _word_error(file, offset, word, what)
    for pattern, what in (
        (_LITERAL, "a literal, or 0 to end the literals"),
        (_NUMBER, "the number of a step, or 0 to end the antecedents"),
    ):
        while True:
            word, offset = words.pop(0) if words else end
            if word == b"0":
                break
            if not pattern.fullmatch(word):
                raise _word_error(file, offset, word, what)
    if words:
        raise _word_error(file, words[0][1], words[0][0], "the end of the line")
    if not _LINE[dialect].fullmatch(line):
        expected = "one blank between the parts of a step and none behind it"
        raise _line_error(file, base, line, expected)


def _word_error(file: BytesOf, offset: int, word: bytes, expected: str) -> InputError:
    line = file.line_of(offset)
    start = max(0, offset - _BLOCK)
    column = offset - start - file.read(start, offset).rfind(b"\n")
    found = quoted(word[:60].decode("ascii", "backslashreplace")) if word else "the end of a line"
    return InputError(file.path, line, column, found, expected)
