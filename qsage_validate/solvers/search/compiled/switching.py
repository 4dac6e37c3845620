"""The search that begins in Python and goes on in machine code where it takes long.

Small games are decided before numba is loaded, and give the same plays with and without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Kernel, Player, State
from qsage_validate.solvers.search.bounds import Bounds
from qsage_validate.solvers.search.compiled.arrays import TooLargeError
from qsage_validate.solvers.search.compiled.numba_cache import is_kept
from qsage_validate.solvers.search.search_engine import ManyReplies, SearchEngine
from qsage_validate.system.memory import physical_mb

SWITCH = 8192
"""Nodes of the search in Python, about a third of a second, before the compiled one begins."""

SWITCH_AND_COMPILE = 200_000
"""As many where the machine code has to be made first, which takes some ten seconds."""


class _LongError(Exception):
    """The search in Python has looked at as many nodes as it should."""


def _unwatched() -> None:
    """Go on."""


class SwitchingEngine:
    """The search in Python, and after some nodes the compiled one (a ``SearchEngine``)."""

    deepens = False
    for_ever = True

    def __init__(self, game: BddlGame, memory_mb: int | None = None) -> None:
        self.watch: Callable[[], None] = _unwatched
        self._memory_mb = memory_mb
        self._grid = game.kernel()
        self._inner: SearchEngine = Bounds(game)
        self._inner.watch = self._watch
        self.kernel: Kernel = self._inner.kernel
        self._before = 0
        self._last: int | None = None

    @property
    def name(self) -> str:
        """The search that ran last."""
        return self._inner.name

    @property
    def many(self) -> ManyReplies | None:
        """That of the search that ran last."""
        return self._inner.many

    @property
    def replaces(self) -> bool:
        """True after the change."""
        return self._inner.replaces

    @property
    def nodes(self) -> int:
        """The number of positions that were visited by both."""
        return self._before + self._inner.nodes

    @property
    def positions(self) -> int:
        """The number of positions in the table."""
        return self._inner.positions

    def frames(self, plies: int) -> int:
        """As many as the search in Python takes."""
        return self._inner.frames(plies)

    def depths(self, player: Player, last: int) -> range:
        """All of them."""
        return range(1, last + 1)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``; a limit beyond ``MAX_PLIES``."""
        try:
            return self._inner.search(state, player, plies)
        except _LongError:
            self._change()
        return self._inner.search(state, player, plies)

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the table does not tell."""
        return self._inner.known(state, player, plies)

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """Always ``None``, as by both searches."""
        return self._inner.hint(state, player, plies)

    def _watch(self) -> None:
        self.watch()
        if self._last is None:
            self._last = SWITCH if is_kept() else SWITCH_AND_COMPILE
        if not self._inner.replaces and self._inner.nodes >= self._last:
            raise _LongError

    def _change(self) -> None:
        from qsage_validate.solvers.search.compiled.engine import CompiledEngine

        room, wanted = physical_mb(), self._memory_mb
        if room is not None and wanted is not None:
            wanted = min(wanted, room)
        try:
            engine = CompiledEngine(self._grid, memory_mb=wanted)
        except TooLargeError:
            self._last = sys.maxsize
            return
        self._before = self._inner.nodes
        engine.watch = self._watch
        self._inner = engine
