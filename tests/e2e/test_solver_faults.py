"""``qsage solve`` with solvers that misbehave, and ended from outside: one line, nothing left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support.fake_solvers import script

from .conftest import Qsage

FORMULA = "p cnf 3 2\ne 1 0\na 2 0\ne 3 0\n1 2 3 0\n-1 -3 2 0\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "f.qdimacs").write_text(FORMULA, encoding="ascii")
    (tmp_path / "solvers.ini").write_text(
        "[fake]\nkind = depqbf\nprogram = fake\n", encoding="utf-8"
    )
    return tmp_path


def _environment(place: Path) -> Mapping[str, str]:
    return {
        **os.environ,
        "QSAGE_SOLVERS": str(place / "solvers.ini"),
        "TMPDIR": str(place / "tmp"),
    }


def _words(place: Path) -> list[str]:
    return ["solve", str(place / "f.qdimacs"), "--solver", "fake", "--preprocess", "none"]


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("echo SAT; exit 10", 10, None),
        ("echo UNSAT; exit 20", 20, None),
        ("echo SAT; exit 20", 3, "it printed true, but its exit code is 20"),
        ("exit 10", 3, "it printed no verdict"),
        ("kill -KILL $$", 3, "was killed by SIGKILL"),
        ("echo oh no >&2; exit 1", 3, "exit code 1 and no verdict: oh no"),
        ("sleep 1000", 3, "no answer within"),
        ("echo std::bad_alloc >&2; kill -ABRT $$", 3, "no answer within the memory limit"),
    ],
)
def test_what_solvers_do(
    place: Path,
    qsage: Qsage,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    code: int,
    line: str | None,
) -> None:
    script(place, "fake", body)
    monkeypatch.setenv("QSAGE_SOLVERS", str(place / "solvers.ini"))
    monkeypatch.setattr(tempfile, "tempdir", str(place / "tmp"))
    seconds = "1" if "sleep" in body else "60"
    done = qsage(*_words(place), "--timeout", seconds, "--memory", "2000")
    assert done.code == code, done
    told = [text for text in (done.out + done.err).splitlines() if "solving with" not in text]
    assert len(told) == 1
    assert line is None or line in told[0]
    assert list((place / "tmp").iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to look at")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_ended_from_outside(place: Path, number: signal.Signals, code: int) -> None:
    note = place / "pid"
    script(place, "fake", f"echo $$ > {note}.new; mv {note}.new {note}; sleep 1000")
    process = subprocess.Popen(
        [sys.executable, "-m", "qsage_validate", *_words(place)],
        env=_environment(place),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _until(note.exists)
    process.send_signal(number)
    assert process.wait(timeout=60) == code
    assert list((place / "tmp").iterdir()) == []
    solver = Path(f"/proc/{note.read_text(encoding='ascii').strip()}/status")
    _until(lambda: not _runs(solver))


def _runs(status: Path) -> bool:
    try:
        return "State:\tZ" not in status.read_text(encoding="ascii")
    except OSError:
        return False


def _until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come about")
