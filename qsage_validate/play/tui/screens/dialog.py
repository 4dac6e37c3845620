"""The base of every screen that comes up over the board."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import ModalScreen

from qsage_validate.play.tui.once import Once

Result = TypeVar("Result")


class Dialog(Once, ModalScreen[Result]):
    """A screen over the board, with an answer."""
