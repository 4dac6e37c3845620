"""Wins of Black by threats alone: White can answer each at one position only.

A threat is a move after which a black set misses one position; two at once win.  With such a win
comes its *zone*: a White stone anywhere else, before the first threat, leaves it standing.  So if
Black would win by threats when White passes, White has to move within the zone (Allis 1994,
threat-space search; for Hex the must-play region of Hayward et al. 2003).

The zone holds the positions of the threats and of their answers.  Where White has winning sets,
White can answer a threat by completing one, so a threat counts only while White misses two
positions of each set; and the positions of sets of which White then misses two at most belong to
the zone, for with a stone more there White would complete the set or make a threat of it.
Answers are forced, hence White places no other stone outside of the zone than the first.
"""

from __future__ import annotations

from collections.abc import Callable

from qsage_validate.solvers.search.positional.winning_sets import Layers, WinningSets

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
