"""What the screens look like; ``pytest --snapshot-update`` draws them anew.

No clock, no blinking cursor, one theme and one size for each.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from qsage_validate.errors import Exit
from qsage_validate.play.match import Match
from qsage_validate.play.tui.app import PlayApp
from tests.support.pilot import Driver
from tests.support.toy_match import DOMINOES, PAWNS, BlockMatch, ToyMatch

Compare = Callable[..., bool]
Scenario = Callable[[Driver], Awaitable[None]]


async def middle(driver: Driver) -> None:
    await driver.click((3, 3))


async def illegal(driver: Driver) -> None:
    await driver.click((3, 3))
    await driver.click((1, 1))


async def end(driver: Driver) -> None:
    await driver.click((2, 2))
    await driver.click((3, 2))


async def selection(driver: Driver) -> None:
    await driver.click((2, 1))


async def dominoes(driver: Driver) -> None:
    await driver.click((3, 3))
    await driver.click((2, 3))
    await driver.press("h")


async def bits(driver: Driver) -> None:
    await driver.press("1")


async def helping(driver: Driver) -> None:
    await driver.press("question_mark")


async def nothing(driver: Driver) -> None:
    await driver.settle()


SCREENS: dict[str, tuple[Callable[[], Match], tuple[int, int], str, Scenario]] = {
    "illegal": (ToyMatch, (80, 24), "dark", illegal),
    "end_light": (ToyMatch, (80, 24), "light", end),
    "finding_spread": (lambda: ToyMatch(finding_at=3), (120, 40), "dark", middle),
    "selection_light": (lambda: ToyMatch(PAWNS), (120, 40), "light", selection),
    "dominoes_wide": (lambda: ToyMatch(DOMINOES), (180, 45), "dark", dominoes),
    "bare": (BlockMatch, (80, 24), "dark", bits),
    "help": (ToyMatch, (80, 24), "dark", helping),
    "too_small": (ToyMatch, (50, 12), "dark", nothing),
}


@pytest.mark.parametrize("name", SCREENS)
def test_screen(snap_compare: Compare, name: str) -> None:
    make, size, theme, scenario = SCREENS[name]
    app = PlayApp(make(), theme=theme, seed=1)

    async def run_before(pilot: Pilot[Exit]) -> None:
        driver = Driver(app, pilot, [])
        await driver.settle()
        await scenario(driver)

    assert snap_compare(app, terminal_size=size, run_before=run_before)
