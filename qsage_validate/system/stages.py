"""Work in a thread that is watched: its stages, and a way to call it off wherever it is.

Reading a large file goes through many functions, none of which asks for a task.  The thread says
once by whom it is watched; whoever takes long says what is being done, and now and then asks
whether to go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from qsage_validate.system.progress import Progress
from qsage_validate.system.task import Task, watching

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
