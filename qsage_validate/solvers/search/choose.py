"""The search that suits a game."""

from __future__ import annotations

from qsage_validate.errors import UsageError
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Game
from qsage_validate.solvers.search.positional.engine import PositionalSolver
from qsage_validate.solvers.search.solver import Solver
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Tell, nobody


def search_for(
    game: Game,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
) -> Solver:
    """The search made for positional games where it takes the game, else the general one."""
    if isinstance(game, PositionalGame) and game.model.alternates:
        try:
            return PositionalSolver(game, limits=limits, tell=tell)
        except UsageError:
            # A network with too many ways to list: the general search floods it.
            pass
    return Solver(game, limits=limits, tell=tell)
