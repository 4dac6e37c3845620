"""The compiled search of a grid game (a ``SearchEngine``): numba runs it in slices of nodes.

Between the slices Python looks at the clock, at Ctrl-C and at the limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.kernel import BddlKernel
from qsage_validate.games.protocol import ALWAYS, Kernel, Player, State
from qsage_validate.solvers.search.bounds import MAX_PLIES
from qsage_validate.solvers.search.compiled.arrays import (
    CONTROLS,
    CROWDED,
    DEPTH,
    DONE,
    ENTER,
    FAR,
    FILLED,
    FIRST,
    MODE,
    NODES,
    ORDERED,
    PLIES,
    RESULT,
    SYMMETRIC,
    Arrays,
    Frames,
    Table,
    new_frames,
)
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN, WIN, LimitError
from qsage_validate.system.memory import physical_mb
from qsage_validate.system.signals import signals_held_back

BLACK, WHITE = Player.BLACK, Player.WHITE

SLICE = 100_000
"""Nodes between two looks at the clock: a few hundredths of a second."""

DEFAULT_MB = 1024
"""The largest table without ``--memory``; it begins small and grows."""

# From so many plies on symmetric positions share an entry, as in the search in Python.
_SYMMETRIC_FROM = 4


def _unwatched() -> None:
    """Go on."""


class CompiledEngine:
    """The compiled search of one game.

    ``memory_mb`` sizes the table, which begins with so many ``slots`` and grows.  Without
    ``with_bounds`` it looks at the nodes that
    :class:`~qsage_validate.solvers.search.bounds.Bounds` looks at without them.  Raises
    ``UsageError`` for a table that does not fit in the memory, ``TooLargeError`` for a game
    whose states do not fit in the words.
    """

    deepens = False
    for_ever = True
    replaces = True
    name = "compiled"

    def __init__(
        self,
        kernel: BddlKernel,
        *,
        memory_mb: int | None = None,
        with_bounds: bool = True,
        slots: int = 1 << 14,
    ) -> None:
        self.kernel: Kernel = kernel
        self._grid = kernel
        self.watch: Callable[[], None] = _unwatched
        self._machine = _machine()
        self._called: set[str] = set()
        arrays = self._arrays = Arrays(kernel, with_bounds=with_bounds)
        self._rules = arrays.rules
        self._words = (0,) * arrays.size
        self._frames: Frames | None = None
        self._control = np.zeros(CONTROLS, dtype=np.int64)
        self._control[ORDERED] = with_bounds
        if arrays.symmetric:
            # Finding the least image costs more than it saves in the second half of a play.
            least = kernel.grounding.squares // 3 if with_bounds else 0
            self._control[SYMMETRIC] = max(_SYMMETRIC_FROM, least)
        self._history = np.zeros(len(self._rules.number), dtype=np.int64)
        slot = 8 * (1 + self._rules.key_words)
        room = physical_mb()
        if memory_mb is None:
            memory_mb = DEFAULT_MB if room is None else min(DEFAULT_MB, room // 2)
        elif room is not None and memory_mb > room:
            raise UsageError(
                f"found a table of {memory_mb:,} MB, expected at most {room:,} MB, the memory"
            )
        self._most_slots = max(4, 1 << (memory_mb * 1_000_000 // slot).bit_length() - 1)
        self._table = self._new_table(min(slots, self._most_slots))

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return int(self._control[NODES])

    @property
    def positions(self) -> int:
        """The number of positions in the table."""
        return int(self._control[FILLED])

    def frames(self, plies: int) -> int:
        """A few: the stack of the search is its own."""
        return 100

    def depths(self, player: Player, last: int) -> range:
        """All of them."""
        return range(1, last + 1)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``; a limit beyond ``MAX_PLIES``."""
        assert isinstance(state, int)
        if plies < 1:
            return NOT_WITHIN
        if plies > MAX_PLIES:
            raise LimitError(f"the search goes {MAX_PLIES} plies deep")
        known = self._at_once(state, player, plies)
        if known is not None:
            self._control[NODES] += 1
            return known
        return self._run(state, player, plies)

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the table does not tell."""
        assert isinstance(state, int)
        win, lose = self._entry(state, player, plies)
        if plies >= win:
            return True
        if plies <= lose:
            return False
        if self._grid.wins_at_once(state, player):
            return player is BLACK
        result = self._by_bounds(state, player, plies)
        return None if result is None else result == WIN

    def hint(self, state: State, player: Player, plies: int) -> None:
        """Always ``None``: the caller finds deciding moves by the table's entries after them."""

    def many(
        self, black: NDArray[np.uint64], white: NDArray[np.uint64], player: Player, plies: int
    ) -> Sequence[int]:
        """For many positions the number of a move that keeps the player's win; -1: unknown."""
        from qsage_validate.solvers.search.compiled import replies

        states = self._arrays.states(black, white)
        chosen = np.zeros(len(black), dtype=np.int64)
        with signals_held_back() if "replies" not in self._called else nullcontext():
            replies.replies(
                self._words,
                self._rules,
                self._table,
                states,
                int(player is WHITE),
                plies,
                int(self._control[SYMMETRIC]),
                chosen,
            )
        self._called.add("replies")
        found: list[int] = chosen.tolist()
        return found

    # -- what the machine is not asked -------------------------------------------------------

    def _at_once(self, state: int, player: Player, plies: int) -> int | None:
        """The result that needs no search of a position."""
        if self._grid.wins_at_once(state, player):
            return WIN if player is BLACK else NEVER
        if plies == 1:
            stuck = player is WHITE and not self._grid.successors(state, WHITE)
            return WIN if stuck else NOT_WITHIN
        return self._by_bounds(state, player, plies)

    def _by_bounds(self, state: int, player: Player, plies: int) -> int | None:
        bounds = self._grid.bounds(state, player) if self._control[ORDERED] else None
        if bounds is None:
            return None
        if plies >= bounds[0]:
            return WIN
        if plies <= bounds[1]:
            return NEVER if bounds[1] == ALWAYS else NOT_WITHIN
        return None

    # -- the machine -------------------------------------------------------------------------

    def _new_table(self, slots: int) -> Table:
        return Table(
            np.zeros(slots * self._rules.key_words, dtype=np.int64),
            np.zeros(slots, dtype=np.int64),
            slots >= self._most_slots,
        )

    def _frames_for(self, plies: int) -> Frames:
        if self._frames is None or len(self._frames.wins) < plies + 2:
            self._frames = new_frames(self._rules, self._arrays.size, plies)
        return self._frames

    def _run(self, state: int, player: Player, plies: int) -> int:
        control, size = self._control, self._arrays.size
        frames = self._frames_for(plies)
        frames.states[:size] = self._arrays.state(state)
        frames.lines[: self._rules.line_words] = self._arrays.lines(state)
        frames.last[0] = -1
        control[DEPTH], control[MODE] = 0, ENTER
        control[PLIES], control[FIRST] = plies, player is WHITE
        while True:
            # The first call makes the machine code: a node, and then the clock is looked at.
            nodes = SLICE if "run" in self._called else 1
            why = self._call(
                "run",
                self._words,
                self._rules,
                self._table,
                frames,
                control,
                self._history,
                self.nodes + nodes,
            )
            if why == DONE:
                break
            if why == CROWDED:
                self._grow()
            self.watch()
        return (NOT_WITHIN, WIN, NEVER)[int(control[RESULT])]

    def _call(self, name: str, *arguments: Any) -> int:
        """The value of a function in machine code.

        Its first call may compile it, which signals would leave half-done: they wait until then.
        """
        function = getattr(self._machine, name)
        if name in self._called:
            return int(function(*arguments))
        with signals_held_back():
            value = int(function(*arguments))
        self._called.add(name)
        return value

    def _grow(self) -> None:
        old = self._table
        slots = min(4 * len(old.entries), self._most_slots)
        try:
            self._table = self._new_table(slots)
        except MemoryError:
            self._table = old._replace(full=True)
            return
        self._control[FILLED] = self._call("move_over", old, self._table, self._rules.key_words)

    def _entry(self, state: int, player: Player, plies: int) -> tuple[int, int]:
        """In how many plies Black wins by the table, and within how many not."""
        size = self._arrays.size
        words = np.zeros(3 * size, dtype=np.int64)
        words[:size] = self._arrays.state(state)
        mark = 2 * (player is WHITE) + int(plies >= self._control[SYMMETRIC])
        entry = self._call("find_state", self._words, self._rules, self._table, words, mark)
        if entry == 0:
            return ALWAYS, 0
        win, lose = entry & FAR, entry >> 16 & FAR
        return ALWAYS if win == FAR else win, ALWAYS if lose == FAR else lose


def _machine() -> ModuleType:
    from qsage_validate.solvers.search.compiled import machine

    return machine
