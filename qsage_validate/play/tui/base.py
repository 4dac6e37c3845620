"""The base of every app: keys and signals that leave it, its colours, what reaches the screen."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from textual import events
from textual.app import App
from textual.filter import LineFilter
from textual.screen import Screen

from qsage_validate.errors import Exit, UsageError
from qsage_validate.play.tui.gone import write_without_errors
from qsage_validate.play.tui.pastes import read_pastes_as_text
from qsage_validate.play.tui.rows import Rows
from qsage_validate.play.tui.themes import DARK, THEMES, themes
from qsage_validate.play.tui.visible import VISIBLE
from qsage_validate.system.signals import TERMINATING

Result = TypeVar("Result")


class LeavableApp(App[Result | Exit], Generic[Result]):
    """An app that ends as ``Exit.INTERRUPTED`` by Ctrl-C, and by signals as by a key.

    Ctrl-Z gives the terminal back to the shell, whose ``fg`` goes on with the app.
    ``ended_by`` is the number of a signal that ended the app.
    """

    def __init__(self, theme: str) -> None:
        super().__init__()
        self.ended_by: int | None = None
        self._rows = Rows()
        self._reads: Any = None
        self._first_theme = theme
        for known in THEMES.values():
            self.register_theme(known)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The filters of all lines of the screen."""
        return [*super().get_line_filters(), VISIBLE]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, self._rows.shorter(renderable, self.size))

    def stop_reading(self) -> None:
        """Let the thread that reads keys end, whatever has ended the app.

        Where the terminal is gone, Textual's driver fails before it does so; the thread would read
        the end of the input again and again, and the process, which waits for it, would never end.
        """
        if self._reads is not None:
            self._reads.set()

    def on_mount(self) -> None:
        self.theme = THEMES[self._first_theme].name
        self._reads = getattr(self._driver, "exit_event", None)
        loop = asyncio.get_running_loop()
        for number in () if self.is_headless else TERMINATING:
            loop.add_signal_handler(number, self._end_by, number)
        self.app_resume_signal.subscribe(self, self._repaint)

    def _repaint(self, _: object) -> None:
        """Paint the whole screen: another program has had the terminal."""
        self._rows.forget()
        self.screen.refresh()

    def _end_by(self, number: int) -> None:
        self.ended_by = number
        self.exit()

    async def on_event(self, event: events.Event) -> None:
        # From wherever one is, also from dialogs and inputs.
        if isinstance(event, events.Key) and event.key == "ctrl+c":
            event.stop()
            self.exit(Exit.INTERRUPTED)
            return
        if isinstance(event, events.Key) and event.key == "ctrl+z":
            event.stop()
            self.action_suspend_process()
            return
        await super().on_event(event)


def run_in_colours(app: LeavableApp[Result]) -> Result | Exit | None:
    """Run an app in the colours that this terminal has."""
    for known in themes(app.console.color_system).values():
        app.register_theme(known)
    read_pastes_as_text()
    write_without_errors()
    try:
        return app.run()
    finally:
        app.stop_reading()


def run_app(app: LeavableApp[Result]) -> Result | Exit:
    """Run an app on this terminal; returns what it ends with.

    After SIGTERM and SIGHUP ``SystemExit`` is raised, after a bug as well, and after Ctrl-C
    ``KeyboardInterrupt``.
    """
    found = run_in_colours(app)
    if app.ended_by is not None:
        raise SystemExit(128 + app.ended_by)
    if found is None and app.return_code:
        # Textual has printed the traceback of the bug that ended it.
        raise SystemExit(Exit.INTERNAL)
    if found is None or found is Exit.INTERRUPTED:
        raise KeyboardInterrupt
    return found


def check_terminal(theme: str) -> None:
    """Raise ``UsageError`` without a terminal for the board, and for a theme that there is not."""
    if theme not in THEMES:
        raise UsageError(f"found --theme {theme!r}, expected {' or '.join(THEMES)}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the board needs a terminal: use --plain, --moves or --white random")
    if os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        raise UsageError("the board needs a terminal, found TERM=dumb or none: use --plain")
