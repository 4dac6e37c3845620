"""AIGER, ASCII (``aag``) and binary (``aig``): combinational circuits, fast.

Formats: Biere, *The AIGER And-Inverter Graph (AIG) Format*, 2007; Biere, Heljanko, Wieringa,
*AIGER 1.9 And Beyond*, 2011.  Latches and the sections that 1.9 added (bad states,
constraints, justice, fairness) have no meaning in a certificate: files with any are refused.

ASCII files may list their gates in any order; reading sorts them.  Nothing is allocated by
what a header promises before the size of the file has shown that the promise can be kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.errors import InputError
from qsage_validate.formats.numbers import Column, NotANumberError, parse_integers
from qsage_validate.formats.source import BOM, byte_error, decoded_comment, quoted
from qsage_validate.system.progress import go_on, stage

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
_COMMENTS: Final = re.compile(rb"^c\r*\n", re.MULTILINE)
_READ_BLOCK: Final = 1 << 16


@dataclass(frozen=True, eq=False)
class AigerFile:
    """A combinational AIGER file.

    ``aig`` is the circuit in topological order with all gates of the file, its inputs in the
    order of the file; ``outputs`` are its output literals in that numbering.  The numbering
    of the file is kept beside it: ``inputs`` has the index of each input, ``output_literals``
    the literal of each output, and ``literal_of[v]`` is the literal in ``aig`` of index ``v``
    (-1 for an index that the file does not define), shape ``(max_variable + 1,)``.  Symbols
    map the position of an input or output, from 0, to its name.
    """

    aig: Aig
    inputs: Literals
    outputs: Literals
    output_literals: Literals
    literal_of: Literals
    input_symbols: Mapping[int, str] = field(default_factory=dict)
    output_symbols: Mapping[int, str] = field(default_factory=dict)
    comments: tuple[str, ...] = ()
    binary: bool = False
    path: str | None = None

    @property
    def max_variable(self) -> int:
        """The largest index that the header allows."""
        return int(self.literal_of.shape[0]) - 1

    def literal(self, original: int) -> int:
        """The literal in ``aig`` of a literal of the file.

        Raises ``KeyError`` for an index that the file does not define.
        """
        variable = original >> 1
        found = int(self.literal_of[variable]) if variable < len(self.literal_of) else -1
        if found < 0:
            raise KeyError(original)
        return found ^ (original & 1)


@dataclass(frozen=True, slots=True)
class _Header:
    binary: bool
    maximum: int
    inputs: int
    outputs: int
    gates: int
    length: int  # in bytes, with the line feed


def parse_aiger(data: bytes, path: str | None = None) -> AigerFile:
    """The circuit in ``data``, of either form.

    Raises :class:`InputError` (with line and column in ASCII, the byte offset in binary) for
    a malformed, truncated or sequential file, a header that the file is too short for, a
    literal out of range, an index that is used but not defined or defined twice, and a cycle.
    """
    data = data.removeprefix(BOM)
    header = _read_header(data, path)
    reader = _BinaryReader if header.binary else _AsciiReader
    stage(f"reading {header.gates:,} gates")
    return reader(data, path, header).read()


# --- Header --------------------------------------------------------------------------------


def _read_header(data: bytes, path: str | None) -> _Header:
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
        found = f"a header with {len(words) - 1} numbers"
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
    header = _Header(words[0][1] == b"aig", maximum, inputs, outputs, gates, end + 1)
    _check_plausible(header, data, path)
    return header


def _unsupported(count: int, one: str, many: str) -> str:
    return (
        f"1 {one}, which is unsupported" if count == 1 else f"{count} {many}, which are unsupported"
    )


def _check_plausible(header: _Header, data: bytes, path: str | None) -> None:
    """Compare a header with what the rest of the file can hold at most."""
    rest = len(data) - header.length + 1  # the last line feed may be missing
    if header.binary:
        needed = 2 * header.outputs + 2 * header.gates
    else:
        needed = 2 * (header.inputs + header.outputs) + 6 * header.gates
    if needed > rest:
        found = f"a header that needs {needed:,} bytes with {max(0, rest - 1):,} behind it"
        raise byte_error(path, data, 0, found, "a complete file")
    sum_ = header.inputs + header.gates
    if header.maximum < sum_ or (header.binary and header.maximum != sum_):
        found = f"{header.maximum} as the maximal index"
        expected = f"{'' if header.binary else 'at least '}{sum_} (inputs and gates)"
        raise byte_error(path, data, 4, found, expected)
    # Binary inputs take no bytes: without this, they could be any number.
    limit = min(_MAX_VARIABLE, len(data) + _SPARE_VARIABLES)
    if header.maximum > limit:
        found = f"{header.maximum} as the maximal index in a file of {len(data):,} bytes"
        raise byte_error(path, data, 4, found, f"at most {limit}")


# --- The rest ------------------------------------------------------------------------------


class _Reader:
    """The common base of both readers: symbols, comments, and errors by byte offset."""

    def __init__(self, data: bytes, path: str | None, header: _Header) -> None:
        self.data = data
        self.path = path
        self.header = header

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at a byte: by line and column in ASCII, by offset in binary."""
        if self.header.binary:
            return InputError(self.path, None, None, f"{found} at byte {offset}", expected)
        return byte_error(self.path, self.data, offset, found, expected)

    def lines(self, start: int, count: int, what: str) -> Column:
        """The offsets of the starts of ``count`` lines from ``start``, and of what follows."""
        starts = np.empty(count + 1, dtype=np.int64)
        starts[0] = start
        have = 0
        at = start
        # Block by block: what follows the lines may be long, and need not be text.
        while have < count:
            block = np.frombuffer(
                self.data, np.uint8, count=min(1 << 20, len(self.data) - at), offset=at
            )
            ends = np.flatnonzero(block == 10)[: count - have]
            starts[have + 1 : have + 1 + len(ends)] = ends + (at + 1)
            have += len(ends)
            at += len(block)
            if have < count and at >= len(self.data):
                if have == count - 1 and starts[have] < len(self.data):
                    starts[count] = len(self.data)  # the last line feed is missing
                    break
                found = f"the end of the file after {have} of {count} {what}"
                raise self.error(len(self.data), found, "a complete file")
        return starts

    def columns(self, starts: Column, width: int, what: str) -> tuple[NDArray[np.int64], int]:
        """The numbers of lines of ``width`` numbers each, shape ``(lines, width)``.

        ``starts`` are the line starts with the end as the last entry.  Returns the end too.
        """
        begin, end = int(starts[0]), int(starts[-1])
        try:
            values, offsets = parse_integers(self.data, begin, end)
        except NotANumberError as error:
            found, expected = quoted(error.token), f"{what} ({width} numbers a line)"
            raise self.error(error.offset, found, expected) from None
        count = len(starts) - 1
        per_line = np.diff(np.searchsorted(offsets, starts))
        if len(values) != width * count or (per_line != width).any():
            line = int(np.flatnonzero(per_line != width)[0])
            found = f"{int(per_line[line])} numbers"
            raise self.error(int(starts[line]), found, f"{what} ({width} numbers a line)")
        return values.reshape(count, width), end

    def check_range(self, values: Column, starts: Column, what: str) -> None:
        """Raise for the first literal that exceeds the header's maximum."""
        largest = 2 * self.header.maximum + 1
        wrong = np.flatnonzero(values > largest)
        if len(wrong):
            k = int(wrong[0])
            found = f"{what} {int(values[k])}"
            raise self.error(int(starts[k]), found, f"a literal up to {largest}")

    def tail(self, start: int) -> tuple[dict[int, str], dict[int, str], tuple[str, ...]]:
        """Symbols of inputs and outputs, and the comment lines, from ``start`` to the end."""
        symbols: dict[str, dict[int, str]] = {"i": {}, "o": {}}
        limits = {"i": self.header.inputs, "o": self.header.outputs}
        kinds = {"i": "inputs", "o": "outputs"}
        at = start
        text = self._text(start)
        lines = text.split("\n")
        for number, line in enumerate(lines):
            stripped = line.rstrip("\r")
            if stripped == "c":
                comments = [comment.rstrip("\r") for comment in lines[number + 1 :]]
                if comments and not comments[-1]:
                    comments.pop()
                return symbols["i"], symbols["o"], tuple(comments)
            match = re.fullmatch(r"([io])([0-9]{1,10}) (.*)", stripped)
            if match is None:
                if stripped or any(following.strip() for following in lines[number:]):
                    expected = "a symbol ('i0 name', 'o0 name') or 'c' and comments"
                    raise self.error(at, quoted(stripped), expected)
                break
            kind, position, name = match.group(1), int(match.group(2)), match.group(3)
            if position >= limits[kind]:
                found = f"a symbol for {kind}{position}"
                raise self.error(at, found, f"one of {limits[kind]} {kinds[kind]}")
            if position in symbols[kind]:
                raise self.error(at, f"a second symbol for {kind}{position}", "one")
            symbols[kind][position] = name
            at += len(line.encode()) + 1
        return symbols["i"], symbols["o"], ()

    def _text(self, start: int) -> str:
        comments = _COMMENTS.search(self.data, start)
        end = len(self.data) if comments is None else comments.end()
        try:
            return self.data[start:end].decode() + decoded_comment(self.data[end:])
        except UnicodeDecodeError as error:
            at = start + error.start
            found = f"byte 0x{self.data[at]:02x} that is not UTF-8"
            raise self.error(at, found, "symbols in UTF-8") from None


class _AsciiReader(_Reader):
    def read(self) -> AigerFile:
        header = self.header
        total = header.inputs + header.outputs + header.gates
        starts = self.lines(header.length, total, "lines")
        first_gate = header.inputs + header.outputs
        inputs, _ = self.columns(starts[: header.inputs + 1], 1, "an input")
        outputs, _ = self.columns(starts[header.inputs : first_gate + 1], 1, "an output")
        gates, end = self.columns(starts[first_gate:], 3, "a gate")
        self.input_starts, self.gate_starts = starts, starts[first_gate:]
        output_starts = starts[header.inputs :]
        self.check_range(inputs[:, 0], starts, "input")
        self.check_range(outputs[:, 0], output_starts, "output")
        for which in range(3):
            self.check_range(gates[:, which], self.gate_starts, "literal")
        place = self._definitions(inputs[:, 0], gates[:, 0])
        left, right = gates[:, 1], gates[:, 2]
        for column in (left, right):
            self._check_defined(place, column, self.gate_starts, "a gate of")
        self._check_defined(place, outputs[:, 0], output_starts, "an output")
        order = self._order(place, left, right)
        literal_of = np.full(header.maximum + 1, -1, dtype=np.int32)
        literal_of[0] = 0
        literal_of[inputs[:, 0] >> 1] = 2 * np.arange(1, header.inputs + 1)
        variables = 2 * np.arange(header.inputs + 1, header.inputs + header.gates + 1)
        if order is None:
            literal_of[gates[:, 0] >> 1] = variables
        else:
            literal_of[gates[order, 0] >> 1] = variables
            left, right = left[order], right[order]
        aig = Aig(header.inputs, _move(literal_of, left), _move(literal_of, right))
        input_symbols, output_symbols, comments = self.tail(end)
        return AigerFile(
            aig=aig,
            inputs=(inputs[:, 0] >> 1).astype(np.int32),
            outputs=_move(literal_of, outputs[:, 0]),
            output_literals=outputs[:, 0].astype(np.int32),
            literal_of=literal_of,
            input_symbols=input_symbols,
            output_symbols=output_symbols,
            comments=comments,
            binary=False,
            path=self.path,
        )

    def _definitions(self, inputs: Column, gates: Column) -> Literals:
        """For each index: -1 undefined, 0 constant or input, else 1 + the gate's position."""
        for literals, starts, what in (
            (inputs, self.input_starts, "input"),
            (gates, self.gate_starts, "gate"),
        ):
            wrong = np.flatnonzero((literals < 2) | (literals & 1 == 1))
            if len(wrong):
                k = int(wrong[0])
                found = f"{what} {int(literals[k])}"
                raise self.error(int(starts[k]), found, "an even literal of at least 2")
        place = np.full(self.header.maximum + 1, -1, dtype=np.int32)
        place[0] = 0
        # The last definition of an index finds its own number there; an earlier one does not.
        defined = np.concatenate((inputs, gates)) >> 1
        numbers = np.arange(len(defined), dtype=np.int32)
        place[defined] = numbers
        twice = np.flatnonzero(place[defined] != numbers)
        if len(twice):
            variable = int(defined[twice[0]])
            again = int(np.flatnonzero(defined == variable)[1])
            where = self.input_starts if again < len(inputs) else self.gate_starts
            offset = int(where[again if again < len(inputs) else again - len(inputs)])
            found = f"a second definition of {2 * variable}"
            raise self.error(offset, found, "each input or gate defined once")
        place[inputs >> 1] = 0
        place[gates >> 1] = np.arange(1, len(gates) + 1, dtype=np.int32)
        return place

    def _check_defined(self, place: Literals, used: Column, starts: Column, what: str) -> None:
        wrong = np.flatnonzero(place[used >> 1] < 0)
        if len(wrong):
            k = int(wrong[0])
            found = f"{what} {int(used[k])}, which is not defined"
            raise self.error(int(starts[k]), found, "an input or a gate")

    def _order(self, place: Literals, left: Column, right: Column) -> NDArray[np.int64] | None:
        """A topological order of the gates; ``None`` when the file's is one."""
        before_left = place[left >> 1] - 1
        before_right = place[right >> 1] - 1
        own = np.arange(len(left), dtype=np.int32)
        if (before_left < own).all() and (before_right < own).all():
            return None
        return self._sorted(before_left.tolist(), before_right.tolist())

    def _sorted(self, left: list[int], right: list[int]) -> NDArray[np.int64]:
        """Depth-first, without recursion; ``left`` and ``right`` are gates, -1 for none."""
        state = bytearray(len(left))  # 0 untouched, 1 on the path, 2 done
        order: list[int] = []
        for root in range(len(left)):
            if state[root]:
                continue
            path = [root]
            while path:
                gate = path[-1]
                state[gate] = 1
                below = left[gate]
                if below < 0 or state[below] == 2:
                    below = right[gate]
                    if below < 0 or state[below] == 2:
                        state[gate] = 2
                        order.append(gate)
                        path.pop()
                        continue
                if state[below] == 1:
                    offset = int(self.gate_starts[below])
                    found = "a gate that depends on itself"
                    raise self.error(offset, found, "gates without a cycle")
                path.append(below)
        return np.asarray(order, dtype=np.int64)


class _BinaryReader(_Reader):
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


def _move(literal_of: Literals, literals: Column) -> Literals:
    """Literals of the file as literals of the graph; all are defined."""
    moved: Literals = literal_of[literals >> 1] ^ (literals & 1).astype(np.int32)
    return moved
