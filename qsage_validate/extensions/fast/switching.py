"""The search that begins in Python and goes on in machine code where it takes long and can.

Small games are decided before numba is loaded, and give the same plays with and without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from qsage_validate.games.protocol import Kernel, Player, State
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.solvers.search.search_engine import ManyReplies, SearchEngine

SWITCH = 8192
"""Nodes of the search in Python, about a third of a second, before the compiled one begins."""

SWITCH_AND_COMPILE = 200_000
"""As many where the machine code has to be made first, which takes some ten seconds."""


def first_nodes(function: str) -> int:
    """The nodes of the search in Python before that by a function in machine code."""
    # To look for numba takes longer than to search a small game.
    from qsage_validate.extensions.fast.numba_cache import is_kept, why_not_compiled

    if why_not_compiled():
        return sys.maxsize
    return SWITCH if is_kept(function) else SWITCH_AND_COMPILE


class _LongError(Exception):
    """The search in Python has looked at as many nodes as it should."""


def _unwatched() -> None: ...


def _as_it_is(state: State) -> State:
    return state


@dataclass(frozen=True)
class Stages:
    """The searches of a game, by growing cost of their beginning.

    ``first`` takes the states of ``kernel`` as ``translated``, and so does ``compiled``, which is
    ``None`` where there is no machine code for the game; ``function`` is the name of the code.
    Where one of them raises one of ``gives_up``, ``plain`` goes on, which takes the states as they
    are.
    """

    kernel: Kernel
    first: SearchEngine
    compiled: Callable[[], SearchEngine | None]
    function: str
    translated: Callable[[State], State] = _as_it_is
    gives_up: tuple[type[Exception], ...] = ()
    plain: Callable[[], SearchEngine] | None = None


class SwitchingEngine:
    """The search in Python, and after some nodes the compiled one (a ``SearchEngine``)."""

    deepens = False
    at_once = True
    for_ever = True

    def __init__(self, stages: Stages) -> None:
        self.watch: Callable[[], None] = _unwatched
        self.kernel = stages.kernel
        self._stages = stages
        self._translated = stages.translated
        self._before = 0
        self._last: int | None = None
        self._enter(stages.first)

    def _enter(self, engine: SearchEngine) -> None:
        engine.watch = self._watch
        self._inner = engine

    @property
    def name(self) -> str:
        """The search that ran last."""
        return self._inner.name

    @property
    def many(self) -> ManyReplies | None:
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
        return self._inner.positions

    def frames(self, plies: int) -> int:
        """As many as the search in Python takes."""
        return self._inner.frames(plies)

    def depths(self, player: Player, last: int) -> Iterable[int]:
        return self._inner.depths(player, last)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``; a limit beyond ``MAX_PLIES``."""
        while True:
            try:
                return self._inner.search(self._translated(state), player, plies)
            except _LongError:
                self._change()
            except self._stages.gives_up:
                self._give_up()

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the table does not tell."""
        try:
            return self._inner.known(self._translated(state), player, plies)
        except self._stages.gives_up:
            self._give_up()
        return None

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """Always ``None``, as by both searches."""
        return self._inner.hint(state, player, plies)

    def _watch(self) -> None:
        self.watch()
        if self._last is None:
            self._last = first_nodes(self._stages.function)
        if not self._inner.replaces and self._inner.nodes >= self._last:
            raise _LongError

    def _change(self) -> None:
        try:
            engine = self._stages.compiled()
        except TooLargeError:
            engine = None
        if engine is None:
            self._last = sys.maxsize
            return
        self._before += self._inner.nodes
        self._enter(engine)

    def _give_up(self) -> None:
        assert self._stages.plain is not None, "a search that gives up has another one"
        self._last = sys.maxsize
        self._before += self._inner.nodes
        self._translated = _as_it_is
        self._enter(self._stages.plain())
