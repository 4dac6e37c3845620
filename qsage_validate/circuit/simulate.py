"""Simulation of graphs, 64 inputs to a word, and of cofactors.

The gates are put in order of their level (longest path from the inputs) and renumbered, so
that a level is a contiguous slice of rows and costs four numpy calls, however many gates it
has: two gathers, a conjunction and a complement.  Both polarities are stored, so that a
literal is a row and no gather needs a mask.  A call costs about half a microsecond, which
keeps graphs of 15,000 levels quick as well.

Fixing inputs makes some gates constant; what is left of the outputs are the gates that are not
constant and still reach an output.  Such a gate has both of its inputs left, or one (the other
is true).  Two assignments with the same gates left, the same inputs of them, and the same
constant outputs leave the same functions of the free inputs.  The converse does not hold: equal
functions may be left in different gates.

Assignments are evaluated 64 to a machine word, like in :mod:`qsage_validate.circuit.simulate`.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig

# Bit-parallel simulation: 64 plays a machine word, a row of words for each variable


Words = NDArray[np.uint64]
PLAYS_PER_WORD: Final = 64

# More words than fit in this are done in several passes.  Wide passes are quicker in deep graphs,
# where a call costs more than the words that it works on, cache or not.
_BYTES_PER_PASS: Final = 1 << 27


def pack(plays: NDArray[np.bool_]) -> Words:
    """Plays as words: shape ``(plays, signals)`` to ``(signals, words)``.

    Play ``p`` is bit ``p % 64`` of word ``p // 64``; the bits behind the last play are 0.
    """
    count, signals = plays.shape
    words = -(-count // PLAYS_PER_WORD)
    padded = np.zeros((signals, words * PLAYS_PER_WORD), dtype=np.bool_)
    padded[:, :count] = plays.T
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(words: Words, plays: int) -> NDArray[np.bool_]:
    """The inverse of :func:`pack`: shape ``(signals, words)`` to ``(plays, signals)``."""
    octets = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=1, count=plays, bitorder="little")
    values: NDArray[np.bool_] = bits.T.astype(np.bool_)
    return values


class GraphSimulator:
    """Evaluates chosen literals of a graph for any number of plays at once."""

    def __init__(
        self, aig: Aig, outputs: Sequence[int], bytes_per_pass: int = _BYTES_PER_PASS
    ) -> None:
        """Keep the cone of ``outputs`` and put its gates in order of their level.

        A pass takes as many words as fit in ``bytes_per_pass``, at least one.
        """
        self._bytes_per_pass = bytes_per_pass
        aig, outputs = aig.restrict_to_cone(outputs)
        self.num_inputs = aig.num_inputs
        self._rows = aig.num_variables + 1
        level = levels(aig)
        first = aig.num_inputs + 1
        order = np.argsort(level[first:], kind="stable")
        row = np.arange(self._rows, dtype=np.intp)
        row[first:][order] = np.arange(first, self._rows, dtype=np.intp)

        def rows(literals: NDArray[np.int32]) -> NDArray[np.intp]:
            # Positive literals are the upper half of the table, complements the lower.
            found: NDArray[np.intp] = row[literals >> 1] + (literals & 1) * self._rows
            return found

        left, right = rows(aig.fanin0)[order], rows(aig.fanin1)[order]
        counts = np.bincount(level[first:]) if aig.num_gates else np.zeros(1, dtype=np.intp)
        bounds = np.concatenate(([0], np.cumsum(counts[1:]))).tolist()
        self._levels = [
            (first + low, first + high, left[low:high], right[low:high])
            for low, high in pairwise(bounds)
        ]
        self._widest = int(counts[1:].max(initial=0))
        self._outputs = rows(np.asarray(outputs, dtype=np.int32))

    @property
    def depth(self) -> int:
        """The number of levels."""
        return len(self._levels)

    @property
    def num_gates(self) -> int:
        """The number of gates that are evaluated."""
        return self._rows - 1 - self.num_inputs

    def run(self, inputs: Words) -> Words:
        """The outputs' words, shape ``(outputs, words)``, for inputs ``(num_inputs, words)``."""
        if inputs.ndim != 2 or inputs.shape[0] != self.num_inputs:
            raise ValueError(f"inputs of shape {inputs.shape} for {self.num_inputs} inputs")
        total = inputs.shape[1]
        result = np.empty((len(self._outputs), total), dtype=np.uint64)
        step = max(1, self._bytes_per_pass // (16 * self._rows))
        for start in range(0, total, step):
            part = slice(start, min(start + step, total))
            result[:, part] = self._pass(inputs[:, part])
        return result

    def _pass(self, inputs: Words) -> Words:
        width, rows = inputs.shape[1], self._rows
        table = np.empty((2 * rows, width), dtype=np.uint64)
        table[0] = 0
        table[1 : self.num_inputs + 1] = inputs
        np.invert(table[: self.num_inputs + 1], out=table[rows : rows + self.num_inputs + 1])
        first, second = np.empty((2, self._widest, width), dtype=np.uint64)
        take, conjoin, complement = table.take, np.bitwise_and, np.invert
        for low, high, left, right in self._levels:
            a, b, value = first[: high - low], second[: high - low], table[low:high]
            # Mode "clip" writes straight into the buffer; all rows are in range.
            take(left, 0, a, "clip")
            take(right, 0, b, "clip")
            conjoin(a, b, value)
            complement(value, table[rows + low : rows + high])
        return table[self._outputs]


def levels(aig: Aig) -> NDArray[np.int32]:
    """The level of each variable: 0 for inputs, one more than the higher fan-in for gates."""
    # An array of the machine's numbers: a list would have an object for each.
    level = array("i", bytes(4 * (aig.num_inputs + 1)))
    for left, right in aig.pairs():
        a, b = level[left >> 1], level[right >> 1]
        level.append(1 + (a if a > b else b))  # noqa: FURB136 (max() is three times slower)
    return np.array(level, dtype=np.int32)


# Graphs with some fixed inputs, as digests that can be compared


_BYTES_OF_COFACTORS: Final = 1 << 26
# Rows of words for each variable: two of values, one of liveness, three of the digest's.
_ROWS_PER_VARIABLE: Final = 6
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
# Swapping blocks of 2**k bits: the masks of the lower ones.
_SWAPS: Final = [
    (32, 0x00000000FFFFFFFF),
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
]


class Cofactors:
    """Digests of what is left of chosen outputs when the inputs ``fixed`` have values."""

    def __init__(self, aig: Aig, outputs: Sequence[int], fixed: Sequence[int]) -> None:
        """``fixed`` are numbers of inputs, from 0; the others are free."""
        aig, outputs = aig.restrict_to_cone(outputs)
        self._rows = rows = aig.num_variables + 1
        self._first = first = aig.num_inputs + 1
        self._free = np.setdiff1d(np.arange(aig.num_inputs), np.asarray(fixed, dtype=np.intp)) + 1
        level = levels(aig)
        order = np.argsort(level[first:], kind="stable")
        row = np.arange(rows, dtype=np.intp)
        row[first:][order] = np.arange(first, rows, dtype=np.intp)

        def place(literals: NDArray[np.int32]) -> NDArray[np.intp]:
            found: NDArray[np.intp] = row[literals >> 1] + (literals & 1) * rows
            return found

        self._left, self._right = place(aig.fanin0)[order], place(aig.fanin1)[order]
        counts = np.bincount(level[first:]) if aig.num_gates else np.zeros(1, dtype=np.intp)
        bounds = first + np.concatenate(([0], np.cumsum(counts[1:])))
        self._levels: list[tuple[int, int]] = list(pairwise(bounds.tolist()))
        self._outputs = place(np.asarray(outputs, dtype=np.int32))
        self._prepare_fanouts()

    def _prepare_fanouts(self) -> None:
        """For each level the gates that anybody reads, and who reads them."""
        gates = np.arange(self._first, self._rows, dtype=np.intp)
        read = np.concatenate((self._left % self._rows, self._right % self._rows))
        readers = np.concatenate((gates, gates))
        order = np.argsort(read, kind="stable")
        read, readers = read[order], readers[order]
        self._fanouts = []
        for low, high in self._levels:
            start, end = np.searchsorted(read, (low, high))
            targets, starts = np.unique(read[start:end], return_index=True)
            self._fanouts.append((low, high, targets, starts, readers[start:end]))

    def digests(self, inputs: Words, count: int) -> list[bytes]:
        """A digest of what is left for each of ``count`` assignments.

        ``inputs`` are packed, shape ``(num_inputs, words)``, or several such packs of ``count``
        assignments in a row, shape ``(num_inputs, packs, words)``: then a digest is of what is
        left in all of them.  Free inputs are not looked at.
        """
        packs = inputs[:, None, :] if inputs.ndim == 2 else inputs
        words = packs.shape[2]
        step = max(1, _BYTES_OF_COFACTORS // (8 * _ROWS_PER_VARIABLE * self._rows))
        if step < words:  # too many for one pass: some assignments after the others
            found: list[bytes] = []
            for start in range(0, words, step):
                own = min(count - PLAYS_PER_WORD * start, PLAYS_PER_WORD * step)
                found += self.digests(packs[:, :, start : start + step], own)
            return found
        hashes = [hashlib.blake2b(digest_size=16) for _ in range(count)]
        at_a_time = max(1, step // max(1, words))
        for first in range(0, packs.shape[1], at_a_time):
            part = packs[:, first : first + at_a_time]
            table = self._left_over(part.reshape(len(part), part.shape[1] * words))
            rows = columns(table)
            for pack in rows.reshape(part.shape[1], words * PLAYS_PER_WORD, rows.shape[1]):
                for digest, row in zip(hashes, pack, strict=False):
                    digest.update(row)
        return [digest.digest() for digest in hashes]

    def _left_over(self, inputs: Words) -> Words:
        """Bit rows: the gates that are left, their open inputs, the outputs' possible values."""
        rows, first = self._rows, self._first
        # Literals that can be true: variables in the first half, complements in the second.
        can = np.empty((2 * rows, inputs.shape[1]), dtype=np.uint64)
        can[0], can[rows] = 0, _ALL
        can[1:first] = inputs
        np.invert(inputs, out=can[rows + 1 : rows + first])
        can[self._free] = can[rows + self._free] = _ALL
        for low, high in self._levels:
            gates = slice(low - first, high - first)
            left, right = self._left[gates], self._right[gates]
            can[low:high] = can[left] & can[right]
            can[rows + low : rows + high] = (
                can[(left + rows) % (2 * rows)] | can[(right + rows) % (2 * rows)]
            )
        is_open = can[:rows] & can[rows:]
        live = np.zeros_like(is_open)
        output = self._outputs % rows
        live[output] = is_open[output]
        for low, high, targets, starts, readers in reversed(self._fanouts):
            if len(targets):
                live[targets] |= np.bitwise_or.reduceat(live[readers], starts, axis=0)
            live[low:high] &= is_open[low:high]
        gate = live[first:]
        table: Words = np.concatenate(
            (
                gate,
                gate & is_open[self._left % rows],
                gate & is_open[self._right % rows],
                can[self._outputs],
                can[(self._outputs + rows) % (2 * rows)],
            )
        )
        return table


def columns(words: Words) -> Words:
    """The bits of packed rows, column by column.

    Shape ``(rows, words)`` to ``(64 * words, ceil(rows / 64))``: bit ``r % 64`` of word
    ``r // 64`` of column ``c`` is bit ``c % 64`` of word ``c // 64`` of row ``r``.
    """
    rows, width = words.shape
    blocks = -(-rows // PLAYS_PER_WORD)
    bits = np.zeros((blocks, PLAYS_PER_WORD, width), dtype=np.uint64)
    bits.reshape(-1, width)[:rows] = words
    # Hacker's Delight, section 7-3, for all blocks of 64 times 64 bits at once.
    for size, mask in _SWAPS:
        pairs = bits.reshape(blocks, PLAYS_PER_WORD // (2 * size), 2, size, width)
        low, high = pairs[:, :, 0], pairs[:, :, 1]
        swapped = ((low >> np.uint64(size)) ^ high) & np.uint64(mask)
        high ^= swapped
        low ^= swapped << np.uint64(size)
    found: Words = np.ascontiguousarray(bits.transpose(2, 1, 0)).reshape(
        PLAYS_PER_WORD * width, blocks
    )
    return found
