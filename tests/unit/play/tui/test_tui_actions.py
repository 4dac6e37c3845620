"""One table says what a person can do: keys, bar, palette and help follow it."""

from __future__ import annotations

from collections import Counter

from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.dialogs import help_text
from qsage_validate.play.tui.model.actions import ACTIONS, key_of
from qsage_validate.play.tui.panes import ActionBar
from tests.support.pilot import Driver, drive
from tests.support.toy_match import toy_match


def test_every_action_has_a_method() -> None:
    for action in ACTIONS:
        assert callable(getattr(PlayApp, f"action_{action.name.partition('(')[0]}"))


def test_no_key_has_two_meanings() -> None:
    keys = Counter(key for action in ACTIONS for key in (action.keys or action.key).split(","))
    assert [key for key, count in keys.items() if count > 1] == []


def test_help_lists_every_action() -> None:
    text = help_text(toy_match().facts).plain
    for action in ACTIONS:
        assert action.help in text


def test_the_palette_has_every_action() -> None:
    titles: list[str] = []

    async def scenario(driver: Driver) -> None:
        commands = driver.app.get_system_commands(driver.app.screen)
        titles.extend(command.title for command in commands)

    drive(toy_match(), scenario)
    assert titles == [a.title for a in ACTIONS if a.name != "command_palette"]


def test_the_bar_shows_the_labelled_actions_on_two_lines() -> None:
    async def scenario(driver: Driver) -> None:
        bar = driver.app.query_one(ActionBar)
        assert bar.size.height == 2
        lines = [driver.line(y) for y in range(bar.region.y, bar.region.bottom)]
        for action in ACTIONS:
            # Nothing was found, and nothing can be asked beside the match: those are left out.
            absent = action.name in ("cancel", "findings", "gates", "tree", "prove")
            if action.label and not action.minor and not absent:
                assert f"{action.key} {action.label}" in "\n".join(lines), action.name
        # On a wider terminal there is room for all.
        await driver.pilot.resize_terminal(120, 40)
        await driver.until(lambda: bar.size.width == 120)
        await driver.settle()
        shown = "\n".join(driver.line(y) for y in range(bar.region.y, bar.region.bottom))
        assert "x Random" in shown
        assert "t Theme" in shown

    drive(toy_match(claims=True), scenario)


def test_a_click_on_the_bar_starts_the_action() -> None:
    async def scenario(driver: Driver) -> None:
        bar = driver.app.query_one(ActionBar)
        y = next(y for y in range(24) if "i Illegal" in driver.line(y))
        x = driver.line(y).index("i Illegal")
        await driver.pilot.click(ActionBar, offset=(x + 3 - bar.region.x, y - bar.region.y))
        await driver.settle()
        assert driver.app.view.force

    drive(toy_match(), scenario)


def test_keys_are_looked_up_by_name() -> None:
    assert key_of("undo") == "u"
