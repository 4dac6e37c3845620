"""The screens over the play: gates, the strategy's tree, the proof."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.widgets import DataTable, Input, OptionList, Static

from qsage_validate.arena.open import open_engine
from qsage_validate.errors import UsageError
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model.actions import ACTIONS
from qsage_validate.play.tui.model.situation import LevelRow, ProofEnd, Prove, Services
from qsage_validate.play.tui.panes import ActionBar, ValuesPane, WhyPane
from qsage_validate.play.tui.tool_screen import (
    GateScreen,
    KeyBar,
    ProveScreen,
    ToolScreen,
    TreeScreen,
)
from qsage_validate.problems.load import Files, Problem, load
from qsage_validate.system.limits import Progress, Tell
from qsage_validate.validation.finding import Finding, FindingKind
from tests.support.pilot import Driver, ToolDriver, drive, drive_app
from tests.support.places import SAMPLES
from tests.support.toy_match import toy_match

pytestmark = pytest.mark.slow

SIZE = (80, 24)


def sample(name: str) -> Problem:
    return load(Files(str(SAMPLES / f"{name}.qcir"), str(SAMPLES / f"{name}.aig")))


@pytest.fixture(scope="module")
def tic() -> Problem:
    return sample("tic")


def quick(
    tell: Tell,
    done: Callable[[LevelRow], None],
    cancelled: Callable[[], bool],
) -> ProofEnd:
    tell(Progress("formula", "proving"))
    done(LevelRow("formula", "proved", 0.5, "no choice beats it"))
    return ProofEnd("tic: valid")


class ScreenDriver(ToolDriver):
    """A driver that knows which screen is up."""

    @property
    def gates(self) -> GateScreen:
        assert isinstance(self.app.screen, GateScreen)
        return self.app.screen

    @property
    def strategy(self) -> TreeScreen:
        assert isinstance(self.app.screen, TreeScreen)
        return self.app.screen

    @property
    def proof(self) -> ProveScreen:
        assert isinstance(self.app.screen, ProveScreen)
        return self.app.screen


def drive_tools(
    problem: Problem,
    scenario: Callable[[ScreenDriver], Awaitable[None]],
    prove: Prove = quick,
    size: tuple[int, int] = SIZE,
) -> PlayApp:
    app = PlayApp(
        PlayMatch(open_engine(problem)), seed=1, pace=0.001, services=Services.of(problem, prove)
    )
    return drive_app(app, scenario, ScreenDriver, size)


# -- what there is --------------------------------------------------------------------------------


def test_what_cannot_be_asked_is_in_no_bar_and_says_why() -> None:
    async def scenario(driver: Driver) -> None:
        assert not any(word in driver.screen for word in ("g Gates", "T Tree", "P Prove"))
        await driver.press("g", "T", "P")
        assert driver.said[-3:] == [
            "No gates to show: there is no formula.",
            "No tree to show: without a layout there are no moves.",
            "Nothing can be proved here: no files are known.",
        ]

    drive(toy_match(), scenario)


def test_the_bare_game_has_gates_and_a_proof_but_no_tree(tmp_path: Path) -> None:
    formula = tmp_path / "bare.qcir"
    formula.write_text("#QCIR-G14\nforall(a)\nexists(b)\noutput(g)\ng = xor(a, b)\n")
    certificate = tmp_path / "bare.aag"
    certificate.write_text("aag 1 1 0 1 0\n2\n3\ni0 a\no0 b\n")
    problem = load(Files(str(formula), str(certificate)))

    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("T")
        assert "No tree to show" in driver.said[-1]
        await driver.press("g")
        (row,) = [node.data for node in driver.gates.shown.root.children]
        assert row is not None
        assert (row.name, row.value) == ("g", True)
        await driver.press("right_square_bracket")
        assert driver.gates.remark == "There are no squares here."

    drive_tools(problem, scenario)


@pytest.mark.parametrize(("name", "size"), [("connect3", (80, 24)), ("tic", (60, 16))])
def test_all_lines_of_the_bar_are_there_from_the_start(name: str, size: tuple[int, int]) -> None:
    """Help and Quit stand in the last one."""

    async def scenario(driver: ScreenDriver) -> None:
        assert "? Help" in driver.screen
        assert "q Quit" in driver.screen

    drive_tools(sample(name), scenario, size=size)


# -- gates ----------------------------------------------------------------------------------------


def test_gates_open_into_their_inputs_are_found_by_name_and_told_by_square(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        assert driver.app.query_one(ActionBar).size.height == 2
        for action in ACTIONS:
            if action.name in ("gates", "tree", "prove", "export"):
                assert f"{action.key} {action.label}" in driver.screen
        await driver.press("g")
        verdict = driver.gates.shown.root.children[0]
        assert verdict.data is not None
        assert verdict.data.meaning == "verdict"
        await driver.press("enter")
        rows = [node.data for node in verdict.children]
        assert len(rows) == verdict.data.fan_in
        assert all(row is not None and row.decisive for row in rows)
        await driver.press("down")
        detail = str(driver.gates.query_one("#gate-detail", Static).render())
        assert rows[0] is not None
        assert detail == rows[0].text
        await driver.press("escape")
        assert not isinstance(driver.app.screen, GateScreen)
        await driver.press("g", "slash")
        driver.gates.query_one(Input).value = "verdit"
        await driver.press("enter")
        assert "expected verdict" in driver.gates.remark
        driver.gates.query_one(Input).value = "-verdict"
        await driver.press("enter")
        node = driver.gates.shown.cursor_node
        assert node is not None
        assert node.data is not None
        assert tic.formula is not None
        assert node.data.literal == -tic.formula.output
        assert node.data.value is False
        assert node.children
        await driver.press("escape")
        await driver.press("g")
        screen = driver.gates
        assert screen.square == (3, 2)
        await driver.press("right_square_bracket")
        assert screen.square == (4, 2)
        await driver.press(*["left_square_bracket"] * 3)
        assert screen.square == (1, 2)
        shown = {node.data.literal: node.data for node in screen.shown.root.children if node.data}
        assert screen.inspector is not None
        for literal, row in shown.items():
            assert row == screen.inspector.row(literal, (1, 2))
        await driver.press("a")
        assert screen.square is None
        assert "all squares" in driver.screen

    drive_tools(tic, scenario)


def test_after_a_refusal_gates_have_the_values_of_the_attempt(tic: Problem) -> None:
    """What "why not" calls false is false in the inspector, which opens there."""

    async def scenario(driver: ScreenDriver) -> None:
        taken = str(driver.app.view.frame.move)
        await driver.enter(taken)
        (why,) = driver.app.query_one(WhyPane).whys
        assert why.evidence
        await driver.press("g")
        assert f"Gates if {taken} were played at ply 2" in driver.screen
        node = driver.gates.shown.cursor_node
        assert node is not None
        assert node.data is not None
        assert node.data.literal == why.evidence[0].literal
        assert node.is_expanded
        inspector = driver.gates.inspector
        assert inspector is not None
        for value in why.evidence:
            row = inspector.row(value.literal)
            assert (row.value, row.false_at) == (value.value, value.false_at)
        await driver.press("escape")
        # The last one that is named is a link.
        last = why.evidence[-1].literal
        await driver.app.run_action(f"app.gate({last}, 0)")
        await driver.settle()
        node = driver.gates.shown.cursor_node
        assert node is not None
        assert node.data is not None
        assert node.data.literal == last
        await driver.press("escape", "u", "escape")

    drive_tools(tic, scenario)


def test_gates_are_found_by_parts_of_names(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("g", "slash")
        driver.gates.query_one(Input).value = "WHITE 2"
        await driver.press("enter")
        rows = [node.data for node in driver.gates.shown.root.children]
        assert len(rows) > 1
        assert all(row is not None and "white 2" in row.text for row in rows)
        assert f"{len(rows)} gates with 'WHITE 2' in the name" in driver.gates.remark
        await driver.press("slash", "enter")
        assert len(driver.gates.shown.root.children) > len(rows)

    drive_tools(tic, scenario)


def test_a_value_opens_its_gate(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("3", "down", "enter")
        node = driver.gates.shown.cursor_node
        assert node is not None
        assert node.data is not None
        pane = driver.app.default_screen.query_one(ValuesPane)
        assert node.data.literal == pane.shown[1].literal

    drive_tools(tic, scenario)


# -- the tree -------------------------------------------------------------------------------------


def test_the_tree_has_the_answers_with_the_sizes(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("T")
        root = driver.strategy.shown.root
        assert root.data is not None
        assert driver.strategy.sizes[root.data].plays == 195
        nodes = [node.data for node in root.children]
        assert len(nodes) == 15
        sizes = [driver.strategy.sizes[node] for node in nodes if node is not None]
        assert sum(size.plays for size in sizes) == 195
        await driver.press("down", "enter")
        assert len(root.children[0].children) == 13
        assert "Black wins" in driver.screen
        assert "195 plays" in driver.screen

    drive_tools(tic, scenario)


def test_a_play_of_the_tree_is_put_on_the_board(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("T", "down", "down", "p")
        assert driver.moves[1] == "occupy(2,1)"
        assert driver.app.view.frame.ply == 3
        # And the tree opens where the play is.
        await driver.press("T")
        node = driver.strategy.shown.cursor_node
        assert node is not None
        assert node.data is not None
        assert list(node.data.state.moves) == driver.moves

    drive_tools(tic, scenario)


def test_the_tree_of_a_herbrand_certificate() -> None:
    herbrand = sample("hex")

    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("T")
        own = herbrand.answering.kind.player
        assert (
            driver.strategy.heading()
            == f"Strategy tree: {own.other}'s moves, and what {own} answers"
        )
        assert driver.strategy.shown.root.children

    drive_tools(herbrand, scenario)


def test_the_keys_of_a_screen_can_be_clicked(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("T")
        y = next(y for y in range(24) if "Esc Close" in driver.line(y))
        x = driver.line(y).index("Esc Close")
        bar = driver.app.screen.query_one(KeyBar)
        await driver.pilot.click(KeyBar, offset=(x - bar.region.x + 1, 0))
        await driver.settle()
        assert not isinstance(driver.app.screen, ToolScreen)

    drive_tools(tic, scenario)


# -- the proof ------------------------------------------------------------------------------------


def test_levels_appear_with_their_verdicts(tic: Problem) -> None:
    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("P")
        assert [row.word for row in driver.proof.rows] == ["proved"]
        assert driver.proof.query_one(DataTable).row_count == 1
        assert "tic: valid" in driver.screen
        await driver.press("escape")
        assert "tic: valid" in driver.said

    drive_tools(tic, scenario)


def test_escape_stops_a_proof_and_a_second_one_closes(tic: Problem) -> None:
    began, stopped = threading.Event(), threading.Event()

    def endless(
        tell: Tell,
        done: Callable[[LevelRow], None],
        cancelled: Callable[[], bool],
    ) -> ProofEnd:
        tell(Progress("formula", "conflict 7"))
        began.set()
        while not cancelled():
            stopped.wait(0.01)
        stopped.set()
        return ProofEnd("Stopped; no level has ended.", stopped=True)

    async def scenario(driver: ScreenDriver) -> None:
        await driver.pilot.press("P")
        while not began.is_set():
            await driver.pilot.pause(0.01)
        await driver.pilot.pause()
        assert "formula: conflict 7" in driver.proof.status()
        await driver.press("escape")
        assert stopped.is_set()
        assert driver.proof.end is not None
        assert driver.proof.end.stopped
        await driver.press("escape")
        assert "Stopped; no level has ended." in driver.said

    drive_tools(tic, scenario, endless)


def test_leaving_the_app_stops_the_proof(tic: Problem) -> None:
    stopped = threading.Event()

    def endless(
        tell: Tell,
        done: Callable[[LevelRow], None],
        cancelled: Callable[[], bool],
    ) -> ProofEnd:
        while not cancelled():
            stopped.wait(0.01)
        stopped.set()
        return ProofEnd("Stopped.", stopped=True)

    async def scenario(driver: ScreenDriver) -> None:
        await driver.pilot.press("P")
        await driver.pilot.pause(0.05)
        await driver.pilot.press("ctrl+c")

    drive_tools(tic, scenario, endless)
    assert stopped.wait(5)


def test_a_finding_of_a_proof_is_jumped_to_and_kept(tic: Problem) -> None:
    match = PlayMatch(open_engine(tic))
    moves = tuple(str(f.move) for f in match.push("occupy(1,1)"))
    play = (str(match.frames[1].move), *moves)
    finding = Finding(FindingKind.BOARD_DIFFERS, 2, "a square", moves=play[:2])

    def refuting(
        tell: Tell,
        done: Callable[[LevelRow], None],
        cancelled: Callable[[], bool],
    ) -> ProofEnd:
        done(LevelRow("random plays", "refuted", 0.1, finding.text, (finding,)))
        return ProofEnd("tic: refuted (random plays)", refuted=True)

    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("P")
        assert driver.proof.query_one(OptionList).option_count == 1
        await driver.press("enter")
        assert driver.moves == list(play)
        assert driver.app.view.frame.ply == 2
        assert [found.source for found in driver.app.found] == ["random plays"]
        assert "f Finds" in driver.screen

    drive_tools(tic, scenario, refuting)


def test_a_proof_that_fails_is_a_message_and_a_bug_is_kept(tic: Problem) -> None:
    def failing(
        tell: Tell,
        done: Callable[[LevelRow], None],
        cancelled: Callable[[], bool],
    ) -> ProofEnd:
        raise UsageError("the file is gone")

    async def scenario(driver: ScreenDriver) -> None:
        await driver.press("P")
        assert "the file is gone" in driver.screen
        await driver.press("escape")
        assert "the file is gone" in driver.said

    drive_tools(tic, scenario, failing)

    def buggy(
        tell: Tell,
        done: Callable[[LevelRow], None],
        cancelled: Callable[[], bool],
    ) -> ProofEnd:
        raise ZeroDivisionError

    async def pressing(driver: ScreenDriver) -> None:
        await driver.pilot.press("P")
        await driver.pilot.pause(0.2)

    assert isinstance(drive_tools(tic, pressing, buggy).bug, ZeroDivisionError)
