"""Maker-breaker games on winning sets: threats, pairings, a table, and the search.

Set number i is bit i of an integer, so that one operation on integers moves all sets at once:
*layers* are a tuple whose entry k holds the sets that miss exactly k positions (entry 0 is unused:
a play with a completed set has ended).  Sets in which the opponent has a position are in no
layer.

A threat is a move after which a black set misses one position; two at once win.  With such a win
comes its *zone*: a White stone anywhere else, before the first threat, leaves it standing.  So if
Black would win by threats when White passes, White has to move within the zone (Allis 1994,
threat-space search; for Hex the must-play region of Hayward et al. 2003).

The zone holds the positions of the threats and of their answers.  Where White has winning sets,
White can answer a threat by completing one, so a threat counts only while White misses two
positions of each set; and the positions of sets of which White then misses two at most belong to
the zone, for with a stone more there White would complete the set or make a threat of it.
Answers are forced, hence White places no other stone outside of the zone than the first.

When each black set that is alive contains one of some disjoint pairs of open positions, Black
never completes any: White has one of each set at the end.  Pairs are found by a SAT solver, which
keeps what it has learned for the next position.

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

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from qsage_validate.games.masks import members
from qsage_validate.games.positional.model import CanonicalKeys
from qsage_validate.solvers.search_engine import NEVER, NOT_WITHIN

if TYPE_CHECKING:
    from qsage_validate.circuit.sat import Solver


# Winning sets of one player for search: which are alive, and how many positions each misses


Layers = tuple[int, ...]


class WinningSets:
    """The winning sets of a player on a board of ``size`` positions.

    ``having[v]`` are the sets, as bits, in which position v is.
    """

    def __init__(self, sets: Iterable[int], size: int) -> None:
        self.sets = tuple(sets)
        self.size = size
        having = [0] * size
        for number, mask in enumerate(self.sets):
            for v in members(mask):
                having[v] |= 1 << number
        self.having = tuple(having)
        self.longest = max(map(int.bit_count, self.sets), default=0)

    def layers(self, own: int, other: int) -> Layers:
        """The layers of a position, one longer than the longest set at least."""
        found = [0] * (max(self.longest, 2) + 1)
        for number, mask in enumerate(self.sets):
            if not mask & other:
                found[(mask & ~own).bit_count()] |= 1 << number
        return tuple(found)

    def claimed(self, layers: Layers, v: int) -> Layers:
        """The layers when the player has claimed position v."""
        here = self.having[v]
        there = ~here
        last = len(layers) - 1
        return (
            0,
            *[layers[k] & there | layers[k + 1] & here for k in range(1, last)],
            layers[last] & there,
        )

    def denied(self, layers: Layers, v: int) -> Layers:
        """The layers when the opponent has claimed position v."""
        there = ~self.having[v]
        return tuple([layer & there for layer in layers])

    def cells(self, alive: int) -> int:
        found = 0
        for v, having in enumerate(self.having):
            if having & alive:
                found |= 1 << v
        return found

    def missing(self, alive: int, free: int) -> int:
        """The open positions of some sets, of few of them."""
        found = 0
        while alive:
            low = alive & -alive
            alive ^= low
            found |= self.sets[low.bit_length() - 1]
        return found & free

    def partners(self, layers: Layers, free: int) -> dict[int, int]:
        """For each position (as a bit) of a set that misses two: the others of such sets."""
        found: dict[int, int] = {}
        pairs = layers[2]
        while pairs:
            low = pairs & -pairs
            pairs ^= low
            rest = self.sets[low.bit_length() - 1] & free
            first = rest & -rest
            second = rest ^ first
            found[first] = found.get(first, 0) | second
            found[second] = found.get(second, 0) | first
        return found


def alive(layers: Layers, stones: int) -> int:
    """The sets that can be completed with so many stones."""
    found = 0
    for layer in layers[1 : stones + 1]:
        found |= layer
    return found


def weight(layers: Layers, stones: int) -> int:
    """The sum of 2^(longest - k) over the sets that miss k positions, of at most ``stones``.

    Erdős and Selfridge 1973: the breaker, to move, stops all of them when the sum is below
    2^longest, which is what :func:`whole` says; after the maker's move, below half of that.
    """
    longest = len(layers) - 1
    found = 0
    for k in range(1, min(longest, stones) + 1):
        found += layers[k].bit_count() << (longest - k)
    return found


def whole(layers: Layers) -> int:
    """The bound for :func:`weight`, 2^longest: 1 in the unit of that sum."""
    return 1 << (len(layers) - 1)


def scores(sets: WinningSets, layers: Layers, cells: int, stones: int) -> dict[int, int]:
    """The score of each of some positions: high in many sets that miss few positions."""
    top = min(len(layers) - 1, stones)
    having = sets.having
    weights = [(layer, 2 * (top - k)) for k, layer in enumerate(layers[: top + 1]) if layer]
    found = {}
    for v in members(cells):
        here = having[v]
        score = 0
        for layer, shift in weights:
            score += (layer & here).bit_count() << shift
        found[v] = score
    return found


def ordered(worth: dict[int, int], first: int) -> list[int]:
    """Positions by what they are worth, most first; before all of them ``first``, as a bit."""
    if first:
        v = first.bit_length() - 1
        if v in worth:
            worth[v] = 1 << 62
    return sorted(worth, key=worth.__getitem__, reverse=True)


def without_twins(
    sets: WinningSets, layers: Layers, stones: int, free: int
) -> tuple[Layers, dict[int, int]]:
    """The remaining winning sets, and for each relevant position the sets that contain it.

    Two open positions that are in the same sets are a pair for White: whenever Black claims one,
    White claims the other.  So their sets, of those that can be completed with so many stones,
    are none for Black, to whom the others have to be enough.
    """
    while True:
        hopeful = alive(layers, stones)
        here: dict[int, int] = {}
        seen: set[int] = set()
        paired = 0
        for v, having in enumerate(sets.having):
            those = having & hopeful
            if those:
                here[v] = those
                if free >> v & 1:
                    if those in seen:
                        paired |= those
                    seen.add(those)
        if not paired:
            return layers, here
        layers = tuple([layer & ~paired for layer in layers])


def undominated(here: dict[int, int], cells: int) -> int:
    """Those of some positions that are not in some of another one's sets only.

    The other one is at least as good for both players.
    """
    kept: list[int] = []
    found = 0
    order = [v for v in here if cells >> v & 1]
    order.sort(key=lambda v: here[v].bit_count(), reverse=True)
    for v in order:
        those = here[v]
        if not any(those & other == those for other in kept):
            kept.append(those)
            found |= 1 << v
    return found


# Wins of Black by threats alone: White can answer each at one position only


# How many positions one search may visit: wins by threats that are worth it are found in fewer.
_MOST = 600


class ThreatSearch:
    """The search for wins by threats; ``tick`` is called at every position."""

    def __init__(self, black: WinningSets, white: WinningSets, tick: Callable[[], None]) -> None:
        self._black = black
        self._white = white
        self._all = (1 << black.size) - 1
        self._tick = tick
        self.first = 0
        """The first threat of the win that was found last, as a bit."""

    def zone(self, black: int, white: int, own: Layers, other: Layers | None, stones: int) -> int:
        """The zone of a win with at most so many stones, Black being to move; 0 for none found.

        ``own`` and ``other`` are the layers of both players; without ``other`` White's sets play
        no role.  No black set may miss one position only.
        """
        if stones < 2 or not own[2]:
            return 0
        return self._search(black, white, own, other, stones, set())

    def _search(
        self, black: int, white: int, own: Layers, other: Layers | None, stones: int, seen: set[int]
    ) -> int:
        free = self._all & ~(black | white)
        partners = self._black.partners(own, free)
        if other is not None:
            # Where White has a threat, Black can only answer it.
            threats = self._white.missing(other[1], free)
            if threats:
                if threats & (threats - 1):
                    return 0
                partners = {a: b for a, b in partners.items() if a == threats}
        for a, b in partners.items():
            if b & (b - 1):
                one = b & -b
                two = (b ^ one) & -(b ^ one)
                self.first = a
                return a | one | two | self._dangers(other, a, free)
        if stones < 3:
            return 0
        size = self._black.size
        for a, b in partners.items():
            key = black | a | (white | b) << size
            if key in seen or len(seen) > _MOST:
                continue
            seen.add(key)
            self._tick()
            v, w = a.bit_length() - 1, b.bit_length() - 1
            after = self._black.denied(self._black.claimed(own, v), w)
            if not after[2]:
                continue
            others = None
            if other is not None:
                others = self._white.claimed(self._white.denied(other, v), w)
            zone = self._search(black | a, white | b, after, others, stones - 1, seen)
            if zone:
                self.first = a
                return zone | a | b | self._dangers(other, a, free)
        return 0

    def _dangers(self, other: Layers | None, a: int, free: int) -> int:
        """The open positions of White's sets that miss at most two when Black has claimed a.

        None misses only one: the threat at a would not have been looked at.
        """
        if other is None:
            return 0
        there = ~self._white.having[a.bit_length() - 1]
        return self._white.missing((other[1] | other[2]) & there, free)


# The table of a positional search: results of positions, under symmetry


ALWAYS = 1 << 30
"""More stones than there are: Black never wins, or is not known to win."""


class TableEntry(NamedTuple):
    """Black wins with ``win`` stones more (or is not known to), and not with ``lose``.

    ``zone`` is the win's; ``best`` the move that decided, or -1.  In the entry's own symmetry.
    """

    win: int
    lose: int
    zone: int
    best: int


UNKNOWN = TableEntry(ALWAYS, 0, 0, -1)


@dataclass(frozen=True, slots=True)
class TablePlace:
    """The place of a position in a table: its key, and the symmetry that leads there."""

    key: int
    symmetry: int


class PositionTable:
    """Entries of positions with one player to move."""

    def __init__(self, keys: CanonicalKeys) -> None:
        self._keys = keys
        self._entries: dict[int, TableEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def place(self, state: int) -> TablePlace:
        return TablePlace(*self._keys.key(state))

    def entry(self, place: TablePlace) -> TableEntry:
        return self._entries.get(place.key, UNKNOWN)

    def zone(self, place: TablePlace, entry: TableEntry) -> int:
        """The zone of a win, for the position that was asked about."""
        return self._keys.back(entry.zone, place.symmetry)

    def best(self, place: TablePlace, entry: TableEntry) -> int:
        """The position that decided, as a bit; 0 when none is known."""
        return self._keys.back(1 << entry.best, place.symmetry) if entry.best >= 0 else 0

    def won(self, place: TablePlace, stones: int, zone: int, best: int = -1) -> None:
        """Black wins with so many stones."""
        image = self._keys.there(zone, place.symmetry)
        move = self._image(place, best)
        self._entries[place.key] = TableEntry(stones, self.entry(place).lose, image, move)

    def not_won(self, place: TablePlace, stones: int, best: int = -1) -> None:
        """Black does not win with so many stones."""
        before = self.entry(place)
        self._entries[place.key] = TableEntry(
            before.win, max(stones, before.lose), before.zone, self._image(place, best)
        )

    def _image(self, place: TablePlace, v: int) -> int:
        return -1 if v < 0 else self._keys.images[place.symmetry][v]


# Pairing strategies: White answers a claim of one of two positions by claiming the other


_SOLVER = "minisat22"
# Larger problems take longer to set up than they save.
_MOST_CELLS = 64
_MOST_SETS = 2_000
# That no pairs exist is a pigeonhole problem: it is given up after so many conflicts, later where
# few positions are claimed, for much depends on these.
_CONFLICTS = 60
_AT_FIRST = {0: 20_000, 1: 20_000, 2: 20_000, 3: 20_000, 4: 300, 5: 300}

Pairs = tuple[tuple[int, int], ...]


class BoardPairingFinder:
    """Finds pairs for the sets of one board, position after position."""

    def __init__(self, sets: WinningSets) -> None:
        self._sets = sets
        self.possible = sets.size <= _MOST_CELLS and 0 < len(sets.sets) <= _MOST_SETS
        self._solver: Solver | None = None
        self._pairs: dict[tuple[int, int], int] = {}
        self._first_set = sets.size + 1

    def holds(self, claimed: int, alive: int, *, surely: bool = False) -> bool:
        """True if pairs of unclaimed positions are found that the sets ``alive`` contain.

        Unless ``surely``, ``False`` may also mean that none were found soon.
        """
        if not self.possible:
            return False
        solver = self._made()
        assumptions = [-(v + 1) for v in members(claimed)]
        assumptions += [self._first_set + number for number in members(alive)]
        if surely:
            return bool(solver.solve(assumptions))
        solver.conf_budget(_AT_FIRST.get(claimed.bit_count(), _CONFLICTS))
        return solver.solve_limited(assumptions) is True

    def find(self, claimed: int, alive: int) -> Pairs | None:
        """The pairs, or ``None`` when there are none."""
        if not self.holds(claimed, alive, surely=True):
            return None
        true = set(self._made().get_model())
        return tuple(pair for pair, variable in self._pairs.items() if variable in true)

    def _made(self) -> Solver:
        if self._solver is None:
            # SAT solvers take longer to load than small boards to search.
            from qsage_validate.circuit.sat import Solver

            self._solver = Solver(name=_SOLVER, bootstrap_with=self._clauses())
        return self._solver

    def _clauses(self) -> list[list[int]]:
        """Variables: positions that are open, then sets that are alive, then pairs."""
        following = self._first_set + len(self._sets.sets)
        at: list[list[int]] = [[] for _ in range(self._sets.size)]
        clauses: list[list[int]] = []
        for number, mask in enumerate(self._sets.sets):
            chosen = [-(self._first_set + number)]
            for pair in combinations(members(mask), 2):
                if pair not in self._pairs:
                    self._pairs[pair] = following
                    for v in pair:
                        at[v].append(following)
                        clauses.append([-following, v + 1])
                    following += 1
                chosen.append(self._pairs[pair])
            clauses.append(chosen)
        for pairs in at:
            clauses += [[-one, -two] for one, two in combinations(pairs, 2)]
        return clauses


# The search of maker-breaker games: Black tries to complete a set, White only hinders


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
