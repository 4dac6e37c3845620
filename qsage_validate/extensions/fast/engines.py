"""Who searches a game in machine code, and who cannot."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from qsage_validate.errors import UsageError
from qsage_validate.extensions.fast.switching import Stages, SwitchingEngine, first_nodes
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.solvers.search.bounds import Bounds
from qsage_validate.solvers.search.positional.engine import FullBoard, SearchStage
from qsage_validate.solvers.search.search_engine import SearchEngine
from qsage_validate.solvers.search.solver import EngineChoice
from qsage_validate.system.memory import physical_mb

if TYPE_CHECKING:
    from qsage_validate.extensions.gdl.rules import RoundsGame

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
    from qsage_validate.extensions.fast.numba_cache import check_compiled

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
        from qsage_validate.extensions.fast.connections import ConnectionSearch

        return ConnectionSearch(self.model, self._networks, watch, self.memory_mb)

    @cached_property
    def _networks(self) -> Mapping[Player, Network]:
        from qsage_validate.extensions.fast.connections import networks_of

        return networks_of(self.model)


def _grid(game: BddlGame, memory_mb: int | None) -> SearchEngine:
    from qsage_validate.extensions.fast.engine import CompiledEngine

    return CompiledEngine(game.kernel(), memory_mb=memory_mb)


def _rounds(
    game: RoundsGame, memory_mb: int | None, machine: Machine = Machine.LATER
) -> SearchEngine:
    """The search on masks, which the search on the rules replaces where there are none."""
    from qsage_validate.extensions.gdl.mask_kernel import MaskKernel, NoTurnsError
    from qsage_validate.extensions.gdl.masks import Masks

    if game.rounds > MAX_ROUNDS:
        raise TooLargeError(f"a game of {game.rounds} rounds")
    kernel = MaskKernel(Masks(game))

    def compiled() -> SearchEngine | None:
        from qsage_validate.extensions.fast.numba_cache import why_not_compiled

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
