"""AIGER, ASCII (``aag``) and binary (``aig``): combinational circuits, fast.

Formats: Biere, *The AIGER And-Inverter Graph (AIG) Format*, 2007; Biere, Heljanko, Wieringa,
*AIGER 1.9 And Beyond*, 2011.  Latches and the sections that 1.9 added (bad states,
constraints, justice, fairness) have no meaning in a certificate: files with any are refused.

ASCII files may list their gates in any order; reading sorts them.  Nothing is allocated by
what a header promises before the size of the file has shown that the promise can be kept.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.aiger_parts import AigerFile, AigerHeader, AigerReader
from qsage_validate.formats.numbers import Column
from qsage_validate.formats.source import BOM, byte_error, quoted
from qsage_validate.system.limits import go_on, stage

_MAX_VARIABLE: Final = (1 << 30) - 1
# An index may exceed the number of bytes in the file by this: tables are indexed by it.
_SPARE_VARIABLES: Final = 1_000_000
_HEADER: Final = "a header 'aag M I L O A' or 'aig M I L O A'"
_UNUSED: Final = (
    ("bad state", "bad states"),
    ("constraint", "constraints"),
    ("justice property", "justice properties"),
    ("fairness constraint", "fairness constraints"),
)
_READ_BLOCK: Final = 1 << 16


def parse_aiger(data: bytes, path: str | None = None) -> AigerFile:
    """The circuit in ``data``, of either form.

    Raises :class:`InputError` (with line and column in ASCII, the byte offset in binary) for
    a malformed, truncated or sequential file, a header that the file is too short for, a
    literal out of range, an index that is used but not defined or defined twice, and a cycle.
    """
    data = data.removeprefix(BOM)
    header = _read_header(data, path)
    stage(f"reading {counted(header.gates, 'gate')}")
    if header.binary:
        return _BinaryReader(data, path, header).read()
    from qsage_validate.formats.aiger_ascii import AsciiReader

    return AsciiReader(data, path, header).read()


# --- Header --------------------------------------------------------------------------------


def _read_header(data: bytes, path: str | None) -> AigerHeader:
    if not data:
        raise InputError(path, 1, 1, "an empty file", _HEADER)
    end = data.find(b"\n", 0, 256)
    line = data[: end if end >= 0 else min(len(data), 256)]
    words = [(m.start(), m.group()) for m in re.finditer(rb"[^ \t\r]+", line)]
    if not words or words[0][1] not in (b"aag", b"aig"):
        token = line[:20].decode("ascii", "backslashreplace")
        raise byte_error(path, data, 0, quoted(token), _HEADER)
    for at, word in words[1:]:
        if not re.fullmatch(rb"[0-9]{1,18}", word):
            token = word[:40].decode("ascii", "backslashreplace")
            raise byte_error(path, data, at, quoted(token), f"a number in {_HEADER}")
    if not 6 <= len(words) <= 10:
        found = f"a header with {counted(len(words) - 1, 'number')}"
        raise byte_error(path, data, 0, found, _HEADER)
    if end < 0:
        raise byte_error(path, data, len(line), "the end of the file", "a line end")
    numbers = [int(word) for _, word in words[1:]]
    maximum, inputs, latches, outputs, gates = numbers[:5]
    if latches:
        found = _unsupported(latches, "latch", "latches")
        raise byte_error(path, data, words[3][0], found, "a combinational circuit")
    for (at, _), count, what in zip(words[6:], numbers[5:], _UNUSED, strict=False):
        if count:
            found = _unsupported(count, *what)
            raise byte_error(path, data, at, found, "a combinational circuit")
    header = AigerHeader(words[0][1] == b"aig", maximum, inputs, outputs, gates, end + 1)
    _check_plausible(header, data, path)
    return header


def _unsupported(count: int, one: str, many: str) -> str:
    return (
        f"1 {one}, which is unsupported" if count == 1 else f"{count} {many}, which are unsupported"
    )


def _check_plausible(header: AigerHeader, data: bytes, path: str | None) -> None:
    """Compare a header with what the rest of the file can hold at most."""
    rest = len(data) - header.length + 1  # the last line feed may be missing
    if header.binary:
        needed = 2 * header.outputs + 2 * header.gates
    else:
        needed = 2 * (header.inputs + header.outputs) + 6 * header.gates
    if needed > rest:
        found = f"a header that needs {counted(needed, 'byte')} with {max(0, rest - 1):,} behind it"
        raise byte_error(path, data, 0, found, "a complete file")
    sum_ = header.inputs + header.gates
    if header.maximum < sum_ or (header.binary and header.maximum != sum_):
        found = f"{header.maximum} as the maximal index"
        expected = f"{'' if header.binary else 'at least '}{sum_} (inputs and gates)"
        raise byte_error(path, data, 4, found, expected)
    # Binary inputs take no bytes: without this, they could be any number.
    limit = min(_MAX_VARIABLE, len(data) + _SPARE_VARIABLES)
    if header.maximum > limit:
        found = f"{header.maximum} as the maximal index in a file of {counted(len(data), 'byte')}"
        raise byte_error(path, data, 4, found, f"at most {limit}")


# --- Binary --------------------------------------------------------------------------------


class _BinaryReader(AigerReader):
    def read(self) -> AigerFile:
        header = self.header
        starts = self.lines(header.length, header.outputs, "outputs")
        outputs, at = self.columns(starts, 1, "an output")
        self.check_range(outputs[:, 0], starts, "output")
        first = header.inputs + 1
        left, right, end = self._gates(at)
        aig = Aig(header.inputs, left, right)
        input_symbols, output_symbols, comments = self.tail(end)
        literals = outputs[:, 0].astype(np.int32)
        return AigerFile(
            aig=aig,
            inputs=np.arange(1, first, dtype=np.int32),
            outputs=literals,
            output_literals=literals,
            literal_of=2 * np.arange(header.maximum + 1, dtype=np.int32),
            input_symbols=input_symbols,
            output_symbols=output_symbols,
            comments=comments,
            binary=True,
            path=self.path,
        )

    def _gates(self, at: int) -> tuple[Literals, Literals, int]:
        """The gates' left and right literals from byte ``at``, and where they end.

        Block by block: the differences of a million gates are 64-bit numbers, in several arrays.
        """
        gates = self.header.gates
        left, right = np.empty((2, gates), dtype=np.int32)
        for start in range(0, gates, _READ_BLOCK):
            go_on()
            stop = min(start + _READ_BLOCK, gates)
            deltas, offsets, at = self._deltas(at, start, stop)
            first = self.header.inputs + 1
            own = 2 * np.arange(first + start, first + stop, dtype=np.int64)
            larger = own - deltas[0::2]
            smaller = larger - deltas[1::2]
            # A fan-in below its gate makes the graph acyclic; the format demands it.
            wrong = np.flatnonzero((larger >= own) | (larger < 0) | (smaller < 0))
            if len(wrong):
                k = int(wrong[0])
                found = f"gate {int(own[k])} with inputs {int(larger[k])} and {int(smaller[k])}"
                expected = "inputs below the gate, not below 0"
                raise self.error(int(offsets[2 * k]), found, expected)
            left[start:stop], right[start:stop] = larger, smaller
        return left, right, at

    def _deltas(self, at: int, start: int, stop: int) -> tuple[Column, Column, int]:
        """The differences of the gates ``start`` to ``stop`` from byte ``at``, and the end.

        The second column has the byte at which each begins.  A number is written seven bits a
        byte, the lowest first; all bytes but the last have their highest bit set.
        """
        wanted = 2 * (stop - start)
        # At most five bytes a number: symbols and comments behind the gates are left alone.
        count = min(5 * wanted, len(self.data) - at)
        raw = np.frombuffer(self.data, dtype=np.uint8, count=count, offset=at)
        ends = np.flatnonzero(raw < 128)[:wanted]
        starts = np.empty(len(ends), dtype=np.int64)
        starts[:1] = 0
        starts[1:] = ends[:-1] + 1
        lengths = ends - starts + 1
        if len(ends) and int(lengths.max()) > 5:
            offset = at + int(starts[int(np.argmax(lengths > 5))])
            raise self.error(offset, "a number of more than 5 bytes", "a delta of a gate")
        if len(ends) < wanted:
            missing = int(ends[-1]) + 1 if len(ends) else 0
            if len(raw) - missing >= 5:
                raise self.error(at + missing, "a number of more than 5 bytes", "a delta")
            gate = start + len(ends) // 2 + 1
            found = f"the end of the file in gate {gate} of {self.header.gates}"
            raise self.error(len(self.data), found, "a complete file")
        values = (raw[starts] & 127).astype(np.int64)
        for place in range(1, int(lengths.max())):
            having = np.flatnonzero(lengths > place)
            values[having] |= (raw[starts[having] + place] & 127).astype(np.int64) << 7 * place
        return values, starts + at, at + int(ends[-1]) + 1
