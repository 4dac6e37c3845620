"""The base of every screen that comes up over the board."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """A screen that finishes once: answers after the first one are ignored.

    Two confirmations may arrive at once, before the screen is closed.
    """

    finished = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close the screen with its answer, unless it has one."""
        if self.finished:
            return AwaitComplete()
        self.finished = True
        return super().dismiss(result)
