"""Programs that are told to end: the terminal as it was, no traceback, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.system.programs import MARK, PREFIX, mark_folder, marked_folder, remove_left
from tests.support.terminal import LEAVES_MOUSE, LEAVES_SCREEN, SHOWS_CURSOR, Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning"),
]
EL = ["httt", "--size", "3x3", "--shape", "el", "--depth", "5"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("words", [["sample:tic"], ["sample:tic", "--plain"]])
def test_the_board_gives_the_terminal_back(
    words: list[str], number: signal.Signals, tmp_path: Path
) -> None:
    with Terminal(["qsage-play", *words], folder=tmp_path, anew=True) as terminal:
        terminal.wait_for("White>" if "--plain" in words else "Your move, White")
        terminal.child.kill(number)
        assert terminal.exit_code() == 128 + number
        assert b"Traceback" not in terminal.output
        if "--plain" not in words:
            last = terminal.output[-4000:]
            assert all(code in last for code in (LEAVES_SCREEN, SHOWS_CURSOR, LEAVES_MOUSE))


@pytest.mark.parametrize("wait", [0.3, 0.9, 2.0])
def test_two_ctrl_c_are_one_line(wait: float, tmp_path: Path) -> None:
    words = ["validate", "sample:tic", "sample:tic.aig", "--jobs", "2", "--games", "50000000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "qsage_validate", *words, "--level", "random"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    time.sleep(wait)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.15)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    # The second may come when the report of the first is written already.
    assert err.splitlines() in ([], ["qsage: interrupted"])
    assert "interrupted" in out + err
    assert process.returncode == Exit.INTERRUPTED


def group_is_gone(number: int) -> bool:
    """True at once where no process of a group is left, False after a tenth of a second."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return True
    time.sleep(0.1)
    return False


def test_ctrl_c_ends_a_search_by_processes_and_keeps_what_is_known(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    words = ["solve", "breakthrough", "--size", "3x5", "--winner", "--engine", "pure"]
    words += ["--depth", "17", "--split", "3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "qsage_validate", *words, "--jobs", "2", "--resume", str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    end = time.monotonic() + 60
    while time.monotonic() < end and (not file.exists() or '"after"' not in file.read_text()):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (out, err) == ("", "qsage: interrupted\n")
    assert process.returncode == Exit.INTERRUPTED
    assert json.loads(file.read_text())["answers"]
    # Nobody of its group goes on; those who ended are known until they are waited for.
    assert any(group_is_gone(process.pid) for _ in range(200))


def test_ctrl_c_while_a_class_is_made_has_the_exit_code(tmp_path: Path) -> None:
    """Python would end by the signal where Ctrl-C has left ``exec``, which dataclasses use."""
    (tmp_path / "interrupted.py").write_text(
        "from qsage_validate.cli import app, start\n"
        "def run(*_): exec('raise KeyboardInterrupt')\n"
        "app.run = run\n"
        "start.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"], capture_output=True, text=True, check=False,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert done.returncode == Exit.INTERRUPTED
    assert done.stderr == "qsage: interrupted\n"


def aged(folder: Path) -> None:
    day = time.time() - 25 * 3600
    os.utime(folder, (day, day))


def test_folders_of_killed_processes_are_removed_after_a_day(tmp_path: Path) -> None:
    killed, young, running, others, linked = (
        tmp_path / f"{PREFIX}{name}" for name in ("killed", "young", "running", "others", "linked")
    )
    for folder in (killed, young, running, others):
        folder.mkdir()
        (folder / "content").write_text("x")
    for folder in (killed, young):
        os.close(mark_folder(str(folder)))
    linked.symlink_to(killed)
    lock = mark_folder(str(running))
    for folder in (killed, running, others):
        aged(folder)
    remove_left(tmp_path)
    assert not killed.exists()
    assert young.exists()
    assert running.exists()
    assert others.exists(), "it does not bear our mark"
    os.close(lock)
    with marked_folder(tmp_path) as name:
        assert (Path(name) / MARK).exists()
        assert not running.exists()
    assert not Path(name).exists()


def test_a_killed_portfolio_leaves_a_marked_folder(tmp_path: Path) -> None:
    solver = tmp_path / "slow"
    solver.write_text("#!/bin/sh\nsleep 60\n")
    solver.chmod(0o755)
    (tmp_path / "s.ini").write_text("[slow]\nkind = generic\nprogram = slow\nformats = qdimacs\n")
    (tmp_path / "f.qdimacs").write_text("p cnf 2 1\ne 1 0\na 2 0\n1 2 0\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "qsage_validate", "solve", "f.qdimacs", "--solver", "slow",
         "--preprocess", "none"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary), "QSAGE_SOLVERS": "s.ini",
             "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list(temporary.glob(f"{PREFIX}*/*")) and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait()
    left = list(temporary.iterdir())
    assert all((folder / MARK).exists() for folder in left)
    # A program that the killed process was just starting has the lock until it runs, and may
    # write into the folder.
    until = time.monotonic() + 30
    while left and time.monotonic() < until:
        for folder in left:
            aged(folder)
        remove_left(temporary)
        left = list(temporary.iterdir())
        time.sleep(0.05)
    with marked_folder(temporary) as name:
        assert [str(folder) for folder in temporary.iterdir()] == [name]
