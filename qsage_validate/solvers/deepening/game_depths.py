"""The depths of a game of any kind."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.games.declared import languages
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player
from qsage_validate.registry import load
from qsage_validate.solvers.deepening.depths import Bound, Depths


class PositionalDepths(Depths):
    """Black wins by a claim of Black's, and the board is full some time."""

    def __init__(self, model: PositionalModel) -> None:
        self.model = self._positional = model
        most = model.open.bit_count()
        plies = "1 ply" if most == 1 else f"{most} plies"
        self.bound = Bound(most, f"the board is full after {plies}")

    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        end = self.last(last)
        assert end is not None, "there is a bound"
        turns = self._positional.at_depth(end).turns
        # What the first stones have won is won within 1 ply, whoever makes it.
        won = self._positional.won_by_black(self._positional.black)
        return (
            k for k in range(first, end + 1) if turns[k - 1] is Player.BLACK or (won and k == 1)
        )


def depths_of(model: GameModel) -> Depths:
    """The depths of a model; raises ``UsageError`` for one whose rules cannot be executed."""
    depths: Depths = load(languages()[model.language].depths)(model)
    return depths
