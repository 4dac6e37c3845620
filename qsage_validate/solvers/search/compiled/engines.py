"""Who searches a game in machine code, and who cannot."""

from __future__ import annotations

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Game
from qsage_validate.solvers.search.bounds import Bounds
from qsage_validate.solvers.search.compiled.arrays import TooLargeError
from qsage_validate.solvers.search.compiled.numba_cache import why_not_compiled
from qsage_validate.solvers.search.compiled.switching import SwitchingEngine
from qsage_validate.solvers.search.search_engine import SearchEngine


def compiled_engine(game: Game, memory_mb: int | None) -> SearchEngine:
    """The compiled search; raises ``UsageError`` where there is none for the game."""
    why = why_not_compiled()
    if why:
        raise UsageError(f"found the engine fast, but {why}")
    if not isinstance(game, BddlGame):
        raise UsageError(f"found the engine fast for {game.name}, expected a grid game (BDDL)")
    from qsage_validate.solvers.search.compiled.engine import CompiledEngine

    try:
        return CompiledEngine(game.kernel(), memory_mb=memory_mb)
    except TooLargeError as error:
        raise UsageError(f"found {error} for the engine fast, expected a smaller one") from None


def switching_engine(game: Game, memory_mb: int | None) -> SearchEngine:
    """The search that changes to machine code where that is there, else the one in Python."""
    if why_not_compiled() or not isinstance(game, BddlGame):
        return Bounds(game)
    return SwitchingEngine(game, memory_mb)
