"""The line in which a move is typed, with suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.events import Paste
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input

_MOST: Final = 120


class MovePrompt(Input):
    """Takes ``occupy(3,3)`` to play and ``?occupy(3,3)`` to ask; posts :class:`Entered`.

    A legal move that begins like the text is suggested; Tab or Right takes it.  Nothing can
    be asked without ``explains``: a question mark is part of the text then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", show=False)]

    @dataclass
    class Entered(Message):
        """A person typed ``text``; ``asking`` when only the reasons are wanted."""

        text: str
        asking: bool

    def __init__(self, *, id: str | None = None, explains: bool = True) -> None:
        super().__init__(id=id, compact=True, select_on_focus=False)
        self._explains = explains
        self._example = ""
        self._only = False

    def offer(self, moves: Sequence[str]) -> None:
        """Suggest ``moves``."""
        asked = [f"?{move}" for move in moves if self._explains]
        self.suggester = SuggestFromList([*moves, *asked], case_sensitive=False)
        self._example = next(iter(moves), "")
        self._only = len(moves) == 1
        self._show_help(focused=self.has_focus)

    def _show_help(self, *, focused: bool) -> None:
        # While focus comes or goes, ``has_focus`` is what it was.
        if not self._example:
            self.placeholder = ""
        elif focused and self._only:
            self.placeholder = f"Enter plays {self._example}, the only move, Esc leaves"
        elif focused:
            asks = f" ?{self._example} asks why not," if self._explains else ""
            self.placeholder = f"{self._example} plays,{asks} Esc leaves"
        else:
            self.placeholder = f": to type a move such as {self._example}"

    def on_focus(self) -> None:
        """Say what can be typed."""
        self._show_help(focused=True)

    def on_blur(self) -> None:
        """Say how to come here."""
        self._show_help(focused=False)

    def on_paste(self, event: Paste) -> None:
        """Take the first line that has something in it, and say which ones are dropped."""
        lines = [line.strip() for line in event.text.splitlines() if line.strip()]
        event.text = lines[0] if lines else ""
        if len(lines) > 1:
            dropped = ", ".join(lines[1:])
            shown = dropped if len(dropped) <= _MOST else f"{dropped[: _MOST - 1]}…"
            self.notify(
                f"One line at a time: {len(lines) - 1} of the {len(lines)} pasted lines dropped: "
                f"{shown}",
                severity="warning",
                markup=False,
            )

    def action_complete(self) -> None:
        """Take the suggestion; without one, go on to the next widget."""
        before = self.value
        self.cursor_position = len(self.value)
        self.action_cursor_right()
        if self.value == before:
            self.screen.focus_next()

    async def action_submit(self) -> None:
        """Post what was typed, and clear the line."""
        text = self.value.strip() or (self._example if self._only else "")
        self.clear()
        asking = self._explains and text.startswith("?")
        said = text.lstrip("?").strip() if asking else text
        if said:
            self.post_message(self.Entered(said, asking=asking))
