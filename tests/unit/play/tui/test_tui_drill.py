"""The drill on the board: squares, typed moves, wrong answers, sides, progress, what goes wrong."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.binding import Binding
from textual.notifications import Notify
from textual.pilot import Pilot

from qsage_validate.errors import Exit, UsageError
from qsage_validate.extensions.teaching.board import DrillApp, DrillPlan, Worked
from qsage_validate.extensions.teaching.drill import (
    Drill,
    DrillFile,
    DrillProgress,
    StrategyTeacher,
)
from qsage_validate.games.protocol import Player
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.dialogs import ConfirmScreen, MenuScreen
from qsage_validate.play.tui.model.view import SquareMark
from tests.support.pilot import quick
from tests.support.plays import BREAKTHROUGH, DOMINO, EL
from tests.unit.arena.test_teacher_distance import teacher_for

pytestmark = pytest.mark.slow

BLACK, WHITE = Player.BLACK, Player.WHITE


class Hand:
    """Presses keys, and waits until each has had its effect."""

    def __init__(self, app: DrillApp, pilot: Pilot[Any], messages: list[Any]) -> None:
        self.app = app
        self.pilot = pilot
        self.messages = messages

    async def settle(self) -> None:
        for _ in range(3000):
            await self.pilot.pause()
            if self.app.busy is None:
                await self.pilot.pause()
                if self.app.busy is None:
                    return
            await asyncio.sleep(0.01)
        raise AssertionError(self.text)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def enter(self, text: str) -> None:
        names = {"(": "left_parenthesis", ")": "right_parenthesis", ",": "comma"}
        await self.press("colon", *(names.get(char, char) for char in text), "enter")

    async def click(self, square: tuple[int, int]) -> None:
        grid = self.board.grid
        column, row = grid.corner(square)
        x, y = grid.gutter + column + grid.scale.width // 2, 1 + row + grid.scale.height // 2
        await self.pilot.click(BoardView, offset=(x, y))
        await self.settle()

    @property
    def board(self) -> BoardView:
        return self.app.query_one(BoardView)

    @property
    def text(self) -> str:
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(piece.text for piece in strip) for strip in strips)

    @property
    def notes(self) -> list[str]:
        return [m.notification.message for m in self.messages if isinstance(m, Notify)]


def plan_for(
    words: tuple[str, ...] = EL,
    side: Player = BLACK,
    folder: Path | None = None,
    *,
    both: bool = True,
    make: Callable[[], StrategyTeacher] | None = None,
) -> DrillPlan:
    def file(drilled: Player) -> DrillFile:
        return DrillFile(None if folder is None else str(folder / f"{drilled.value}.json"))

    return DrillPlan(make or (lambda: teacher_for(words)), "a strategy", side, file, both)


def drive(
    plan: DrillPlan, scenario: Callable[[Hand], Awaitable[None]], size: tuple[int, int] = (100, 30)
) -> DrillApp:
    app = DrillApp(plan, "dark")
    messages: list[Any] = []

    async def run() -> None:
        async with app.run_test(size=size, message_hook=messages.append) as pilot:
            hand = Hand(app, pilot, messages)
            await hand.settle()
            await scenario(hand)

    with quick():
        asyncio.run(run())
    return app


@pytest.mark.parametrize("pair", [("enter", "enter"), ("escape", "escape")])
def test_every_key_of_the_drill_is_taken_twice_in_one_tick(pair: tuple[str, str]) -> None:
    async def scenario(hand: Hand) -> None:
        app = hand.app
        for binding in app.BINDINGS:
            assert isinstance(binding, Binding)
            for key in binding.key.split(","):
                if key in ("q", "ctrl+q"):
                    continue
                for name in (key, key, *pair):
                    app.post_message(events.Key(name, name if len(name) == 1 else None))
                await hand.settle()
                while app.screen is not app.default_screen:
                    await hand.press("escape")
                assert app.bug is None, key
        assert app.is_running
        for _ in range(2):
            app.post_message(events.Key("q", "q"))
        await hand.pilot.pause()

    assert drive(plan_for(), scenario).return_value is Exit.FINE


def test_the_drill_may_be_left_when_its_board_comes() -> None:
    """Nothing is mounted any more then, which Textual says by an error."""

    async def scenario(hand: Hand) -> None:
        app, came = hand.app, asyncio.Event()

        def board_comes() -> None:
            came.set()
            app._board = None
            app._show()

        app.post_message(Worked(board_comes))
        app.exit(Exit.FINE)
        await came.wait()

    app = drive(plan_for(), scenario)
    assert app.bug is None
    assert app.return_value is Exit.FINE


def test_the_screen_may_be_drawn_while_the_thread_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moves of one question could be looked up in the next: illegal there, and exit code 2."""
    go_on, gone_on, drawn = Drill._go_on, threading.Event(), threading.Event()

    def slowly(drill: Drill) -> None:
        go_on(drill)
        gone_on.set()
        assert drawn.wait(60)

    monkeypatch.setattr(Drill, "_go_on", slowly)

    async def scenario(hand: Hand) -> None:
        app = hand.app
        first = app._question
        assert first is not None
        app._answer(next(iter(first.answers)))
        while not gone_on.is_set():
            await asyncio.sleep(0.01)
        try:
            app._show()
            assert app._question is first
        finally:
            drawn.set()
        await hand.settle()
        assert app._question is not first

    assert drive(plan_for(), scenario).bug is None


def test_answers_by_square_and_by_word_are_marked_counted_and_kept(tmp_path: Path) -> None:
    async def scenario(hand: Hand) -> None:
        assert "1. Black to move. What does the strategy answer?" in hand.text
        total = sum(1 for _ in Drill(teacher_for(EL), DrillProgress("k", BLACK))._all())
        assert f"● Black  0 of {total} done, 0 right, 0 wrong" in hand.text
        await hand.click((1, 1))
        assert "a1 is wrong: try again, or h shows the answer" in hand.text
        assert SquareMark.ILLEGAL in hand.board.picture.marks[1, 1]
        assert "0 right, 1 wrong" in hand.text
        await hand.enter("occupy(2,2)")
        assert "b2 is right" in hand.text
        assert f"1 of {total} done, 0 right, 1 wrong" in hand.text
        assert hand.app.focused is hand.board
        assert "2. Black to move after a1. What" in hand.text
        assert "  1 ● b2" in hand.text
        assert "  2 ○ a1" in hand.text
        assert SquareMark.CHANGED in hand.board.picture.marks[1, 1]
        await hand.press("h")
        assert "The answer to a1 is " in hand.text
        assert f"2 of {total} done, 0 right, 2 wrong" in hand.text
        await hand.enter("occupy(9,9)")
        assert "2 wrong" in hand.text
        assert "found" in hand.app.status.detail
        kept = json.loads((tmp_path / "black.json").read_text())
        assert (kept["done"], kept["right"], kept["wrong"]) == (2, 0, 2)

    plan = plan_for(folder=tmp_path)
    drive(plan, scenario)

    async def again(hand: Hand) -> None:
        assert "Resumed: 2 done, 0 right at the first try, 2 wrong answers" in hand.text
        assert "3. Black to move" in hand.text
        third = list(islice(Drill(teacher_for(EL), DrillProgress("k", BLACK))._all(), 3))[-1]
        assert hand.app._question == third
        # The other side has a progress of its own.
        await hand.press("b")
        assert "○ White  0 done" in hand.text
        await hand.press("b")
        assert "● Black  2 of" in hand.text
        await hand.press("r")
        assert isinstance(hand.app.screen, ConfirmScreen)
        await hand.press("left", "enter")
        assert "● Black  0 of" in hand.text
        assert json.loads((tmp_path / "black.json").read_text())["done"] == 0

    drive(plan, again)


def test_a_whole_drill_ends_with_what_was_missed() -> None:
    async def scenario(hand: Hand) -> None:
        await hand.press("h")
        for _ in range(100):
            question = hand.app._question
            if question is None:
                break
            await hand.enter(min(question.answers))
        assert "All lines are done:" in hand.text
        assert "1 wrong answer" in hand.text
        assert "Missed" in hand.text
        assert "after start" in hand.text
        # Nothing is asked any more, and no key breaks it.
        await hand.press("h", "m", "enter", "escape")
        assert "All lines are done:" in hand.text

    drive(plan_for(DOMINO), scenario)


def test_a_piece_and_its_target_are_picked_and_the_menu_lists_all_moves() -> None:
    async def scenario(hand: Hand) -> None:
        question = hand.app._question
        assert question is not None
        assert question.player is WHITE
        assert "Which move lasts longest?" in hand.text
        areas = hand.app._picks.areas
        move, area = next((m, a) for m, a in areas.items() if str(m) not in question.answers)
        first, second = sorted(area)
        await hand.click(first)
        if hand.app._selected is not None:
            assert "selected: pick a ›target‹" in hand.text
            await hand.click(second)
        assert f"{move.words} is wrong" in hand.text
        await hand.press("m")
        menu = hand.app.screen
        assert isinstance(menu, MenuScreen)
        assert [str(m) for m in menu._moves] == list(question.legal)
        await hand.press("escape")
        empty = next(
            (x, y)
            for y in range(1, hand.board.picture.board.height + 1)
            for x in range(1, hand.board.picture.board.width + 1)
            if not any((x, y) in a for a in areas.values())
        )
        await hand.click(empty)
        assert "no legal move is there; nothing is counted" in hand.text
        assert hand.app._progress.wrong == 1

    drive(plan_for(BREAKTHROUGH, WHITE), scenario)


def test_without_rules_a_reply_is_typed() -> None:
    async def scenario(hand: Hand) -> None:
        assert "Type a move; h shows the answer" in hand.text
        await hand.click((1, 1))
        assert "(1,1): the rules are not known; nothing is counted" in hand.text
        await hand.press("m")
        assert not isinstance(hand.app.screen, MenuScreen)
        question = hand.app._question
        assert question is not None
        await hand.enter(min(question.answers))
        assert "is right" in hand.text

    drive(plan_for(make=lambda: teacher_for(EL, rules=False)), scenario)


def test_a_file_of_something_else_is_told_and_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "black.json").write_text('{"drill": 1, "key": "another"}')

    async def scenario(hand: Hand) -> None:
        (note,) = hand.notes
        assert "found the drill of 'another', expected that of 'a strategy': begun anew" in note
        assert "1. Black to move" in hand.text

    drive(plan_for(folder=tmp_path), scenario)


def test_a_file_that_cannot_be_written_is_told_and_the_drill_goes_on(tmp_path: Path) -> None:
    async def scenario(hand: Hand) -> None:
        await hand.press("h")
        assert hand.notes[-1].startswith("The progress is not kept: ")
        assert "2. Black to move" in hand.text

    drive(plan_for(folder=tmp_path / "nowhere"), scenario)


def test_a_side_that_was_chosen_by_a_file_stays() -> None:
    async def scenario(hand: Hand) -> None:
        assert "b Side" not in hand.text
        await hand.press("b")
        assert "● Black" in hand.text

    drive(plan_for(both=False), scenario)


@pytest.mark.parametrize("size", [(80, 24), (60, 16), (120, 40), (200, 60)])
def test_keys_and_questions_fit_every_size(size: tuple[int, int]) -> None:
    async def scenario(hand: Hand) -> None:
        for part in (": Type", "m Moves", "h Show", "b Side", "r Anew", "t Theme", "q Leave"):
            assert part in hand.text, part
        assert "1. Black to move. What does the strategy answer?" in hand.text
        assert "0 right, 0 wrong" in hand.text
        await hand.press("t")
        assert not hand.app.current_theme.dark

    drive(plan_for(), scenario, size)


def test_leaving_calls_off_what_takes_long() -> None:
    begun, off = threading.Event(), threading.Event()

    class Slow(StrategyTeacher):
        def winner(self, position, deadline):  # type: ignore[no-untyped-def]
            begun.set()
            while not deadline.over:
                off.wait(0.01)

    known = teacher_for(EL)
    teacher = Slow(known.player, known.tree, known.game)
    app = DrillApp(plan_for(make=lambda: teacher), "dark")

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            hand = Hand(app, pilot, [])
            await hand.settle()
            app._answer("occupy(1,1)")
            while not begun.is_set():
                await pilot.pause(0.01)
            assert "Working: looking at occupy(1,1) …" in app.status.headline
            await pilot.press("q")

    asyncio.run(run())
    assert app.return_value is Exit.FINE
    assert app.bug is None


def test_each_side_has_a_file(tmp_path: Path) -> None:
    async def scenario(hand: Hand) -> None:
        await hand.press("h", "b", "h", "h", "b")
        assert "● Black  1 of" in hand.text

    drive(plan_for(BREAKTHROUGH, folder=tmp_path), scenario)
    kept = {file.stem: json.loads(file.read_text())["done"] for file in tmp_path.iterdir()}
    assert kept == {"black": 1, "white": 2}


def test_where_all_moves_last_equally_long_nothing_is_asked() -> None:
    async def scenario(hand: Hand) -> None:
        assert "There is nothing to ask: whatever is played" in hand.text
        assert "b drills the other side" in hand.text
        await hand.press("h", "b")
        assert "1. Black to move" in hand.text
        assert hand.app.focused is hand.board

    drive(plan_for(DOMINO, WHITE), scenario)


def test_a_bug_ends_the_app_and_is_kept() -> None:
    def broken() -> StrategyTeacher:
        raise RuntimeError("a bug")

    async def scenario(hand: Hand) -> None:
        raise AssertionError("it should have ended")

    app = DrillApp(plan_for(make=broken), "dark")

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            for _ in range(1000):
                if app.bug is not None:
                    return
                await pilot.pause(0.01)

    asyncio.run(run())
    assert isinstance(app.bug, RuntimeError)


def test_what_cannot_be_drilled_is_a_line() -> None:
    def none() -> StrategyTeacher:
        raise UsageError("found nothing to drill")

    async def scenario(hand: Hand) -> None:
        assert "found nothing to drill" in hand.text
        await hand.press("h", "m", "enter")

    drive(plan_for(make=none), scenario)
