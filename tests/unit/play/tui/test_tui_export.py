"""A play is exported from the interface, in three formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Button, Input

from qsage_validate.play.export import ExportFormat
from qsage_validate.play.transcript import Transcript
from qsage_validate.play.tui.base import Answered
from qsage_validate.play.tui.dialogs import ConfirmScreen, PathScreen, with_suffix
from qsage_validate.play.tui.model import requests
from tests.support.pilot import Driver, drive
from tests.support.toy_match import bare_match, toy_match


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_name_says_the_format_and_buttons_choose_it(folder: Path) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.press("e")
        assert isinstance(driver.app.screen, PathScreen)
        dialog = driver.app.screen.query_one(".dialog").region
        assert all(dialog.contains_region(b.region) for b in driver.app.screen.query(Button))
        await driver.press("enter")
        assert "Saved to tic-4x4.svg" in driver.said
        (folder / "tic-4x4.svg").unlink()
        await driver.press("e")
        assert not driver.app.screen.query("#path-sgf")  # which is for Hex
        await driver.press("escape")
        for form in set(ExportFormat) - {ExportFormat.SGF}:
            await driver.press("e")
            await driver.pilot.click(f"#path-{form.value}")
            await driver.settle()
            answer = driver.seen(Answered)[-1].answer
            assert answer == requests.Saved("tic-4x4" + form.suffix)

    drive(toy_match(), scenario)
    for form in set(ExportFormat) - {ExportFormat.SGF}:
        text = (folder / ("tic-4x4" + form.suffix)).read_text()
        if form is ExportFormat.JSON:
            assert len(json.loads(text)["frames"]) == 4
        if form is ExportFormat.SVG:
            assert text.startswith("<svg")
        else:
            plies = Transcript.parse(text, "x").plies
            assert [ply.move for ply in plies] == ["occupy(1,1)", "occupy(3,3)", "occupy(2,1)"]


def test_a_name_without_a_format_is_a_message_and_files_are_kept_unless_asked(folder: Path) -> None:
    (folder / "tic-4x4.svg").write_text("kept")

    async def scenario(driver: Driver) -> None:
        await driver.press("e")
        driver.app.screen.query_one(Input).value = "play"
        await driver.press("enter")
        assert any("expected one that ends in .txt, .json, .svg" in text for text in driver.said)
        assert [path.name for path in folder.iterdir()] == ["tic-4x4.svg"]
        await driver.press("e", "enter")
        assert isinstance(driver.app.screen, ConfirmScreen)
        await driver.press("enter")
        assert (folder / "tic-4x4.svg").read_text() == "kept"
        await driver.press("e", "enter", "left", "enter")
        assert "Saved to tic-4x4.svg" in driver.said

    drive(toy_match(), scenario)
    assert (folder / "tic-4x4.svg").read_text().startswith("<svg")


def test_a_play_without_boards_has_no_drawing(folder: Path) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("e")
        path = driver.app.screen.query_one(Input)
        assert path.value.endswith(".txt")
        assert not driver.app.screen.query("#path-svg")
        path.value = "x.svg"
        await driver.press("enter")
        assert any("without boards" in text for text in driver.said)

    drive(bare_match(), scenario)
    assert list(folder.iterdir()) == []


def test_suffixes_replace_each_other() -> None:
    assert with_suffix("a.b.svg", ExportFormat.JSON) == "a.b.json"
    assert with_suffix("a.b", ExportFormat.TEXT) == "a.b.txt"
    assert with_suffix(" ", ExportFormat.TEXT) == ""
