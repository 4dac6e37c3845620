"""The board against a search: replies come apart and can be cancelled, and the rules decide."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from qsage_validate.arena.blocks import SearchedEngine
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model.view import status
from qsage_validate.problems.searched import SearchedProblem
from qsage_validate.solvers.search_solution import SearchReplies
from tests.support.pilot import Driver, drive

pytestmark = pytest.mark.slow


def match_of(words: str) -> PlayMatch:
    replies = SearchReplies(load_game(find_command(words.split())))
    problem = SearchedProblem(tuple(words.split()), replies, Player.BLACK, promised=True)
    return PlayMatch(SearchedEngine(problem), replies.task)


def test_a_play_on_the_board() -> None:
    async def scenario(driver: Driver) -> None:
        assert driver.moves == ["b2"]
        assert "httt 3x3 el: the search plays Black" in driver.screen
        assert "by the rules" in driver.screen
        assert "Illegal" not in driver.screen
        await driver.press("h")
        assert "holds out longest, 4 plies" in driver.screen
        await driver.press("colon", "b", "2", "enter")
        assert "m lists the legal moves" in driver.screen
        while driver.app.view.situation.outcome is None:
            await driver.press("x")
        assert "Black wins: reached its goal, as the search promised" in driver.screen

    drive(match_of("harary --size 3x3 --shape el --depth 5"), scenario, size=(100, 30))


def test_a_long_search_is_cancelled_and_asked_again() -> None:
    app = PlayApp(match_of("domineering --size 8x8 --depth 33"), seed=7)

    async def play() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            driver = Driver(app, pilot, [])
            for _ in range(2):
                await driver.until(lambda: "searching depth" in (app.view.work or ""))
                assert "k Cancel" in driver.screen
                await pilot.press("k")
                await driver.until(lambda: app.view.busy is None)
                assert status(app.view).headline == "Black's reply is still to come"
                await pilot.press("enter")
            await driver.until(lambda: app.view.work is not None)

    asyncio.run(play())
    assert app.bug is None


def test_a_tick_after_the_end_finds_no_widgets() -> None:
    app = PlayApp(match_of("harary --size 3x3 --shape el --depth 5"))

    async def play() -> None:
        async with app.run_test(size=(100, 30)) as pilot:
            await Driver(app, pilot, []).settle()

    asyncio.run(play())
    app.view = replace(app.view, busy="Black's reply")
    assert app.work is not None
    with app.work:
        app._show_work()
        app._show_if_busy()
