"""Limits of work and how it goes: time, deadlines, processes, and progress that is told.

Wall-clock time is what people wait for.  On a machine with other work it says little about a
solver; there a process can count its own processor time and that of the programs that it has
waited for.  A program that is still running is counted when it has ended.

*Progress.*  Reading a large file goes through many functions, none of which asks for a task.  The
thread says once by whom it is watched; whoever takes long says what is being done, and now and
then asks whether to go on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from math import inf, isnan
from threading import Event
from types import TracebackType
from typing import Final

from qsage_validate.errors import CancelledError, UndecidedError, UsageError

# The clock by which solvers keep limits and count seconds: the wall's, or processor time


class _Clock:
    by_processor = False


_clock = _Clock()


def now() -> float:
    """A moment in seconds; only differences of moments mean anything."""
    return worked() if _clock.by_processor else time.monotonic()


def worked() -> float:
    """The seconds that a processor has worked for this process and for programs that have ended."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system


class Stopwatch:
    def __init__(self) -> None:
        self._began = self._lap = now()

    @property
    def seconds(self) -> float:
        return now() - self._began

    def lap(self) -> float:
        """The seconds since the last lap ended; the next one begins."""
        last, self._lap = self._lap, now()
        return self._lap - last


def counts_processor_time() -> bool:
    """True if :func:`now` tells processor time."""
    return _clock.by_processor


def count_processor_time() -> None:
    """From now on, in this process, seconds are processor time (user and system).

    For a process that makes one run: a limit that began by the other clock means nothing then.
    Raises ``UsageError`` where the system does not count the time of programs.
    """
    from qsage_validate.system.memory import check_limits

    check_limits("counting processor time")
    _clock.by_processor = True


# How many times as long by the clock as by the processor patience lasts: a program that waits for
# another one does no work.
_SLACK: Final = 20.0


# Limits of work: time until a deadline, memory, positions


def nobody_calls() -> bool:
    """The work is never called off."""
    return False


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment at which work has to end; it is passed down as it is, never as seconds.

    ``at`` is a moment of :func:`~qsage_validate.system.limits.now`, infinite for a deadline that
    never comes; ``seconds`` is how far away it was when it was set, for messages.  A deadline
    that is sent to another process is the same moment there, for the wall's clock is one for
    all of them; what is left of processor time begins anew in the other process.  Whoever waits
    for the work can call it off before, from another thread: ``called_off`` then says so, here and
    not in other processes.  ``work`` is a moment of :func:`~qsage_validate.system.limits.worked`
    that may come first (:meth:`sooner_by_work`).
    """

    at: float = inf
    seconds: float = inf
    called_off: Callable[[], bool] = field(default=nobody_calls, compare=False, repr=False)
    work: float = inf

    @classmethod
    def after(
        cls, seconds: float | None, called_off: Callable[[], bool] = nobody_calls
    ) -> Deadline:
        """The moment after so many seconds from now; ``None`` is never.

        Raises ``UsageError`` for what is no number (``nan``).
        """
        if seconds is not None and isnan(seconds):
            raise UsageError(f"found {seconds} seconds for --timeout, expected 0 or more")
        if seconds is None:
            return cls(called_off=called_off)
        return cls(now() + seconds, seconds, called_off)

    def left(self, at_most: float = inf) -> float:
        """The seconds that are left, no more than ``at_most``; none is 0.0, never less."""
        if self.called_off():
            return 0.0
        return max(0.0, min(at_most, self.at - now(), self._work_left()))

    def _work_left(self) -> float:
        return self.work - worked() if self.work < inf else inf

    def share(self, part: float) -> Deadline:
        """The deadline after a part of the time that is left, from 0 to 1."""
        limit = self.sooner(part * max(0.0, self.at - now()))
        if self.work == inf:
            return limit
        return replace(limit, work=worked() + part * max(0.0, self._work_left()))

    def sooner(self, seconds: float) -> Deadline:
        """This deadline, or the one after ``seconds`` where that is earlier."""
        other = Deadline.after(seconds, self.called_off)
        return replace(other, work=self.work) if other.at < self.at else self

    def sooner_by_work(self, seconds: float) -> Deadline:
        """This deadline, or the one after so many seconds of work where that is earlier.

        Work is this process's own, and that of programs that have ended.  Patience inside of a
        question rests on it: the answer is the same one on a machine with other work.  By the
        clock it is over after 20 times as long.
        """
        if counts_processor_time() or seconds == inf:
            return self.sooner(seconds)
        limit = self.sooner(_SLACK * seconds)
        return replace(limit, seconds=seconds, work=min(self.work, worked() + seconds))

    def later(self, seconds: float) -> Deadline:
        """This deadline, or the one after ``seconds`` where that is later."""
        other = Deadline.after(seconds, self.called_off)
        return other if other.at > self.at else self

    def or_after(self, seconds: float) -> Deadline:
        """This deadline, or, where it never comes, the one after ``seconds``."""
        return self if self.at < inf else Deadline.after(seconds, self.called_off)

    def or_after_work(self, seconds: float) -> Deadline:
        """This deadline, or, where it never comes, the one after so many seconds of work."""
        return self if self.at < inf else self.sooner_by_work(seconds)

    @property
    def without_time(self) -> Deadline:
        """The deadline that never comes, but can be called off as this one."""
        return replace(self, at=inf, seconds=inf, work=inf)

    @property
    def over(self) -> bool:
        """True if the moment has come, or the work was called off."""
        return now() >= self.at or self._work_left() <= 0 or self.called_off()

    def check_called_off(self) -> None:
        """Raise ``CancelledError`` when the work was called off."""
        if self.called_off():
            raise CancelledError("it was cancelled")

    def check(self, doing: str) -> None:
        """Raise ``UndecidedError`` when time is up while ``doing`` (words for the message).

        ``CancelledError`` when the work was called off.
        """
        self.check_called_off()
        if self.over:
            raise UndecidedError(f"time is up while {doing}")

    def __reduce__(self) -> tuple[object, ...]:
        if counts_processor_time() and self.at < inf:
            return Deadline.after, (self.left(),)
        if self.work < inf:
            return _arrived, (self.at, self.seconds, self._work_left())
        return Deadline, (self.at, self.seconds)


def _arrived(at: float, seconds: float, work: float) -> Deadline:
    """A deadline from another process, with so many seconds of work that are left."""
    return Deadline(at, seconds, work=worked() + work)


NEVER: Final = Deadline()
"""The deadline that never comes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits at which work gives up; ``None`` is no limit.

    ``memory_mb`` is for each program (megabytes of address space), ``positions`` for the table
    of a search or the positions that are looked at.
    """

    deadline: Deadline = NEVER
    memory_mb: int | None = None
    positions: int | None = None

    def share(self, part: float) -> Limits:
        """The limits of a part of this work, from 0 to 1."""
        memory, positions = self.memory_mb, self.positions
        return Limits(
            self.deadline.share(part),
            None if memory is None else max(1, int(part * memory)),
            None if positions is None else int(part * positions),
        )


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
