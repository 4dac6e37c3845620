"""The search of maker-maker games: both players try to complete a set first.

White holds these games wherever White holds the maker-breaker game of Black's sets alone, which
is searched first: so moves of Black that lose there are not looked at further, and neither are
positions in which White can complete no set in time.  Positions of one's own never hurt here
either, so positions that are in no set alive need not be played; but a stone of White's outside
of the zone of a Black win may prepare a set, so only wins by threats, whose zones say so, make
White's moves fewer.
"""

from __future__ import annotations

from collections.abc import Callable

from qsage_validate.games.positional.symmetry import CanonicalKeys
from qsage_validate.solvers.search.positional.maker_breaker import MakerBreaker
from qsage_validate.solvers.search.positional.table import ALWAYS, PositionTable, TablePlace
from qsage_validate.solvers.search.positional.threats import ThreatSearch
from qsage_validate.solvers.search.positional.winning_sets import (
    Layers,
    WinningSets,
    alive,
    ordered,
    scores,
)
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN


class MakerMaker:
    """The search for a set that Black completes with so many stones before White completes one.

    Results: positive for a win, ``NOT_WITHIN`` so many stones, or ``NEVER``.
    """

    def __init__(
        self, sets: WinningSets, whites: WinningSets, keys: CanonicalKeys, tick: Callable[[], None]
    ) -> None:
        self._sets = sets
        self._whites = whites
        self._size = sets.size
        self._all = (1 << sets.size) - 1
        self._tick = tick
        self.maker = MakerBreaker(sets, keys, tick)
        self._threats = ThreatSearch(sets, whites, tick)
        self.tables = PositionTable(keys), PositionTable(keys)

    def black(self, black: int, white: int, own: Layers, other: Layers, stones: int) -> int:
        """The result with Black to move; ``own`` and ``other`` are Black's layers and White's."""
        self._tick()
        if stones < 1:
            return NOT_WITHIN
        if own[1]:
            return 1
        if stones == 1:
            return NOT_WITHIN
        free = self._all & ~(black | white)
        threats = self._whites.missing(other[1], free)
        if threats & (threats - 1):
            return NEVER
        if self._threats.zone(black, white, own, other, stones):
            return 1
        if not threats:
            result = self.maker.black(black, white, own, stones)
            if result <= 0 or not alive(other, stones - 1):
                return result
        hopeful, whites = alive(own, stones), alive(other, stones - 1)
        if not hopeful:
            return NOT_WITHIN
        relevant = self._sets.cells(hopeful) | self._whites.cells(whites)
        table = self.tables[0]
        place = self._place(table, black, white, relevant)
        entry = table.entry(place)
        if stones >= entry.win:
            return 1
        if stones <= entry.lose:
            return NOT_WITHIN
        # Moves that are left out may help a Black who has more stones.
        every = hopeful == alive(own, len(own)) and whites == alive(other, len(other))
        result = NEVER if every else NOT_WITHIN
        cells = threats or relevant & free
        worth = self._worth(own, other, cells, stones)
        for v in ordered(worth, table.best(place, entry)):
            after = self._sets.claimed(own, v), self._whites.denied(other, v)
            won = self.white(black | 1 << v, white, *after, stones - 1)
            if won > 0:
                table.won(place, stones, 1 << v, v)
                return 1
            result = max(result, won)
        table.not_won(place, ALWAYS if result == NEVER else stones)
        return result

    def white(self, black: int, white: int, own: Layers, other: Layers, stones: int) -> int:
        """The result with White to move."""
        self._tick()
        if other[1]:
            return NEVER
        if stones < 1:
            return NOT_WITHIN
        free = self._all & ~(black | white)
        if own[1]:
            cells = self._sets.missing(own[1], free)
            if cells & (cells - 1):
                return 1
            v = cells.bit_length() - 1
            after = self._sets.denied(own, v), self._whites.claimed(other, v)
            return self.black(black, white | cells, *after, stones)
        if stones == 1:
            return NOT_WITHIN
        result = self.maker.white(black, white, own, stones)
        whites = alive(other, stones)
        if result <= 0 or not whites:
            return result
        maker_zone = result
        relevant = self._sets.cells(alive(own, stones)) | self._whites.cells(whites)
        table = self.tables[1]
        place = self._place(table, black, white, relevant)
        entry = table.entry(place)
        if stones >= entry.win:
            return 1
        if stones <= entry.lose:
            return NOT_WITHIN
        must = self._threats.zone(black, white, own, other, stones) & relevant or relevant
        worth = self._worth(own, other, must & free, stones)
        moves = ordered(worth, table.best(place, entry))
        # Stones that the maker's win does not need help White's own sets only.
        moves.sort(key=lambda v: not maker_zone >> v & 1)
        for v in moves:
            after = self._sets.denied(own, v), self._whites.claimed(other, v)
            won = self.black(black, white | 1 << v, *after, stones)
            if won <= 0:
                table.not_won(place, ALWAYS if won == NEVER else stones, v)
                return won
        table.won(place, stones, 1)
        return 1

    def _place(self, table: PositionTable, black: int, white: int, relevant: int) -> TablePlace:
        """The place of a board whose positions in no set alive are marked as both players'."""
        dead = self._all & ~relevant
        return table.place((black | dead) | (white | dead) << self._size)

    def _worth(self, own: Layers, other: Layers, cells: int, stones: int) -> dict[int, int]:
        """The scores of positions for both players together."""
        whites = scores(self._whites, other, cells, stones)
        blacks = scores(self._sets, own, cells, stones)
        return {v: score + whites[v] for v, score in blacks.items()}

    @property
    def positions(self) -> int:
        return sum(map(len, self.tables)) + self.maker.positions

    # -- What is known ----------------------------------------------------------------------

    def search(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> int:
        """The result of a position that has not ended."""
        own = self._sets.layers(black, white)
        other = self._whites.layers(white, black)
        go = self.black if blacks_turn else self.white
        return go(black, white, own, other, stones)

    def known(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> bool | None:
        """True if Black wins with so many stones; ``None`` if the tables do not tell."""
        if self.maker.known(black, white, stones, blacks_turn=blacks_turn) is False:
            return False
        table = self.tables[0 if blacks_turn else 1]
        entry = table.entry(self._known_place(table, black, white, stones, blacks_turn))
        if stones >= entry.win:
            return True
        return False if stones <= entry.lose else None

    def hint(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> int:
        """A move that decided the position, as a bit; 0 when none is known."""
        own = self._sets.layers(black, white)
        other = self._whites.layers(white, black)
        free = self._all & ~(black | white)
        layers = ((self._sets, own), (self._whites, other))
        for sets, mine in layers if blacks_turn else layers[::-1]:
            if mine[1]:
                cells = sets.missing(mine[1], free)
                return cells & -cells
        if blacks_turn and self._threats.zone(black, white, own, other, stones):
            return self._threats.first
        table = self.tables[0 if blacks_turn else 1]
        place = self._known_place(table, black, white, stones, blacks_turn)
        found = table.best(place, table.entry(place))
        return found or self.maker.hint(black, white, stones, blacks_turn=blacks_turn)

    def _known_place(
        self, table: PositionTable, black: int, white: int, stones: int, blacks_turn: bool
    ) -> TablePlace:
        own = alive(self._sets.layers(black, white), stones)
        whites = stones - 1 if blacks_turn else stones
        other = alive(self._whites.layers(white, black), whites)
        relevant = self._sets.cells(own) | self._whites.cells(other)
        return self._place(table, black, white, relevant)
