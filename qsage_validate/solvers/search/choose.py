"""The search that suits a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Game
from qsage_validate.solvers.search.search_engine import SearchEngine
from qsage_validate.solvers.search.solver import Solver
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Tell, nobody

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame


def _positional(game: PositionalGame) -> SearchEngine:
    from qsage_validate.solvers.search.positional.engine import PositionalEngine

    return PositionalEngine(game)


_ENGINES: Final[Mapping[str, Callable[[Any], SearchEngine]]] = {"positional": _positional}


def engine_for(game: Game) -> SearchEngine | None:
    """The engine made for games of a language; ``None`` where the general one is to be taken."""
    engine_of = _ENGINES.get(game.language)
    try:
        return None if engine_of is None else engine_of(game)
    except UsageError:
        # Turns of several stones, or a network with too many ways to list.
        return None


def search_for(
    game: Game,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
) -> Solver:
    """The search by the engine made for the game where it takes it, else the general one."""
    return Solver(game, engine_for(game), limits=limits, tell=tell)
