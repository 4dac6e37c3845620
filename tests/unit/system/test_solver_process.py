from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.system.limits import Deadline
from qsage_validate.system.programs import Ended, run_program, signals_held_back, workspace
from qsage_validate.system.signals import orderly_termination
from tests.support.fake_solvers import script

pytestmark = pytest.mark.slow


def _alive(pid: int) -> bool:
    """Whether a process runs: zombies that nobody has buried yet do not."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return False
    return "State:\tZ" not in status


def _gone(pid: int) -> bool:
    """Whether the process ends; a killed one takes a moment."""
    for _ in range(500):
        if not _alive(pid):
            return True
        time.sleep(0.01)
    return False


def _pid(path: Path) -> int:
    """The number that a script writes to a file, once it has."""
    for _ in range(1000):
        if path.exists() and path.read_text(encoding="ascii").endswith("\n"):
            return int(path.read_text(encoding="ascii"))
        time.sleep(0.01)
    raise AssertionError("the script did not start")


linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc to look at")


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    program = script(tmp_path, "p", "cat; echo said >&2; exit 10")
    finished = run_program([str(program)], stdin=b"given\n")
    assert finished.ended is Ended.EXITED
    assert finished.returncode == 10
    assert finished.stdout == b"given\n"
    assert finished.stderr == b"said\n"
    assert finished.seconds > 0
    assert finished.peak_mb > 0


_BY_PROCESSOR = """
import sys
from time import process_time
from qsage_validate.system.limits import count_processor_time, now
from qsage_validate.system.limits import Deadline
from qsage_validate.system.programs import run_program
count_processor_time()
began = now()
for program in sys.argv[1:]:
    own = process_time()
    finished = run_program([program], deadline=Deadline.after(0.5))
    all = finished.cpu_seconds + process_time() - own
    print(finished.ended.name, finished.seconds, finished.cpu_seconds, all)
print(round(now() - began, 2))
"""


def test_processor_time_passes_only_for_those_who_work(tmp_path: Path) -> None:
    sleeper = script(tmp_path, "sleeper", "sleep 1.5; exit 10")
    worker = script(tmp_path, "worker", "while :; do :; done")
    work = f"{sys.executable} -ISc 'from time import *\nwhile process_time() < 0.7: pass'"
    waiter = script(tmp_path, "waiter", f"{work}; exit 10")
    words = [sys.executable, "-c", _BY_PROCESSOR, *map(str, (sleeper, worker, waiter))]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    ended, seconds, *_ = lines[0].split()
    assert (ended, float(seconds) < 1) == ("EXITED", True)
    ended, seconds, cpu, with_ours = lines[1].split()
    assert ended == "TIMEOUT"
    # The wait for it is not the program's; the system's own limit has whole seconds.
    assert float(cpu) == float(seconds)
    assert float(with_ours) >= 0.5
    assert sys.platform != "linux" or float(cpu) < 0.95
    assert float(seconds) < 5
    # Nor is an answer taken that a process of the program's gave too late.
    assert lines[2].split()[0] == "TIMEOUT"
    assert float(lines[3]) >= float(cpu)


def test_without_input_a_program_reads_nothing() -> None:
    assert run_program(["cat"]).stdout == b""


def test_a_program_that_is_not_there_is_no_exception(tmp_path: Path) -> None:
    finished = run_program([str(tmp_path / "none")])
    assert finished.ended is Ended.NOT_STARTED
    assert b"none" in finished.stderr


def test_output_to_a_file(tmp_path: Path) -> None:
    finished = run_program(["echo", "a"], stdout=tmp_path / "out")
    assert finished.stdout == b""
    assert (tmp_path / "out").read_bytes() == b"a\n"


@linux
def test_what_runs_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = script(tmp_path, "p", f"sleep 1000 & echo $! > {note}; wait")
    finished = run_program([str(program)], deadline=Deadline.after(1.0))
    assert finished.ended is Ended.TIMEOUT
    assert finished.returncode == -signal.SIGKILL
    assert _gone(_pid(note))


@linux
def test_children_that_are_left_behind_are_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = script(tmp_path, "p", f"sleep 1000 & echo $! > {note}; exit 0")
    assert run_program([str(program)]).ended is Ended.EXITED
    assert _gone(_pid(note))


def test_a_memory_limit_ends_what_wants_more() -> None:
    want = "x = bytearray(1 << 30)"
    finished = run_program([sys.executable, "-I", "-S", "-c", want], memory_mb=300)
    assert finished.ended is Ended.MEMORY


def test_a_memory_limit_leaves_others_alone() -> None:
    finished = run_program([sys.executable, "-I", "-S", "-c", "print(1)"], memory_mb=300)
    assert (finished.ended, finished.stdout) == (Ended.EXITED, b"1\n")


def test_a_crash_under_a_memory_limit_is_a_crash(tmp_path: Path) -> None:
    program = script(tmp_path, "p", "kill -SEGV $$")
    finished = run_program([str(program)], memory_mb=300)
    assert finished.ended is Ended.SIGNALLED
    assert finished.returncode == -signal.SIGSEGV


def test_who_writes_too_much_is_stopped(tmp_path: Path) -> None:
    finished = run_program(["yes"], stdout=tmp_path / "out", output_mb=1)
    assert finished.ended is Ended.OUTPUT


def test_a_program_is_stopped_on_demand() -> None:
    assert run_program(["sleep", "1000"], stop=lambda: True).ended is Ended.STOPPED


@linux
def test_interrupting_us_kills_the_program(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = script(tmp_path, "p", f"sleep 1000 & echo $! > {note}; wait")

    def interrupt() -> None:
        _pid(note)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_program([str(program)])
    thread.join()
    assert _gone(_pid(note))


@linux
def test_a_signal_while_the_program_is_being_started_kills_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "pid"
    program = script(tmp_path, "p", f"echo $$ > {note}; sleep 1000")

    class Slow(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            _pid(note)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Slow)
    with pytest.raises(KeyboardInterrupt):
        run_program([str(program)])
    assert _gone(_pid(note))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_that_are_held_back_are_raised_at_the_end(number: signal.Signals) -> None:
    reached = []

    def work() -> None:
        with orderly_termination(), signals_held_back():
            signal.raise_signal(number)
            reached.append("end")

    with pytest.raises((KeyboardInterrupt, SystemExit)):
        work()
    assert reached == ["end"]


def test_a_signal_is_not_lost_where_something_else_fails() -> None:
    def work() -> None:
        with signals_held_back():
            signal.raise_signal(signal.SIGINT)
            raise OSError("the start fails")

    with pytest.raises(KeyboardInterrupt):
        work()


def test_elsewhere_than_in_the_main_thread_nothing_is_held_back() -> None:
    seen: list[object] = []

    def work() -> None:
        with signals_held_back():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


_RUNS = """
import sys
from pathlib import Path
from typing import Any
from qsage_validate.system.programs import run_program
from qsage_validate.system.programs import signals_held_back, workspace
from qsage_validate.system.signals import orderly_termination
with workspace(Path(sys.argv[2])):
    run_program([sys.argv[1]])
"""


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_ending_us_from_outside_ends_the_program(tmp_path: Path, number: signal.Signals) -> None:
    note, files = tmp_path / "pid", tmp_path / "files"
    files.mkdir()
    program = script(tmp_path, "p", f"echo $$ > {note}.new; mv {note}.new {note}; sleep 1000")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    us = subprocess.Popen([sys.executable, "-c", _RUNS, str(program), str(files)], env=environment)
    pid = _pid(note)
    us.send_signal(number)
    code = us.wait(timeout=60)
    if number is signal.SIGKILL:
        from qsage_validate.system.programs import _dies_with_us

        if not _dies_with_us():
            os.kill(pid, signal.SIGKILL)
            pytest.skip("no setpriv: nothing dies with its parent here")
        assert code == -signal.SIGKILL
    else:
        assert code == 128 + number
        assert list(files.iterdir()) == []
    assert _gone(pid)


def test_the_workspace_goes_whatever_happens(tmp_path: Path) -> None:
    def fail() -> None:
        with workspace(tmp_path) as folder:
            (folder / "a").mkdir()
            (folder / "a" / "b").write_text("c", encoding="ascii")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []
