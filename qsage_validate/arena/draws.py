"""Random numbers that belong to a play: a small generator, one play at a time or many at once.

The generator is SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number
generators*, OOPSLA 2014).  Its state is one machine word, so that a million plays have a
generator each, and numpy draws for all of them in a few operations.  A play's numbers depend on
the seed and the play's number alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

_GAMMA: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_MASK: Final = (1 << 64) - 1

_Item = TypeVar("_Item")


def _mix(z: int) -> int:
    z = (z ^ z >> 30) * _FIRST & _MASK
    z = (z ^ z >> 27) * _SECOND & _MASK
    return z ^ z >> 31


def _mix_all(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ z >> np.uint64(30)) * np.uint64(_FIRST)
    z = (z ^ z >> np.uint64(27)) * np.uint64(_SECOND)
    mixed: NDArray[np.uint64] = z ^ z >> np.uint64(31)
    return mixed


def _key(seed: int) -> int:
    """A word for a seed of any size."""
    return int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "little")


class Draws:
    """The numbers of one play."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, play: int) -> None:
        self._state = _key(seed) ^ _mix(play & _MASK)

    def _word(self) -> int:
        self._state = self._state + _GAMMA & _MASK
        return _mix(self._state)

    def random(self) -> float:
        """A number from 0 to 1, without 1."""
        return (self._word() >> 11) * 2.0**-53

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1; ``bound`` is at least 1 and below 2**32."""
        return (self._word() >> 32) * bound >> 32

    def choice(self, items: Sequence[_Item]) -> _Item:
        """One of ``items``."""
        return items[self.below(len(items))]


class ManyDraws:
    """Random numbers for many plays at once: ``plays[k]`` draws as :class:`Draws` does.

    ``rows`` are the indices of those plays that draw, each at most once.
    """

    def __init__(self, seed: int, plays: Sequence[int]) -> None:
        numbers = np.fromiter((play & _MASK for play in plays), np.uint64, len(plays))
        self._states = np.uint64(_key(seed)) ^ _mix_all(numbers)

    def _words(self, rows: NDArray[np.intp]) -> NDArray[np.uint64]:
        states = self._states[rows] + np.uint64(_GAMMA)
        self._states[rows] = states
        return _mix_all(states)

    def random(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """A number from 0 to 1, without 1, for each of ``rows``."""
        drawn = (self._words(rows) >> np.uint64(11)).astype(np.float64)
        drawn *= 2.0**-53
        return drawn

    def below(self, rows: NDArray[np.intp], bounds: NDArray[np.intp]) -> NDArray[np.intp]:
        """A number from 0 to ``bounds[k]`` - 1 for each of ``rows``."""
        half = np.uint64(32)
        drawn = (self._words(rows) >> half) * bounds.astype(np.uint64) >> half
        return drawn.astype(np.intp)
