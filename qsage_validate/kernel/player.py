"""The two players."""

from __future__ import annotations

from enum import Enum


class Player(Enum):
    """Black is the player whose win the formula states; either player may move first."""

    BLACK = "black"
    WHITE = "white"

    other: Player
    """The opponent."""

    # Players are keys everywhere, and an enum's own hash is a call of Python.
    __hash__ = object.__hash__

    def __str__(self) -> str:
        return str(self.value).capitalize()


Player.BLACK.other, Player.WHITE.other = Player.WHITE, Player.BLACK
