"""What heaps look like on the screen; ``pytest --snapshot-update`` draws them anew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from qsage_validate.errors import Exit
from qsage_validate.extensions.impartial.rules import State
from qsage_validate.play.tui.app import PlayApp
from tests.support.heap_rules import match
from tests.support.pilot import Driver

Compare = Callable[..., bool]
Scenario = Callable[[Driver], Awaitable[None]]


async def selection(driver: Driver) -> None:
    await driver.click((4, 1))


async def illegal(driver: Driver) -> None:
    await driver.click((3, 1))


async def typed(driver: Driver) -> None:
    await driver.enter("take(2)")


SCREENS: dict[str, tuple[str, State, tuple[int, int], str, Scenario]] = {
    "two_heaps": ("odd-wythoff", (6, 4), (110, 34), "dark", selection),
    "one_heap_light": ("take-away-3", (13,), (80, 24), "light", illegal),
    "numbers": ("take-away-3", (1001,), (80, 24), "dark", typed),
}


@pytest.mark.parametrize("name", SCREENS)
def test_screen(snap_compare: Compare, name: str) -> None:
    game, start, size, theme, scenario = SCREENS[name]
    app = PlayApp(match(game, start), theme=theme, seed=1)

    async def run_before(pilot: Pilot[Exit]) -> None:
        driver = Driver(app, pilot, [])
        await driver.settle()
        await scenario(driver)

    assert snap_compare(app, terminal_size=size, run_before=run_before)
