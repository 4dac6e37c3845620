"""Who searches the tasks: processes on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from qsage_validate.errors import QsageError, UndecidedError
from qsage_validate.extensions.fast.farm.tasks import FarmQuestion, FarmReport, FarmTask, work_on
from qsage_validate.system.cluster import check_scheduler
from qsage_validate.system.pool import Crew, WorkerFailedError


class Workers(Protocol):
    """Search tasks, some at a time."""

    @property
    def free(self) -> int:
        """The number of tasks that can be given now."""
        ...

    def give(self, task: FarmTask) -> None:
        """Give a task to one of them."""
        ...

    def done(self, seconds: float) -> Iterator[tuple[FarmTask, FarmReport | WorkerFailedError]]:
        """The tasks that are finished within so many seconds, or sooner if there is any.

        An error says that whoever searched the task is gone.
        """
        ...

    def close(self) -> None:
        """End the work."""
        ...


def processes(question: FarmQuestion, jobs: int) -> Workers:
    """So many processes on this machine."""
    return Crew(work_on, question, jobs)


class DaskWorkers:
    """The workers of the Dask scheduler at an address, one task for each of their threads.

    Raises ``UsageError`` where no scheduler answers.
    """

    def __init__(self, question: FarmQuestion, address: str) -> None:
        check_scheduler(address)
        import distributed

        # Typed in part only, and its calls are not.
        connect: Any = distributed.Client
        self._question = question
        self._address = address
        self._client = connect(address, set_as_default=False)
        self._doing: dict[Any, FarmTask] = {}

    @property
    def free(self) -> int:
        threads: int = sum(self._client.nthreads().values())
        return max(0, threads - len(self._doing))

    def give(self, task: FarmTask) -> None:
        # Not pure: the same task is searched longer the next time.
        future = self._client.submit(work_on, self._question, task, pure=False)
        self._doing[future] = task

    def done(self, seconds: float) -> Iterator[tuple[FarmTask, FarmReport | WorkerFailedError]]:
        import distributed

        if self._client.status not in ("running", "connecting"):
            raise UndecidedError(f"undecided: the Dask scheduler at {self._address} is gone")
        if not self._doing:
            return
        wait: Any = distributed.wait
        try:
            with self._client.as_current():
                wait(list(self._doing), timeout=seconds, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return
        for future in [future for future in self._doing if future.done()]:
            task = self._doing.pop(future)
            if future.cancelled():
                yield task, WorkerFailedError("the task was cancelled", killed=True)
                continue
            error = future.exception()
            if error is None:
                yield task, future.result()
            elif isinstance(error, distributed.KilledWorker):
                yield task, WorkerFailedError(f"{error}".partition("\n")[0], killed=True)
            elif isinstance(error, QsageError):
                raise error
            else:
                raise WorkerFailedError(f"a worker failed: {type(error).__name__}: {error}")

    def close(self) -> None:
        self._client.cancel(list(self._doing))
        self._client.close()
