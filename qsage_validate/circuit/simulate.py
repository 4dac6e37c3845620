"""Bit-parallel simulation: 64 plays a machine word, a row of words for each variable.

The gates are put in order of their level (longest path from the inputs) and renumbered, so
that a level is a contiguous slice of rows and costs four numpy calls, however many gates it
has: two gathers, a conjunction and a complement.  Both polarities are stored, so that a
literal is a row and no gather needs a mask.  A call costs about half a microsecond, which
keeps graphs of 15,000 levels quick as well.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig

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
