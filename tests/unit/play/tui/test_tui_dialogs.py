"""Dialogs finish once, however often they are confirmed, and a bug does not lose the play."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from qsage_validate.play.transcript import Transcript
from qsage_validate.play.tui import app as tui
from qsage_validate.play.tui.screens.dialog import Dialog
from tests.support.pilot import Driver, drive
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


def test_before_the_first_move_there_is_nothing_to_keep(folder: Path) -> None:
    tui.rescue(bare_match(), "tic.play")
    assert not list(folder.iterdir())
