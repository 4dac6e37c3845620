"""Moves as the numbers or literals of a table, in the game's own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from qsage_validate.encodings.layout.grid import value_bits
from qsage_validate.encodings.layout.tables import AnyLayout, MoveTable, TableLayout
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.strategies.readings import (
    Answer,
    GridCode,
    LayoutMove,
    MoveCode,
    NamedMove,
    PlyCode,
    SquareXY,
    fix,
    literal_value,
)

SquareOf = Callable[[str], SquareXY | None]

_NUMBER: Final = re.compile(r"@([0-9]{1,6})")
# So many of the numbers behind the last move are named.
_MOST_NUMBERS: Final = 64


class TableCode(PlyCode):
    """The code of layouts that list the moves of a ply.

    ``square_of`` says where a move is drawn.  Numbers behind the last move are called ``@12``:
    they are no moves, and nothing keeps an opponent from choosing them.
    """

    def __init__(self, layout: TableLayout, square_of: SquareOf = named_cell) -> None:
        self.layout = layout
        self.square_of = square_of
        self._places = cache(self._number_of)
        self._moves = cache(self._named)

    def _table(self, ply: int) -> MoveTable:
        return self.layout.moves[ply - 1]

    def _named(self, texts: tuple[str, ...]) -> tuple[NamedMove, ...]:
        return tuple(NamedMove(text, self.square_of(text)) for text in texts)

    @staticmethod
    def _number_of(texts: tuple[str, ...]) -> Mapping[str, int]:
        return {text: number for number, text in enumerate(texts)}

    def number(self, ply: int, move: LayoutMove) -> int | None:
        """The number of a move, or of what is none; ``None`` where the ply cannot say it."""
        table = self._table(ply)
        known = self._places(table.moves).get(str(move))
        if known is not None:
            return known
        match = _NUMBER.fullmatch(str(move))
        number = None if match is None else int(match[1])
        fits = number is not None and len(table.moves) <= number < 1 << len(table.code)
        return number if fits and table.code else None

    def encode(self, ply: int, move: LayoutMove) -> dict[int, bool]:
        table, number = self._table(ply), self.number(ply, move)
        assert number is not None, f"ply {ply} can say {move}"
        values: dict[int, bool] = {}
        if table.code or not table.literals:
            fix(values, table.code, value_bits(number, len(table.code)))
        else:
            chosen = tuple(k == number for k in range(len(table.literals)))
            fix(values, table.literals, chosen)
        return values

    def decode(self, ply: int, values: Mapping[int, bool]) -> Answer:
        table = self._table(ply)
        own = {abs(v): literal_value(values, abs(v)) for v in table.variables}
        stop = table.stop is not None and literal_value(values, table.stop)
        if table.stop is not None:
            own[abs(table.stop)] = literal_value(values, abs(table.stop))
        if table.code or not table.literals:
            number = MoveCode.number(table.code, values)
            problem = f"its bits say move {number + 1} of {len(table.moves)}"
        else:
            chosen = [k for k, v in enumerate(table.literals) if literal_value(values, v)]
            number = chosen[0] if len(chosen) == 1 else len(table.moves)
            names = ", ".join(table.moves[k] for k in chosen) or "none"
            problem = f"it chooses {len(chosen)} moves at once ({names})"
        if number >= len(table.moves):
            return Answer(None, stop, own, problem)
        return Answer(self._moves(table.moves)[number], stop, own)

    def moves(self, ply: int) -> list[LayoutMove]:
        return list(self._moves(self._table(ply).moves))

    def no_moves(self, ply: int) -> list[LayoutMove]:
        table = self._table(ply)
        if not table.code:
            return []
        first = len(table.moves)
        last = min(1 << len(table.code), first + _MOST_NUMBERS)
        return [NamedMove(f"@{number}") for number in range(first, last)]

    def can_say(self, ply: int, move: LayoutMove) -> bool:
        return self.number(ply, move) is not None

    def find(self, ply: int, text: str) -> LayoutMove | None:
        # Only texts of moves are texts that the game can place.
        known = self.can_say(ply, NamedMove(text))
        return NamedMove(text, self.square_of(text)) if known else None


def code_of(layout: AnyLayout) -> PlyCode:
    """How the moves of a layout are said."""
    return TableCode(layout) if isinstance(layout, TableLayout) else GridCode(layout)
