"""The clock by which solvers keep limits and count seconds: the wall's, or processor time.

Wall-clock time is what people wait for.  On a machine with other work it says little about a
solver; there a process can count its own processor time and that of the programs that it has
waited for.  A program that is still running is counted when it has ended.
"""

from __future__ import annotations

import time


class _Clock:
    by_processor = False


_clock = _Clock()


def now() -> float:
    """A moment in seconds; only differences of moments mean anything."""
    if not _clock.by_processor:
        return time.monotonic()
    import resource

    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


class Stopwatch:
    def __init__(self) -> None:
        self._began = self._lap = now()

    @property
    def seconds(self) -> float:
        """The seconds so far."""
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
