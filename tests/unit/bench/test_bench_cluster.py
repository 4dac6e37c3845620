"""The same runs on a Dask cluster."""

from __future__ import annotations

import builtins
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.bench.experiment import Selection
from qsage_validate.bench.results import read_results
from qsage_validate.bench.scheduling import DaskScheduler
from qsage_validate.errors import Exit, MissingExtraError, UsageError
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
    assert run_qsage([*words, "--scheduler", address]) == Exit.FINE
    out, _ = capfd.readouterr()
    assert "HTTT 3x3 elly" in out
    found = read_results(path)
    assert len(found.records) == 6
    assert all(record.result.decided for record in found.records)
    assert len(found.machines) == 1
    # Here as there: nothing is left to do.
    assert run_qsage(words) == Exit.FINE
    assert len(read_results(path).records) == 6


def test_a_worker_that_dies_costs_its_run_only(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsage_validate.bench import scheduling

    def task(reference: str, run: Any) -> Any:
        raise OSError("the disk is gone")

    monkeypatch.setattr(scheduling, "run_in_child", task)
    runs = TOY.select(Selection(options={"count": "1"}))
    made = [result for _, result, _ in DaskScheduler(address).make(REFERENCE, runs)]
    assert [result.status for result in made] == ["crashed", "crashed"]
    assert made[0].why == "its worker failed: OSError: the disk is gone"


@pytest.mark.parametrize("where", ["tcp://127.0.0.1:9", "nonsense://x", "tcp://"])
def test_no_scheduler_is_one_line(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.bench.scheduling._CONNECT_SECONDS", 0.5)
    runs = TOY.select(Selection(options={"count": "1"}))
    with pytest.raises(UsageError, match="no Dask scheduler answers at ") as caught:
        list(DaskScheduler(where).make(REFERENCE, runs))
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"--scheduler needs the extra 'cluster'"):
        DaskScheduler("tcp://127.0.0.1:9")
