"""Panes change their sizes, and tools stand beside the board where there is room."""

from __future__ import annotations

import pytest
from textual.geometry import Size

from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.model.situation import Services
from qsage_validate.play.tui.panes import WhyPane
from qsage_validate.play.tui.play_area import PlayArea
from qsage_validate.play.tui.tool_screen import TreeScreen
from tests.support.pilot import Driver, ToolDriver, drive, drive_app
from tests.support.plays import EL, match_for
from tests.support.toy_match import toy_match
from tests.unit.arena.test_teacher_distance import teacher_for

pytestmark = pytest.mark.slow


def test_keys_change_the_sizes_of_the_panes() -> None:
    async def scenario(driver: Driver) -> None:
        area, why = driver.app.query_one(PlayArea), driver.app.query_one(WhyPane)
        before, stage = why.size, area.stage.region
        await driver.press("2", ">")
        assert area.stage.region.width == stage.width + 4
        await driver.press("<", "Z")
        assert area.stage.region == stage
        assert why.region.height == 2
        await driver.press("Z")
        assert why.size == before
        await driver.press("2", "z")
        assert "1 Moves" in driver.line(1)
        assert why.region.width == 120 - stage.width
        await driver.press("4", "z")
        assert why.size == before

    drive(toy_match(), scenario, size=(120, 40))


def test_sizes_stay_on_small_terminals() -> None:
    async def scenario(driver: Driver) -> None:
        shown = driver.screen
        await driver.press("1", "z", ">", "<", "Z", "0")
        assert driver.screen == shown

    drive(toy_match(), scenario)


@pytest.mark.parametrize("size", [(120, 40), (200, 60), (80, 24)])
def test_the_board_stands_alone_for_a_projector(size: tuple[int, int]) -> None:
    async def scenario(driver: Driver) -> None:
        area, board = driver.app.query_one(PlayArea), driver.app.query_one(BoardView)
        before, shown = board.grid.scale, driver.screen
        await driver.press("z")
        assert area.stage.region.width == size[0]
        assert not driver.app.query_one(WhyPane).display
        assert board.grid.scale.height >= before.height
        # The names of columns and rows are three rows high, and the board fills the height.
        assert board.grid.large
        assert board.grid.outer[1] > area.size.height - board.grid.rows - 1
        corner = board.grid.corner((2, 3))
        square = board.square_at(board.grid.gutter + corner[0], board.grid.head + corner[1])
        assert square == (2, 3)
        await driver.press("z")
        assert driver.screen == shown
        # A pane that is asked for comes back with the others.
        await driver.press("z", "1")
        assert area.stage.region.width < size[0]

    drive(toy_match(), scenario, size=size)


@pytest.mark.parametrize("size", [(120, 40), (200, 60), (80, 24)])
def test_the_tree_stands_beside_the_board(size: tuple[int, int]) -> None:
    tree = teacher_for(EL).tree
    assert tree is not None
    app = PlayApp(match_for(EL), services=Services(tree=lambda: tree))
    docked = size != (80, 24)

    async def scenario(driver: ToolDriver) -> None:
        board = driver.app.query_one(BoardView).region
        title = driver.line(0)
        await driver.press("T")
        screen = driver.app.screen
        assert isinstance(screen, TreeScreen)
        tool = screen.query_one(".tool").region
        assert tool.overlaps(board) is not docked
        assert (driver.line(0) == title) is docked
        await driver.press("z")
        assert screen.query_one(".tool").size + Size(4, 2) >= Size(*size)
        await driver.press("z")
        assert screen.query_one(".tool").region == tool
        await driver.press("escape")
        assert not isinstance(driver.app.screen, TreeScreen)

    drive_app(app, scenario, ToolDriver, size)
