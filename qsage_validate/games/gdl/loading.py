"""From a question about a game in GDL to the executable rules."""

from __future__ import annotations

from qsage_validate.games.gdl.rounds import RoundsGame
from qsage_validate.games.gdl.rules import GdlGame
from qsage_validate.games.gdl.task import GdlModel


def gdl_game(model: GdlModel) -> GdlGame:
    """The game with a ply a round; errors as ``GdlGame`` has them."""
    return GdlGame(model.two_roles, model.rounds, black=model.role, win=model.win)


def rounds_game(model: GdlModel) -> RoundsGame:
    """The game with two plies a round, Black's part and White's, as search and formulas have it."""
    return RoundsGame(gdl_game(model))
