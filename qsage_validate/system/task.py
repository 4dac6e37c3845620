"""Long work that one thread does and another one watches, and may call off."""

from __future__ import annotations

from contextvars import ContextVar
from threading import Event
from types import TracebackType
from typing import Final

from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

# A thread begins without a value of its own: other threads are not watched by this one's task.
_watching: Final[ContextVar[Task | None]] = ContextVar("watching", default=None)


def watching() -> Task | None:
    """The task that watches all work of this thread, if one does."""
    return _watching.get()


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
        _watching.set(self)

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
            return Deadline.after(seconds, self._is_called_off)
        return Deadline.after(seconds, lambda: self._is_called_off() or outer._is_called_off())

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

    def _is_called_off(self) -> bool:
        return self._called_off.is_set() or self._closed.is_set()
