"""Dialogs finish once, however often they are confirmed, and a bug does not lose the play."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual import events
from textual.app import App
from textual.command import CommandPalette
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList

from qsage_validate.arena.frame import SquareXY
from qsage_validate.arena.open import open_engine
from qsage_validate.errors import Exit
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.transcript import Transcript
from qsage_validate.play.tui import app as tui
from qsage_validate.play.tui.dialogs import Dialog, MenuScreen
from qsage_validate.play.tui.model import entries
from qsage_validate.play.tui.model.situation import ProofEnd, Services
from qsage_validate.play.tui.panes import MovesPane
from qsage_validate.play.tui.play_area import BitList, MovePrompt
from qsage_validate.play.tui.start import LoadingApp, StartApp
from qsage_validate.problems.load import Files, load
from qsage_validate.system.task import Background
from tests.support.pilot import Driver, ToolDriver, drive, drive_app
from tests.support.places import SAMPLES
from tests.support.toy_match import bare_match, toy_match


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


KEYS = ("m", "o", "e", "s", "question_mark")


@pytest.mark.parametrize("key", ["m", "s"])
def test_two_confirmations_in_one_tick_are_one(key: str) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press(key)
        for _ in range(2):
            driver.app.post_message(events.Key("enter", None))
        await driver.settle()
        assert driver.app.screen is driver.app.default_screen
        assert driver.app.bug is None

    drive(toy_match(), scenario)


def _typed(app: App[Any], *keys: str) -> None:
    """Keys as from one read of the terminal; a word is typed letter by letter."""
    for key in keys:
        if key.startswith(("ctrl+", "enter", "escape", "slash")):
            app.post_message(events.Key(key, None))
        else:
            for letter in key:
                app.post_message(events.Key(letter, letter))


def test_what_is_typed_ahead_is_for_the_screen_that_comes(folder: Path) -> None:
    """The letters were lost, and Ctrl-U came behind those that followed it."""

    async def scenario(driver: Driver) -> None:
        _typed(driver.app, "s", "ctrl+u", "one.play", "enter", "o", "ctrl+u", "two.play", "enter")
        await driver.settle()
        assert driver.app.screen is driver.app.default_screen
        assert "two.play: found no such file" in driver.screen
        assert [path.name for path in folder.iterdir()] == ["one.play"]
        _typed(driver.app, "slash", "abc", "ctrl+u", "xyz")
        await driver.settle()
        assert driver.app.query_one(MovePrompt).value == "xyz"
        _typed(driver.app, "escape", "s", "ctrl+u", "three")
        await driver.settle()
        assert driver.app.screen.query_one(Input).value == "three"

    drive(toy_match(), scenario)


def test_a_dialog_that_is_left_twice_closes_once_and_gives_one_answer() -> None:
    async def scenario(driver: Driver) -> None:
        for key in KEYS:
            await driver.press(key)
            screen = driver.app.screen
            assert isinstance(screen, Dialog)
            driver.app.post_message(events.Key("escape", None))
            screen.dismiss(None)
            screen.dismiss(None)
            await driver.settle()
            assert driver.app.screen is driver.app.default_screen

    drive(toy_match(), scenario)


def test_after_a_bug_the_play_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = toy_match()
    match.push("occupy(3,3)")
    tui.rescue(match, "tic.play")
    said = capsys.readouterr().err
    (kept,) = folder.iterdir()
    assert kept.name in said
    moves = [ply.move for ply in Transcript.parse(kept.read_text(), str(kept)).plies]
    assert moves == [str(frame.move) for frame in match.frames if frame.move]
    tui.rescue(match, "tic.play")
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("back", [PlayMatch.undo, PlayMatch.restart])
def test_a_play_that_was_taken_back_is_kept_as_a_variation(
    folder: Path, back: Callable[[PlayMatch], object]
) -> None:
    """A key kept it, and a signal lost it."""
    match = toy_match()
    match.push("occupy(3,3)")
    back(match)
    tui.rescue(match, "tic.play")
    (kept,) = folder.iterdir()
    (variation,) = Transcript.parse(kept.read_text(), str(kept)).variations
    assert "occupy(3,3)" in [str(ply.move) for ply in variation.plies]


def test_before_the_first_move_there_is_nothing_to_keep(folder: Path) -> None:
    tui.rescue(bare_match(), "tic.play")
    assert not list(folder.iterdir())


def test_what_was_chosen_is_played_although_the_list_is_narrowed_meanwhile() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("m")
        menu = driver.app.screen
        options = menu.query_one(OptionList)
        options.action_last()
        chosen = options.highlighted_option
        assert chosen is not None
        options.action_select()
        menu.query_one(Input).value = "no such move"
        assert isinstance(menu, MenuScreen)
        menu._narrow("no such move")
        assert options.option_count == 0
        await driver.settle()
        assert driver.app.screen is driver.app.default_screen
        assert str(chosen.prompt) in [str(frame.move) for frame in driver.app.view.situation.frames]

    drive(toy_match(), scenario)


def test_a_ply_that_was_chosen_may_be_taken_back_meanwhile() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("x")
        moves = driver.app.query_one(MovesPane)
        rows = driver.app.view.situation.rows
        moves.table.action_select_cursor()
        moves.show(rows[:1], rows[0].index or 0, {})
        await driver.settle()
        assert driver.app.bug is None
        assert not driver.seen(MovesPane.FrameChosen)

    drive(toy_match(), scenario)


def test_a_bit_that_was_chosen_may_be_of_the_block_before() -> None:
    async def scenario(driver: Driver) -> None:
        bits = driver.app.query_one(BitList)
        bits.action_select()
        bits.offer(("a",), (False,))
        await driver.settle()
        assert bits.bits == [False]

    drive(bare_match(), scenario)


def test_the_board_is_left_when_a_dialog_is_made() -> None:
    """A click on Quit while one was being made was an internal error."""

    async def scenario(driver: Driver) -> None:
        driver.app.push_screen(MenuScreen("Which?", ()))
        driver.app.exit(Exit.FINE)
        driver.app.exit(Exit.REFUTED)
        assert driver.app.is_ending
        # It leaves when the dialog is made, a moment later.
        await driver.until(lambda: driver.app.return_value is not None)
        await driver.settle()

    app = drive(toy_match(), scenario)
    assert app.bug is None
    assert app.return_value is Exit.FINE


@pytest.mark.parametrize("given_back", [False, True])
@pytest.mark.parametrize("action", ["menu", "load", "export", "save", "help", "command_palette"])
def test_keys_wait_for_a_dialog_however_long_it_takes(
    action: str, given_back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Esc, typed before a click had opened a dialog, closed one that had no widgets yet.

    A key that a widget had given back to the app did not wait, and others did for two seconds.
    """
    make = Screen.mount_composed_widgets
    making, made = asyncio.Event(), asyncio.Event()

    async def made_late(screen: Screen[Any], widgets: list[Widget]) -> None:
        making.set()
        await made.wait()
        await make(screen, widgets)

    async def scenario(driver: Driver) -> None:
        app = driver.app
        monkeypatch.setattr(Screen, "mount_composed_widgets", made_late)
        event = events.Key("escape", None)
        if given_back:
            event._set_forwarded()
        app.post_message(event)
        await app.run_action(action)
        await making.wait()
        # An hour later, as the event loop sees it.
        loop = asyncio.get_running_loop()
        clock = loop.time
        monkeypatch.setattr(loop, "time", lambda: clock() + 3600)
        for _ in range(5):
            await asyncio.sleep(0.01)
        assert isinstance(app.screen, Dialog | CommandPalette)
        made.set()
        await driver.settle()
        assert app.screen is app.default_screen
        assert app.bug is None

    drive(toy_match(), scenario)


def test_a_palette_opens_while_the_one_before_is_still_closing() -> None:
    """Esc and Ctrl-P on a busy machine were an internal error: two widgets with one ID."""

    async def scenario(driver: Driver) -> None:
        await driver.press("ctrl+p")
        first = driver.app.screen
        assert isinstance(first, CommandPalette)
        first.dismiss(None)
        driver.app.action_command_palette()
        assert isinstance(driver.app.screen, CommandPalette)
        assert driver.app.screen is not first
        await driver.settle()
        assert driver.app.bug is None

    drive(toy_match(), scenario)


def test_a_click_waits_for_the_palette_of_a_terminal_that_shrinks() -> None:
    """Where it was is nowhere by then: it was an internal error, and is beside the palette."""

    async def scenario(driver: Driver) -> None:
        await driver.press("ctrl+p")
        palette = driver.app.screen
        assert isinstance(palette, CommandPalette)
        palette.post_message(events.Click(palette, 500, 500, 0, 0, 1, False, False, False))
        await driver.settle()
        assert driver.app.screen is driver.app.default_screen
        assert driver.app.bug is None

    drive(toy_match(), scenario)


@pytest.mark.parametrize("key", ["m", "ctrl+p"])
def test_a_click_may_be_on_an_entry_that_is_gone_meanwhile(key: str) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press(key)
        entries = driver.app.screen.query_one(OptionList)
        click = events.Click(entries, 1, 1, 0, 0, 1, False, False, False)
        click.style = Style(meta={"option": entries.option_count})
        entries.post_message(click)
        await driver.settle()
        assert driver.app.bug is None

    drive(toy_match(), scenario)


def test_a_click_may_be_on_a_bit_of_the_block_before() -> None:
    async def scenario(driver: Driver) -> None:
        bits = driver.app.query_one(BitList)
        click = events.Click(bits, 1, 1, 0, 0, 1, False, False, False)
        click.style = Style(meta={"option": bits.option_count})
        bits.post_message(click)
        await driver.settle()
        assert driver.app.bug is None

    drive(bare_match(), scenario)


@pytest.mark.parametrize("action", ["new_game", "quit"])
def test_ctrl_c_is_heard_when_the_board_is_left(
    action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was nobody's, and the drill or the start screen came up all the same."""

    async def scenario(driver: Driver) -> None:
        driver.app.post_message(events.Key("ctrl+c", None))
        await driver.app.run_action(action)

    def run(app: tui.PlayApp) -> Exit | None:
        drive_app(app, scenario, Driver)
        return app.return_value

    monkeypatch.setattr(tui, "check_terminal", lambda theme: None)
    monkeypatch.setattr(tui.PlayApp, "run", run)
    tic = load(Files(str(SAMPLES / "tic.qcir"), str(SAMPLES / "tic.aig")))
    left = tui.run(PlayMatch(open_engine(tic)), services=Services.of(tic, lambda *_: ProofEnd("")))
    assert (left.code, left.next) == (Exit.INTERRUPTED, tui.Next.NOTHING)


PAIRS = (("enter", "enter"), ("escape", "q"))
OVER = ("m", "o", "e", "s", "question_mark", "g", "T", "P", "q")


def kinds(base: type[Any]) -> set[type]:
    """The classes of dialogs that a person sees."""
    below = base.__subclasses__()
    return set[type]().union(*map(kinds, below)) if below else {base}


def twice_on(app: tui.PlayApp, widget: Widget) -> None:
    """Two clicks on the first entry of a widget, in one tick."""
    place = widget.content_region.offset
    for kind in (events.MouseDown, events.MouseUp) * 2:
        app.post_message(kind(None, place.x + 1, place.y, 0, 0, 1, False, False, False))


def two_keys(app: tui.PlayApp, keys: Sequence[str], first: Sequence[SquareXY] = ()) -> set[type]:
    """Open each screen by its key and answer it twice in a tick, by keys and by the mouse.

    Returns the screens' classes.
    """
    seen: set[type] = set()

    async def scenario(driver: ToolDriver) -> None:
        for square in first:
            await driver.click(square)
        for key in keys:
            for pair in PAIRS:
                app._saved_rounds = -1
                await driver.press(*(() if first else "r"), key)
                assert isinstance(app.screen, Dialog), key
                seen.add(type(app.screen))
                for name in pair:
                    app.post_message(events.Key(name, "q" if name == "q" else None))
                await driver.settle()
                assert app.bug is None, (key, pair)
                while app.screen is not app.default_screen:
                    await driver.press("escape")
            await driver.press(*(() if first else "r"), key)
            for widget in [*app.screen.focus_chain]:
                if widget.is_attached and widget.content_region:
                    twice_on(app, widget)
                    await driver.settle()
                assert app.bug is None, (key, widget)
            while app.screen is not app.default_screen:
                await driver.press("escape")

    drive_app(app, scenario, ToolDriver)
    return seen


def test_every_screen_over_the_board_takes_two_keys_and_clicks_in_one_tick() -> None:
    tic = load(Files(str(SAMPLES / "tic.qcir"), str(SAMPLES / "tic.aig")))
    services = Services.of(tic, lambda *_: ProofEnd("tic: valid"))
    seen = two_keys(tui.PlayApp(PlayMatch(open_engine(tic)), asks=True, services=services), OVER)
    found = toy_match(finding_at=3)
    seen |= two_keys(tui.PlayApp(found, asks=True), ("f",), ((3, 3), (4, 3)))
    assert seen == kinds(Dialog)


@pytest.mark.parametrize("pair", [("enter", "enter"), ("f5", "f5"), ("escape", "q"), ("q", "q")])
def test_the_start_screen_takes_two_keys_in_one_tick(pair: tuple[str, str]) -> None:
    app = StartApp(entries.samples(), "dark")

    async def run() -> None:
        async with app.run_test() as pilot:
            for name in pair:
                app.post_message(events.Key(name, "q" if name == "q" else None))
            await pilot.pause()

    asyncio.run(run())
    chosen = ("sample:tic",) if pair[0] in ("enter", "f5") else Exit.FINE
    assert app.return_value == chosen


def test_loading_takes_two_cancels_in_one_tick() -> None:
    hold = threading.Event()
    work = Background(hold.wait)
    app = LoadingApp(work, "a play", "dark")

    async def run() -> None:
        async with app.run_test() as pilot:
            for _ in range(2):
                app.post_message(events.Key("k", "k"))
            await pilot.pause()

    try:
        asyncio.run(run())
    finally:
        hold.set()
    assert app.return_value is False
