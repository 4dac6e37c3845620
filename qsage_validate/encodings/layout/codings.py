"""Codings of moves by the variables of a ply: as the numbers of a grid, a number, or one literal.

Codings know moves by their texts, in the words of the rules: ``occupy(2,3)``, ``b2``,
``(mark 1 1)``.  Bit vectors are tuples of signed literals, most significant bit first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, Protocol

Bits = tuple[int, ...]
Pattern = tuple[bool | None, ...]
"""Values of the variables of a ply; ``None`` is either."""

_GRID_MOVE: Final = re.compile(r"([^\s(]+)\((\d{1,6}),(\d{1,6})\)")
_NO_MOVE: Final = re.compile(r"@([0-9]{1,6})")
# The numbers behind the last move that are named.
_MOST_NUMBERS: Final = 64


def value_bits(value: int, width: int) -> tuple[bool, ...]:
    """``value`` as ``width`` bits, most significant first."""
    return tuple(bool(value >> k & 1) for k in range(width - 1, -1, -1))


def bits_value(bits: tuple[bool, ...]) -> int:
    """The number that ``bits`` stand for, most significant first."""
    value = 0
    for bit in bits:
        value = 2 * value + bit
    return value


def literal_value(values: Mapping[int, bool], literal: int) -> bool:
    """The value of a signed literal; variables without a value are false."""
    return values.get(abs(literal), False) != (literal < 0)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in bits, with the values 0 to ``size`` - 1; larger ones have no meaning."""

    bits: Bits
    size: int

    def set(self, number: int) -> dict[int, bool]:
        """The values of variables that say ``number``."""
        values = value_bits(number, len(self.bits))
        return {abs(x): bit != (x < 0) for x, bit in zip(self.bits, values, strict=True)}

    def read(self, values: Mapping[int, bool]) -> int:
        """The number that the bits stand for, which may mean nothing."""
        return bits_value(tuple(literal_value(values, literal) for literal in self.bits))

    def equals(self, number: int) -> Bits:
        """The literals that hold where the bits stand for ``number``."""
        values = value_bits(number, len(self.bits))
        return tuple(x if bit else -x for x, bit in zip(self.bits, values, strict=True))


class MoveCoding(Protocol):
    """Translates the moves of a ply to values of its variables and back."""

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers that make a move; none where each move has a literal."""
        ...

    @property
    def variables(self) -> Bits:
        """The literals that make the move, without the stop variable."""
        ...

    @property
    def moves(self) -> tuple[str, ...]:
        """Every move, legal or not, in a fixed order."""
        ...

    @property
    def no_moves(self) -> tuple[str, ...]:
        """Texts of the values that are no move: squares off the board, for example."""
        ...

    def place(self, move: str) -> tuple[int, ...]:
        """The :attr:`numbers` of a move; where there are none, its place among :attr:`moves`."""
        ...

    def can_say(self, move: str) -> bool:
        """True if the variables have values for ``move``, which may be one of :attr:`no_moves`."""
        ...

    def encode(self, move: str) -> dict[int, bool]:
        """The values of the variables for ``move``, which :meth:`can_say`."""
        ...

    def decode(self, values: Mapping[int, bool]) -> tuple[str | None, str]:
        """The move that ``values`` stand for; ``None`` and what they say where that is none.

        Variables without a value are false.
        """
        ...

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        """The moves that can be said, each with the values of :attr:`variables` that say it."""
        ...

    def labels(self) -> Iterator[tuple[int, str]]:
        """Each literal with its name in the ply."""
        ...


@dataclass(frozen=True)
class GridCoding:
    """A move is an action with coordinates: three numbers, from 0 in bits and from 1 in texts.

    An axis of length 1 and a single action need no bits; where a formula has them all the same,
    they mean nothing (they are 0 when written and not looked at when read).
    """

    actions: tuple[str, ...]
    action: Bits
    x: Number
    y: Number

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return Number(self.action, len(self.actions)), self.x, self.y

    @cached_property
    def variables(self) -> Bits:
        return self.action + self.x.bits + self.y.bits

    @property
    def moves(self) -> tuple[str, ...]:
        return _grid_moves(self.actions, self.x.size, self.y.size)

    @property
    def no_moves(self) -> tuple[str, ...]:
        width, height = map(_most, (self.x, self.y))
        return tuple(
            f"{action}({x},{y})"
            for action in self.actions
            for y in range(1, height + 1)
            for x in range(1, width + 1)
            if x > self.x.size or y > self.y.size
        )

    def can_say(self, move: str) -> bool:
        parts = grid_move(move)
        if parts is None or parts[0] not in self.actions:
            return False
        return 1 <= parts[1] <= _most(self.x) and 1 <= parts[2] <= _most(self.y)

    def place(self, move: str) -> tuple[int, ...]:
        parts = grid_move(move)
        if parts is None:
            raise ValueError(f"{move} has no action and coordinates")
        action, x, y = parts
        return self.actions.index(action), x - 1, y - 1

    def encode(self, move: str) -> dict[int, bool]:
        pairs = zip(self.numbers, self.place(move), strict=True)
        return dict(chain.from_iterable(own.set(number).items() for own, number in pairs))

    def decode(self, values: Mapping[int, bool]) -> tuple[str | None, str]:
        read = (0 if own.size == 1 else own.read(values) for own in self.numbers)
        number, x, y = read
        if number >= len(self.actions):
            return None, f"the action bits say {number + 1} of {len(self.actions)} actions"
        move = f"{self.actions[number]}({x + 1},{y + 1})"
        if x >= self.x.size or y >= self.y.size:
            return None, f"{move} is off the {self.x.size}x{self.y.size} board"
        return move, ""

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        actions, columns, rows = ([_axis(n, k) for k in range(n.size)] for n in self.numbers)
        for name, action in zip(self.actions, actions, strict=True):
            for x, column in enumerate(columns, start=1):
                for y, row in enumerate(rows, start=1):
                    if action is not None and column is not None and row is not None:
                        yield f"{name}({x},{y})", (*action, *column, *row)

    def labels(self) -> Iterator[tuple[int, str]]:
        for part, number in zip(("action", "x", "y"), self.numbers, strict=True):
            yield from _bit_labels(number.bits, f"{part} bit")


@lru_cache(maxsize=64)
def _grid_moves(actions: tuple[str, ...], width: int, height: int) -> tuple[str, ...]:
    squares = [f"({x},{y})" for y in range(1, height + 1) for x in range(1, width + 1)]
    return tuple(f"{action}{square}" for action in actions for square in squares)


@lru_cache(maxsize=1 << 14)
def grid_move(text: str) -> tuple[str, int, int] | None:
    """Action and coordinates of ``occupy(2,3)``; ``None`` for other texts."""
    match = _GRID_MOVE.fullmatch(text)
    return None if match is None else (match[1], int(match[2]), int(match[3]))


def _most(axis: Number) -> int:
    """The largest coordinate that the bits can say."""
    return 1 if axis.size == 1 else 1 << len(axis.bits)


def _axis(own: Number, number: int) -> Pattern | None:
    """The values of bits that stand for a number; where there is but one, they mean nothing."""
    if own.size == 1:
        return (None,) * len(own.bits)
    return None if number >> len(own.bits) else value_bits(number, len(own.bits))


def _bit_labels(bits: Bits, what: str) -> Iterator[tuple[int, str]]:
    for place, literal in enumerate(bits, start=1):
        yield literal, f"{what} {len(bits) - place}"


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
        return _bit_labels(self.code, "bit")


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
