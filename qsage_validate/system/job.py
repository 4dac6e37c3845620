"""A function in a Python process of its own, which may fail without taking us along.

Its limit of memory is one on the address space (``RLIMIT_AS``), which Linux enforces by refusing
memory: Python says ``MemoryError``, a solver's library aborts, and what the kernel kills is gone;
all of that is the same answer here, :class:`~qsage_validate.errors.Undecided`.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final, TypeVar

from qsage_validate.errors import Exit, QsageError, Undecided
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.memory import lacks_memory, limit_memory, no_core_files
from qsage_validate.system.signals import ctrl_c_held_back, kill_group, known

Result = TypeVar("Result")
Send = Callable[[object], None]

# How a process ends that got no memory: C++ aborts, some libraries follow the null pointer, and
# the kernel kills.
_OUT_OF_MEMORY: Final = known("SIGABRT", "SIGSEGV", "SIGBUS", "SIGKILL")
# The time for the last message, and the time in which a process may end by itself.
_GRACE_SECONDS: Final = 5.0
# Seconds between two calls of ``stop``; messages are noticed at once.
_POLL_SECONDS: Final = 0.1


class RemoteError(QsageError):
    """An error of the other process that its user can understand; the exit code is its own."""

    def __init__(self, text: str, exit_code: Exit) -> None:
        super().__init__(text)
        self.exit_code = exit_code


class JobEndedError(RuntimeError):
    """A process ended without a result, and not for lack of memory."""


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
    process = context.Process(target=_work, args=work)
    # The parent hands on the number of standard error, which an interface's stream lacks.
    with redirect_stderr(sys.__stderr__), ctrl_c_held_back():
        process.start()
    theirs.close()
    try:
        return _await(ours, process, limits, receive, stop)
    finally:
        _end(process)
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
        while not pipe.poll(_POLL_SECONDS):
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


def _end(process: BaseProcess) -> None:
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


def _work(
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
