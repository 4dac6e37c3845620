"""Work for several processes, with the results in the order of the work.

Processes are started afresh (spawned), so that they share nothing but what they are given.  They
leave Ctrl-C to the process that started them, which ends them at once, whatever happens.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final, TypeVar

from qsage_validate.errors import Exit, QsageError
from qsage_validate.system.job import RemoteError
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.signals import ctrl_c_held_back

Shared = TypeVar("Shared")
Result = TypeVar("Result")

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
    of memory, :class:`~qsage_validate.system.job.RemoteError` for an error that its user can
    understand, :class:`WorkerFailedError` when one dies or fails otherwise.
    """
    context = multiprocessing.get_context("spawn")
    processes: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(min(jobs, count)):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, function, shared), daemon=True)
            with ctrl_c_held_back():
                process.start()
            theirs.close()
            processes[ours] = process
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
        for running in processes.values():
            running.terminate()
        for pipe, running in processes.items():
            running.join(_JOIN_SECONDS)
            pipe.close()


def _received(pipe: Connection, process: BaseProcess) -> tuple[int, Result] | None:
    """An index and its result; ``None`` from a process that has just begun."""
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


def _work(pipe: Connection, function: Callable[[Shared, int], object], shared: Shared) -> None:
    """The loop of a process: ask for an index, answer, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pipe.send(("ready",))
        while (index := pipe.recv()) is not None:
            pipe.send(("done", index, function(shared, index)))
    except MemoryError:
        pipe.send(("memory",))
    except (EOFError, ConnectionError):
        os._exit(1)  # whoever wanted the answers is gone
    except QsageError as error:
        pipe.send(("error", str(error), int(error.exit_code)))
    except Exception as error:  # noqa: BLE001 (it is raised again where the answers are wanted)
        pipe.send(("failed", f"{type(error).__name__}: {error}"))
