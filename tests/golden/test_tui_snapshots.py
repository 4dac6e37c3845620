"""What the screens look like; ``pytest --snapshot-update`` draws them anew.

No clock, no blinking cursor, one theme and one size for each.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from qsage_validate.arena.open import open_engine
from qsage_validate.errors import Exit
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model.situation import LevelRow, ProofEnd, Services
from qsage_validate.problems.load import Files, load
from qsage_validate.system.limits import Tell
from qsage_validate.validation.finding import Finding, FindingKind
from tests.support.pilot import Driver, ToolDriver
from tests.support.toy_match import DOMINOES, PAWNS, bare_match, toy_match

SAMPLES = Path(__file__).parents[2] / "certificates"
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


SCREENS: dict[str, tuple[Callable[[], PlayMatch], tuple[int, int], str, Scenario]] = {
    "illegal": (toy_match, (80, 24), "dark", illegal),
    "end_light": (toy_match, (80, 24), "light", end),
    "finding_spread": (lambda: toy_match(finding_at=3), (120, 40), "dark", middle),
    "selection_light": (lambda: toy_match(PAWNS), (120, 40), "light", selection),
    "dominoes_wide": (lambda: toy_match(DOMINOES), (180, 45), "dark", dominoes),
    "bare": (bare_match, (80, 24), "dark", bits),
    "help": (toy_match, (80, 24), "dark", helping),
    "too_small": (toy_match, (50, 12), "dark", nothing),
}


def proof(
    tell: Tell,
    done: Callable[[LevelRow], None],
    cancelled: Callable[[], bool],
) -> ProofEnd:
    finding = Finding(FindingKind.BOARD_DIFFERS, 2, "(1,1) is open", moves=("occupy(2,2)",))
    done(LevelRow("dependencies", "proved", 0.1, "each function reads only variables left"))
    done(LevelRow("random plays", "refuted", 1.5, finding.text, (finding,)))
    done(LevelRow("encoding", "undecided", 30, "time was up"))
    return ProofEnd("tic: refuted (random plays): the encoding is wrong", refuted=True)


# Keys to a screen over the play of the sample.
TOOLS: dict[str, tuple[tuple[int, int], str, tuple[str, ...]]] = {
    "gates": ((80, 24), "dark", ("g", "a", "enter", "down", "down", "enter")),
    "tree_light": ((80, 24), "light", ("T", "down", "enter", "down")),
    "proof": ((80, 24), "dark", ("P",)),
}


@pytest.mark.parametrize("name", TOOLS)
def test_tool(snap_compare: Compare, name: str) -> None:
    size, theme, keys = TOOLS[name]
    problem = load(Files(str(SAMPLES / "tic.qcir"), str(SAMPLES / "tic.aig")))
    app = PlayApp(
        PlayMatch(open_engine(problem)), theme=theme, seed=1, services=Services.of(problem, proof)
    )

    async def run_before(pilot: Pilot[Exit]) -> None:
        await ToolDriver(app, pilot, []).press(*keys)

    assert snap_compare(app, terminal_size=size, run_before=run_before)


@pytest.mark.parametrize("name", SCREENS)
def test_screen(snap_compare: Compare, name: str) -> None:
    make, size, theme, scenario = SCREENS[name]
    app = PlayApp(make(), theme=theme, seed=1)

    async def run_before(pilot: Pilot[Exit]) -> None:
        driver = Driver(app, pilot, [])
        await driver.settle()
        await scenario(driver)

    assert snap_compare(app, terminal_size=size, run_before=run_before)
