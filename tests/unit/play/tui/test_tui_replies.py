"""Replies that take long: the play stays usable meanwhile, and they can be cancelled."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from textual.pilot import Pilot

from qsage_validate.arena.frame import Frame
from qsage_validate.arena.open import open_engine
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, UsageError
from qsage_validate.games.registry import find_command
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.transcript import play_transcript, transcript_of
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model.situation import Services
from qsage_validate.play.tui.model.view import status
from qsage_validate.play.tui.tool_screen import GateScreen
from qsage_validate.problems import searched
from qsage_validate.problems.load import Files, against_solver, load
from qsage_validate.solvers.backend import Missing, at
from qsage_validate.solvers.backends import get_backend
from qsage_validate.system.limits import Progress, Stopwatch
from qsage_validate.system.task import Task
from tests.support.fake_solvers import script
from tests.support.pilot import Driver
from tests.support.toy_match import ToyEngine

pytestmark = pytest.mark.slow

BEGUN = ["occupy(1,1)"]


class Slow(ToyEngine):
    """Toy rules; replies come when ``go`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.task, self.go = Task(), Event()

    def reply(self, frame: Frame) -> Frame | None:
        answer = super().reply(frame)
        if answer is not None:
            self.task.tell(Progress("toy", "question 1"))
            while not self.go.wait(0.005):
                self.task.deadline(None).check_called_off()
        return answer


Scenario = Callable[[Driver], Awaitable[None]]


def run(match: PlayMatch, scenario: Scenario, services: Services | None = None) -> PlayApp:
    """Run a scenario that begins before the first reply is there."""
    app = PlayApp(match, seed=7, pace=0.001, services=services)

    async def play() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await scenario(_driver(app, pilot))

    asyncio.run(play())
    return app


def _driver(app: PlayApp, pilot: Pilot[Exit]) -> Driver:
    return Driver(app, pilot, [])


def thinking(driver: Driver) -> bool:
    view = driver.app.view
    return view.work is not None and view.situation.waits


def test_the_play_stays_usable_while_a_reply_is_computed() -> None:
    engine = Slow()

    async def scenario(driver: Driver) -> None:
        await driver.until(lambda: thinking(driver))
        engine.go.set()
        await driver.settle()
        assert driver.moves == BEGUN
        engine.go.clear()
        await driver.pilot.press("right", "enter")
        await driver.until(lambda: thinking(driver))
        assert driver.moves == [*BEGUN, "occupy(3,2)"], "the person's move is shown at once"
        told = status(driver.app.view)
        assert told.headline.startswith("Working: Black's reply … toy: question 1, ")
        assert told.headline.endswith(" s")
        assert "k cancels" in told.detail
        assert "k Cancel" in driver.screen
        await driver.pilot.press("left_square_bracket")
        await driver.until(lambda: driver.app.view.past)
        assert "Looking back at ply 1" in driver.screen
        await driver.pilot.press("escape")
        await driver.until(lambda: not driver.app.view.past)
        assert thinking(driver), "Esc has left the past alone"
        await driver.pilot.press("enter")
        await driver.until(lambda: "Still working" in " ".join(driver.said))
        engine.go.set()
        await driver.settle()
        assert driver.moves == [*BEGUN, "occupy(3,2)", "occupy(2,1)"]
        assert "k Cancel" not in driver.screen

    assert run(PlayMatch(engine, engine.task), scenario).bug is None


@pytest.mark.parametrize("key", ["k", "escape", "u"])
def test_a_cancelled_reply_takes_the_move_back(key: str) -> None:
    engine = Slow()
    engine.go.set()

    async def scenario(driver: Driver) -> None:
        await driver.settle()
        engine.go.clear()
        await driver.pilot.press("right", "enter")
        await driver.until(lambda: thinking(driver))
        await driver.pilot.press(key)
        await driver.settle()
        assert driver.moves == BEGUN
        view = driver.app.view
        assert not view.situation.waits
        assert not view.situation.can_redo, "nothing of it is kept"
        assert status(view).detail == "Cancelled: occupy(3,2) was taken back."
        engine.go.set()
        await driver.press("down", "enter")
        assert driver.moves == [*BEGUN, "occupy(3,3)", "occupy(2,1)"]

    run(PlayMatch(engine, engine.task), scenario)


def test_the_random_player_waits_for_replies_and_stops_when_one_is_cancelled() -> None:
    engine = Slow()
    engine.go.set()

    async def scenario(driver: Driver) -> None:
        await driver.settle()
        engine.go.clear()
        await driver.pilot.press("X")
        await driver.until(lambda: thinking(driver))
        await driver.pilot.press("k")
        await driver.settle()
        assert (driver.moves, driver.app.view.running) == (BEGUN, False)
        engine.go.set()
        await driver.pilot.press("X")
        await driver.until(lambda: driver.app.view.situation.outcome is not None)
        await driver.settle()
        assert not driver.app.view.running

    run(PlayMatch(engine, engine.task), scenario)


def test_a_first_reply_that_is_cancelled_can_be_asked_for_again() -> None:
    engine = Slow()

    async def scenario(driver: Driver) -> None:
        await driver.until(lambda: thinking(driver))
        await driver.pilot.press("k")
        await driver.settle()
        assert driver.moves == []
        assert status(driver.app.view).headline == "Black's reply is still to come"
        await driver.press("h")
        assert "Black's answer is still to come" in " ".join(driver.said)
        engine.go.set()
        await driver.press("enter")
        assert driver.moves == BEGUN
        await driver.press("k")
        assert driver.said[-1] == "Nothing to cancel."

    run(PlayMatch(engine, engine.task), scenario)


@pytest.mark.parametrize("keys", ["q", "ctrl+c"])
def test_leaving_ends_a_reply(keys: str) -> None:
    engine = Slow()
    watch = Stopwatch()

    async def scenario(driver: Driver) -> None:
        await driver.until(lambda: thinking(driver))
        await driver.pilot.press(keys)

    app = run(PlayMatch(engine, engine.task), scenario)
    assert app.return_value is (Exit.FINE if keys == "q" else Exit.INTERRUPTED)
    assert watch.seconds < 10, "the worker's thread has ended"
    assert app.bug is None


def test_transcripts_are_replayed_with_their_replies(tmp_path: Path) -> None:
    engine = Slow()
    engine.go.set()
    match = PlayMatch(engine, engine.task)
    with pytest.raises(UsageError, match="Black's answer is still to come"):
        match.push("occupy(2,2)")
    with pytest.raises(UsageError, match="still to come"):
        match.parse_move("occupy(2,2)")
    assert match.waits
    assert [str(f.move) for f in match.answer()] == BEGUN
    assert [str(f.move) for f in match.push("occupy(2,2)")] == ["occupy(2,2)"]
    assert not match.legal_moves()
    assert match.answer()
    transcript = transcript_of(match)
    again = PlayMatch(engine, engine.task)
    play_transcript(again, transcript)
    assert transcript_of(again) == transcript
    assert again.undo()
    assert again.redo()


# -- with a solver in a process of its own -----------------------------------------------------


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """DepQBF does not begin before there is a file ``go``; ``pid`` has its process."""
    real = get_backend("depqbf")
    found = real.availability()
    if isinstance(found, Missing):
        pytest.skip(f"depqbf: {found.reason}")
    wait = f"while ! test -e {tmp_path}/go; do sleep 0.02; done"
    tell = f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid"
    body = f'{tell}; {wait}; exec {found.path} "$@"'
    path = script(tmp_path, "slow", body)
    slow = replace(real, name="slow", find=lambda: at(path))
    monkeypatch.setattr(searched, "backends", lambda: {"slow": slow})
    monkeypatch.setattr(
        "qsage_validate.solvers.bloqqer.availability", lambda: Missing("no Bloqqer here")
    )
    return tmp_path


def is_running(folder: Path) -> bool:
    """Whether the solver's process runs."""
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_the_solver_dies_with_its_reply(waiting: Path, repository: Path) -> None:
    files = Files(str(repository / "certificates" / "hex.qcir"), solver="slow", status=True)
    problem = load(files)
    assert problem.solving is not None

    async def scenario(driver: Driver) -> None:
        await driver.until(lambda: thinking(driver) and (waiting / "pid").exists())
        assert "slow" in status(driver.app.view).headline
        assert is_running(waiting)
        await driver.pilot.press("k")
        await driver.settle()
        assert not is_running(waiting)
        (waiting / "go").touch()
        await driver.press("enter")
        assert len(driver.moves) == 1
        (waiting / "go").unlink()
        (waiting / "pid").unlink()
        await driver.pilot.press("home", "enter")
        await driver.until(lambda: thinking(driver) and (waiting / "pid").exists())
        assert len(driver.moves) == 2
        # Gates can be looked at meanwhile: nobody waits for the reply.
        await driver.pilot.press("g")
        screen = driver.app.screen
        assert isinstance(screen, GateScreen)
        await driver.until(lambda: screen.busy is None and "verdict" in driver.screen)
        assert is_running(waiting)
        await driver.pilot.press("escape", "q")

    task = problem.solving.replies.task
    app = run(PlayMatch(open_engine(problem), task), scenario, Services(Services.of(problem).gates))
    assert app.bug is None
    assert app.return_value is Exit.FINE
    assert not is_running(waiting)


def test_time_that_is_up_is_shown_and_ends_that_play_alone(waiting: Path) -> None:
    (waiting / "go").touch()
    el = find_command(["harary", "--size", "3x3", "--shape", "el", "--depth", "5"])
    problem = against_solver(encode(el), Files(solver="slow", status=True, seconds=3))
    assert problem.solving is not None

    async def scenario(driver: Driver) -> None:
        await driver.settle()
        (waiting / "go").unlink()
        await driver.press("x")
        assert "no answer in time: slow" in status(driver.app.view).headline
        assert driver.app.view.situation.outcome is not None
        (waiting / "go").touch()
        await driver.press("u")
        await driver.press("x")
        assert len(driver.moves) == 3, "the move is answered when it is played again"

    run(PlayMatch(open_engine(problem), problem.solving.replies.task), scenario)
    assert not is_running(waiting)
