"""Numbers that may be too large to write down: exact ones, and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Final

MOST_BITS: Final = 1 << 13
"""Larger numbers are known by bounds alone: Python writes no integer of more than 4,300 digits."""

_WRITTEN: Final = 10**15


def bounded(number: int) -> int:
    """The number, or where it is too large the largest one: a bound from below."""
    return min(number, (1 << MOST_BITS) - 1)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or bounds of it: ``least``, and 2 to the power of ``most_bits``.

    It is exact where ``most_bits`` is ``None``.
    """

    least: int
    most_bits: int | None = None

    @property
    def exact(self) -> bool:
        """True if the number is ``least``."""
        return self.most_bits is None

    def to_dict(self) -> dict[str, object]:
        """The number, or its bounds, for JSON."""
        if self.most_bits is None:
            return {"exact": True, "number": self.least}
        bits = self.most_bits
        most = bits if bits < _WRITTEN else f"2^{bits.bit_length()}"
        return {"exact": False, "least": self.least, "most_log2": most}

    def __str__(self) -> str:
        if self.most_bits is None:
            return _number(self.least)
        bits = self.most_bits
        most = f"2^{bits:,}" if bits < _WRITTEN else f"2^(2^{bits.bit_length():,})"
        return f"from {_number(self.least)} to {most}"


def _number(number: int) -> str:
    return f"{number:,}" if number < _WRITTEN else f"about 2^{log2(number):,.1f}"


def amount(number: int, most_bits: int) -> Amount:
    """A number that was added and multiplied with :func:`bounded`, and its bound from above."""
    return Amount(number) if number < bounded(1 << MOST_BITS) else Amount(number, most_bits)
