"""The same runs on a Dask cluster."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit, MissingExtraError, UsageError
from qsage_validate.extensions.bench.campaign import DaskScheduler, read_runs
from qsage_validate.extensions.bench.experiment import Selection
from qsage_validate.system.pool import check_scheduler
from tests.support.commands import run_qsage
from tests.support.toy_bench import REFERENCE, TOY

distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")

# What the library warns of is its own.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of one worker process with two threads, without a dashboard."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster: Any = distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=None, silence_logs=50
        )
        with cluster:
            yield cluster.scheduler_address


def test_a_cluster_makes_the_same_results(address: str, tmp_path: Path) -> None:
    selection = Selection(
        solvers=("true", "false", "abort", "raise"),
        options={"count": "2", "folder": str(tmp_path)},
        seconds=60.0,
    )
    runs = TOY.select(selection)
    made = {run: result for run, result, facts in DaskScheduler(address).make(REFERENCE, runs)}
    assert set(made) == set(runs)
    expected = {"true": "true", "false": "false", "abort": "crashed", "raise": "crashed"}
    assert all(result.status == expected[run.solver] for run, result in made.items())
    # Each run had a process of its own, none of them ours.
    marks = {mark.name.rpartition("-")[2] for mark in tmp_path.iterdir()}
    assert len(marks) == len(runs)
    assert str(os.getpid()) not in marks


def test_a_campaign_is_run_on_a_cluster(
    address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "r.jsonl")
    words = ["bench", "table2", "--only", "httt size 3x3 shape [de]*", "-o", path]
    file = tmp_path / "scheduler.json"  # as 'dask scheduler --scheduler-file' writes it
    file.write_text(json.dumps({"type": "Scheduler", "address": address, "workers": {}}))
    assert run_qsage([*words, "--scheduler-file", str(file)]) == Exit.FINE
    out, _ = capfd.readouterr()
    assert "HTTT 3x3 elly" in out
    found = read_runs(path)
    assert len(found.records) == 6
    assert all(record.result.decided for record in found.records)
    assert len(found.machines) == 1
    # Here as there: nothing is left to do.
    assert run_qsage(words) == Exit.FINE
    assert len(read_runs(path).records) == 6


def test_a_worker_that_dies_costs_its_run_only(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsage_validate.extensions.bench import campaign

    def task(reference: str, run: Any) -> Any:
        raise OSError("the disk is gone")

    monkeypatch.setattr(campaign, "run_in_child", task)
    runs = TOY.select(Selection(options={"count": "1"}))
    made = [result for _, result, _ in DaskScheduler(address).make(REFERENCE, runs)]
    assert [result.status for result in made] == ["crashed", "crashed"]
    assert made[0].why == "its worker failed: OSError: the disk is gone"


@pytest.fixture
def stranger() -> Iterator[str]:
    """Somebody who takes calls and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    "where",
    ["tcp://127.0.0.1:9", "tcp://nowhere.invalid:1", "127.0.0.1:x", "nonsense://x", "tcp://", "?"],
)
def test_no_scheduler_is_one_line_within_three_seconds(
    where: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _is_refused(where, ["--scheduler", where], capfd, tmp_path)


def test_a_stranger_is_no_scheduler(
    stranger: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Dask, whose import takes as long as the machine is busy, is not asked about silence."""
    monkeypatch.setattr("qsage_validate.system.pool._shake_hands", pytest.fail)
    _is_refused(stranger, ["--scheduler", stranger], capfd, tmp_path)
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"type": "Scheduler", "address": stranger}))
    _is_refused(stranger, ["--scheduler-file", str(file)], capfd, tmp_path)


def _is_refused(
    where: str, words: list[str], capfd: pytest.CaptureFixture[str], folder: Path
) -> None:
    before, path = time.monotonic(), folder / "r.jsonl"
    assert run_qsage(["bench", "httt", "-o", str(path), *words]) == Exit.BAD_INPUT
    assert time.monotonic() - before < 3 + 2  # the machine may be busy; two tries take 3 s
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    assert err.startswith(f"qsage: error: no Dask scheduler answers at {where!r}: ")
    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: found no JSON"),
        ("[]", "1:1: found a list"),
        ('{"address": 3}', "1:13: found a number for 'address'"),
        ("tcp://127.0.0.1:9", "1:1: found no JSON"),
    ],
)
def test_a_scheduler_file_of_another_kind_is_one_line(
    text: str, said: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "s.json"
    words = ["bench", "httt", "--scheduler-file", str(file)]
    for found in (" found no such file", said):
        assert run_qsage(words) == Exit.BAD_INPUT
        assert capfd.readouterr().err.startswith(f"{file}:{found}")
        file.write_text(text)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.system.pool.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"--scheduler needs the extra 'cluster'"):
        DaskScheduler("tcp://127.0.0.1:9")


def test_a_program_of_another_protocol_is_no_scheduler() -> None:
    def talk() -> None:
        for _ in range(2):  # the first is the question whether somebody is there
            connection, _peer = server.accept()
            with connection:
                connection.sendall(b"SSH-2.0-other\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=talk, daemon=True).start()
        with pytest.raises(UsageError, match="who listens there does not speak its protocol"):
            check_scheduler(f"127.0.0.1:{server.getsockname()[1]}")


def test_a_closed_connection_is_no_scheduler() -> None:
    def hang_up() -> None:
        connection, _peer = server.accept()
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=hang_up, daemon=True).start()
        with pytest.raises(UsageError, match=r"closed|reset"):
            check_scheduler(f"127.0.0.1:{server.getsockname()[1]}")
