"""Machine code that is run in slices of nodes, and the table in which it keeps its states.

Between the slices Python looks at the clock, at Ctrl-C and at the limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qsage_validate.errors import UsageError
from qsage_validate.extensions.fast.arrays import (
    CROWDED,
    DEPTH,
    ENTER,
    FILLED,
    MODE,
    NODES,
    RESULT,
    HashTable,
    Words,
)
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN, WIN
from qsage_validate.system.memory import physical_mb
from qsage_validate.system.signals import signals_held_back

SLICE = 100_000
"""Nodes between two looks at the clock: a few hundredths of a second."""

DEFAULT_MB = 1024
"""The largest table without ``--memory``; it begins small and grows."""

SLOTS = 1 << 14
"""Entries of a table at the beginning."""


class Runner:
    """The control block and the table of one game's search.

    A state has ``size`` words, its key in the table ``key_words``.  ``memory_mb`` sizes the table,
    which begins with so many ``slots`` and grows.  After ``nodes_a_slice`` nodes the clock is
    looked at.  Raises ``UsageError`` for a table that does not
    fit in the memory.
    """

    def __init__(
        self,
        size: int,
        key_words: int,
        controls: int,
        memory_mb: int | None,
        slots: int = SLOTS,
        nodes_a_slice: int = SLICE,
    ) -> None:
        self._nodes_a_slice = nodes_a_slice
        self.words = (0,) * size
        self.control: Words = np.zeros(controls, dtype=np.int64)
        self._key_words = key_words
        self._most_slots = _most_slots(1 + key_words, memory_mb)
        self._called: set[str] = set()
        self.table = self._new_table(min(slots, self._most_slots))

    @property
    def nodes(self) -> int:
        """The number of states that were visited."""
        return int(self.control[NODES])

    @property
    def filled(self) -> int:
        """The number of states in the table."""
        return int(self.control[FILLED])

    @property
    def result(self) -> int:
        """The result of a search that is done."""
        return (NOT_WITHIN, WIN, NEVER)[int(self.control[RESULT])]

    def begin(self) -> None:
        """Let the next slice begin a search."""
        self.control[DEPTH], self.control[MODE] = 0, ENTER

    def slice(self, function: Callable[..., int], rules: Any, frames: Any, history: Words) -> int:
        """One slice of a search: why it came back.  A crowded table has grown then."""
        # The first call makes the machine code: a node, and then the clock is looked at.
        nodes = self._nodes_a_slice if function.__name__ in self._called else 1
        until = self.nodes + nodes
        why = self.call(
            function, self.words, rules, self.table, frames, self.control, history, until
        )
        if why == CROWDED:
            self._grow()
        return int(why)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The value of a function in machine code.

        Its first call may compile it, which signals would leave half-done: they wait until then.
        """
        if function.__name__ in self._called:
            return function(*arguments)
        with signals_held_back():
            value = function(*arguments)
        self._called.add(function.__name__)
        return value

    def _new_table(self, slots: int) -> HashTable:
        return HashTable(
            np.zeros(slots * (self._key_words + 1), dtype=np.int64),
            slots,
            slots >= self._most_slots,
        )

    def _grow(self) -> None:
        from qsage_validate.extensions.fast.machine import move_over

        old = self.table
        try:
            self.table = self._new_table(min(4 * old.slots, self._most_slots))
        except MemoryError:
            self.table = old._replace(full=True)
            return
        self.control[FILLED] = self.call(move_over, old, self.table, self._key_words)


def _most_slots(words: int, memory_mb: int | None) -> int:
    """The largest power of two of entries with so many words each that the memory has room for."""
    room = physical_mb()
    if memory_mb is None:
        memory_mb = DEFAULT_MB if room is None else min(DEFAULT_MB, room // 2)
    elif room is not None and memory_mb > room:
        raise UsageError(
            f"found a table of {memory_mb:,} MB, expected at most {room:,} MB, the memory"
        )
    return max(4, 1 << (memory_mb * 1_000_000 // (8 * words)).bit_length() - 1)
