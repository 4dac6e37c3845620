"""The games of the catalogue that a formula may be about, by their size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import QsageError
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.model_text import GameModel

_SIZES: Final = ("2x2", "2x3", "3x2", "3x3", "2x4", "4x4", "5x5")
_MOST_DEPTH: Final = 15


def models_of_size(formula: Qbf) -> Iterator[GameModel]:
    """Models with as many plies as the prefix may have, the smaller boards first."""
    scopes = formula.merged_scopes()
    universal = sum(scope.quantifier is Quantifier.FORALL for scope in scopes)
    turns = 2 * universal + 1
    depths = range(min(turns, _MOST_DEPTH), 0, -1)
    seen: set[tuple[str, ...]] = set()
    for size, depth in product(_SIZES, depths):
        for game in library_games():
            for name in game.names:
                try:
                    model = game.build(name, {"size": size, "depth": str(depth)})
                except QsageError:
                    continue  # the game has no such size or depth, or needs other options
                parts = tuple(model.parts().values())
                if parts not in seen and model.plies is not None:
                    seen.add(parts)
                    yield model
