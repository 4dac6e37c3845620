"""Screens that finish once, and lists that are turned or clicked before they are drawn."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette
from textual.errors import NoWidget
from textual.events import Click
from textual.geometry import Region
from textual.widget import Widget
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


def _check_click(entries: OptionList, event: Click) -> None:
    """Drop a click on an entry that is gone."""
    if event.style.meta.get("option", -1) >= entries.option_count:
        event.prevent_default()


class Choices(OptionList):
    """Textual's list, whose pages are turned when it knows its lines.

    It may have become shorter since it was clicked.
    """

    def _on_click(self, event: Click) -> None:  # type: ignore[override]  # Textual's is called, too
        _check_click(self, event)

    def _move_page(self, direction: Any) -> None:
        self._update_lines()
        if (self.highlighted or 0) in self._index_to_line:
            super()._move_page(direction)


class Commands(CommandList, can_focus=False):
    """The commands of the palette, which may have become fewer since they were clicked."""

    def _on_click(self, event: Click) -> None:  # type: ignore[override]  # Textual's is called, too
        _check_click(self, event)


class Palette(Once, CommandPalette):
    """Textual's palette: two clicks beside it may come in one read.

    It searches no more when it is closed: its list is gone.
    """

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            yield Commands() if isinstance(widget, CommandList) else widget

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close the palette, and end its search and its clocks."""
        self._cancel_gather_commands()
        self._stop_busy_countdown()
        self._stop_no_matches_countdown()
        return super().dismiss(result)

    def get_widget_at(self, x: int, y: int) -> tuple[Widget, Region]:
        """The widget there; the palette itself where a terminal has shrunk since a click."""
        try:
            return super().get_widget_at(x, y)
        except NoWidget:
            return self, self.region

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
