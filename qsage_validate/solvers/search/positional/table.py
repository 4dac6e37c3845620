"""The table of a positional search: results of positions, under symmetry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from qsage_validate.games.positional.symmetry import CanonicalKeys

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
