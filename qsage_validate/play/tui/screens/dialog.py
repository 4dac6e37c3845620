"""The base of every screen that comes up over the board."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Dialog(ModalScreen[Result]):
    """A screen that finishes once: what comes after its answer is not heard.

    Two confirmations may be read at once, and both be on their way before the screen is gone.
    """

    finished = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close the screen with its answer, unless it has one."""
        if self.finished:
            return AwaitComplete()
        self.finished = True
        return super().dismiss(result)
