"""The base of every app: keys and signals that leave it, colours, repainting, the worker.

Textual repaints regions, and each row of a region from the left side of its widget on: two squares
of a board are some kilobytes.  Here each row is remembered as it was last sent, and only the pieces
in which it differs are sent.

Terminals with 256 or 16 colours replace a colour by the nearest that they have, and two of ours
may become one: the board has colours of its own there, which are among theirs.

Questions to a busy worker wait in a queue.  The answers arrive as :class:`Answered` messages.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, TypeVar, runtime_checkable

from rich.console import Console, RenderableType
from rich.control import Control
from textual import events
from textual.app import App, ComposeResult, ScreenStackError
from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.command import CommandList, CommandPalette
from textual.driver import Driver
from textual.errors import NoWidget
from textual.events import Click
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import AwaitMount, MountError, Widget
from textual.widgets import OptionList
from textual.worker import Worker, WorkerState

from qsage_validate.errors import Exit, QsageError, UsageError
from qsage_validate.formats.policy import is_confined
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.situation import MatchSituation
from qsage_validate.play.tui.model.view import ViewState
from qsage_validate.system.signals import ENDING
from qsage_validate.system.task import Task

# Screens that finish once, and lists that are turned or clicked before they are drawn


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


# The rows of the terminal, so that nothing is sent that stands there already


class _Update(Protocol):
    """What Textual is about to send; its own classes have no public names."""

    def render_segments(self, console: Console) -> str: ...


@runtime_checkable
class _WholeUpdate(_Update, Protocol):
    """Rows of a region, each in pieces."""

    strips: Sequence[Sequence[Strip]]
    region: Region


@runtime_checkable
class _PartUpdate(_Update, Protocol):
    """Pieces of rows by the columns where they begin, and the spans of them that are repainted."""

    chops: Sequence[Mapping[int, Strip | None]]
    chop_ends: Sequence[Sequence[int]]
    spans: Sequence[tuple[int, int, int]]


class Rows:
    """The rows that were sent to a terminal, as far as they are known."""

    def __init__(self) -> None:
        self._size = Size(0, 0)
        self._rows: dict[int, Strip] = {}

    def forget(self) -> None:
        """Draw all rows anew next time: another program has written to the terminal."""
        self._rows = {}

    def shorter(self, update: RenderableType | None, size: Size) -> Any:
        """An update that sends what differs of one of Textual's, to a terminal of this size.

        What repaints the whole screen is sent as it is, for what stood there may be gone.
        """
        if size != self._size:
            self._size, self._rows = size, {}
        if isinstance(update, _PartUpdate):
            parts = update
            return _sent(update, lambda console: self._differing(parts, console))
        if isinstance(update, _WholeUpdate):
            screen = update
            return _sent(update, lambda console: self._whole(screen, console))
        return update

    def _whole(self, update: _WholeUpdate, console: Console) -> str:
        rows = dict(enumerate(map(Strip.join, update.strips)))
        whole = update.region == self._size.region
        self._rows = rows if whole else {}
        return update.render_segments(console)

    def _differing(self, update: _PartUpdate, console: Console) -> str:
        sent = []
        for x, y, piece in _pieces(update):
            row, end = self._rows.get(y), x + piece.cell_length
            if row is None or end > row.cell_length:
                sent.append((x, y, piece))
                continue
            sent += [(x + at, y, part) for at, part in _differences(row.crop(x, end), piece)]
            self._rows[y] = Strip.join([row.crop(0, x), piece, row.crop(end)]).simplify()
        return "".join(
            f"{Control.move_to(x, y).segment.text}{part.render(console)}" for x, y, part in sent
        )


def _sent(update: _Update, text: Callable[[Console], str]) -> _Update:
    """The update with another text, worked out when it is sent: else nothing is remembered."""
    made = copy(update)
    setattr(made, "render_segments", text)  # noqa: B010 (in the place of its class's)
    return made


def _pieces(update: _PartUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Column, row and content of each piece of the regions that an update repaints."""
    for y, left, right in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True):
            first, last = max(x, left), min(end, right)
            if strip is not None and first < last:
                yield first, y, strip.crop(first - x, last - x)


def _differences(old: Strip, new: Strip) -> Iterator[tuple[int, Strip]]:
    """Place and content of each part of ``new`` that is not what ``old`` has there."""
    new = new.simplify()
    if {old.cell_count, new.cell_count} != {new.cell_length}:
        # With characters of two columns parts may begin in the middle of one.
        yield 0, new
        return
    at, parts = 0, []
    for segment in new:
        end = at + segment.cell_length
        parts.append((old.crop(at, end).simplify() == Strip([segment]), at, segment))
        at = end
    for stands_there, run in groupby(parts, itemgetter(0)):
        if not stands_there:
            differing = [*run]
            yield differing[0][1], Strip(segment for _, _, segment in differing)


# The last word on what reaches the terminal: no text commands it


class Visible(LineFilter):
    """Leaves out what does not print, which has no width.

    Names that come from files are shown by ``errors.visible`` where they are put together; this
    holds for all that is ever shown.
    """

    def apply(self, segments: list[Any], background: Color) -> list[Any]:
        """The pieces of a line without what does not print."""
        if all(piece.text.isprintable() for piece in segments):
            return segments
        return [
            piece._replace(text="".join(filter(str.isprintable, piece.text))) for piece in segments
        ]


VISIBLE: Final = Visible()


# The two themes: dark and light, each with its own tones of wood for the board


# Textual's colours and the variables of the style, on dark and on light.
_COLOURS: Final[Mapping[str, tuple[str, str]]] = {
    "primary": ("#6ea8dc", "#1f5f99"),
    "secondary": ("#8f9fb3", "#556575"),
    "accent": ("#f0b45a", "#a35c00"),
    "warning": ("#e8a33d", "#9a5b00"),
    "error": ("#e0605e", "#b3261e"),
    "success": ("#6fbf73", "#24702b"),
    "foreground": ("#dfe3ea", "#1d2126"),
    "background": ("#14171c", "#f6f4ef"),
    "surface": ("#1b1f26", "#fffdf8"),
    "panel": ("#262c36", "#e6e2d8"),
}
_VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    "quiet": ("#8b94a3", "#6a6f76"),
    "rim": ("#3a4352", "#b9b3a4"),
    "wood": ("#9b7653", "#b38a5e"),
    "wood-alt": ("#937050", "#ad8459"),
    "wood-line": ("#6f5238", "#8a673f"),
    "wood-dot": ("#3c2a1a", "#4f3920"),
    "stone-black": ("#0c0c0e", "#101012"),
    "stone-white": ("#fbf9f4", "#ffffff"),
    "mark-won": ("#5fa35a", "#8fcf7a"),
    "mark-changed": ("#b3a04a", "#d9c04a"),
    "mark-earlier": ("#a58c50", "#d2b366"),
    "mark-selected": ("#4f8fb0", "#6fb3d6"),
    "mark-target": ("#5f9b68", "#86c48d"),
    "mark-illegal": ("#cf554d", "#e0675c"),
    "mark-finding": ("#cf4d9b", "#e07ab8"),
    "mark-hint": ("#7d74c4", "#a9a0ec"),
    "mark-pointed": ("#b0663a", "#e09a63"),
    "mark-legal": ("#1c2f45", "#153a63"),
    "mark-cursor": ("#10203a", "#0b2a55"),
}
# The board where there are fewer colours, by Rich's name of the colour system; on both themes.
_FEWER: Final[Mapping[str | None, Mapping[str, str]]] = {
    "256": {
        "wood": "#af875f",
        "wood-alt": "#af875f",
        "wood-line": "#875f00",
        "wood-dot": "#5f0000",
        "stone-black": "#000000",
        "stone-white": "#ffffff",
        "mark-won": "#5faf5f",
        "mark-changed": "#d7af00",
        "mark-earlier": "#af8700",
        "mark-selected": "#5fafd7",
        "mark-target": "#87d787",
        "mark-illegal": "#ff5f5f",
        "mark-finding": "#ff87d7",
        "mark-hint": "#afafff",
        "mark-pointed": "#ff875f",
        "mark-legal": "#00005f",
        "mark-cursor": "#00005f",
    },
    "standard": {
        "wood": "#aa5500",
        "wood-alt": "#aa5500",
        "wood-line": "#000000",
        "wood-dot": "#000000",
        "stone-black": "#000000",
        "stone-white": "#ffffff",
        "mark-won": "#00aa00",
        "mark-changed": "#aaaaaa",
        "mark-earlier": "#aa5500",
        "mark-selected": "#00aaaa",
        "mark-target": "#00aa00",
        "mark-illegal": "#ff5555",
        "mark-finding": "#ff55ff",
        "mark-hint": "#55ffff",
        "mark-pointed": "#ffff55",
        "mark-legal": "#000000",
        "mark-cursor": "#000000",
    },
}
# Text where there are 16 colours.  The nearest to ours are a yellow that xterm has so bright that
# it cannot be read on white, and for dim text a grey that is nearly white, or black on black.
_ON_LIGHT: Final[Mapping[str | None, Mapping[str, str]]] = {
    "standard": {"accent": "#0000aa", "warning": "#aa00aa"},
}
# On dark the panels, and with them the fields for text, have the darker one of the two greys.
_DIM: Final[Mapping[str | None, Mapping[str, tuple[str, str]]]] = {
    "standard": {"text-disabled": ("#aaaaaa", "#555555"), "rim": ("#555555", "#555555")},
}


def _theme(system: str | None, *, dark: bool) -> Theme:
    name, fewer = f"qsage-{'dark' if dark else 'light'}", _FEWER.get(system, {})
    colours: dict[str, Any] = {each: pair[not dark] for each, pair in _COLOURS.items()}
    if not dark:
        colours.update(_ON_LIGHT.get(system, {}))
    variables = {each: pair[not dark] for each, pair in _VARIABLES.items()}
    variables |= {**fewer, **{n: pair[not dark] for n, pair in _DIM.get(system, {}).items()}}
    return Theme(name=name, dark=dark, variables=variables, **colours)


def themes(colour_system: str | None) -> Mapping[str, Theme]:
    """The themes by the word of ``--theme``, for a colour system of Rich (``"256"``)."""
    return {word: _theme(colour_system, dark=word == "dark") for word in ("dark", "light")}


THEMES = themes(None)
DARK, LIGHT = THEMES.values()


# The base of every app: keys and signals that leave it, its colours, what reaches the screen


Result = TypeVar("Result")

STYLES: Final = os.path.join(os.path.dirname(__file__), "play.tcss")
"""The styles of a board."""

_SOON: Final = 0.02
# How often other tasks get a turn before a key is taken that comes after others.
_MOST_TURNS: Final = 1_000
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
        if isinstance(event, events.Key) and not event.is_forwarded:
            await self._drained()
            if await self._is_answered(event):
                return
        await super().on_event(event)

    async def _is_answered(self, key: events.Key) -> bool:
        """Answer a key that is bound; a widget may take it for itself.

        Textual gives it to the widget with the focus, whence it comes back behind all keys that
        were read with it: what was typed for the screen that it opens would be lost.
        """
        focused = self.focused
        if focused is not None and focused.check_consume_key(key.key, key.character):
            return False
        return await self._check_bindings(key.key, True) or await self._check_bindings(key.key)

    def _asked(self) -> Iterable[MessagePump]:
        """Who may still be answering the key before."""
        focused = self.focused
        return (self.screen,) if focused is None else focused.ancestors_with_self[:-1]

    async def _drained(self) -> None:
        """Wait until what was typed before is answered, for a while."""
        quiet = 0
        for _ in range(_MOST_TURNS):
            # An answer is a message to what is around, and so on: twice nothing is none.
            waiting = any(pump.message_queue_size for pump in self._asked())
            quiet = 0 if waiting else quiet + 1
            if self.is_ending or quiet > 1:
                return
            await asyncio.sleep(0)

    def action_command_palette(self) -> None:
        if self.use_command_palette and not isinstance(self.screen, Palette):
            self.push_screen(Palette())


def _driver() -> type[Driver] | None:
    """Our driver, where the system has such terminals."""
    try:
        from qsage_validate.play.tui.terminal import TerminalDriver
    except ImportError:
        return None  # a system without termios
    return TerminalDriver


@contextmanager
def signals_told(tell: Callable[[int], None]) -> Iterator[None]:
    """While inside, the numbers of signals that end a program are told, and nothing is raised.

    ``tell`` is called in between anything that the main thread does.  Signals that are ignored
    stay so; does nothing outside the main thread.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        found = {number: signal.getsignal(number) for number in ENDING}
        before = {n: how for n, how in found.items() if how not in (signal.SIG_IGN, None)}
    try:
        for number in before:
            signal.signal(number, lambda told, _frame: tell(told))
        yield
    finally:
        for number, how in before.items():
            signal.signal(number, how)


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


# The worker asks the match: one question at a time, in a thread of its own


P = ParamSpec("P")
_QUEUE = 20
# The group of the workers that teach, beside those that ask the match.
TEACHER = "teacher"
_BUSY_AFTER = 0.15


@dataclass
class Answered(Message):
    """The worker has finished: ``answer``, or ``failure``; ``situation`` as it is now.

    ``situation`` is ``None`` when asking for it failed.
    """

    answer: requests.Answer | None
    failure: QsageError | None
    situation: MatchSituation | None


class AskingApp(LeavableApp[Exit]):
    """An app around a match; only its worker thread touches the match."""

    def __init__(self, match: PlayMatch, *, theme: str, force: bool) -> None:
        super().__init__(theme)
        self._match = match
        self.work: Task | None = match.task
        self._queue: deque[tuple[str, requests.Request]] = deque()
        self.view = ViewState(MatchSituation.of(match), force=force)

    @abstractmethod
    def show(self, view: ViewState) -> None:
        """Make ``view`` what is on the screen."""

    def ask(
        self,
        what: str,
        request: Callable[Concatenate[PlayMatch, P], requests.Answer],
        *args: P.args,
        **named: P.kwargs,
    ) -> None:
        """Ask the match; ``what`` names it for the person.  Waits its turn when it is busy."""

        def asked(match: PlayMatch) -> requests.Answer:
            return request(match, *args, **named)

        if self.view.busy is None:
            self._start(what, asked)
        elif len(self._queue) < _QUEUE:
            self._queue.append((what, asked))
            self.show(replace(self.view, waiting=len(self._queue)))
        else:
            self.bell()

    def _start(self, what: str, request: requests.Request) -> None:
        self.view = replace(self.view, busy=what, work=None, waiting=len(self._queue))
        self.run_worker(
            partial(self._work, request),
            name=what,
            group="match",
            thread=True,
            exit_on_error=False,
        )
        # Most answers come at once: the indicator would only flicker.
        self.set_timer(_BUSY_AFTER, self._show_if_busy)

    def _show_if_busy(self) -> None:
        if self.is_running and self.view.busy is not None:
            self.show(self.view)

    def _work(self, request: requests.Request) -> None:
        # In the worker thread.  A bug is raised, and ends the app in on_worker_state_changed.
        answer: requests.Answer | None = None
        failure: QsageError | None = None
        situation: MatchSituation | None = None
        try:
            with self.work or nullcontext():
                answer = request(self._match)
        except QsageError as error:
            failure = error
        try:
            with self.work or nullcontext():
                situation = MatchSituation.of(self._match)
        except QsageError as error:
            failure = failure or error
        self.post_message(Answered(answer, failure, situation))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that raised has met a bug: leave, so that it is reported."""
        if event.worker.group in ("match", TEACHER) and event.state is WorkerState.ERROR:
            self.bug = event.worker.error
            self.exit()

    def on_unmount(self) -> None:
        """Call off what the worker does: its thread is waited for."""
        if self.work is not None:
            self.work.close()

    @property
    def can_cancel(self) -> bool:
        """True if something is being done that can be called off."""
        return self.work is not None and self.view.busy is not None

    def ask_for_reply(self) -> None:
        """Ask for the reply that is still to come, before what waits."""
        player = self.view.situation.facts.certificate_player
        self._queue.appendleft((f"{player}'s reply", requests.answer))
        if self.view.busy is None:
            self.ask_next()

    def ask_next(self) -> bool:
        """Ask what has waited longest; whether something has."""
        if self._queue:
            self._start(*self._queue.popleft())
            return True
        return False

    def forget_waiting(self) -> bool:
        """Drop what waits; whether there was something."""
        waited = bool(self._queue)
        self._queue.clear()
        return waited
