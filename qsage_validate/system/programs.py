"""Programs run as children: with limits, in a session of their own, and never left behind.

A program that is stopped, for whatever reason, is killed together with all that it started
(its process group); where the system can do it (``setpriv``, Linux), the program also dies
with us when we are killed without notice.  Its output goes to files, not through pipes, so
that it can neither block nor fill our memory.

A process that is killed leaves its folders behind.  So a folder has a mark, a file that is locked
as long as the process lives, by which a later run knows those that nobody uses any more.
"""

from __future__ import annotations

import contextlib
import functools
import os
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from math import ceil, inf
from pathlib import Path
from time import time
from types import FrameType
from typing import IO, TYPE_CHECKING, Final

from qsage_validate.errors import UsageError
from qsage_validate.system.limits import NEVER, Deadline, counts_processor_time, now
from qsage_validate.system.memory import MemoryUse, check_limits
from qsage_validate.system.signals import TERMINATING, kill_group, orderly_termination

if TYPE_CHECKING:
    import fcntl
else:
    try:
        import fcntl
    except ImportError:  # a system other than Unix
        fcntl = None

PREFIX: Final = "qsage-"
MARK: Final = ".qsage-folder"
_OLD_SECONDS: Final = 24 * 3600.0
_SLACK: Final = 1.25


@contextmanager
def signals_held_back(tell: Callable[[], None] = lambda: None) -> Iterator[None]:
    """While inside, signals that raise exceptions wait; they are raised at the end.

    The first that waits calls ``tell``.

    For work that must not be cut off half-way, such as starting a child whose number is not yet
    known.  Handlers are those of Python's functions; does nothing outside the main thread.
    """
    held: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append((number, frame))
        if len(held) == 1:
            tell()

    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {
            number: handler
            for number in (signal.SIGINT, *TERMINATING)
            if callable(handler := signal.getsignal(number))
        }
    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number_held, frame in held:
            handlers[signal.Signals(number_held)](number_held, frame)


@contextlib.contextmanager
def marked_folder(parent: Path | None = None) -> Iterator[str]:
    """A new folder, in ``parent`` or where the system wants such, removed at the end.

    Folders of ended processes there that are older than a day are removed first.
    """
    remove_left(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        mark = mark_folder(name)
        try:
            yield name
        finally:
            os.close(mark)


def mark_folder(name: str) -> int:
    """Mark a new folder as ours; the descriptor that is returned keeps the lock until it ends."""
    mark = os.open(os.path.join(name, MARK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    _lock(mark)
    return mark


def remove_left(parent: Path | None = None) -> None:
    """Remove the marked folders of ended processes that are older than a day."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and _is_left(entry.path):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_left(path: str) -> bool:
    """Whether a folder is ours, old, and of a process that has ended."""
    try:
        status = os.lstat(path)
        own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
        if not own or time() - status.st_mtime < _OLD_SECONDS:
            return False
        mark = os.open(os.path.join(path, MARK), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False  # it is gone, or not marked
    try:
        return _lock(mark)
    finally:
        os.close(mark)


def _lock(descriptor: int) -> bool:
    """Lock a file; false where another process has it locked."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    return True


_MEGABYTE: Final = 1 << 20
# How often stopping and the sizes of files are looked at; the end of a program is noticed at once.
_POLL_SECONDS: Final = 0.05
_FIRST_POLL_SECONDS: Final = 0.002
_MAX_LOG_MB: Final = 64
# The exit codes of shells and setpriv when they cannot run a program.
_NOT_STARTED: Final = (126, 127)


class Ended(Enum):
    """The reason why a program is not running any more."""

    EXITED = "exited"
    SIGNALLED = "was killed by a signal"
    TIMEOUT = "ran out of time"
    MEMORY = "ran out of memory"
    OUTPUT = "wrote more than it may"
    STOPPED = "was stopped"
    NOT_STARTED = "could not be started"


@dataclass(frozen=True)
class Finished:
    """The end of a program, and its output.

    ``returncode`` is negative for a signal, as in :mod:`subprocess`.  ``stdout`` is empty when
    it went to a file.  ``seconds`` are by the clock, or where processor time is counted the
    program's own; ``cpu_seconds`` (user and system) and ``peak_mb`` (resident, megabytes) include
    the program's children as far as it waited for them.
    """

    returncode: int
    stdout: bytes
    stderr: bytes
    seconds: float
    cpu_seconds: float
    peak_mb: float
    ended: Ended


def run_program(
    argv: Sequence[str],
    *,
    stdin: bytes | None = None,
    deadline: Deadline = NEVER,
    memory_mb: int | None = None,
    stdout: Path | None = None,
    output_mb: int | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stop: Callable[[], bool] | None = None,
) -> Finished:
    """Run ``argv`` to its end or a limit; whatever happens, nothing of it is left running.

    Where the clock counts processor time, the time that is left is a limit of the program with the
    processes that it waits for: what they say later is a time-out.  ``memory_mb`` limits the
    address space of each process (megabytes); ``output_mb`` limits the file ``stdout`` (what it
    writes elsewhere is limited to 64 MB).  ``stop`` is asked some twenty times a second: when it
    says yes the program is killed.  Never raises for what the program does; ``OSError`` when our
    own files fail, ``UsageError`` where the system has no limits.
    """
    check_limits("running a solver, or any other program,")
    with ExitStack() as stack:
        stack.enter_context(orderly_termination())
        given = stack.enter_context(_given(stdin))
        log = stack.enter_context(tempfile.TemporaryFile())
        errors = stack.enter_context(tempfile.TemporaryFile())
        target: IO[bytes] = log if stdout is None else stack.enter_context(open(stdout, "wb"))
        used, began = MemoryUse(), now()
        work = deadline.left() if counts_processor_time() else inf
        process: subprocess.Popen[bytes] | None = None
        try:
            # It may run before its number is known here, to which it could then not be killed.
            with signals_held_back():
                process = subprocess.Popen(
                    _limited(argv, memory_mb, work),
                    stdin=given,
                    stdout=target,
                    stderr=errors,
                    env=None if env is None else dict(env),
                    cwd=cwd,
                    start_new_session=True,
                )
            limit = None if stdout is None else output_mb
            watched = ((log, _MAX_LOG_MB), (errors, _MAX_LOG_MB), (target, limit))
            wall = deadline if work == inf else deadline.without_time
            ended = _wait(process.pid, wall, work, stop, watched, used)
        except OSError as error:
            if process is not None:
                raise
            text = f"{argv[0]}: {error.strerror or error}".encode()
            return Finished(127, b"", text, 0.0, 0.0, 0.0, Ended.NOT_STARTED)
        finally:
            if process is not None:
                kill_group(process.pid)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime
        # Ours are not the program's: who waits for minutes looks at it thousands of times.
        seconds = cpu if counts_processor_time() else now() - began
        late = process.returncode == -signal.SIGXCPU or cpu > work + _POLL_SECONDS
        if ended is Ended.EXITED and late:
            ended = Ended.TIMEOUT
        elif ended is Ended.EXITED and process.returncode < 0:
            ended = Ended.SIGNALLED
        elif ended is Ended.EXITED and process.returncode in _NOT_STARTED:
            ended = Ended.NOT_STARTED
        stderr = _content(errors)
        printed = b"" if stdout is not None else _content(log)
        if memory_mb is not None and ended in (Ended.EXITED, Ended.SIGNALLED):
            near = used.address_space_mb >= _NEAR * memory_mb
            if _lacked_memory(process.returncode, stderr + printed, near):
                ended = Ended.MEMORY
        peak = used.peak_mb(usage)
        return Finished(process.returncode, printed, stderr, seconds, cpu, peak, ended)


@contextmanager
def _given(stdin: bytes | None) -> Iterator[IO[bytes] | int]:
    if stdin is None:
        yield subprocess.DEVNULL
        return
    with tempfile.TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        yield file


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(_MAX_LOG_MB * _MEGABYTE)


def _wait(
    pid: int,
    deadline: Deadline,
    work: float,
    stop: Callable[[], bool] | None,
    watched: Sequence[tuple[IO[bytes], int | None]],
    used: MemoryUse,
) -> Ended:
    """Wait until the program has ended (it stays a zombie: its number is not given away)."""
    pause = _FIRST_POLL_SECONDS
    with _end_of(pid) as ended:
        while True:
            late = deadline.over or (work < inf and _worked_by(pid) >= work)
            if ended(deadline.left(pause)):
                return Ended.EXITED
            pause = min(_POLL_SECONDS, 2 * pause)
            used.look(pid)
            if late:
                return Ended.TIMEOUT
            if stop is not None and stop():
                return Ended.STOPPED
            for file, megabytes in watched:
                size = os.fstat(file.fileno()).st_size
                if megabytes is not None and size > megabytes * _MEGABYTE:
                    return Ended.OUTPUT


def _worked_by(pid: int) -> float:
    """The processor seconds of a process so far, 0.0 where the system does not tell."""
    if sys.platform != "linux":
        return 0.0
    from time import clock_gettime

    try:
        # The number of its clock, as clock_getcpuclockid has it (linux/posix-timers.h).
        return clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0.0


@contextmanager
def _end_of(pid: int) -> Iterator[Callable[[float], bool]]:
    """A function that waits at most the given seconds; true if the child has ended."""
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:
            pass  # an old kernel, or a sandbox that forbids it
        else:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            try:
                yield lambda seconds: bool(poll.poll(seconds * 1000))
            finally:
                os.close(descriptor)
            return
    pause = threading.Event()

    def ended(seconds: float) -> bool:
        until = Deadline.after(seconds)
        while True:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
            if until.over:
                return False
            pause.wait(0.002)

    yield ended


def _limited(argv: Sequence[str], memory_mb: int | None, processor_seconds: float) -> list[str]:
    """``argv`` behind the programs that set its limits and then become it."""
    # The limits are set by a shell: Python could do it only between fork and exec, which is
    # unsafe when there are threads.  Ours may be stricter already, and are not to be raised.
    import resource

    limits = []
    if memory_mb is not None:
        limits.append(_ulimit("-v", resource.RLIMIT_AS, memory_mb * 1024, 1024))
    if processor_seconds < inf:
        # The soft limit: its signal tells it from other ways to be killed.  On a busy machine it
        # comes too early (the system counts ticks: 550 s were 600), so that where we look at the
        # program's clock it only ends the processes that the program starts.
        slack = _SLACK if sys.platform == "linux" else 1.0
        whole = max(1, ceil(slack * processor_seconds))
        limits.append(_ulimit("-S -t", resource.RLIMIT_CPU, whole, 1))
    words = list(argv)
    if limits:
        words = ["/bin/sh", "-c", " && ".join((*limits, 'exec "$@"')), "sh", *words]
    return [*_dies_with_us(), *words]


def _ulimit(option: str, kind: int, wanted: int, unit: int) -> str:
    import resource

    _, highest = resource.getrlimit(kind)
    if highest != resource.RLIM_INFINITY:
        wanted = min(wanted, highest // unit)
    return f"ulimit {option} {wanted}"


@functools.cache
def _dies_with_us() -> tuple[str, ...]:
    """The words before a command that has to die with this process, where there are any."""
    program = shutil.which("setpriv")
    words = () if program is None else (program, "--pdeathsig", "KILL", "--")
    if words:
        silent = subprocess.DEVNULL
        probe = subprocess.run([*words, "true"], stdout=silent, stderr=silent, check=False)
        if probe.returncode != 0:
            return ()
    return words


# More of the limit than this in use when a program dies: it wanted memory.
_NEAR: Final = 0.5
_NO_MEMORY: Final = (
    b"bad_alloc",
    b"out of memory",
    b"memory allocation",
    b"memoryerror",
    b"allocate memory",
    b"virtual memory exhausted",
)


def _lacked_memory(returncode: int, said: bytes, near: bool) -> bool:
    """True if a program under a memory limit failed for want of memory, as far as it tells.

    One that got no memory says so, or is not careful and dies of a signal ``near`` the limit.
    """
    if returncode in (0, 10, 20):
        return False
    careless = returncode in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS)
    return (careless and near) or any(words in said.lower() for words in _NO_MEMORY)


@contextmanager
def workspace(parent: Path | None = None) -> Iterator[Path]:
    """A new folder (in ``parent``, else where the system wants such), removed whatever happens.

    That includes SIGTERM and SIGHUP, when entered in the main thread.
    """
    with orderly_termination(), marked_folder(parent) as name:
        yield Path(name)


# Programs in pseudo-terminals of their own, and never left behind


# The new session takes the terminal of its standard input as its own, and becomes the program.
_BEGIN: Final = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)
_MOST: Final = 1000  # columns and lines


def check_pseudo_terminals() -> None:
    """Raise ``UsageError`` on a system that has none."""
    try:
        import fcntl  # noqa: F401
        import pty  # noqa: F401
        import termios  # noqa: F401
    except ImportError:
        raise UsageError("found a system without pseudo-terminals, which --web needs") from None


@dataclass(frozen=True, slots=True)
class TerminalProgram:
    """A program that runs in a terminal; ``terminal`` is the number of the terminal's other end."""

    process: subprocess.Popen[bytes]
    terminal: int

    @classmethod
    def begin(
        cls, words: Sequence[str], environment: Mapping[str, str], columns: int, lines: int
    ) -> TerminalProgram:
        """Run ``words``, a program and its arguments, in a terminal of this size."""
        import pty

        program = shutil.which(words[0]) or words[0]
        terminal, inner = pty.openpty()
        try:
            _resize(terminal, columns, lines)
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BEGIN, program, *words[1:]],
                stdin=inner,
                stdout=inner,
                stderr=inner,
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            os.close(terminal)
            raise
        finally:
            os.close(inner)
        return cls(process, terminal)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size; the program is told by the system."""
        with contextlib.suppress(OSError):
            _resize(self.terminal, columns, lines)

    def hang_up(self) -> None:
        """Send the program SIGHUP, as a closed terminal window does; the program then ends.

        One that is stopped is woken for that.
        """
        self._signal(signal.SIGHUP)
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the program, whatever it does."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)


def _resize(terminal: int, columns: int, lines: int) -> None:
    import fcntl
    import termios

    size = (min(max(lines, 1), _MOST), min(max(columns, 1), _MOST), 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
