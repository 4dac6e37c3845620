"""Work for several processes, with the results in the order of the work.

Processes are started afresh (spawned), so that they share nothing but what they are given.  They
leave Ctrl-C to the process that started them, which ends them at once, whatever happens.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, TypeVar

from qsage_validate.errors import Exit, QsageError
from qsage_validate.system.job import RemoteError
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.signals import ctrl_c_held_back

Shared = TypeVar("Shared")
Work = TypeVar("Work")
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

        Raises ``MemoryError``, :class:`~qsage_validate.system.job.RemoteError` and
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
