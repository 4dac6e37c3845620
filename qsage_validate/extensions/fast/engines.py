"""The engines by language, and the search that begins in Python and goes on in machine code.

Small games are decided before numba is loaded, and give the same plays with and without it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.kernel import Kernel, State
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.solvers.general_search import Bounds
from qsage_validate.solvers.positional_search import FullBoard, SearchStage
from qsage_validate.solvers.search import EngineChoice
from qsage_validate.solvers.search_engine import ManyReplies, SearchEngine
from qsage_validate.system.memory import physical_mb

if TYPE_CHECKING:
    from qsage_validate.extensions.gdl.rules import RoundsGame


# The search that begins in Python and goes on in machine code where it takes long and can


SWITCH = 8192
"""Nodes of the search in Python, about a third of a second, before the compiled one begins."""

SWITCH_AND_COMPILE = 200_000
"""As many where the machine code has to be made first, which takes some ten seconds."""


def first_nodes(function: str) -> int:
    """The nodes of the search in Python before that by a function in machine code."""
    # To look for numba takes longer than to search a small game.
    from qsage_validate.extensions.fast.declared import is_kept, why_not_compiled

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


# Who searches a game in machine code, and who cannot


MAX_ROUNDS = 400
"""The rules of a game of more rounds are not made masks."""


class Machine(Enum):
    """When a search goes on in machine code."""

    AT_ONCE = "at once"
    LATER = "later"
    NEVER = "never"


def general(game: TwoPlayerGame, choice: EngineChoice, memory_mb: int | None) -> SearchEngine:
    """The general search of a game; raises ``UsageError`` where machine code is asked for alone."""
    if choice is EngineChoice.PURE:
        return pure_engine(game)
    make = compiled_engine if choice is EngineChoice.FAST else switching_engine
    return make(game, memory_mb)


def stage(
    model: PositionalModel, choice: EngineChoice, memory_mb: int | None
) -> SearchStage | None:
    """The search of full boards, for games of connection."""
    when = {
        EngineChoice.AUTO: Machine.LATER,
        EngineChoice.FAST: Machine.AT_ONCE,
        EngineChoice.PURE: Machine.NEVER,
    }
    found = Connections(model, when[choice], memory_mb)
    # Asked for, and not there: the board is too large, or its sides are joined.
    return None if choice is EngineChoice.FAST and found.after() == sys.maxsize else found


def compiled_engine(game: TwoPlayerGame, memory_mb: int | None) -> SearchEngine:
    """The compiled search; raises ``UsageError`` where there is none for the game."""
    from qsage_validate.extensions.fast.declared import check_compiled

    check_compiled()
    try:
        if isinstance(game, BddlGame):
            return _grid(game, memory_mb)
        if game.language == "gdl":
            return _rounds(game, memory_mb, Machine.AT_ONCE)  # type: ignore[arg-type]
    except TooLargeError as error:
        raise UsageError(f"found {error} for the engine fast, expected a smaller one") from None
    raise UsageError(
        f"found the engine fast for {game.name}, expected a grid game (BDDL) or a game in GDL"
    )


def pure_engine(game: TwoPlayerGame) -> SearchEngine:
    """The search in Python alone."""
    if game.language != "gdl":
        return Bounds(game)
    try:
        return _rounds(game, None, Machine.NEVER)  # type: ignore[arg-type]
    except TooLargeError:
        return Bounds(game)


def switching_engine(game: TwoPlayerGame, memory_mb: int | None) -> SearchEngine:
    """The search that changes to machine code where that is there, else the one in Python."""
    room = physical_mb()
    if room is not None and memory_mb is not None:
        memory_mb = min(memory_mb, room)
    if game.language == "gdl":
        try:
            return _rounds(game, memory_mb)  # type: ignore[arg-type]
        except TooLargeError:
            return Bounds(game)
    if not isinstance(game, BddlGame):
        return Bounds(game)
    first = Bounds(game)
    return SwitchingEngine(
        Stages(first.kernel, first, lambda: _grid(game, memory_mb), "machine.run")
    )


@dataclass(frozen=True)
class Connections:
    """When, and by what, it is searched who wins a game of connection (a ``SearchStage``)."""

    model: PositionalModel
    when: Machine
    memory_mb: int | None

    def after(self) -> int:
        """The nodes of the search in Python before; beyond all where there is no other one."""
        if self.when is Machine.NEVER or not self._networks:
            return sys.maxsize
        if self.when is Machine.AT_ONCE:
            return 0
        return first_nodes("connections_machine.run_connections")

    def make(self, watch: Callable[[], None]) -> FullBoard:
        from qsage_validate.extensions.fast.engine import ConnectionSearch

        return ConnectionSearch(self.model, self._networks, watch, self.memory_mb)

    @cached_property
    def _networks(self) -> Mapping[Player, Network]:
        from qsage_validate.extensions.fast.engine import networks_of

        return networks_of(self.model)


def _grid(game: BddlGame, memory_mb: int | None) -> SearchEngine:
    from qsage_validate.extensions.fast.engine import CompiledEngine

    return CompiledEngine(game.kernel(), memory_mb=memory_mb)


def _rounds(
    game: RoundsGame, memory_mb: int | None, machine: Machine = Machine.LATER
) -> SearchEngine:
    """The search on masks, which the search on the rules replaces where there are none."""
    from qsage_validate.extensions.gdl.masks import MaskKernel, Masks, NoTurnsError

    if game.rounds > MAX_ROUNDS:
        raise TooLargeError(f"a game of {game.rounds} rounds")
    kernel = MaskKernel(Masks(game))

    def compiled() -> SearchEngine | None:
        from qsage_validate.extensions.fast.declared import why_not_compiled

        if machine is Machine.NEVER or why_not_compiled():
            return None
        from qsage_validate.extensions.fast.rounds import CompiledRounds

        return CompiledRounds(kernel, memory_mb=memory_mb)

    first = compiled() if machine is Machine.AT_ONCE else None
    return SwitchingEngine(
        Stages(
            game.kernel(),
            first or Bounds(game, kernel),
            compiled,
            "rounds_machine.run_rounds",
            kernel.translated,
            (NoTurnsError, TooLargeError),
            lambda: Bounds(game),
        )
    )
