"""Winning sets of one player for search: which are alive, and how many positions each misses.

Set number i is bit i of an integer, so that one operation on integers moves all sets at once:
*layers* are a tuple whose entry k holds the sets that miss exactly k positions (entry 0 is unused:
a play with a completed set has ended).  Sets in which the opponent has a position are in no
layer.
"""

from __future__ import annotations

from collections.abc import Iterable

from qsage_validate.games.masks import members

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
