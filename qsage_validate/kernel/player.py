"""The two players."""

from __future__ import annotations

from enum import Enum


class Player(Enum):
    """Black is the player whose win the formula states; either player may move first."""

    BLACK = "black"
    WHITE = "white"

    @property
    def other(self) -> Player:
        """The opponent."""
        return Player.WHITE if self is Player.BLACK else Player.BLACK

    def __str__(self) -> str:
        return self.value.capitalize()
