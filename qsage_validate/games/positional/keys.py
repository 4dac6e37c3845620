"""One key for all positions that symmetries of the goals exchange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.symmetry import WORD_POSITIONS, Permutation


class CanonicalKeys:
    """The least image of a position under a group of symmetries, and the way there and back.

    The group is that of ``key_symmetries``; the identity need not be among ``symmetries``.

    A position is two sets, the second one shifted up by the number of positions.  Small boards
    have all images at once, a byte of the position at a time; others image by image.
    """

    def __init__(self, size: int, symmetries: Sequence[Permutation]) -> None:
        # Both players' positions are one word of 64 bits.
        self._small = size <= WORD_POSITIONS
        self.images = [tuple(range(size)), *[s.images for s in symmetries]]
        both = [
            [1 << image for image in images] + [1 << image + size for image in images]
            for images in self.images
        ]
        self._tables: list[Any] = []
        self._plain: list[list[list[int]]] = []
        if self._small:
            for start in range(0, 2 * size, 8):
                part = np.array([row[start : start + 8] for row in both], dtype=np.uint64)
                self._tables.append(_sums(part))
        else:
            self._plain = [
                [_plain_sums(row[start : start + 8]) for start in range(0, 2 * size, 8)]
                for row in both[1:]
            ]

    def key(self, state: int) -> tuple[int, int]:
        """The least image of ``state``, and the number of the symmetry that leads to it."""
        if len(self.images) == 1:
            return state, 0
        if self._small:
            tables = self._tables
            rest = state
            images = tables[0][rest & 255]
            for table in tables[1:]:
                rest >>= 8
                images = images | table[rest & 255]
            number = int(images.argmin())
            return int(images[number]), number
        least, best = state, 0
        for number, tables in enumerate(self._plain, start=1):
            image, rest = 0, state
            for table in tables:
                image |= table[rest & 255]
                rest >>= 8
            if image < least:
                least, best = image, number
        return least, best

    def there(self, mask: int, number: int) -> int:
        """The image of a set."""
        images = self.images[number]
        found = 0
        for v in members(mask):
            found |= 1 << images[v]
        return found

    def back(self, mask: int, number: int) -> int:
        """The set whose image is ``mask``."""
        found = 0
        for v, image in enumerate(self.images[number]):
            if mask >> image & 1:
                found |= 1 << v
        return found


def _sums(part: Any) -> Any:
    """For each byte the images of its members: an array of bytes by symmetries."""
    symmetries, width = part.shape
    table = np.zeros((1 << width, symmetries), dtype=np.uint64)
    for bit in range(width):
        table[1 << bit : 2 << bit] = table[: 1 << bit] | part[:, bit]
    return table


def _plain_sums(images: Sequence[int]) -> list[int]:
    table = [0]
    for image in images:
        table += [entry | image for entry in table]
    return table
