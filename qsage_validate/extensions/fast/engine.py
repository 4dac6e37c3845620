"""The compiled search of a grid game (a ``SearchEngine``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from qsage_validate.extensions.fast.arrays import (
    CONTROLS,
    DONE,
    FAR,
    FIRST,
    NODES,
    ORDERED,
    PLIES,
    SYMMETRIC,
    Arrays,
    Frames,
    new_frames,
)
from qsage_validate.extensions.fast.runner import SLOTS, Runner
from qsage_validate.games.bddl.kernel import BddlKernel
from qsage_validate.games.protocol import ALWAYS, Kernel, Player, State
from qsage_validate.solvers.search.bounds import MAX_PLIES
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN, WIN, LimitError

BLACK, WHITE = Player.BLACK, Player.WHITE

# From so many plies on symmetric positions share an entry, as in the search in Python.
_SYMMETRIC_FROM = 4


def _unwatched() -> None: ...


class CompiledEngine:
    """The compiled search of one game.

    ``memory_mb`` sizes the table, which begins with so many ``slots`` and grows.  Without
    ``with_bounds`` it looks at the nodes that
    :class:`~qsage_validate.solvers.search.bounds.Bounds` looks at without them.  Raises
    ``UsageError`` for a table that does not fit in the memory, ``TooLargeError`` for a game
    whose states do not fit in the words.
    """

    deepens = False
    at_once = True
    for_ever = True
    replaces = True
    name = "compiled"

    def __init__(
        self,
        kernel: BddlKernel,
        *,
        memory_mb: int | None = None,
        with_bounds: bool = True,
        slots: int = SLOTS,
    ) -> None:
        self.kernel: Kernel = kernel
        self._grid = kernel
        self.watch: Callable[[], None] = _unwatched
        self._machine = _machine()
        arrays = self._arrays = Arrays(kernel, with_bounds=with_bounds)
        self._rules = arrays.rules
        self._frames: Frames | None = None
        key_words = self._rules.key_words
        self._runner = Runner(arrays.size, key_words, CONTROLS, memory_mb, slots)
        self._control = self._runner.control
        self._control[ORDERED] = with_bounds
        if arrays.symmetric:
            # Finding the least image costs more than it saves in the second half of a play.
            least = kernel.grounding.squares // 3 if with_bounds else 0
            self._control[SYMMETRIC] = max(_SYMMETRIC_FROM, least)
        self._history = np.zeros(len(self._rules.number), dtype=np.int64)

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return self._runner.nodes

    @property
    def positions(self) -> int:
        return self._runner.filled

    def frames(self, plies: int) -> int:
        """A few: the stack of the search is its own."""
        return 100

    def depths(self, player: Player, last: int) -> range:
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
        from qsage_validate.extensions.fast import replies

        states = self._arrays.states(black, white)
        chosen = np.zeros(len(black), dtype=np.int64)
        self._runner.call(
            replies.replies,
            self._runner.words,
            self._rules,
            self._runner.table,
            states,
            int(player is WHITE),
            plies,
            int(self._control[SYMMETRIC]),
            np.zeros(6 * self._arrays.size, dtype=np.int64),
            np.zeros(self._rules.line_words, dtype=np.int64),
            chosen,
        )
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
        control[PLIES], control[FIRST] = plies, player is WHITE
        self._runner.begin()
        while self._runner.slice(self._machine.run, self._rules, frames, self._history) != DONE:
            self.watch()
        return self._runner.result

    def _entry(self, state: int, player: Player, plies: int) -> tuple[int, int]:
        """In how many plies Black wins by the table, and within how many not."""
        size = self._arrays.size
        words = np.zeros(3 * size, dtype=np.int64)
        words[:size] = self._arrays.state(state)
        mark = 2 * (player is WHITE) + int(plies >= self._control[SYMMETRIC])
        runner = self._runner
        arguments = runner.words, self._rules, runner.table, words, mark
        entry = int(runner.call(self._machine.find_state, *arguments))
        if entry == 0:
            return ALWAYS, 0
        win, lose = entry & FAR, entry >> 16 & FAR
        return ALWAYS if win == FAR else win, ALWAYS if lose == FAR else lose


def _machine() -> ModuleType:
    from qsage_validate.extensions.fast import machine

    return machine
