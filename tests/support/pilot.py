"""Driving the interface without a terminal: keys and clicks in, messages and states out.

Most of the time of an app in a test is spent on what no test looks at, so here it is otherwise:

- Textual's pilot waits until the process has been idle for 20 ms, four times a key; here it is
  asked whether the event loop has anything left to do.
- A frame is drawn when the app has come to rest, and on each look at the screen; frames between
  are not.
- A style sheet is parsed once, not once an app.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
import textual.app
import textual.pilot
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.message import Message
from textual.pilot import Pilot

from qsage_validate.arena.frame import SquareXY
from qsage_validate.errors import Exit
from qsage_validate.games.protocol import Square
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.panes import MessagesPane
from qsage_validate.play.tui.tool_screen import ToolScreen

M = TypeVar("M", bound=Message)
D = TypeVar("D", bound="Driver")

_draw = Compositor.render_update
_parse = Stylesheet._parse_rules
_parsed: dict[object, list[RuleSet]] = {}


async def _idle(*_: float) -> None:
    """Wait until nothing is left to do at once: what is left waits for time or for a thread."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    await asyncio.sleep(0)
    while ready:
        await asyncio.sleep(0)


def _draw_later(compositor: Compositor, full: bool = False, **options: Any) -> None:
    """Note what is to be drawn; the next layout asks what has changed since this one."""
    if full:
        compositor._dirty_regions.add(compositor.size.region)
    assert compositor.full_map


def _parse_once(sheet: Stylesheet, *source: Any, **options: Any) -> list[RuleSet]:
    key = (source, *options.items(), *sheet._variables.items())
    if key not in _parsed:
        _parsed[key] = _parse(sheet, *source, **options)
    return _parsed[key]


class Driver:
    """An app that runs, with every message that was posted in it."""

    def __init__(self, app: PlayApp, pilot: Pilot[Exit], messages: list[Message]) -> None:
        self.app = app
        self.pilot = pilot
        self.messages = messages

    async def settle(self) -> None:
        """Wait until the worker has answered everything that was asked; draw what is there."""
        await self._rest()
        while self.app.view.busy is not None:
            await self.app.workers.wait_for_complete()
            await self._rest()
        _draw(self.app.screen._compositor, screen_stack=self.app._background_screens)

    async def _rest(self) -> None:
        """Wait until no message is on its way and the screen needs no further layout."""
        resting = False
        while not resting:
            while self.app._resize_timer is not None:
                await asyncio.sleep(0.01)
            await self.pilot.pause()
            await _idle()
            later = self.app._resize_timer is not None
            resting = not (later or self.app.screen._update_timer._active.is_set())

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until ``holds``; what takes more than a minute never comes."""
        for _ in range(6000):
            if holds():
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"waited in vain on:\n{self.screen}")

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the one before has had its effect."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def enter(self, text: str) -> None:
        """Go to the prompt, type ``text`` and press Enter."""
        await self.press("colon")
        await self.pilot.press(*(_KEYS.get(char, char) for char in text))
        await self.press("enter")

    async def click(self, square: SquareXY) -> None:
        """Click the middle of a square of the board."""
        board = self.app.query_one(BoardView)
        column, row = board.grid.corner(square)
        scale = board.grid.scale
        x = board.grid.gutter + column + scale.width // 2 - round(board.scroll_x)
        offset = (x, 1 + row + scale.height // 2 - round(board.scroll_y))
        await self.pilot.click(BoardView, offset=offset)
        await self.settle()

    def seen(self, kind: type[M]) -> list[M]:
        """The messages of one kind, in order; each once, though many widgets hear it."""
        found = {id(message): message for message in self.messages if isinstance(message, kind)}
        return list(found.values())

    @property
    def moves(self) -> list[str]:
        """The plies on the table."""
        return [str(frame.move) for frame in self.app.view.situation.frames if frame.move]

    @property
    def said(self) -> list[str]:
        """The texts in the pane of messages."""
        return [note.text for note in self.app.query_one(MessagesPane).notes]

    def at(self, square: SquareXY) -> Square:
        """What the board on the screen has on a square."""
        return self.app.query_one(BoardView).picture.board[square]

    def line(self, y: int) -> str:
        """The characters of a line of the screen."""
        width = self.app.size.width
        strips = self.app.screen._compositor.render_strips()
        return "".join(segment.text for segment in strips[y])[:width]

    @property
    def screen(self) -> str:
        """The characters of the screen."""
        return "\n".join(self.line(y) for y in range(self.app.size.height))


class ToolDriver(Driver):
    """A driver that also waits for the screens over the play."""

    async def settle(self) -> None:
        while True:
            await super().settle()
            screen = self.app.screen
            if not isinstance(screen, ToolScreen) or screen.busy is None:
                return
            await asyncio.sleep(0.01)


_KEYS = {
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    ",": "comma",
    "?": "question_mark",
    " ": "space",
    "=": "equals_sign",
    ".": "full_stop",
    "/": "slash",
    "-": "minus",
    "_": "underscore",
    "~": "tilde",
}


def drive_app(
    app: PlayApp,
    scenario: Callable[[D], Awaitable[None]],
    kind: type[D],
    size: tuple[int, int] = (80, 24),
) -> PlayApp:
    """Run ``scenario`` on ``app``; returns the app after its end."""
    messages: list[Message] = []

    async def run() -> None:
        async with app.run_test(size=size, message_hook=messages.append) as pilot:
            driver = kind(app, pilot, messages)
            await driver.settle()
            await scenario(driver)

    with quick(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", _draw_later)
        asyncio.run(run())
    return app


@contextmanager
def quick() -> Iterator[None]:
    """Pilots do not wait for an idle process, and a style sheet is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textual.pilot, "wait_for_idle", _idle)
        patch.setattr(textual.app, "wait_for_idle", _idle)
        patch.setattr(Stylesheet, "_parse_rules", _parse_once)
        yield


def drive(
    match: PlayMatch,
    scenario: Callable[[Driver], Awaitable[None]],
    *,
    size: tuple[int, int] = (80, 24),
    theme: str = "dark",
    force: bool = False,
) -> PlayApp:
    """Run ``scenario`` on an app that plays ``match``; returns the app after its end."""
    app = PlayApp(match, theme=theme, seed=7, force=force, pace=0.001)
    return drive_app(app, scenario, Driver, size)
