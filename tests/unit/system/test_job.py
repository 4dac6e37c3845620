from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, Undecided
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.pool import JobEndedError, RemoteError, run_job
from tests.support.child_work import SOME_MEMORY, chatter, doze, fail, hoard, total

LIMITS = Limits(memory_mb=SOME_MEMORY)


def test_results_come_back_and_parts_of_them_before() -> None:
    seen: list[object] = []
    assert run_job(total, [1, 2, 3], limits=LIMITS, receive=seen.append) == 6
    assert seen == [1, 2, 3]
    assert run_job(total, [4]) == 4


@pytest.mark.parametrize("how", ["python", "abort", "kill", "solver"])
def test_too_little_memory_is_undecided_however_it_ends(
    how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[object] = []
    limit = SOME_MEMORY if how != "solver" else 500
    result = run_job(hoard, how, limits=Limits(memory_mb=limit), receive=seen.append)
    assert result == Undecided(f"more than {limit} MB needed")
    assert seen == ["begun"]
    assert capfd.readouterr().err == ""


def test_errors_come_back_as_what_they_are() -> None:
    with pytest.raises(RemoteError, match=r"^found a b$") as caught:
        run_job(fail, "found a b", limits=LIMITS)
    assert caught.value.exit_code is Exit.BAD_INPUT
    with pytest.raises(RuntimeError, match="LookupError: of ours"):
        run_job(fail, "bug", limits=LIMITS)
    with pytest.raises(JobEndedError, match="exit code -9"):
        run_job(hoard, "kill")


def test_a_process_that_forgets_its_deadline_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.system.pool._GRACE_SECONDS", 0.2)
    seen: list[object] = []
    result = run_job(
        doze, 600.0, limits=Limits(Deadline.after(3), SOME_MEMORY), receive=seen.append
    )
    assert isinstance(result, Undecided)
    assert result.why.startswith("time is up")


def test_it_is_stopped_on_demand() -> None:
    seen: list[object] = []
    result = run_job(doze, 600.0, receive=seen.append, stop=lambda: bool(seen))
    assert result == Undecided("it was stopped")
    (child,) = seen
    assert isinstance(child, int)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_what_it_prints_is_lost(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_job(chatter) == 1
    assert capfd.readouterr() == ("", "")


SCRIPT = """
import sys
from qsage_validate.system.pool import run_job
from tests.support.child_work import doze
if __name__ == "__main__":
    try:
        run_job(doze, 600.0, receive=lambda pid: print(pid, flush=True))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_an_interruption_ends_the_process(repository: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(repository)},
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
        assert process.wait(60) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
