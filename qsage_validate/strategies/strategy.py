"""What answers the opponent: certificate, search table, solver or rule behind one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from qsage_validate.games.protocol import Move, Player


class Strategy(Protocol):
    """A strategy for one player of a game."""

    @property
    def player(self) -> Player:
        """The player for whom the strategy answers."""
        ...

    def reply(self, history: Sequence[Move]) -> Move:
        """The move after ``history``, all moves of both players so far, in order."""
        ...
