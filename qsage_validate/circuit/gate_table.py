"""The names and gates of a large formula in arrays.

A million names as Python objects, and a dictionary of them, take 150 MB; here they take their
letters and eight bytes each.  A name is decoded when it is asked for.

A million gates as Python objects take 400 MB and most of the time in which a formula is read.
Here they take some 20 bytes each; a :class:`~qsage_validate.circuit.qbf.Gate` is made when it is
asked for.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Final

import numpy as np

from qsage_validate.circuit.qbf import Connective, Gate
from qsage_validate.system.progress import go_on

if TYPE_CHECKING:
    from numpy.typing import NDArray


# The names of a large formula as one run of bytes


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


# The gates of a large formula as columns of numbers


CONNECTIVES: Final = tuple(Connective)
"""The connective for each number in ``GateTable.connectives``."""


class GateTable(Mapping[int, Gate]):
    """Gates by their numbers, in the order of the rows; equal to a ``dict`` of the same gates.

    Row ``k`` is the gate ``numbers[k]`` with ``CONNECTIVES[connectives[k]]`` over the literals
    ``inputs[starts[k] : starts[k + 1]]``; ``numbers`` and ``connectives`` have shape ``(n,)``,
    ``starts`` has ``(n + 1,)``.  ``rows[v]`` is the row of the gate ``v``, a negative number where
    ``v`` is none.
    """

    __slots__ = ("_rows", "connectives", "inputs", "numbers", "rows", "starts")

    def __init__(
        self,
        numbers: NDArray[np.int32],
        connectives: NDArray[np.uint8],
        starts: NDArray[np.int64],
        inputs: NDArray[np.int32],
        rows: NDArray[np.int32],
    ) -> None:
        self.numbers: Final = numbers
        self.connectives: Final = connectives
        self.starts: Final = starts
        self.inputs: Final = inputs
        self.rows: Final = rows
        for column in (numbers, connectives, starts, inputs, rows):
            column.flags.writeable = False
        # Numbers out of a memoryview are Python's: looking one up costs a tenth of numpy's time.
        self._rows: Final = rows.data

    def __reduce__(self) -> tuple[object, ...]:
        return GateTable, (self.numbers, self.connectives, self.starts, self.inputs, self.rows)

    def _row(self, number: object) -> int:
        """The row of a gate; negative for what is none."""
        if not isinstance(number, int) or not 0 <= number < len(self._rows):
            return -1
        return self._rows[number]

    def __getitem__(self, number: int) -> Gate:
        row = self._row(number)
        if row < 0:
            raise KeyError(number)
        start, end = self.starts[row : row + 2].tolist()
        inputs = tuple(self.inputs[start:end].tolist())
        return Gate(CONNECTIVES[self.connectives[row]], inputs)

    def __contains__(self, number: object) -> bool:
        return self._row(number) >= 0

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[int]:
        return (number for part in self._parts() for number in self.numbers[part].tolist())

    def _parts(self) -> Iterator[slice]:
        for start in range(0, len(self), _BLOCK):
            go_on()
            yield slice(start, start + _BLOCK)

    def gates(self) -> Iterator[Gate]:
        """All gates, row by row."""
        for part in self._parts():
            starts = self.starts[part.start : part.stop + 1].tolist()
            first = starts[0]
            inputs = self.inputs[first : starts[-1]].tolist()
            kinds = self.connectives[part].tolist()
            for kind, start, end in zip(kinds, starts, starts[1:], strict=False):
                yield Gate(CONNECTIVES[kind], tuple(inputs[start - first : end - first]))

    def items(self) -> ItemsView[int, Gate]:
        """All pairs of a number and its gate, row by row."""
        return _GateItems(self)

    def values(self) -> ValuesView[Gate]:
        """All gates, row by row."""
        return _GateValues(self)

    def __repr__(self) -> str:
        return f"GateTable of {len(self):,} gates"


class _GateItems(ItemsView[int, Gate]):
    """All items at once: the view of a mapping would look up each gate."""

    _mapping: GateTable

    def __iter__(self) -> Iterator[tuple[int, Gate]]:
        return zip(self._mapping, self._mapping.gates(), strict=True)


class _GateValues(ValuesView[Gate]):
    _mapping: GateTable

    def __iter__(self) -> Iterator[Gate]:
        return self._mapping.gates()
