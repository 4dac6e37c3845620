"""Long work that one thread does and another one watches, and may call off."""

from __future__ import annotations

import threading
from collections.abc import Callable
from threading import Event
from types import TracebackType
from typing import Generic, TypeVar

from qsage_validate.system.limits import (
    WATCHING,
    Deadline,
    Progress,
    Stopwatch,
    Tell,
    nobody,
    watching,
)

Result = TypeVar("Result")


class Task:
    """A running task: its stage, its seconds, and a way to cancel it.

    The thread that works enters it as a context, reports progress, and keeps :meth:`deadline`.
    Any thread may read and call off.  The thread that works calls ``hears`` with each progress.
    ``notes`` are lines for people, to be shown when the work is done.
    """

    def __init__(self, hears: Tell = nobody) -> None:
        self.hears = hears
        self.progress: Progress | None = None
        self._watch: Stopwatch | None = None
        self._called_off, self._closed = Event(), Event()
        self.notes: list[str] = []

    def __enter__(self) -> Task:
        self._called_off.clear()
        self._watch = Stopwatch()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._watch = self.progress = None
        self._called_off.clear()

    def watch(self) -> None:
        """Watch all that this thread does from now on."""
        WATCHING.set(self)

    @property
    def seconds(self) -> float | None:
        """The seconds since the task began; ``None`` while no task is running."""
        watch = self._watch
        return None if watch is None else watch.seconds

    def tell(self, progress: Progress) -> None:
        """Report the progress of the work."""
        self.progress = progress
        self.hears(progress)

    def deadline(self, seconds: float | None) -> Deadline:
        """The deadline of a part of the work, which ends when the work is called off.

        In a thread that is watched it ends with all that the thread does.
        """
        outer = watching()
        if outer is None or outer is self:
            return Deadline.after(seconds, self.is_called_off)
        return Deadline.after(seconds, lambda: self.is_called_off() or outer.is_called_off())

    def check(self) -> None:
        """Raise ``CancelledError`` when the work was called off."""
        self.deadline(None).check_called_off()

    def cancel(self) -> bool:
        """Call off the running task; false if no task is running."""
        if self._watch is None:
            return False
        self._called_off.set()
        return True

    def close(self) -> None:
        """Call off the running task and all later ones."""
        self._closed.set()

    def is_called_off(self) -> bool:
        return self._called_off.is_set() or self._closed.is_set()


class Background(Generic[Result]):
    """A function that runs in a thread of its own, watched by ``task``."""

    def __init__(self, work: Callable[[], Result]) -> None:
        """Begin at once."""
        self.task = Task()
        self._work = work
        self._results: list[Result] = []
        self._error: BaseException | None = None
        # A stage that ignores its cancellation shall not keep the program from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.task.watch()
        try:
            with self.task:
                self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
            self._error = error

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether the work has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> Result:
        """The result of the work, which has ended; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]
