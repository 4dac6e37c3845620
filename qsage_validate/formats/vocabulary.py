"""Words of a file, numbered in the order in which they appear, in a few numpy steps a block.

The words are in an open-addressing hash table of columns, where each is the place of its first
appearance.  Two words with one hash are found out, never taken for one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.formats.numbers import Column

Words = NDArray[np.uint64]

_WIDTH: Final = 8
_FEWEST: Final = 1 << 10
_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
# Words that are copied at one time.
_BLOCK: Final = 1 << 14


class CollisionError(Exception):
    """Two words have one hash."""


class WordTable:
    """The words of ``data``, which has eight bytes or more; none of its words has a NUL."""

    def __init__(self, data: bytes) -> None:
        self._raw: Final = np.frombuffer(data, dtype=np.uint8)
        # Eight bytes from each place on.
        self._eights: Final[Words] = np.ndarray(
            len(data) - _WIDTH + 1, dtype=np.dtype("<u8"), buffer=data, strides=(1,)
        )
        self._count = 0
        self._slots = np.zeros(_FEWEST, dtype=np.int32)  # a word's number and 1; 0 for no word
        self._hashes = np.zeros(_FEWEST, dtype=np.uint64)  # of the words, by their numbers
        self._starts = np.zeros(_FEWEST, dtype=np.int64)
        self._lengths = np.zeros(_FEWEST, dtype=np.int32)

    def __len__(self) -> int:
        return self._count

    def numbers(self, starts: Column, lengths: Column) -> NDArray[np.int32]:
        """The numbers of the words at ``starts``, each with a length of at least 1.

        Raises :class:`CollisionError` for two words that have one hash.
        """
        hashes = self._hashed(starts, lengths)
        before = self._count
        self._make_room(before + len(hashes))
        slots = self._claimed(hashes, before)
        numbers = self._slots[slots] - 1
        # A new word has its first place in this block for a number until here.
        first = np.flatnonzero(numbers == np.arange(before, before + len(numbers), dtype=np.int32))
        self._count += len(first)
        new = slice(before, self._count)
        self._slots[slots[first]] = np.arange(before + 1, self._count + 1, dtype=np.int32)
        self._hashes[new] = hashes[first]
        self._starts[new], self._lengths[new] = starts[first], lengths[first]
        numbers = self._slots[slots] - 1
        self._verify(starts, lengths, numbers)
        return numbers

    def text(self) -> tuple[bytes, Column]:
        """All words one behind the other, and where each ends."""
        starts, lengths = self._starts[: self._count], self._lengths[: self._count]
        ends = np.cumsum(lengths, dtype=np.int64)
        parts: list[bytes] = []
        for at in range(0, self._count, _BLOCK):
            some, long = starts[at : at + _BLOCK], lengths[at : at + _BLOCK]
            shift = some - (np.cumsum(long, dtype=np.int64) - long)
            places = np.repeat(shift, long)
            places += np.arange(len(places))
            parts.append(self._raw[places].tobytes())
        return b"".join(parts), ends

    def _eight(self, starts: Column, lengths: Column) -> Words:
        """The first eight bytes of each word, zeros behind its end."""
        late = np.maximum(starts - (len(self._eights) - 1), 0)
        found = self._eights[starts - late] >> (late * 8).astype(np.uint64)
        missing = np.maximum(_WIDTH - lengths, 0).astype(np.uint64) * np.uint64(8)
        eight: Words = (found << missing) >> missing
        return eight

    def _hashed(self, starts: Column, lengths: Column) -> Words:
        hashes = _mixed(self._eight(starts, lengths))
        at = 0
        left = np.flatnonzero(lengths > _WIDTH)
        while len(left):
            at += _WIDTH
            hashes[left] = _mixed(hashes[left] ^ self._eight(starts[left] + at, lengths[left] - at))
            left = left[lengths[left] > at + _WIDTH]
        return hashes

    def _verify(self, starts: Column, lengths: Column, numbers: NDArray[np.int32]) -> None:
        firsts = self._starts[numbers]
        same = (self._lengths[numbers] == lengths).all()
        at, left = 0, np.flatnonzero(firsts != starts)
        while same and len(left):
            long = lengths[left] - at
            here = self._eight(starts[left] + at, long)
            same = (here == self._eight(firsts[left] + at, long)).all()
            at += _WIDTH
            left = left[long > _WIDTH]
        if not same:
            raise CollisionError

    def _claimed(self, hashes: Words, before: int) -> Column:
        """The slot of each word; new words get one, with ``before`` and their places in it."""
        mask = len(self._slots) - 1
        slots = (hashes & np.uint64(mask)).astype(np.int64)
        left = np.arange(len(hashes))
        while len(left):
            # Of several words that claim a slot the first is written last, and has it.
            claims = left[self._slots[slots[left]] == 0][::-1]
            self._slots[slots[claims]] = claims + (before + 1)
            owners = self._slots[slots[left]] - 1
            new = owners >= before
            theirs = self._hashes[np.where(new, 0, owners)]
            theirs[new] = hashes[owners[new] - before]
            left = left[theirs != hashes[left]]
            slots[left] = (slots[left] + 1) & mask
        return slots

    def _make_room(self, words: int) -> None:
        """Room for so many words, with a quarter of the slots empty."""
        if words > len(self._hashes):
            size = max(words, len(self._hashes) * 5 // 4)
            for column in (self._hashes, self._starts, self._lengths):
                column.resize(size, refcheck=False)
        if 4 * words <= 3 * len(self._slots):
            return
        size = len(self._slots)
        while 3 * size < 4 * words:
            size *= 2
        self._slots = np.zeros(size, dtype=np.int32)
        for at in range(0, self._count, _BLOCK):
            self._claimed(self._hashes[at : min(at + _BLOCK, self._count)], at)


def _mixed(words: Words) -> Words:
    """Spread over all bits; different for different words."""
    spread = words * _PRIME
    return spread ^ (spread >> np.uint64(32))
