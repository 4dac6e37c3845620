"""Neighbours that one ply filled together are joined on the board, as dominoes are."""

from __future__ import annotations

import re

import pytest

from qsage_validate.arena.frame import SquareXY
from qsage_validate.play.tui.model.view import ViewState, picture
from tests.support.pilot import Driver, drive
from tests.unit.play.tui.test_tui_searched import match_of

pytestmark = pytest.mark.slow


def dominoes(view: ViewState) -> set[tuple[SquareXY, SquareXY]]:
    """The squares of each move by its name: an own reading of Domineering's two moves."""
    found = set()
    for frame in view.situation.line[1 : view.index + 1]:
        for way, x, y in re.findall(r"(vertical|horizontal)\((\d+),(\d+)\)", str(frame.move)):
            first = int(x), int(y)
            second = (first[0], first[1] + 1) if way == "vertical" else (first[0] + 1, first[1])
            found.add((first, second))
    return found


def joints(view: ViewState) -> frozenset[tuple[SquareXY, SquareXY]]:
    drawn = picture(view)
    assert drawn is not None
    return drawn.board.joints


def test_dominoes_are_joined_at_every_ply_of_a_play() -> None:
    async def scenario(driver: Driver) -> None:
        for _ in range(2):
            await driver.press("x")
            assert joints(driver.app.view) == dominoes(driver.app.view)
        assert len(joints(driver.app.view)) == 5
        assert "║" in driver.screen
        assert "═" in driver.screen
        await driver.press("left_square_bracket")
        assert joints(driver.app.view) == dominoes(driver.app.view)
        assert len(joints(driver.app.view)) == 4

    drive(match_of("domineering --size 4x4 --depth 9"), scenario, size=(120, 40))


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("breakthrough --size 2x4 --depth 13", id="a step changes two squares"),
        pytest.param("harary --size 3x3 --shape el --depth 5", id="neighbours of several plies"),
    ],
)
def test_other_plies_join_nothing(words: str) -> None:
    async def scenario(driver: Driver) -> None:
        await driver.press("x")
        assert len(driver.app.view.situation.line) > 2
        assert joints(driver.app.view) == frozenset()
        assert "║" not in driver.screen

    drive(match_of(words), scenario, size=(120, 40))
