"""Work in many processes of one machine, and on the machines of a cluster.

*Processes.*  Their limit of memory is one on the address space (``RLIMIT_AS``), which Linux
enforces by refusing memory: Python says ``MemoryError``, a solver's library aborts, and what the
kernel kills is gone; all of that is the same answer here,
:class:`~qsage_validate.errors.Undecided`.

Processes are started afresh (spawned), so that they share nothing but what they are given.  They
leave Ctrl-C to the process that started them, which ends them at once, whatever happens.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import Empty, SimpleQueue
from typing import Any, Final, Generic, TypeVar

from qsage_validate.errors import Exit, MissingExtraError, QsageError, Undecided, UsageError
from qsage_validate.system.limits import NEVER, Deadline, Limits
from qsage_validate.system.memory import lacks_memory, limit_memory, no_core_files
from qsage_validate.system.signals import kill_group, known

# A function in a Python process of its own, which may fail without taking us along


Result = TypeVar("Result")
Send = Callable[[object], None]

# How a process ends that got no memory: C++ aborts, some libraries follow the null pointer, and
# the kernel kills.
_OUT_OF_MEMORY: Final = known("SIGABRT", "SIGSEGV", "SIGBUS", "SIGKILL")
# The time for the last message, and the time in which a process may end by itself.
_GRACE_SECONDS: Final = 5.0
# Seconds between two calls of ``stop``; messages are noticed at once.
_JOB_POLL_SECONDS: Final = 0.1


class RemoteError(QsageError):
    """An error of the other process that its user can understand; the exit code is its own."""

    def __init__(self, text: str, exit_code: Exit) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class JobEndedError(RuntimeError):
    """A process ended without a result, and not for lack of memory."""


@contextmanager
def ctrl_c_held_back() -> Iterator[None]:
    """While inside, Ctrl-C waits, and processes that are started do not hear it either.

    A process of Python's that is just loading its modules would answer it by a traceback.  A
    program that ignored the signal ignores it still: whoever has started it ends it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # It lets signals in again when it starts its own process: that has to be before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def run_job(
    function: Callable[..., Result],
    *arguments: object,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    receive: Callable[[object], object] = lambda item: None,
    stop: Callable[[], bool] = lambda: False,
) -> Result | Undecided:
    """``function(send, *arguments)`` in a process with a limit of memory (MiB).

    Function, arguments and result must be picklable.  Values passed to ``send`` arrive at
    ``receive`` at once, so that partial results survive; what it prints is lost. ``Undecided``
    when the memory is not enough, when ``stop``, which is asked some ten times a second, says yes,
    or when the process still runs a little after the deadline, which the function is expected to
    keep by itself.

    Raises :class:`RemoteError` for a ``QsageError`` of the function, ``RuntimeError`` with its
    trace for any other, :class:`JobEndedError` when the process ends by itself, and passes
    Ctrl-C on: the process, and those that it has started, are ended before this returns, however
    it does.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    work = (theirs, limits.memory_mb, function, arguments)
    process = context.Process(target=_run_function, args=work)
    # The parent hands on the number of standard error, which an interface's stream lacks.
    with redirect_stderr(sys.__stderr__), ctrl_c_held_back():
        process.start()
    theirs.close()
    try:
        return _await(ours, process, limits, receive, stop)
    finally:
        _end_job(process)
        ours.close()


def _await(
    pipe: Connection,
    process: BaseProcess,
    limits: Limits,
    receive: Callable[[object], object],
    stop: Callable[[], bool],
) -> Result | Undecided:
    short = Undecided(f"more than {limits.memory_mb} MB needed")
    last = Deadline(limits.deadline.at + _GRACE_SECONDS)
    while True:
        while not pipe.poll(_JOB_POLL_SECONDS):
            if stop():
                return Undecided("it was stopped")
            if last.over:
                return Undecided("time is up, and the process did not end")
        try:
            kind, value = pipe.recv()
        except (EOFError, ConnectionError):
            process.join(_GRACE_SECONDS)
            code = process.exitcode
            if limits.memory_mb is not None and code is not None and -code in _OUT_OF_MEMORY:
                return short
            raise JobEndedError(f"a process ended with exit code {code}") from None
        if kind == "sent":
            receive(value)
        elif kind == "memory":
            return short
        elif kind == "error":
            text, code = value
            raise RemoteError(text, Exit(code))
        elif kind == "bug":
            raise RuntimeError(value)
        else:
            result: Result = value
            return result


def _end_job(process: BaseProcess) -> None:
    """End the process and all that it has started: they are a group of their own."""
    if process.exitcode is None:
        process.join(0.1)
    if process.pid is not None and not kill_group(process.pid):
        process.kill()
    process.join(_GRACE_SECONDS)


def _be_quiet() -> None:
    """Print nothing, and no last words of a library: why it ends is seen by how it ends."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.close(silence)


def _run_function(
    pipe: Connection,
    memory_mb: int | None,
    function: Callable[..., object],
    arguments: tuple[object, ...],
) -> None:
    # Ctrl-C at a terminal goes to a group of processes; the parent process ends this one.
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    kind: str
    value: object
    try:
        _be_quiet()
        if memory_mb is not None:
            no_core_files()
            limit_memory(memory_mb)
        kind, value = "done", function(lambda item: pipe.send(("sent", item)), *arguments)
    except MemoryError:
        kind, value = "memory", None
    except QsageError as error:
        kind, value = "error", (str(error), int(error.exit_code))
    except Exception as error:  # noqa: BLE001 (it is raised again where the result is wanted)
        short = memory_mb is not None and lacks_memory(error)
        kind, value = ("memory", None) if short else ("bug", traceback.format_exc())
    try:
        pipe.send((kind, value))
    except MemoryError:
        os.abort()


# Work for several processes, with the results in the order of the work


Shared = TypeVar("Shared")
Work = TypeVar("Work")

_JOIN_SECONDS: Final = 5.0
# Between two looks at the clock; results are noticed at once.
_POLL_SECONDS: Final = 60.0


class WorkerFailedError(Exception):
    """A process ended without an answer; the text says how.

    ``killed`` when a signal ended it, as lack of memory does.
    """

    def __init__(self, text: str, *, killed: bool = False) -> None:
        super().__init__(text)
        self.killed = killed


def ordered_map(
    function: Callable[[Shared, int], Result],
    shared: Shared,
    count: int,
    jobs: int,
    *,
    deadline: Deadline = NEVER,
) -> Generator[Result, None, None]:
    """``function(shared, k)`` for ``k`` from 0 to ``count - 1``, in this order.

    At most ``jobs`` processes work at a time; each is given ``function`` and ``shared`` once,
    which must be picklable.  At the deadline there are no more results.  The processes are ended
    when the iterator is closed or an error is raised: ``MemoryError`` when one of them runs out
    of memory, :class:`~qsage_validate.system.pool.RemoteError` for an error that its user can
    understand, :class:`WorkerFailedError` when one dies or fails otherwise.
    """
    processes: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(min(jobs, count)):
            _start(processes, function, shared)
        finished: dict[int, Result] = {}
        given = 0
        for index in range(count):
            while index not in finished:
                if deadline.over:
                    return
                for pipe in wait(list(processes), deadline.left(_POLL_SECONDS)):
                    assert isinstance(pipe, Connection)
                    done: tuple[int, Result] | None = _received(pipe, processes[pipe])
                    if done is not None:
                        finished[done[0]] = done[1]
                    if given < count:
                        pipe.send(given)
                        given += 1
                    else:
                        pipe.send(None)
                        processes.pop(pipe).join()
                        pipe.close()
            yield finished.pop(index)
    finally:
        _end(processes)


class Crew(Generic[Work, Result]):
    """Processes that each do one piece of work at a time, ``function(shared, work)``.

    They keep what they have in their memory from one piece to the next.  A process that a signal
    ends, as lack of memory does, is replaced; its work comes back as a
    :class:`WorkerFailedError`, and whoever gave it may give it again.
    """

    def __init__(
        self, function: Callable[[Shared, Work], Result], shared: Shared, jobs: int
    ) -> None:
        self._start: Callable[[], Connection] = lambda: _start(self._processes, function, shared)
        self._processes: dict[Connection, BaseProcess] = {}
        self._doing: dict[Connection, Work] = {}
        self._idle: set[Connection] = set()
        try:
            for _ in range(jobs):
                self._start()
        except BaseException:
            self.close()
            raise

    @property
    def free(self) -> int:
        """The number of processes that wait for work."""
        return len(self._idle)

    def give(self, work: Work) -> None:
        """Give work to a free process."""
        pipe = self._idle.pop()
        self._doing[pipe] = work
        # Where the process is gone, that is noticed as the end of its pipe.
        with suppress(ConnectionError):
            pipe.send(work)

    def done(self, seconds: float) -> Iterator[tuple[Work, Result | WorkerFailedError]]:
        """The work that is done within so many seconds, or sooner if there is any.

        Raises ``MemoryError``, :class:`~qsage_validate.system.pool.RemoteError` and
        :class:`WorkerFailedError` as :func:`ordered_map` does, the last one where work fails
        and where a process dies before it has begun.
        """
        for pipe in wait(list(self._processes), seconds):
            assert isinstance(pipe, Connection)
            try:
                received: tuple[Work, Result] | None = _received(pipe, self._processes[pipe])
            except WorkerFailedError as error:
                if not error.killed or pipe not in self._doing.keys() | self._idle:
                    raise
                self._processes.pop(pipe)
                pipe.close()
                self._start()
                self._idle.discard(pipe)
                if pipe in self._doing:
                    yield self._doing.pop(pipe), error
                continue
            self._idle.add(pipe)
            if received is not None:
                yield self._doing.pop(pipe), received[1]

    def close(self) -> None:
        """End the processes, whatever they do."""
        _end(self._processes)
        self._processes.clear()


def orphaned() -> bool:
    """True in a process of this module that whoever started it has left behind."""
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def _start(
    processes: dict[Connection, BaseProcess],
    function: Callable[[Shared, Any], object],
    shared: Shared,
) -> Connection:
    """Start a process, and add it under its pipe."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, function, shared), daemon=True)
    with ctrl_c_held_back():
        process.start()
    theirs.close()
    processes[ours] = process
    return ours


def _end(processes: dict[Connection, BaseProcess]) -> None:
    for running in processes.values():
        running.terminate()
    for pipe, running in processes.items():
        running.join(_JOIN_SECONDS)
        pipe.close()


def _received(pipe: Connection, process: BaseProcess) -> tuple[Any, Any] | None:
    """A piece of work and its result; ``None`` from a process that has just begun."""
    try:
        kind, *rest = pipe.recv()
    except (EOFError, ConnectionError):
        process.join(_JOIN_SECONDS)
        code = process.exitcode
        raise WorkerFailedError(
            f"a process ended with {_ending(code)}", killed=code is not None and code < 0
        ) from None
    if kind == "memory":
        raise MemoryError
    if kind == "error":
        text, code = rest
        raise RemoteError(text, Exit(code))
    if kind == "failed":
        raise WorkerFailedError(rest[0])
    return (rest[0], rest[1]) if kind == "done" else None


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {-code} ({signal.Signals(-code).name})"
    return f"exit code {code}"


def _work(pipe: Connection, function: Callable[[Shared, Any], object], shared: Shared) -> None:
    """The loop of a process: ask for work, answer, until there is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pipe.send(("ready",))
        while (work := pipe.recv()) is not None:
            pipe.send(("done", work, function(shared, work)))
    except MemoryError:
        pipe.send(("memory",))
    except (EOFError, ConnectionError):
        os._exit(1)  # whoever wanted the answers is gone
    except QsageError as error:
        pipe.send(("error", str(error), int(error.exit_code)))
    except Exception as error:  # noqa: BLE001 (it is raised again where the answers are wanted)
        pipe.send(("failed", f"{type(error).__name__}: {error}"))


# The Dask scheduler at an address: whether there is one, before anything is begun


_CONNECT_SECONDS: Final = 1.5


def check_scheduler(address: str) -> None:
    """Raise ``UsageError`` where no Dask scheduler answers, within three seconds.

    Raises ``MissingExtraError`` where Dask is not installed.
    """
    # Dask takes a second to import, on a busy machine several: an address where nobody answers is
    # found without it.
    if find_spec("distributed") is None:
        raise MissingExtraError("--scheduler", "cluster")
    try:
        _dial(address)
        asyncio.run(_shake_hands(address))
    except Exception as error:  # noqa: BLE001 - whatever Dask makes of a stranger's answer
        reason = "who listens there does not speak its protocol"
        if isinstance(error, OSError | ValueError) and str(error):
            reason = str(error).partition("\n")[0]
        raise UsageError(f"no Dask scheduler answers at {address!r}: {reason}") from None


def _dial(address: str) -> None:
    """Raise ``OSError`` or ``ValueError`` where no program answers at a TCP address.

    A scheduler speaks first, unless the connection is encrypted.
    """
    scheme, _, listener = address.rpartition("://")
    host, _, port = listener.rpartition(":")
    if scheme not in ("", "tcp", "tls"):
        return
    if not host or not port.isdecimal():
        raise ValueError("expected an address such as tcp://HOST:8786")
    result: SimpleQueue[OSError | None] = SimpleQueue()

    def dial() -> None:
        try:
            place = (host.strip("[]"), int(port))
            with socket.create_connection(place, _CONNECT_SECONDS) as connection:
                if scheme != "tls" and not connection.recv(1):
                    raise ConnectionError("the connection was closed")
            result.put(None)
        except (OSError, OverflowError) as error:
            result.put(OSError(str(error)))

    # In a thread: to look up the name has no limit of its own.
    threading.Thread(target=dial, daemon=True).start()
    try:
        error = result.get(timeout=_CONNECT_SECONDS)
    except Empty:
        raise TimeoutError(f"no answer in {_CONNECT_SECONDS} s") from None
    if error is not None:
        raise error


async def _shake_hands(address: str) -> None:
    """Raise an exception where the program at the address does not speak Dask's protocol."""
    from distributed.comm.core import connect

    dial: Any = connect
    comm = await asyncio.wait_for(dial(address, timeout=_CONNECT_SECONDS), _CONNECT_SECONDS)
    comm.abort()
