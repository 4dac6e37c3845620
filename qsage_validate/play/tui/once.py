"""Screens that finish once, and lists that are turned before they are drawn."""

from __future__ import annotations

from typing import Any

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette
from textual.widgets import OptionList


class Once:
    """A screen that finishes once: answers after the first one are ignored.

    Two confirmations may arrive at once, before the screen is closed.
    """

    finished = False

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close the screen with its answer, unless it has one."""
        if self.finished:
            return AwaitComplete()
        self.finished = True
        closed: AwaitComplete = super().dismiss(result)  # type: ignore[misc]  # a screen's
        return closed


class Choices(OptionList):
    """Textual's list, whose pages are turned when it knows its lines."""

    def _move_page(self, direction: Any) -> None:
        self._update_lines()
        if (self.highlighted or 0) in self._index_to_line:
            super()._move_page(direction)


class Palette(Once, CommandPalette):
    """Textual's palette: two clicks beside it may come in one read.

    It searches no more when it is closed: its list is gone.
    """

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close the palette, and end its search and its clocks."""
        self._cancel_gather_commands()
        self._stop_busy_countdown()
        self._stop_no_matches_countdown()
        return super().dismiss(result)

    def _gather_commands(self, search_value: str) -> Any:
        return None if self.finished else super()._gather_commands(search_value)

    def _action_command_list(self, action: str) -> None:
        if self.query_one(CommandList)._index_to_line:
            super()._action_command_list(action)

    def _watch__list_visible(self) -> None:
        if not self.finished:
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        if not self.finished:
            await super()._watch__show_busy()
