"""Whatever a run does is a result; a campaign is resumed, interrupted, and spread over jobs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.campaign import (
    CampaignTally,
    LocalScheduler,
    Made,
    disagreements,
    latest,
    open_results,
    read_runs,
    remaining,
    run_campaign,
)
from qsage_validate.extensions.bench.child import Child, run_in_child
from qsage_validate.extensions.bench.experiment import (
    Json,
    Run,
    RunRecord,
    RunResult,
    Selection,
    machine_facts,
    machine_id,
    result_from_json,
)
from qsage_validate.formats.json_text import as_json
from tests.support.toy_bench import REFERENCE, TOY


@pytest.fixture(autouse=True)
def temporary(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder for temporary files, of which none is left after a test."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    wait_until(lambda: not list(folder.iterdir()))


RUN = Run("toy", "even", "toy 0", ("0", ""), "true", seconds=30.0)


def made(run: Run) -> RunResult:
    fields, facts = run_in_child(REFERENCE, run)
    assert facts == machine_facts()
    return result_from_json(as_json(fields, "a result"), run.experiment)


def no_news(record: RunRecord, tally: CampaignTally) -> None:
    """What nobody listens to."""


# --- One run --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solver", "status", "why"),
    [
        ("abort", "crashed", "it ended with signal 6 (SIGABRT)"),
        ("kill", "crashed", "it ended with signal 9 (SIGKILL)"),
        ("exit", "crashed", "it ended with exit code 7: the last words"),
        ("raise", "crashed", "ZeroDivisionError: division by\\nzero (toy_bench.py:"),
        ("refuse", "failed", "no such board"),
        ("undecided", "undecided", "3 positions are in the table"),
        ("memory", "memory", "more than None MB needed"),
    ],
)
def test_a_run_that_fails_is_a_result(solver: str, status: str, why: str) -> None:
    result = made(replace(RUN, solver=solver))
    assert (result.status, result.decided, result.truth) == (status, False, None)
    assert result.why.startswith(why)
    assert result.seconds >= 0


def test_a_run_that_needs_more_memory_than_it_may_have_is_a_result() -> None:
    result = made(replace(RUN, solver="greedy", memory_mb=600))
    assert (result.status, result.why) == ("memory", "more than 600 MB needed")


def test_what_a_run_prints_is_no_answer() -> None:
    result = made(replace(RUN, solver="chatty"))
    assert (result.status, result.seconds) == ("true", 0.5)
    assert result.data == {"said": ["ä", 1]}
    assert result.cpu_seconds is not None
    assert result.peak_mb is not None
    assert result.peak_mb > 1


def test_a_run_that_does_not_keep_its_limit_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.extensions.bench.child._GRACE_SECONDS", 0.0)
    result = made(replace(RUN, solver="sleep", seconds=0.5))
    assert result.status == "timeout"
    assert result.why == "it did not keep its limit, and was ended"


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not waited for does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc on this system")


@needs_proc
def test_what_a_run_has_started_ends_with_it(tmp_path: Path) -> None:
    assert made(replace(RUN, solver="family", source=("0", str(tmp_path)))).status == "true"
    (mark,) = tmp_path.glob("grandchild-*")
    wait_until(lambda: not is_alive(int(mark.name.rpartition("-")[2])))


@needs_proc
def test_a_run_ends_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    child = Child(REFERENCE, replace(RUN, solver="sleep", source=("0", str(tmp_path))))
    wait_until(lambda: bool(list(tmp_path.glob("0-sleep-*"))))
    (mark,) = tmp_path.glob("0-sleep-*")
    assert child._process.stdin is not None
    child._process.stdin.close()  # as it happens when we are killed
    wait_until(lambda: not is_alive(int(mark.name.rpartition("-")[2])))
    assert child.wait()[0].status == "crashed"


# --- Many runs ------------------------------------------------------------------------------


def campaign(path: Path, selection: Selection, retry: str | None = None) -> list[RunRecord]:
    """What the command line does, on this machine."""
    with open_results(str(path), "toy") as file:
        runs = remaining(TOY.select(selection), file.results.records, retry)
        return run_campaign(REFERENCE, runs, file, LocalScheduler(), no_news)


def test_runs_that_have_results_are_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    assert len(campaign(path, Selection(options={"count": "1"}))) == 2
    more = Selection(options={"count": "2"})
    assert [r.run.instance for r in campaign(path, more)] == ["toy 1", "toy 1"]
    assert campaign(path, more) == []
    assert len(read_runs(str(path)).records) == 4
    assert len(campaign(path, more, retry="all")) == 4


def test_what_was_not_decided_is_repeated_on_request(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    selection = Selection(solvers=("true", "refuse"), options={"count": "1"})
    assert len(campaign(path, selection)) == 2
    assert campaign(path, selection) == []
    assert [r.run.solver for r in campaign(path, selection, retry="undecided")] == ["refuse"]


class Interrupting:
    """Ctrl-C after so many results."""

    def __init__(self, after: int, jobs: int) -> None:
        self._scheduler = LocalScheduler(jobs)
        self._after = after

    def make(self, reference: str, runs: Sequence[Run]) -> Iterator[Made]:
        with closing(self._scheduler.make(reference, runs)) as results:  # type: ignore[type-var]
            for number, result in enumerate(results):
                if number == self._after:
                    raise KeyboardInterrupt
                yield result


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_interrupted_campaign_keeps_what_it_has_and_leaves_no_process(
    tmp_path: Path, jobs: int
) -> None:
    path = tmp_path / "toy.jsonl"
    options = {"count": "4", "folder": str(tmp_path)}
    threads = threading.active_count()
    runs = TOY.select(Selection(solvers=("true",), options=options))
    with open_results(str(path), "toy") as file, pytest.raises(KeyboardInterrupt):
        run_campaign(REFERENCE, runs, file, Interrupting(2, jobs), no_news)
    assert threading.active_count() == threads
    done = [record.run for record in read_runs(str(path)).records]
    assert len(done) == 2
    assert set(remaining(runs, read_runs(str(path)).records)) == set(runs) - set(done)


@needs_proc
def test_closing_the_scheduler_ends_what_is_running(tmp_path: Path) -> None:
    options = {"count": "2", "folder": str(tmp_path)}
    runs = TOY.select(Selection(solvers=("sleep",), options=options))
    results = LocalScheduler(2).make(REFERENCE, [replace(RUN, instance="quick"), *runs])
    assert next(results)[0].instance == "quick"
    wait_until(lambda: bool(list(tmp_path.glob("*-sleep-*"))))
    results.close()  # type: ignore[attr-defined]
    for mark in tmp_path.glob("*-sleep-*"):
        assert not is_alive(int(mark.name.rpartition("-")[2]))


def test_jobs_make_the_same_results_in_any_order() -> None:
    runs = TOY.select(Selection(options={"count": "3"}))
    results = {run: result for run, result, _ in LocalScheduler(3).make(REFERENCE, runs)}
    assert set(results) == set(runs)
    assert all(result.status == run.solver for run, result in results.items())


def test_no_runs_are_no_campaign(tmp_path: Path) -> None:
    with open_results(str(tmp_path / "toy.jsonl"), "toy") as file:
        assert run_campaign(REFERENCE, [], file, LocalScheduler(), no_news) == []


def test_a_fault_of_the_harness_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(FileNotFoundError):
        list(LocalScheduler().make(REFERENCE, [RUN]))


# --- What is left, and what it comes to -----------------------------------------------------


def record(run: Run, status: str, seconds: float = 1.0) -> RunRecord:
    result = RunResult(status, status in ("true", "false"), seconds)
    return RunRecord(run, result, machine_id(machine_facts()), "2026-01-01T00:00:00+00:00")


def test_a_decided_question_is_decided_within_larger_limits_only() -> None:
    known = [record(RUN.within(60.0, 1000), "true")]
    for seconds, memory, wanted in (
        (60.0, 1000, False),
        (600.0, 1000, False),
        (None, None, False),
        (600.0, 900, True),
        (10.0, 1000, True),
    ):
        asked = RUN.within(seconds, memory)
        assert remaining([asked], known) == ([asked] if wanted else [])
    unlimited = [record(RUN.within(None, None), "true")]
    assert remaining([RUN], unlimited) == [RUN]


def test_wall_clock_time_is_the_stricter_limit() -> None:
    by_processor = replace(RUN, processor_time=True)
    done = RunResult("true", decided=True, seconds=1.0)
    wall, processor = (RunRecord(run, done, "m", "now") for run in (RUN, by_processor))
    assert remaining([by_processor], [wall]) == []
    assert remaining([RUN], [processor]) == [RUN]
    undecided = replace(wall, result=RunResult("timeout", decided=False, seconds=30.0))
    assert remaining([by_processor], [undecided]) == [by_processor]


def test_an_undecided_question_is_asked_again_with_other_limits() -> None:
    known = [record(RUN.within(60.0, None), "timeout")]
    assert remaining([RUN.within(60.0, None)], known) == []
    assert remaining([RUN.within(600.0, None)], known) == [RUN.within(600.0, None)]


@pytest.mark.parametrize(
    "change",
    [
        {"solver": "false"},
        {"encoding": "other"},
        {"preprocessor": "bloqqer"},
        {"instance": "toy 1"},
        {"options": (("sum", "1"),)},
        {"seconds": 31.0},
        {"memory_mb": 1},
        {"experiment": "other"},
    ],
)
def test_runs_that_differ_have_other_keys(change: Json) -> None:
    assert replace(RUN, **change).key != RUN.key


def test_the_record_of_a_question_is_a_decided_one_or_that_of_the_largest_limit() -> None:
    short, long = RUN.within(60.0, None), RUN.within(600.0, None)
    decided, late = record(short, "true"), record(long, "timeout")
    assert latest([decided, late]) == [decided]
    assert latest([late, record(short, "timeout")]) == [late]
    again = record(short, "true", 2.0)
    assert latest([decided, again]) == [again]


def test_solvers_that_contradict_each_other_are_named() -> None:
    other = replace(RUN, solver="depqbf", preprocessor="bloqqer")
    records = [record(RUN, "true"), record(other, "false"), record(other, "timeout")]
    (found,) = disagreements(records)
    assert str(found) == "toy 0: true say true; false say bloqqer+depqbf"
    assert disagreements([records[0], records[2]]) == []


def test_a_pattern_that_leaves_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="no instance called 'chess'"):
        TOY.select(Selection(only=("chess",)))
    assert len(TOY.select(Selection(only=("toy [01]", "nothing")))) == 4


def test_files_and_options_that_an_experiment_does_not_take_are_errors() -> None:
    with pytest.raises(UsageError, match="takes no files"):
        TOY.select(Selection(inputs=("f.qcir",)))
    with pytest.raises(UsageError, match="expected: count, folder"):
        TOY.select(Selection(options={"colour": "red"}))
