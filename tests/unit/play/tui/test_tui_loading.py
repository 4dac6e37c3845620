"""The screen while a play is prepared: its stage, its seconds, and Cancel."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from qsage_validate.errors import CancelledError, Exit
from qsage_validate.play.tui import start
from qsage_validate.play.tui.start import Background, LoadingApp, opened
from qsage_validate.system.limits import go_on, stage

Scenario = Callable[[LoadingApp, "Pilot[bool | Exit]"], Awaitable[None]]


class Work:
    """Work that goes on until it is released or called off."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.background = Background(self.run)

    def run(self) -> str:
        stage("reading 1,000,000 gates")
        while not self.released.wait(0.005):
            go_on()
        return "the board"


def drive(work: Work, scenario: Scenario, size: tuple[int, int] = (80, 24)) -> LoadingApp:
    app = LoadingApp(work.background, "tic.qcir with wide.aig", "dark")

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await scenario(app, pilot)

    asyncio.run(run())
    return app


def text(app: LoadingApp) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(piece.text for piece in strip) for strip in strips)


async def ended(app: LoadingApp, pilot: Pilot[bool | Exit]) -> None:
    for _ in range(500):
        if app.return_value is not None:
            return
        await pilot.pause(0.01)
    raise AssertionError(text(app))


@pytest.mark.parametrize("size", [(80, 24), (40, 10)])
def test_it_says_what_is_done_and_for_how_long(size: tuple[int, int]) -> None:
    work = Work()

    async def scenario(app: LoadingApp, pilot: Pilot[bool | Exit]) -> None:
        await pilot.pause(0.3)
        shown = text(app)
        for part in ("Opening", "tic.qcir with wide.aig", " s  reading 1,000,000 gates", "Cancel"):
            assert part in shown, shown
        first = float(shown.partition(" s  reading")[0].split()[-1])
        await pilot.pause(0.3)
        assert float(text(app).partition(" s  reading")[0].split()[-1]) > first
        work.released.set()
        await ended(app, pilot)

    app = drive(work, scenario, size)
    assert app.return_value is True
    assert work.background.result() == "the board"


@pytest.mark.parametrize("key", ["escape", "k", "q", "enter"])
def test_cancel_calls_the_work_off(key: str) -> None:
    work = Work()

    async def scenario(app: LoadingApp, pilot: Pilot[bool | Exit]) -> None:
        await pilot.press(key)
        await ended(app, pilot)

    assert drive(work, scenario).return_value is False
    assert work.background.wait(10)
    with pytest.raises(CancelledError):
        work.background.result()


def test_what_is_ready_at_once_has_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "run_app", lambda app: pytest.fail("a screen was shown"))
    assert opened(Background(lambda: 7), "a play", "dark") == 7


def test_a_cancelled_play_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "run_app", lambda app: app.action_cancel() or False)
    monkeypatch.setattr(LoadingApp, "exit", lambda self, result: None)
    work = Work()
    with pytest.raises(CancelledError, match=r"^opening wide\.aig was cancelled$"):
        opened(work.background, "wide.aig", "dark")


def test_ctrl_c_calls_the_work_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(app: LoadingApp) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "run_app", interrupted)
    work = Work()
    with pytest.raises(KeyboardInterrupt):
        opened(work.background, "wide.aig", "dark")
    assert work.background.wait(10)
