"""Pairs of squares by which a player wins from the start, as an answer of explanations.

Hales and Jewett 1963: where each winning set of Black's contains one of some disjoint pairs, White
answers in the pair that Black plays in.  Black's pairs, behind a first stone, are those of which
any choice completes a set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.explaining.answers import Paired
from qsage_validate.explaining.situation import Place, places
from qsage_validate.games.positional.maker_pairing import maker_pairing
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import Pairing, PairingFinder
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.protocol import Game, Player

_CONFLICTS: Final = 20_000
_MOST_SETS: Final = 5_000


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


def _white_pairs(model: PositionalModel) -> Pairing | None:
    return PairingFinder(model).find(model.black, model.white, conflicts=_CONFLICTS)


def _black_pairs(model: PositionalModel) -> Pairing | None:
    begins = model.turns[0] is Player.BLACK
    listed = with_winning_sets(model, _MOST_SETS)
    found = maker_pairing(listed, model.black, model.white, begins=begins)
    if found is None or not found.pairing.pairs:
        return None
    # A shorter play ends before all pairs are answered.
    stones = len(found.pairing.pairs) + int(begins)
    return found.pairing if stones <= model.moves_of(Player.BLACK) else None


_FINDERS: Final = {Player.WHITE: _white_pairs, Player.BLACK: _black_pairs}


def pairs_of(game: Game, hero: Player) -> Paired | None:
    """A player's pairs in the initial position; ``None`` where none are found soon."""
    model_of = _MODELS.get(game.language)
    if model_of is None:
        return None
    try:
        model, squares = model_of(game)
        found = _FINDERS[hero](model) if model.turns else None
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
