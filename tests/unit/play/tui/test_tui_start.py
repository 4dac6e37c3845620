"""The start screen: what it offers, the command line that it shows, and what it ends with."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot

from qsage_validate.errors import Exit
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.play.state import Recent
from qsage_validate.play.tui.model import entries
from qsage_validate.play.tui.start import StartApp
from qsage_validate.problems.load import beside

Scenario = Callable[[StartApp, "Pilot[Any]"], Awaitable[None]]
SOLVERS = ("depqbf",)


def everything() -> tuple[entries.StartEntry, ...]:
    found = (*entries.samples(), *entries.games(SOLVERS), entries.any_file(SOLVERS))
    return (*entries.recent([Recent(("sample:tic",), "tic \x1b[31m")]), *found)


def drive(
    scenario: Scenario, size: tuple[int, int] = (80, 24), theme: str = "dark", **named: Any
) -> StartApp:
    app = StartApp(everything(), theme, **named)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await scenario(app, pilot)

    asyncio.run(run())
    return app


def text(app: StartApp) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(piece.text for piece in strip) for strip in strips)


async def to(app: StartApp, pilot: Pilot[Any], title: str) -> None:
    while app.entry.title != title:
        await pilot.press("down")
        await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
@pytest.mark.parametrize("theme", ["dark"])
def test_every_entry_shows_its_rules_and_its_command(size: tuple[int, int], theme: str) -> None:
    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        for entry in everything():
            while (app.entry.section, app.entry.title) != (entry.section, entry.title):
                await pilot.press("down")
                await pilot.pause()
            shown = " ".join(text(app).split())
            assert entry.rules.split()[0] in shown
            if entry.words:
                assert f"$ qsage-play {entry.words[0]}" in shown
        assert "\x1b" not in text(app)
        assert "q Quit" in text(app)

    drive(scenario, size, theme)


def test_every_game_of_the_library_is_there_with_a_picture() -> None:
    offered = {entry.words[0]: entry for entry in entries.games()}
    for game in library_games():
        assert game.name in offered
        if game.templates[0].language == "bddl":
            assert offered[game.name].picture
    for entry in (*offered.values(), *entries.samples()):
        assert all(len(line) <= 30 for line in entry.picture.splitlines())
        assert "\n" not in entry.rules


def test_fields_make_the_words_and_a_mistake_keeps_the_screen() -> None:
    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        await to(app, pilot, "Harary's Tic-Tac-Toe")
        await pilot.press("enter", "y")
        await pilot.pause()
        assert "found --size 'y', expected" in text(app)
        await pilot.press("f5")
        assert app.return_value is None
        await pilot.press("backspace", "5", "x", "4", "tab", "tab", "tab", "space", "tab", "7")
        await pilot.pause()
        assert "$ qsage-play httt --size 5x4 --second --depth 7" in text(app)
        await pilot.press("enter")

    app = drive(scenario)
    assert app.return_value == ("httt", "--size", "5x4", "--second", "--depth", "7")


def test_a_game_is_played_against_a_certificate_or_a_solver() -> None:
    way = dict(entries.games(SOLVERS)[0].ways)
    httt = entries.games(SOLVERS)[0]
    assert httt.command({}, way["the solver depqbf"])[-2:] == ("--solver", "depqbf")
    assert httt.command({}, entries.CERTIFY[1])[-1] == "--certify"

    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        await to(app, pilot, "Hex")
        assert app._way is not None
        app._way.value = 2
        await pilot.pause()
        assert "$ qsage-play hex --size 3x3 --solver depqbf" in text(app)
        await pilot.press("f5")

    assert drive(scenario).return_value == ("hex", "--size", "3x3", "--solver", "depqbf")


@pytest.mark.parametrize("key", ["q", "escape"])
def test_leaving_chooses_nothing(key: str) -> None:
    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        await pilot.press(key)

    assert drive(scenario).return_value is Exit.FINE


def test_escape_leads_from_the_fields_to_the_list() -> None:
    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        await to(app, pilot, "Konane")
        await pilot.press("enter", "escape", "t")
        await pilot.pause()
        assert app.return_value is None
        assert app.word_of_theme == "light"
        assert "found it broken" in text(app)
        assert "Esc back to the play" in text(app)

    drive(scenario, message="found it broken", waiting="tic")


def test_random_keys_never_break_it() -> None:
    generator = random.Random(5)
    keys = ("down", "up", "enter", "tab", "space", "escape", "x", "3", "backspace", "t", "pagedown")

    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        for _ in range(80):
            await pilot.press(generator.choice(keys))
            if app.return_value is not None:
                return

    drive(scenario, (60, 16))


def test_files_of_the_folder_and_hostile_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("a.qcir", "a.aig", "b.qdimacs", "-o.qcir", "c\x1b[2J.qcir", "d.qcir.gz", "d.aig.gz")
    for name in names:
        (tmp_path / name).write_text("")
    found = {entry.title: entry for entry in entries.formulas(".", beside, SOLVERS)}
    assert found["a.qcir"].words == ("a.qcir", "--cert", "a.aig")
    assert found["d.qcir.gz"].words == ("d.qcir.gz", "--cert", "d.aig.gz")
    assert found["b.qdimacs"].ways == (("the solver depqbf", ("--solver", "depqbf")),)
    assert found["b.qdimacs"].command({}, found["b.qdimacs"].ways[0][1])[-1] == "depqbf"
    assert "-o.qcir" not in found
    assert "\x1b" not in entries.shown_command(found["c\x1b[2J.qcir"].words)
    assert "b.qdimacs" not in {e.title for e in entries.formulas(".", beside)}
    assert entries.formulas(str(tmp_path / "nowhere"), beside) == ()


def test_a_play_that_was_left_goes_on(tmp_path: Path) -> None:
    left = tmp_path / "left.play"
    left.write_text("")
    first, second = entries.recent(
        [Recent(("hex",), "hex", str(left)), Recent(("hex",), "hex", str(tmp_path / "gone"))]
    )
    assert first.words == ("hex", "--continue", str(left))
    assert second.words == ("hex",)


def test_recent_plays_are_told_apart_by_ply_and_day(tmp_path: Path) -> None:
    left = tmp_path / "left.play"
    left.write_text("")
    title = "hex 3x3: Black has a proof"
    when = "2026-11-27 14:05"
    begun, gone_on = entries.recent(
        [Recent(("hex",), title, None, 1, when), Recent(("hex",), title, str(left), 3, when)]
    )
    assert (begun.title, gone_on.title) == ("Hex 3x3 new 11-27", "Hex 3x3 ply 3 11-27")
    assert gone_on.rules.startswith(f"{when}: {title}; goes on from ")


def test_games_have_plain_names_that_are_not_cut() -> None:
    """``evader-pursuer-dual`` and ``odd-wythoff`` are names for a shell."""
    titles = {entry.words[0]: entry.title for entry in entries.games() if entry.words}
    assert titles["evader-pursuer-dual"] == "Pursuer and Evader"
    assert titles["odd-wythoff"] == "Odd Wythoff"
    assert all(title[0].isupper() for title in titles.values())
    when = "2026-11-27 14:05"
    plays = [
        Recent((name,), f"{name} 4x4: the search plays Black", None, 12, when) for name in titles
    ]
    shown = {play.words[0]: play.title for play in entries.recent(plays)}
    assert shown["evader-pursuer-dual"] == "Pursuer and Evader 4x4 new 11-27"

    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        for title in titles.values():
            await to(app, pilot, title)
            assert f"  {title} " in text(app)

    drive(scenario)


def test_a_switch_that_is_off_reads_so_without_colours() -> None:
    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        await to(app, pilot, "Harary's Tic-Tac-Toe")
        assert "X▌ Black is the second" not in text(app)
        await pilot.press("enter", "tab", "tab", "tab", "space")
        await pilot.pause()
        assert "X▌ Black is the second" in text(app)
        assert "X▌ White only hinders" not in text(app)

    drive(scenario)


def test_what_had_been_filled_in_is_there_again_after_something_went_wrong() -> None:
    async def fill(app: StartApp, pilot: Pilot[Any]) -> None:
        await to(app, pilot, "Harary's Tic-Tac-Toe")
        await pilot.press("enter", "backspace", "5", "x", "4", "tab", "tab", "tab", "space")
        await pilot.pause()

    before = drive(fill).chosen
    assert before.values["--size"] == "5x4"

    async def again(app: StartApp, pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "$ qsage-play httt --size 5x4 --second" in text(app)
        assert "needs the extra" in text(app)
        # Another entry, and the same once more, has its own fields.
        await pilot.press("down")
        await pilot.pause()
        assert "--second" not in text(app)

    drive(again, message="this needs the extra 'z3'", before=before)


def test_keys_that_come_in_one_read_reach_the_field_that_they_were_meant_for() -> None:
    async def scenario(app: StartApp, pilot: Pilot[Any]) -> None:
        place = [e.title for e in everything()].index("Harary's Tic-Tac-Toe")
        for key in (*["down"] * place, "enter", "5", "x", "4", "tab", "tab", "space", "tab", "tab"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        for key in ("7", "f5"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        for _ in range(200):
            await pilot.pause()
            if app.return_value is not None:
                break

    app = drive(scenario)
    assert app.return_value == ("httt", "--size", "5x4", "--maker-breaker", "--depth", "7")
