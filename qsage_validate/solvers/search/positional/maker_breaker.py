"""The search of maker-breaker games: Black tries to complete a set, White only hinders.

Positions of either player more never hurt that player, and sets with a white position are gone.
So a position is what is left of the sets that are alive: positions in none of them count as
White's, and those with equal remainders share an entry of the table.

* Black's wins carry zones: a White stone outside of a win's zone leaves the win standing.  White
  to move has to play in the zone of the win by threats that Black would have after a pass, and in
  the zone of the win after each move that has been refuted; where nothing is left, Black has won,
  and the zones together are the zone (the must-play region of Hex).
* White holds where Erdős and Selfridge's sum is small, and where disjoint pairs of open positions
  are found in all sets.
* Sets that miss more positions than Black has stones left are no sets.
"""

from __future__ import annotations

from collections.abc import Callable

from qsage_validate.games.positional.symmetry import CanonicalKeys
from qsage_validate.solvers.search.positional.pairing import BoardPairingFinder
from qsage_validate.solvers.search.positional.table import ALWAYS, PositionTable, TablePlace
from qsage_validate.solvers.search.positional.threats import ThreatSearch
from qsage_validate.solvers.search.positional.winning_sets import (
    Layers,
    WinningSets,
    alive,
    ordered,
    scores,
    undominated,
    weight,
    whole,
    without_twins,
)
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN

# White's replies of which so many are looked at before one is searched, with so many stones of
# Black's left.
_PROBED = 8
_PROBED_FROM = 5


class MakerBreaker:
    """The search for a win of Black, the maker, with so many stones; ``tick`` runs at every node.

    Results: the zone of a win (positive), ``NOT_WITHIN`` so many stones, or ``NEVER``.
    """

    def __init__(self, sets: WinningSets, keys: CanonicalKeys, tick: Callable[[], None]) -> None:
        self._sets = sets
        self._size = sets.size
        self._all = (1 << sets.size) - 1
        self._tick = tick
        self.pairing = BoardPairingFinder(sets)
        self._threats = ThreatSearch(sets, WinningSets((), sets.size), tick)
        self.tables = PositionTable(keys), PositionTable(keys)

    # -- Black to move ----------------------------------------------------------------------

    def black(self, black: int, white: int, layers: Layers, stones: int) -> int:
        """The result with Black to move, who places so many stones at most."""
        self._tick()
        if stones < 1:
            return NOT_WITHIN
        free = self._all & ~(black | white)
        if layers[1]:
            return self._sets.missing(layers[1] & -layers[1], free)
        zone = self._threats.zone(black, white, layers, None, stones)
        if zone:
            return zone
        hopeful, all_alive = alive(layers, stones), alive(layers, len(layers))
        if stones <= 2 or not hopeful:
            return NOT_WITHIN if all_alive else NEVER
        half = whole(layers) >> 1
        if weight(layers, stones) < half:
            return NEVER if weight(layers, len(layers)) < half else NOT_WITHIN
        every = hopeful == all_alive
        layers, here = without_twins(self._sets, layers, stones, free)
        if not here:
            return NEVER if every else NOT_WITHIN
        hopeful = alive(layers, stones)
        table = self.tables[0]
        place = self._place(table, black, here)
        entry = table.entry(place)
        if stones >= entry.win:
            return table.zone(place, entry)
        if stones <= entry.lose:
            return NEVER if entry.lose == ALWAYS and every else NOT_WITHIN
        if self.pairing.holds(black | white, hopeful):
            # Longer sets, which are no sets yet, may lie within the same positions.
            never = every or self.pairing.holds(black | white, all_alive)
            table.not_won(place, ALWAYS if never else stones)
            return NEVER if never else NOT_WITHIN
        result = NEVER if every else NOT_WITHIN
        worth = scores(self._sets, layers, undominated(here, free), stones)
        for v in ordered(worth, table.best(place, entry)):
            after = self._sets.claimed(layers, v)
            zone = self.white(black | 1 << v, white, after, stones - 1)
            if zone > 0:
                zone |= 1 << v
                table.won(place, stones, zone, v)
                return zone
            result = max(result, zone)
        table.not_won(place, ALWAYS if result == NEVER else stones)
        return result

    # -- White to move ----------------------------------------------------------------------

    def white(self, black: int, white: int, layers: Layers, stones: int) -> int:
        """The result with White to move; Black places so many stones at most after that."""
        self._tick()
        free = self._all & ~(black | white)
        if stones < 1:
            return NOT_WITHIN
        if layers[1]:
            return self._answer(black, white, layers, stones, free)
        hopeful, all_alive = alive(layers, stones), alive(layers, len(layers))
        if stones == 1 or not hopeful:
            return NOT_WITHIN if all_alive else NEVER
        if weight(layers, stones) < whole(layers):
            never = weight(layers, len(layers)) < whole(layers)
            return NEVER if never else NOT_WITHIN
        every = hopeful == all_alive
        layers, here = without_twins(self._sets, layers, stones, free)
        if not here:
            return NEVER if every else NOT_WITHIN
        table = self.tables[1]
        place = self._place(table, black, here)
        entry = table.entry(place)
        if stones >= entry.win:
            return table.zone(place, entry)
        if stones <= entry.lose:
            return NEVER if entry.lose == ALWAYS and every else NOT_WITHIN
        zone = self._threats.zone(black, white, layers, None, stones)
        must = zone or free
        worth = scores(self._sets, layers, undominated(here, free) & must, stones)
        moves = ordered(worth, table.best(place, entry))
        if stones >= _PROBED_FROM:
            for v in moves[:_PROBED]:
                held = self._held(black, white | 1 << v, self._sets.denied(layers, v), stones)
                if held is not None:
                    table.not_won(place, ALWAYS if held == NEVER else stones, v)
                    return held if every else NOT_WITHIN
        for v in moves:
            if not must >> v & 1:
                continue
            won = self.black(black, white | 1 << v, self._sets.denied(layers, v), stones)
            if won <= 0:
                table.not_won(place, ALWAYS if won == NEVER else stones, v)
                # Twins are paired for the sets that are short enough: others may still be there.
                return won if every else NOT_WITHIN
            must &= won
            zone |= won
        table.won(place, stones, zone)
        return zone

    def _held(self, black: int, white: int, layers: Layers, stones: int) -> int | None:
        """The result with Black to move where White holds at a glance, else ``None``."""
        half = whole(layers) >> 1
        hopeful, all_alive = alive(layers, stones), alive(layers, len(layers))
        every = hopeful == all_alive
        if weight(layers, stones) < half:
            return NEVER if every else NOT_WITHIN
        free = self._all & ~(black | white)
        layers, here = without_twins(self._sets, layers, stones, free)
        table = self.tables[0]
        entry = table.entry(self._place(table, black, here))
        if (
            not here
            or stones <= entry.lose
            or self.pairing.holds(black | white, alive(layers, stones))
        ):
            return NEVER if every and (not here or entry.lose in (0, ALWAYS)) else NOT_WITHIN
        return None

    def _answer(self, black: int, white: int, layers: Layers, stones: int, free: int) -> int:
        """White to move, with sets that miss one position: it has to be claimed."""
        first = self._sets.missing(layers[1] & -layers[1], free)
        v = first.bit_length() - 1
        others = layers[1] & ~self._sets.having[v]
        if others:
            return first | self._sets.missing(others & -others, free)
        result = self.black(black, white | first, self._sets.denied(layers, v), stones)
        return result | first if result > 0 else result

    @property
    def positions(self) -> int:
        return sum(map(len, self.tables))

    # -- What is known ----------------------------------------------------------------------

    def search(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> int:
        """The result of a position that has not ended."""
        layers = self._sets.layers(black, white)
        go = self.black if blacks_turn else self.white
        return go(black, white, layers, stones)

    def known(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> bool | None:
        """True if Black wins with so many stones; ``None`` if the table does not tell."""
        table = self.tables[0 if blacks_turn else 1]
        entry = table.entry(self._placed(table, black, white, stones))
        if stones >= entry.win:
            return True
        return False if stones <= entry.lose else None

    def hint(self, black: int, white: int, stones: int, *, blacks_turn: bool) -> int:
        """A move that decided the position, as a bit; 0 when none is known."""
        layers = self._sets.layers(black, white)
        free = self._all & ~(black | white)
        if layers[1]:
            cells = self._sets.missing(layers[1], free)
            return cells & -cells
        if blacks_turn and self._threats.zone(black, white, layers, None, stones):
            return self._threats.first
        table = self.tables[0 if blacks_turn else 1]
        place = self._placed(table, black, white, stones)
        return table.best(place, table.entry(place))

    def _placed(self, table: PositionTable, black: int, white: int, stones: int) -> TablePlace:
        layers = self._sets.layers(black, white)
        free = self._all & ~(black | white)
        return self._place(table, black, without_twins(self._sets, layers, stones, free)[1])

    def _place(self, table: PositionTable, black: int, here: dict[int, int]) -> TablePlace:
        """Positions that are in no set count as White's."""
        relevant = 0
        for v in here:
            relevant |= 1 << v
        return table.place(black & relevant | (self._all & ~relevant) << self._size)
