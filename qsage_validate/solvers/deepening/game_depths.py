"""The depths of a game of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from
from typing import Final

from qsage_validate.games.declared import languages
from qsage_validate.games.gdl.paranoid import GdlModel
from qsage_validate.games.gdl.rules import rounds_of
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player
from qsage_validate.registry import load
from qsage_validate.solvers.deepening.depths import Bound, Depths

_MOST_ROUNDS: Final = 400


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


class RoundDepths(Depths):
    """The rounds of a game in GDL; the win may come in any of them."""

    def __init__(self, model: GdlModel) -> None:
        self.model = model
        self.bound = None

    def count(self, plies: int) -> str:
        return f"{plies} {'round' if plies == 1 else 'rounds'}"

    def searched(self, plies: int) -> int:
        # Without the ply at which a win of its last round is claimed, a round is not decided.
        return rounds_of(max(plies - 1, 0))

    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        return iter(range(first, last + 1)) if last is not None else count_from(first)

    def last(self, last: int | None = None) -> int | None:
        return _MOST_ROUNDS if last is None else last


def depths_of(model: GameModel) -> Depths:
    """The depths of a model; raises ``UsageError`` for one whose rules cannot be executed."""
    depths: Depths = load(languages()[model.language].depths)(model)
    return depths
