"""Long work that is watched: messages of its progress, tasks that are called off, stages.

Reading a large file goes through many functions, none of which asks for a task.  The thread says
once by whom it is watched; whoever takes long says what is being done, and now and then asks
whether to go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Event
from types import TracebackType
from typing import Final, Generic, TypeVar

from qsage_validate.system.limits import Deadline, Stopwatch

# Progress: one type of message for all long work


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of the work: its stage and how far it is, to be shown.

    ``done`` and ``of`` count steps, where they are counted and where it is known how many there
    are.
    """

    stage: str
    text: str = ""
    done: int | None = None
    of: int | None = None

    def __str__(self) -> str:
        return f"{self.stage}: {self.text}" if self.text else self.stage


Tell = Callable[[Progress], None]
"""A callback for progress reports; the thread that does the work calls it now and then."""


def nobody(_: Progress) -> None:
    """Drop the progress report."""


def telling(tell: Tell, stage: str) -> Tell:
    """A callback that passes each progress report on to ``tell`` as a part of ``stage``."""
    return lambda progress: tell(replace(progress, stage=stage))


# Long work that one thread does and another one watches, and may call off


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


# Work in a thread that is watched: its stages, and a way to call it off wherever it is


Result = TypeVar("Result")


def stage(text: str) -> None:
    """Say what is done next; raises ``CancelledError`` when the work was called off."""
    task = watching()
    if task is not None:
        task.tell(Progress(text))
        task.check()


def go_on() -> None:
    """Raise ``CancelledError`` when the work was called off: for loops that take long."""
    task = watching()
    if task is not None:
        task.check()


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
