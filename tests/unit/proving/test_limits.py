from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, Undecided, UsageError
from qsage_validate.proving.limits import RemoteError, Send, run_limited
from qsage_validate.system.limits import Deadline

# Enough for Python with numpy, and little for anything else.
SOME = 1500


def total(send: Send, numbers: list[int]) -> int:
    for number in numbers:
        send(number)
    return sum(numbers)


def hoard(send: Send, how: str) -> int:
    send("begun")
    if how == "python":
        return len(bytearray(SOME << 20))
    if how == "abort":
        os.abort()
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    from pysat.solvers import Solver

    with Solver("cadical153") as solver:
        clause = list(range(1, 200_000))
        while True:
            solver.add_clause(clause)


def fail(send: Send, text: str) -> None:
    if text == "bug":
        raise LookupError("of ours")
    raise UsageError(text)


def doze(send: Send, seconds: float) -> None:
    send(os.getpid())
    time.sleep(seconds)


def test_results_come_back_and_parts_of_them_before() -> None:
    seen: list[object] = []
    assert run_limited(total, ([1, 2, 3],), SOME, receive=seen.append) == 6
    assert seen == [1, 2, 3]
    assert run_limited(total, ([4],), None) == 4


@pytest.mark.parametrize("how", ["python", "abort", "kill", "solver"])
def test_too_little_memory_is_undecided_however_it_ends(
    how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[object] = []
    limit = SOME if how != "solver" else 500
    result = run_limited(hoard, (how,), limit, receive=seen.append)
    assert result == Undecided(f"more than {limit} MB needed")
    assert seen == ["begun"]
    assert capfd.readouterr().err == ""


def test_errors_come_back_as_what_they_are() -> None:
    with pytest.raises(RemoteError, match=r"^found a b$") as caught:
        run_limited(fail, ("found a b",), SOME)
    assert caught.value.exit_code is Exit.BAD_INPUT
    with pytest.raises(RuntimeError, match="LookupError: of ours"):
        run_limited(fail, ("bug",), SOME)
    with pytest.raises(RuntimeError, match="exit code -9"):
        run_limited(hoard, ("kill",), None)


def test_a_process_that_forgets_its_deadline_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.proving.limits._GRACE_SECONDS", 0.2)
    seen: list[object] = []
    result = run_limited(doze, (600.0,), SOME, Deadline.after(3), receive=seen.append)
    assert isinstance(result, Undecided)
    assert result.why.startswith("time is up")


SCRIPT = """
import sys
from qsage_validate.proving.limits import run_limited
from tests.unit.proving.test_limits import doze
if __name__ == "__main__":
    try:
        run_limited(doze, (600.0,), 1500, receive=lambda pid: print(pid, flush=True))
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
