"""The names of a large formula as one run of bytes.

A million names as Python objects, and a dictionary of them, take 150 MB; here they take their
letters and eight bytes each.  A name is decoded when it is asked for.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from qsage_validate.system.stages import go_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Names that are Python objects at one time.
_BLOCK: Final = 1 << 14


class NameTable(Mapping[int, str]):
    """Names by consecutive numbers from ``first`` on; equal to a ``dict`` of the same names.

    ``text`` has all names, in ASCII, one behind the other; ``ends`` has shape ``(n,)`` and says
    where in ``text`` each one ends.
    """

    __slots__ = ("ends", "first", "text")

    def __init__(self, first: int, text: bytes, ends: NDArray[np.int64]) -> None:
        ends.flags.writeable = False
        self.first: Final = first
        self.text: Final = text
        self.ends: Final = ends

    def __reduce__(self) -> tuple[object, ...]:
        return NameTable, (self.first, self.text, self.ends)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and 0 <= number - self.first < len(self.ends)

    def __getitem__(self, number: int) -> str:
        if number not in self:
            raise KeyError(number)
        row = number - self.first
        start = self.ends[row - 1] if row else 0
        return self.text[start : self.ends[row]].decode("ascii")

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.first + len(self)))

    def items(self) -> ItemsView[int, str]:
        """All pairs of a number and its name, in the order of the numbers."""
        return _Items(self)

    def texts(self) -> Iterator[str]:
        """All names, in the order of the numbers."""
        start = 0
        for at in range(0, len(self), _BLOCK):
            go_on()
            for end in self.ends[at : at + _BLOCK].tolist():
                yield self.text[start:end].decode("ascii")
                start = end

    def __repr__(self) -> str:
        return f"NameTable of {len(self):,} names"


class _Items(ItemsView[int, str]):
    """All items at once: the view of a mapping would look up each name."""

    _mapping: NameTable

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return zip(self._mapping, self._mapping.texts(), strict=True)
