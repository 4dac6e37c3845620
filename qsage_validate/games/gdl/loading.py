"""From a question about a game in GDL to the executable rules."""

from __future__ import annotations

from qsage_validate.games.gdl.paranoid import GdlModel
from qsage_validate.games.gdl.rules import RoundsGame
from qsage_validate.games.naming import name_of


def rounds_game(model: GdlModel) -> RoundsGame:
    """The game with two plies a round, Black's part and White's; errors as it has them."""
    return RoundsGame(
        model.two_roles, model.rounds, black=model.role, win=model.win, name=name_of(model)
    )
