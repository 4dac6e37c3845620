"""The search by many processes finds what one finds, whatever becomes of the processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from qsage_validate.errors import Exit
from qsage_validate.extensions.fast.farm import (
    FarmEngine,
    FarmQuestion,
    FarmReport,
    FarmTask,
    FrontierFile,
    farmed,
    work_on,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.deepening import Farm
from qsage_validate.solvers.search import (
    EngineChoice,
    SearchResult,
    SearchSolver,
    search_for,
)
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.pool import WorkerFailedError
from tests.support.commands import run_qsage

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

SMALL = (
    "httt --size 3x3 --shape el --depth 5",
    "httt --size 3x3 --shape tippy --second --depth 9",
    "gomoku --size 4x4 --connect 3 --depth 5",
    "connect-c --size 4x4 --connect 3 --depth 9",
    "breakthrough --size 3x4 --depth 9",
    "breakthrough --size 2x5 --second --depth 10",
    "knightthrough --size 3x4 --depth 9",
    "evader-pursuer --size 3x3 --depth 5",
    "evader-pursuer-dual --size 3x3 --pursuer 2,3 --depth 8",
    "domineering --size 4x4 --depth 9",
    "domineering --size 3x4 --second --depth 8",
    "konane --size 4x4 --depth 8",
    "cross-purposes --stacks X..X/..../.X..",
    "hex --size 3x3 --depth 9",
    "trails --depth 4",
)
"""Each game of the catalogue."""


def game(words: str) -> GameModel:
    return find_command(words.split())


class Here:
    """Works on tasks in this process.

    With ``random``, some tasks are lost and some come back open, and each is done some time.
    """

    def __init__(self, question: FarmQuestion, random: Random | None = None) -> None:
        self._question = question
        self._random = random
        self._tasks: list[FarmTask] = []
        self.given: list[FarmTask] = []

    @property
    def free(self) -> int:
        return 2 - len(self._tasks)

    def give(self, task: FarmTask) -> None:
        self._tasks.append(task)
        self.given.append(task)

    def done(self, seconds: float) -> Iterator[tuple[FarmTask, FarmReport | WorkerFailedError]]:
        task = self._tasks.pop()
        again = sum(task.path == other.path for other in self.given)
        chance = 1.0 if self._random is None or again > 2 else self._random.random()
        if chance < 0.3:
            yield task, WorkerFailedError("it was killed", killed=True)
        elif chance < 0.6:
            yield task, FarmReport(None, "", 1, 0, 0.0, "pure")
        else:
            yield task, work_on(self._question, task)

    def close(self) -> None:
        pass


def solve_here(
    model: GameModel, *, split: int | None = None, random: Random | None = None
) -> tuple[SearchResult, list[FarmTask]]:
    rules = load_game(model)
    workers = Here(FarmQuestion(model, EngineChoice.PURE, None), random)
    local = search_for(rules, engine=EngineChoice.PURE).engine
    engine = FarmEngine(rules, local, workers, split=split)
    return SearchSolver(rules, engine).solve(), workers.given


def test_each_game_of_the_catalogue_is_there() -> None:
    from qsage_validate.games.library.catalogue import library_games

    assert {words.split()[0] for words in SMALL} == {game.name for game in library_games()}


@pytest.mark.parametrize("words", SMALL)
def test_tasks_find_what_one_search_finds(words: str) -> None:
    model = game(words)
    alone = search_for(load_game(model), engine=EngineChoice.PURE).solve()
    for split, random in ((None, None), (1, Random(words)), (2, None), (3, Random(words))):
        found, _ = solve_here(model, split=split, random=random)
        assert found.winner is alone.winner
        assert found.critical_plies == alone.critical_plies
        if found.first_moves and found.winner is not None:
            rules = load_game(model)
            first = rules.parse_move(str(found.first_moves[0]), found.winner)
            assert search_for(rules).winner(rules.initial.play(first)) is found.winner


def test_some_games_are_searched_by_tasks() -> None:
    asked = {words.split()[0] for words in SMALL if solve_here(game(words), split=1)[1]}
    assert {"httt", "connect-c", "breakthrough", "domineering", "hex"} <= asked


@pytest.mark.parametrize("words", ["domineering --size 4x4 --depth 9", "hex --size 3x3"])
def test_two_processes_find_what_one_finds(words: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = []
    for more in ([], ["--jobs", "2", "--split", "2"]):
        assert run_qsage(["solve", *words.split(), *more, "--json"]) == Exit.TRUE
        found.append(json.loads(capfd.readouterr().out))
    for name in ("winner", "verdict", "critical_plies", "reason"):
        assert found[0][name] == found[1][name]


def test_the_critical_depth_by_two_processes(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "domineering", "--size", "4x4", "--depth", "auto", "--jobs", "2"]
    assert run_qsage(words) == Exit.TRUE
    out = capfd.readouterr().out
    move = r"([a-d])[1-4]\+\1[1-4]"
    assert re.match(f"Black wins within 8 plies and not in fewer; first move {move}\n", out)


BREAKTHROUGH = "breakthrough --size 3x5 --depth 17"


def children() -> set[int]:
    """The processes that this one has started with multiprocessing."""
    import multiprocessing

    return {child.pid for child in multiprocessing.active_children() if child.pid is not None}


def test_the_task_of_a_killed_process_is_taken_again() -> None:
    model = game(BREAKTHROUGH)
    before = children()
    killed: list[int] = []

    def tell(progress: object) -> None:
        # Once both have begun, one of them is killed.
        if not killed and "2 searched now" in str(progress):
            killed.append(min(children() - before))
            os.kill(killed[0], signal.SIGKILL)

    farm = Farm(jobs=2, split=2)
    with farmed(model, farm, tell=tell, engine=EngineChoice.PURE) as solver:
        found = solver.solve(winner_only=True)
        assert killed
        assert killed[0] not in children()
    alone = search_for(load_game(model)).solve(winner_only=True)
    assert found.winner is alone.winner
    assert children() == before


def test_a_task_that_is_lost_again_and_again_leaves_it_undecided() -> None:
    class Mortal(Here):
        def done(self, seconds: float) -> Iterator[tuple[FarmTask, FarmReport | WorkerFailedError]]:
            yield self._tasks.pop(0), WorkerFailedError("a process was killed", killed=True)

    model = game("domineering --size 4x4")
    rules = load_game(model)
    question = FarmQuestion(model, EngineChoice.PURE, None)
    engine = FarmEngine(rules, search_for(rules).engine, Mortal(question), split=1)
    found = SearchSolver(rules, engine).solve(winner_only=True)
    assert found.winner is None
    assert "a process was killed, 3 times at vertical(" in found.reason


def test_limits_leave_it_undecided_and_no_process(capfd: pytest.CaptureFixture[str]) -> None:
    before = children()
    words = ["solve", "breakthrough", "--size", "5x6", "--winner", "--jobs", "2"]
    assert run_qsage([*words, "--timeout", "2"]) == Exit.UNDECIDED
    assert capfd.readouterr().out.startswith("undecided: 2 seconds are over")
    assert children() == before


def test_what_is_known_is_gone_on_from_after_kill_nine(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    words = ["solve", *BREAKTHROUGH.split(), "--winner", "--engine", "pure", "--split", "3"]
    words += ["--jobs", "2", "--resume", str(file), "--json"]
    program = [sys.executable, "-m", "qsage_validate", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as first:
        end = time.monotonic() + 60
        while time.monotonic() < end and (not file.exists() or '"after"' not in file.read_text()):
            time.sleep(0.01)
        first.kill()
    assert first.returncode == -signal.SIGKILL
    model = game(BREAKTHROUGH)
    known = FrontierFile(file, model).entries
    assert known
    again = subprocess.run(program, capture_output=True, text=True, check=False)
    alone = search_for(load_game(model)).solve(winner_only=True)
    assert alone.winner is not None
    assert json.loads(again.stdout)["winner"] == alone.winner.value
    entries = FrontierFile(file, model).entries
    assert entries[: len(known)] == known
    # Nothing was searched a second time.
    assert len({(entry.after, entry.plies) for entry in entries}) == len(entries)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a small game."""
    file = tmp_path_factory.mktemp("farm") / "known.json"
    model = game("domineering --size 4x4 --depth 9")
    rules = load_game(model)
    workers = Here(FarmQuestion(model, EngineChoice.PURE, None))
    local = search_for(rules, engine=EngineChoice.PURE).engine
    engine = FarmEngine(rules, local, workers, split=1, file=FrontierFile(file, model))
    assert SearchSolver(rules, engine).solve(winner_only=True).winner is not None
    assert '"after"' in file.read_text()
    return file


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"truth": true', '"truth": false', "the answers were cut or changed"),
        ('"plies": 8', '"plies": 7', "the answers were cut or changed"),
        ("]", "", "expected"),
        ('"depth": "9"', '"depth": "7"', "answers for the depth 7, expected 9"),
        ("qsage frontier 1", "qsage frontier 2", "expected one of qsage frontier 1"),
        ('"model": "', '"model": "0', "answers about another game"),
    ],
)
def test_a_file_that_was_cut_or_changed_is_one_line(
    known: Path, tmp_path: Path, old: str, new: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    text = known.read_text()
    assert old in text
    file = tmp_path / "known.json"
    file.write_text(text.replace(old, new, 1))
    words = ["solve", "domineering", "--size", "4x4", "--depth", "9", "--jobs", "1"]
    assert run_qsage([*words, "--resume", str(file)]) == Exit.BAD_INPUT
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    assert err.startswith(f"{file}:")
    assert said in err


def test_a_file_of_another_game_is_one_line(known: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = known.read_bytes()
    words = ["solve", "domineering", "--size", "3x4", "--jobs", "1", "--resume", str(known)]
    assert run_qsage(words) == Exit.BAD_INPUT
    err = capfd.readouterr().err
    assert "found answers about another game (domineering 4x4), expected domineering 3x4" in err
    assert known.read_bytes() == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("--jobs 2 --solver depqbf", "found --jobs without a search on the rules"),
        ("--jobs 2 --encoding lifted", "found --jobs without a search on the rules"),
        ("--split 2", "found --split without --jobs or --scheduler"),
        ("--jobs 2 --scheduler tcp://h:1", "found --jobs with --scheduler"),
        ("--resume x.json", "found --resume without --depth auto"),
        ("--scheduler tcp://127.0.0.1:9", "no Dask scheduler answers at 'tcp://127.0.0.1:9': "),
        ("--jobs 2 --engine fast", "found the engine fast for"),
    ],
)
def test_options_that_do_not_fit_are_one_line(
    more: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["solve", "httt", "--size", "3x3", "--depth", "5", *more.split()]
    before = time.monotonic()
    assert run_qsage(words) == Exit.BAD_INPUT
    assert time.monotonic() - before < 3 + 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    assert said in err


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of one worker with two threads, without a dashboard."""
    distributed: Any = pytest.importorskip("distributed", reason="no extra 'cluster'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster: Any = distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=None, silence_logs=50
        )
        with cluster:
            yield cluster.scheduler_address


def test_a_cluster_finds_what_one_process_finds(
    address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["solve", "domineering", "--size", "4x4", "--depth", "9", "--split", "2", "--json"]
    assert run_qsage([*words[:-3], "--json"]) == Exit.TRUE
    alone = json.loads(capfd.readouterr().out)
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"type": "Scheduler", "address": address, "workers": {}}))
    for where in (["--scheduler", address], ["--scheduler-file", str(file)]):
        assert run_qsage([*words, *where]) == Exit.TRUE
        found = json.loads(capfd.readouterr().out)
        assert found["critical_plies"] == alone["critical_plies"] == 8


def test_the_task_of_a_killed_worker_of_a_cluster_is_taken_again(address: str) -> None:
    distributed: Any = pytest.importorskip("distributed", reason="no extra 'cluster'")
    model = game(BREAKTHROUGH)
    with distributed.Client(address, set_as_default=False) as client:
        killed: list[int] = []

        def tell(progress: object) -> None:
            # The nanny starts another worker in the place of the one that dies.
            if not killed and "2 searched now" in str(progress):
                (worker,) = client.run(os.getpid).values()
                killed.append(worker)
                os.kill(worker, signal.SIGKILL)

        farm = Farm(address=address, split=2)
        with farmed(model, farm, tell=tell, engine=EngineChoice.PURE) as solver:
            found = solver.solve(winner_only=True)
        assert killed
        assert [*client.run(os.getpid).values()] != killed
    alone = search_for(load_game(model)).solve(winner_only=True)
    assert found.winner is alone.winner


def test_the_limit_on_time_holds_where_nobody_works(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsage_validate.extensions.fast import farm

    monkeypatch.setattr(farm.DaskWorkers, "free", property(lambda self: 0))
    model = game("domineering --size 4x4")
    limits = Limits(Deadline.after(1.0))
    with farmed(model, Farm(address=address, split=1), limits=limits) as solver:
        assert solver.solve(winner_only=True).reason.startswith("undecided: 1 second is over")
