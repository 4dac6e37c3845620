"""Whole columns of decimal numbers from bytes, in a few large numpy steps.

Clause and circuit files are mostly numbers; a Python loop over their lines is what makes
reading them slow.  Text is converted block by block, so that temporary arrays stay small.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]

MAX_DIGITS: Final = 10
"""Longer numbers are refused: nothing in these formats exceeds 2**32."""

_BLOCK: Final = 1 << 18

# Kinds of bytes: 0 not allowed, 1 white space, 2 digit, 3 minus sign.
_KIND: Final = np.zeros(256, dtype=np.uint8)
_KIND[np.frombuffer(b" \t\r\n", dtype=np.uint8)] = 1
_KIND[np.frombuffer(b"0123456789", dtype=np.uint8)] = 2
_KIND[ord("-")] = 3


class NotANumberError(Exception):
    """A byte that does not belong to white space or numbers; ``token`` has it in context."""

    def __init__(self, offset: int, token: str) -> None:
        self.offset = offset
        self.token = token
        super().__init__(f"{token!r} at byte {offset}")


def parse_integers(
    data: bytes, start: int = 0, end: int | None = None, *, signed: bool = False
) -> tuple[Column, Column]:
    """All integers of ``data[start:end]``: their values and the offsets where they begin.

    Numbers are separated by blanks, tabs, carriage returns and line feeds.  Both arrays have
    shape ``(n,)``.  Raises :class:`NotANumberError` for the first token that is no number of
    at most ``MAX_DIGITS`` digits (with a minus sign only if ``signed``, and not for zero).
    """
    stop = len(data) if end is None else end
    values: list[Column] = []
    starts: list[Column] = []
    at = start
    while at < stop:
        cut = min(at + _BLOCK, stop)
        if cut < stop:
            # Blocks end at white space; a block without any is one far too long token.
            cut = max(data.rfind(c, at, cut) for c in (b"\n", b" ", b"\t", b"\r")) + 1
            if cut <= at:
                raise _first_error(data, at, min(at + _BLOCK, stop), signed)
        block = _parse_block(data, at, cut, signed)
        if block is None:
            raise _first_error(data, at, cut, signed)
        values.append(block[0])
        starts.append(block[1])
        at = cut
    if not values:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(values), np.concatenate(starts)


def _parse_block(data: bytes, start: int, end: int, signed: bool) -> tuple[Column, Column] | None:
    """Values and offsets of one block; ``None`` when something in it is no number."""
    raw = np.frombuffer(data, dtype=np.uint8, count=end - start, offset=start)
    kind = _KIND[raw]
    if kind.min() == 0:
        return None
    inside = np.zeros(len(raw) + 2, dtype=np.bool_)
    inside[1:-1] = kind > 1
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    first, last = edges[0::2], edges[1::2]
    digits_from = first
    minus = kind == 3
    negative: NDArray[np.bool_] | None = None
    if minus.any():
        negative = minus[first]
        digits_from = first + negative
        # A sign anywhere but in front, or in front of nothing.
        if not signed or np.count_nonzero(minus) != np.count_nonzero(negative):
            return None
    lengths = last - digits_from
    if not len(lengths):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    longest = int(lengths.max())
    if longest > MAX_DIGITS or int(lengths.min()) == 0:
        return None
    values = raw[last - 1].astype(np.int64) - 48
    power = 1
    for place in range(1, longest):
        power *= 10
        having = np.flatnonzero(lengths > place)
        values[having] += (raw[last[having] - 1 - place].astype(np.int64) - 48) * power
    if negative is not None:
        if (values[negative] == 0).any():
            return None
        np.negative(values, out=values, where=negative)
    return values, first.astype(np.int64) + start


def _first_error(data: bytes, start: int, end: int, signed: bool) -> NotANumberError:
    number = re.compile(rb"[0-9]{1,10}" + (rb"|-(?=0*[1-9])[0-9]{1,10}" if signed else rb""))
    for match in re.finditer(rb"[^ \t\r\n]+", data[start:end]):
        if not number.fullmatch(match.group()):
            token = match.group()[:60].decode("ascii", "backslashreplace")
            return NotANumberError(start + match.start(), token)
    raise AssertionError("no token is malformed")
