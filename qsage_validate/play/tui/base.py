"""The base of every app: keys and signals that leave it, its colours, what reaches the screen."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Generic, TypeVar

from textual import events
from textual.app import App, ScreenStackError
from textual.driver import Driver
from textual.filter import LineFilter
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import AwaitMount, MountError

from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.policy import is_confined
from qsage_validate.play.tui.once import Palette
from qsage_validate.play.tui.rows import Rows
from qsage_validate.play.tui.themes import DARK, THEMES, themes
from qsage_validate.play.tui.visible import VISIBLE
from qsage_validate.system.signals import ENDING, signals_told

Result = TypeVar("Result")

STYLES: Final = os.path.join(os.path.dirname(__file__), "play.tcss")
"""The styles of a board."""

_SOON: Final = 0.02
# How long a last line waits for who reads it, in seconds.
_PATIENCE: Final = 2.0


class LeavableApp(App[Result | Exit], Generic[Result]):
    """An app that ends as ``Exit.INTERRUPTED`` by Ctrl-C, and by signals as by a key.

    Ctrl-Z gives the terminal back to the shell, whose ``fg`` goes on with the app.
    ``ended_by`` is the number of a signal that ended the app, ``bug`` an exception that did.
    ``interrupted`` says that Ctrl-C was pressed, perhaps when the app was already being left.
    """

    def __init__(self, theme: str) -> None:
        super().__init__(driver_class=_driver())
        self.ended_by: int | None = None
        self.bug: BaseException | None = None
        self.interrupted = False
        self._leaving = False
        self._rows = Rows()
        self._first_theme = theme
        for known in THEMES.values():
            self.register_theme(known)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), VISIBLE]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DARK.variables

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, self._rows.shorter(renderable, self.size))

    def on_load(self) -> None:
        """Leave at once where a signal came before the app was there."""
        if self.ended_by is not None:
            super().exit()

    def on_mount(self) -> None:
        self.theme = THEMES[self._first_theme].name
        setattr(self._driver, "hung_up", self._hung_up)  # noqa: B010 (of our own driver)
        self.app_resume_signal.subscribe(self, self._repaint)

    def _repaint(self, _: object) -> None:
        """Paint the whole screen: another program has had the terminal."""
        self._rows.forget()
        self.screen.refresh()

    @property
    def is_ending(self) -> bool:
        """True if the app is to end: what is typed from then on is nobody's."""
        return self._leaving or self.ended_by is not None or self.bug is not None

    def _handle_exception(self, error: Exception) -> None:
        """End because of an exception, unless it only says that the app has been left.

        Messages that came before its end are still answered then, but Textual mounts nothing.
        """
        if not (self._exit and isinstance(error, MountError)):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End because of a bug, which is raised when the terminal is as it was.

        Textual would print its traceback, as wide as the terminal: of one column or of none.
        """
        self.bug = self.bug or self._exception
        self._close_messages_no_wait()

    @property
    def input_waiting(self) -> int:
        """The number of messages that wait for the app, its screen and what has the focus."""
        try:
            pumps: list[MessagePump | None] = [self, self.screen, self.screen.focused]
        except ScreenStackError:
            pumps = [self]
        return sum(pump.message_queue_size for pump in pumps if pump is not None)

    def end_by(self, number: int) -> None:
        """End because of a signal, from its handler: the app may be waiting for its terminal."""
        if self.ended_by is None:
            self.ended_by = number
        hurry = getattr(self._driver, "hurry", None)
        if hurry is not None:
            hurry()
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self.exit)

    def exit(
        self, result: Result | Exit | None = None, return_code: int = 0, message: Any = None
    ) -> None:
        """End with the first result, but not in the middle of a mount.

        It would look for widgets that are not made.
        """
        self.interrupted |= result is Exit.INTERRUPTED
        if not self._leaving:
            self._leaving = True
            self._exit_when_mounted(partial(super().exit, result, return_code, message))

    def _exit_when_mounted(self, leave: Callable[[], None]) -> None:
        pumps: list[MessagePump] = [self, *self._screen_stack]
        if self._loop is None or all(pump._mounted_event.is_set() for pump in pumps):
            leave()
        else:
            self._loop.call_later(_SOON, self._exit_when_mounted, leave)

    def push_screen(self, screen: Any, *arguments: Any, **options: Any) -> Any:
        """Show a screen over the others, unless the app is to end: it would not be made wholly."""
        if self.is_ending:
            return AwaitMount(self.screen, [])
        return super().push_screen(screen, *arguments, **options)

    def _hung_up(self) -> None:
        if not self.is_ending:
            self.end_by(ENDING[-1])

    async def on_event(self, event: events.Event) -> None:
        # From wherever one is, also from dialogs and inputs.
        if isinstance(event, events.Key) and event.key == "ctrl+c":
            event.stop()
            self.exit(Exit.INTERRUPTED)
            return
        if isinstance(event, events.InputEvent):
            # Keys would look for widgets that a screen which is being made lacks.
            while not (self.is_ending or self.screen.is_mounted):
                await self.screen._mounted_event.wait()
            if self.is_ending:
                event.stop()
                return
        if isinstance(event, events.Key) and event.key == "ctrl+z":
            event.stop()
            # Behind a tab of a browser nobody would go on with it.
            if not is_confined():
                self.action_suspend_process()
            return
        await super().on_event(event)

    def action_command_palette(self) -> None:
        if self.use_command_palette and not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))


def _driver() -> type[Driver] | None:
    """Our driver, where the system has such terminals."""
    try:
        from qsage_validate.play.tui.terminal import TerminalDriver
    except ImportError:
        return None  # a system without termios
    return TerminalDriver


def run_in_colours(app: LeavableApp[Result]) -> Result | Exit | None:
    """Run an app in the colours that this terminal has.

    Signals that end a program end the app (``ended_by``), from the start until the terminal is as
    it was.
    """
    for known in themes(app.console.color_system).values():
        app.register_theme(known)
    with signals_told(app.end_by):
        found = app.run()
    return Exit.INTERRUPTED if app.interrupted else found


def run_app(app: LeavableApp[Result]) -> Result | Exit:
    """Run an app on this terminal; returns what it ends with.

    After SIGTERM and SIGHUP ``SystemExit`` is raised, after Ctrl-C ``KeyboardInterrupt``, and
    after a bug the bug.
    """
    found = run_in_colours(app)
    ended_by(app)
    if app.bug is not None:
        raise app.bug
    if found is None or found is Exit.INTERRUPTED:
        raise KeyboardInterrupt
    return found


def ended_by(app: LeavableApp[Result]) -> None:
    """Raise what the signal means that has ended an app, if one has."""
    if app.ended_by == signal.SIGINT:
        raise KeyboardInterrupt
    if app.ended_by is not None:
        raise SystemExit(128 + app.ended_by)


def complain(line: str) -> None:
    """Say a line behind the board, unless nobody reads the terminal."""
    try:
        reads = bool(select.select([], [sys.stderr], [], _PATIENCE)[1])
    except (OSError, ValueError):
        reads = True  # it is no terminal
    if reads:
        with suppress(OSError):
            sys.stderr.write(line + "\n")


def check_terminal(theme: str) -> None:
    """Raise ``UsageError`` without a terminal for the board, and for a theme that there is not."""
    if theme not in THEMES:
        raise UsageError(f"found --theme {theme!r}, expected {' or '.join(THEMES)}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the board needs a terminal: use --plain, --moves or --white random")
    if os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        raise UsageError("the board needs a terminal, found TERM=dumb or none: use --plain")
