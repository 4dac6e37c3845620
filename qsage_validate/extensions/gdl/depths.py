"""The depths of a game in GDL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from
from typing import Final

from qsage_validate.extensions.gdl.paranoid import GdlModel
from qsage_validate.extensions.gdl.rules import rounds_of
from qsage_validate.solvers.deepening.depths import Depths

_MOST_ROUNDS: Final = 400


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
