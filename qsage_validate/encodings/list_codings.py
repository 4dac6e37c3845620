"""Codings of moves that are a list, for games without a grid: a number, or one literal each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final

from qsage_validate.encodings.layout import (
    Bits,
    Number,
    Pattern,
    Ply,
    bit_labels,
    literal_value,
    value_bits,
)
from qsage_validate.games.protocol import Player

_NO_MOVE: Final = re.compile(r"@([0-9]{1,6})")
# The numbers behind the last move that are named.
_MOST_NUMBERS: Final = 64


@lru_cache(maxsize=256)
def _numbering(texts: tuple[str, ...]) -> Mapping[str, int]:
    """The number of each text; plies often share one tuple."""
    return {text: number for number, text in enumerate(texts)}


@dataclass(frozen=True)
class NumberedCoding:
    """Move ``i`` of a list has the number ``i``.

    Numbers behind the last move are called ``@12``: they are no moves, and nothing keeps an
    opponent from choosing them.  Such a text in the list itself is a number that is no move: a
    gap in a numbering by coordinates, or the 0 of one that begins with 1.
    """

    moves: tuple[str, ...]
    code: Bits = ()

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return (Number(self.code, len(self.moves)),)

    @property
    def variables(self) -> Bits:
        return self.code

    @property
    def no_moves(self) -> tuple[str, ...]:
        first = len(self.moves)
        last = min(1 << len(self.code), first + _MOST_NUMBERS) if self.code else first
        gaps = (number for number in range(first) if self._is_gap(number))
        return tuple(f"@{number}" for number in chain(gaps, range(first, last)))

    def _is_gap(self, number: int) -> bool:
        return self.moves[number] == f"@{number}"

    def _number(self, move: str) -> int | None:
        known = _numbering(self.moves).get(move)
        match = _NO_MOVE.fullmatch(move) if known is None and self.code else None
        if match is None:
            return known
        number = int(match[1])
        return number if len(self.moves) <= number < 1 << len(self.code) else None

    def place(self, move: str) -> tuple[int, ...]:
        return (_numbering(self.moves)[move],)

    def can_say(self, move: str) -> bool:
        return self._number(move) is not None

    def encode(self, move: str) -> dict[int, bool]:
        number = self._number(move)
        if number is None:
            raise ValueError(f"there are no values for {move}")
        return self.numbers[0].set(number)

    def decode(self, values: Mapping[int, bool]) -> tuple[str | None, str]:
        number = self.numbers[0].read(values)
        if number < len(self.moves) and not self._is_gap(number):
            return self.moves[number], ""
        return None, f"its bits say move {number + 1} of {len(self.moves)}"

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        for number, move in enumerate(self.moves):
            if not number >> len(self.code) and not self._is_gap(number):
                yield move, value_bits(number, len(self.code))

    def labels(self) -> Iterator[tuple[int, str]]:
        return bit_labels(self.code, "bit")


@dataclass(frozen=True)
class OneHotCoding:
    """One literal for each move; exactly one of them is true."""

    moves: tuple[str, ...]
    literals: Bits

    @property
    def numbers(self) -> tuple[Number, ...]:
        return ()

    @property
    def variables(self) -> Bits:
        return self.literals

    @property
    def no_moves(self) -> tuple[str, ...]:
        return ()

    def place(self, move: str) -> tuple[int, ...]:
        return (_numbering(self.moves)[move],)

    def can_say(self, move: str) -> bool:
        return move in _numbering(self.moves)

    def encode(self, move: str) -> dict[int, bool]:
        chosen = _numbering(self.moves)[move]
        return {abs(x): (k == chosen) != (x < 0) for k, x in enumerate(self.literals)}

    def decode(self, values: Mapping[int, bool]) -> tuple[str | None, str]:
        chosen = [k for k, x in enumerate(self.literals) if literal_value(values, x)]
        if len(chosen) == 1:
            return self.moves[chosen[0]], ""
        names = ", ".join(self.moves[k] for k in chosen) or "none"
        return None, f"it chooses {len(chosen)} moves at once ({names})"

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        places = range(len(self.literals))
        return ((move, tuple(k == n for k in places)) for n, move in enumerate(self.moves))

    def labels(self) -> Iterator[tuple[int, str]]:
        return zip(self.literals, self.moves, strict=False)


def listed(
    ply: int,
    player: Player,
    moves: tuple[str, ...],
    code: Bits = (),
    literals: Bits = (),
    legal: Bits = (),
    stop: int | None = None,
) -> Ply:
    """A ply whose moves are a list: numbered by the bits ``code``, or with a literal each."""
    coding = OneHotCoding(moves, literals) if literals else NumberedCoding(moves, code)
    return Ply(ply, player, coding, stop, legal=legal)
