"""What the readers of AIGER in ASCII and in binary share: the file, symbols, comments, errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.numbers import Column, NotANumberError, parse_integers
from qsage_validate.formats.source import byte_error, decoded_comment, quoted

_COMMENTS: Final = re.compile(rb"^c\r*\n", re.MULTILINE)


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
class AigerHeader:
    binary: bool
    maximum: int
    inputs: int
    outputs: int
    gates: int
    length: int  # in bytes, with the line feed


class AigerReader:
    """The common base of both readers: symbols, comments, and errors by byte offset."""

    def __init__(self, data: bytes, path: str | None, header: AigerHeader) -> None:
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
            found = counted(int(per_line[line]), "number")
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


def moved_literals(literal_of: Literals, literals: Column) -> Literals:
    """Literals of the file as literals of the graph; all are defined."""
    moved: Literals = literal_of[literals >> 1] ^ (literals & 1).astype(np.int32)
    return moved
