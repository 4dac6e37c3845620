"""Commands with little memory: a right answer, or one line and exit code 3."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from tests.support.terminal import LEAVES_SCREEN, Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*(forkpty|preexec_fn):DeprecationWarning"),
]
EL = ["httt", "--size", "3x3", "--shape", "el", "--depth", "5"]
TIC = ["sample:tic", "sample:tic.aig"]
COMMANDS = {
    "validate": (["validate", *TIC], Exit.FINE),
    "solve": (["solve", *EL], Exit.TRUE),
    "solve-formula": (["solve", "true.qcir"], Exit.TRUE),
    "certify": (["certify", *EL, "-o", "c.aag"], Exit.FINE),
    "info": (["info", *TIC], Exit.FINE),
    "play": (["play", *EL, "--black", "random", "--games", "2"], Exit.FINE),
}
TRUE = "#QCIR-G14\nexists(1)\nforall(2)\noutput(4)\n3 = and(1, 2)\n4 = or(3, 1)\n"


def start(words: list[str], kilobytes: int, folder: Path) -> subprocess.Popen[str]:
    # By a shell: nothing of ours may run between fork and exec in a process with threads.
    limit = f'ulimit -v {kilobytes} && exec "$@"'
    return subprocess.Popen(
        ["/bin/sh", "-c", limit, "sh", sys.executable, "-m", "qsage_validate", *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


@pytest.mark.parametrize("kilobytes", [60_000, 90_000, 120_000, 150_000, 220_000])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_memory_is_no_answer(name: str, kilobytes: int, tmp_path: Path) -> None:
    """At 90 MB OpenBLAS ends the process by exit code 1, which means "refuted"."""
    (tmp_path / "true.qcir").write_text(TRUE)
    words, right = COMMANDS[name]
    process = start(words, kilobytes, tmp_path)
    _, err = process.communicate(timeout=100)
    if process.returncode == Exit.UNDECIDED:
        assert err.count("\n") == 1, err
        assert "out of memory" in err
    else:
        assert process.returncode == right, err


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, Exit.INTERRUPTED), (signal.SIGTERM, -15), (signal.SIGKILL, -9)],
)
def test_signals_reach_a_watched_command(number: signal.Signals, code: int, tmp_path: Path) -> None:
    words = ["validate", *TIC, "--level", "random", "--games", "50000000"]
    process = start(words, 4_000_000, tmp_path)
    time.sleep(1.5)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert "Traceback" not in err
    assert children
    for _ in range(100):
        if not any(Path(f"/proc/{child}").exists() for child in children):
            break
        time.sleep(0.1)
    else:
        raise AssertionError("a child is left")


def test_the_board_is_shown_in_limited_memory(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    try:
        terminal = Terminal(["qsage-play", "sample:tic"], folder=tmp_path, anew=True)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    with terminal:
        terminal.wait_for("Your move, White")
        terminal.child.kill(signal.SIGTERM)
        assert terminal.exit_code() == 128 + signal.SIGTERM
        assert LEAVES_SCREEN in terminal.output[-4000:]
