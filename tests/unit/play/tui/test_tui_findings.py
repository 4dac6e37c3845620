"""Findings are listed, and lead to the step at which they were seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.widgets import OptionList

from qsage_validate.arena.open import open_engine
from qsage_validate.errors import UsageError
from qsage_validate.formats.assertions import parse_assertions
from qsage_validate.formats.source import Source
from qsage_validate.games.languages import load_game
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.base import Answered
from qsage_validate.play.tui.dialogs import FindingsScreen, ListedFinding, describe
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.requests import follow
from qsage_validate.play.tui.panes import TitleBar
from qsage_validate.problems.load import BoardProblem, Files
from qsage_validate.validation.assertions import AssertionVocabulary
from qsage_validate.validation.finding import Finding, FindingKind
from tests.support.pilot import Driver, drive
from tests.support.plays import EL, certified
from tests.support.toy_match import toy_match


def test_enter_jumps_to_the_step_of_a_finding() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("f")
        assert "Nothing was found so far." in driver.said
        await driver.click((3, 3))
        await driver.click((4, 3))
        await driver.press("f")
        screen = driver.app.screen
        assert isinstance(screen, FindingsScreen)
        assert [found.index for found in screen.found] == [3]
        assert "2 findings" not in driver.screen
        await driver.press("enter")
        assert driver.app.view.index == 3
        assert driver.app.view.frame.findings

    drive(toy_match(finding_at=3), scenario)


def test_the_flag_in_the_title_and_a_click_on_the_list_do_the_same() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.click((3, 3))
        await driver.click((4, 3))
        x = driver.line(0).index("1 finding")
        await driver.pilot.click(TitleBar, offset=(x + 2, 0))
        await driver.settle()
        assert isinstance(driver.app.screen, FindingsScreen)
        await driver.pilot.click(OptionList, offset=(3, 0))
        await driver.settle()
        assert driver.app.view.index == 3

    drive(toy_match(finding_at=3), scenario)


def test_a_finding_of_another_play_is_replayed() -> None:
    finding = Finding(
        FindingKind.BOARD_DIFFERS,
        3,
        "a square differs",
        moves=("occupy(1,1)", "occupy(3,3)", "occupy(2,1)"),
    )

    async def scenario(driver: Driver) -> None:
        await driver.click((4, 4))
        driver.app._jump(ListedFinding(finding, None, "random plays"))
        await driver.settle()
        assert driver.moves == ["occupy(1,1)", "occupy(3,3)", "occupy(2,1)"]
        assert driver.app.view.frame.ply == 3
        (_, loaded) = (message.answer for message in driver.seen(Answered))
        assert isinstance(loaded, requests.Loaded)
        assert loaded.ply == 3

    drive(toy_match(), scenario)


def test_a_play_that_cannot_be_followed_leaves_the_play_as_it_was() -> None:
    match = toy_match()
    match.push("occupy(3,3)")
    before = [frame.move for frame in match.frames]
    with pytest.raises(UsageError, match=r"expected occupy\(1,1\)"):
        follow(match, ["occupy(4,4)", "occupy(3,3)"], "a play")
    assert [frame.move for frame in match.frames] == before


def test_all_that_is_known_of_a_finding_is_told() -> None:
    finding = Finding(
        FindingKind.ILLEGAL_REPLY,
        3,
        "not open",
        move="occupy(1,1)",
        squares=((1, 1),),
        rule="open(?x,?y)",
        moves=("occupy(1,1)",),
        replay="qsage-play x",
    )
    text = describe(ListedFinding(finding, None, "all plays")).plain
    for part in ("not open", "occupy(1,1)", "(1,1)", "open(?x,?y)", "qsage-play x"):
        assert part in text
    assert (
        "concerns no play"
        in describe(ListedFinding(Finding(FindingKind.BOARD_DIFFERS, 0, "x"), None, "")).plain
    )


def test_a_broken_assertion_is_shown_and_leads_to_its_step() -> None:
    made = certified(EL)
    files = Files(formula="f.qcir", certificate="f.aig", assertions=("a.txt",))
    game = load_game(made.encoding.model)
    known = AssertionVocabulary(made.encoding.qbf, made.encoding.layout, game)
    read = parse_assertions(Source("always open (3,1)", "a.txt"))
    problem = BoardProblem(files, made.encoding.qbf, made.certificate, made.encoding.layout, game)
    match = PlayMatch(open_engine(replace(problem, assertions=tuple(known.bound(read)))))

    async def scenario(driver: Driver) -> None:
        await driver.enter("occupy(3,1)")
        assert "1 finding" in driver.line(0)
        (text,) = [text for text in driver.said if text.startswith("FINDING")]
        assert "assertion broken after ply 2: a.txt:1: always open (3,1)" in text
        await driver.press("f", "enter")
        assert driver.app.view.viewing == 2

    drive(match, scenario)
