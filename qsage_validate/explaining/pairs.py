"""Pairs of squares that hinder Black from the start, as an answer of explanations.

Hales and Jewett 1963: where each winning set of Black's contains one of some disjoint pairs, White
answers in the pair that Black plays in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.explaining.answers import Paired
from qsage_validate.explaining.situation import Place, places
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import PairingFinder
from qsage_validate.games.protocol import Game, Player

_CONFLICTS: Final = 20_000


def _positional(game: Any) -> tuple[PositionalModel, list[Place]]:
    return game.model, list(game.arrangement.squares)


def _grid(game: Any) -> tuple[PositionalModel, list[Place]]:
    from qsage_validate.solvers.search.positional.grid_games import positional_model_of

    return positional_model_of(game), places(game.initial.board)


_MODELS: Final[Mapping[str, Callable[[Game], tuple[PositionalModel, list[Place]]]]] = {
    "positional": _positional,
    "bddl": _grid,
}
"""By language the positional model of a game, with the square of each position."""


def pairs_of(game: Game, hero: Player) -> Paired | None:
    """White's pairs in the initial position; ``None`` where none are found soon."""
    model_of = _MODELS.get(game.language)
    if hero is not Player.WHITE or model_of is None:
        return None
    try:
        model, squares = model_of(game)
        found = PairingFinder(model).find(model.black, model.white, conflicts=_CONFLICTS)
    except UsageError:
        # No positional game, or one whose winning sets are not listed.
        return None
    if found is None:
        return None
    board = game.initial.board
    partners: dict[Place, Place] = {}
    for one, other in found.pairs:
        partners |= {squares[one]: squares[other], squares[other]: squares[one]}
    names = (
        (board.square_name(squares[one]), board.square_name(squares[other]))
        for one, other in found.pairs
    )
    return Paired(partners, hero, tuple(names))
