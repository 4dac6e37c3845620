"""Limits of work that asks for no deadline: an alarm, and a command's limits while it reads.

Loops that look at the clock are better, for they know what is left to tell.  Here are parsers,
grounders and encoders, whose time is known beforehand to be short, until somebody's input is large.

Reading, unpacking and parsing ask for no deadline.  A timer ends them wherever they are, also while
they wait for a pipe, and the system refuses them memory.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import _GeneratorContextManager, contextmanager
from types import FrameType
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.system.limits import NEVER, Deadline, Limits, now

# An end of work that asks for no deadline: a timer raises an error in the midst of it


# An exception can get lost where nobody can raise it: the timer rings again.
_AGAIN_SECONDS: Final = 0.5
_BETWEEN: Final = (
    _GeneratorContextManager.__enter__.__code__,
    _GeneratorContextManager.__exit__.__code__,
)


@contextmanager
def alarm(deadline: Deadline, doing: str, *, least: float = 0.0) -> Iterator[None]:
    """Raise ``UndecidedError`` inside, when time is up while ``doing`` (words for the message).

    Not before ``least`` seconds.  It does so in the main thread, where the system has timers; else
    it does nothing.  Where one is inside another, the earlier deadline holds for what is inside.
    """
    if (
        deadline.at == NEVER.at
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    over = False

    def ring(number: int, frame: FrameType | None) -> None:
        # Raised on the way in or out, it would keep this function from ending the timer.
        if over or (frame is not None and frame.f_code in _BETWEEN):
            return
        raise UndecidedError(f"time is up while {doing}")

    outer, _ = signal.getitimer(signal.ITIMER_REAL)
    seconds = max(least, deadline.left(), 1e-6)
    if 0.0 < outer <= seconds:
        yield  # the one around it rings before
        return
    began = now()
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
        yield
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            left = max(1e-6, outer - (now() - began))
            signal.setitimer(signal.ITIMER_REAL, left, _AGAIN_SECONDS)


# Limits of reading: a command's time and memory hold for its inputs, too


# Small files are read also when no time is left, so that what comes of the work is told as always.
_LEAST_SECONDS: Final = 0.2
# The modules of the readers themselves need some.
_LEAST_MB: Final = 128

_limits: Final = [Limits()]
_busy: Final[list[bool]] = []


@contextmanager
def reads_within(deadline: Deadline, memory_mb: int | None) -> Iterator[None]:
    """While inside, what is marked as :func:`reading` has these limits."""
    _limits.append(Limits(deadline, memory_mb))
    try:
        yield
    finally:
        _limits.pop()


@contextmanager
def reading() -> Iterator[None]:
    """Reading, by a command or in a block; raises ``UndecidedError`` at a limit.

    The limits hold in the main thread, where the system has timers and limits of memory.
    """
    limits = _limits[-1]
    if _busy or limits == Limits() or threading.current_thread() is not threading.main_thread():
        yield
        return
    from qsage_validate.system.memory import lacks_memory, more_memory_at_most

    _busy.append(True)
    try:
        timer = alarm(limits.deadline, "reading", least=_LEAST_SECONDS)
        with timer, more_memory_at_most(_with_least(limits.memory_mb)):
            yield
    except (MemoryError, ImportError, OSError) as error:
        if limits.memory_mb is None or not lacks_memory(error):
            raise
        raise UndecidedError(f"more than {limits.memory_mb} MB needed while reading") from None
    finally:
        _busy.pop()


@contextmanager
def in_time(doing: str) -> Iterator[None]:
    """While inside, the command's time holds for work without a deadline of its own.

    Raises ``UndecidedError`` with what it was ``doing``.
    """
    with alarm(_limits[-1].deadline, doing, least=_LEAST_SECONDS):
        yield


def _with_least(memory_mb: int | None) -> int | None:
    return None if memory_mb is None else max(memory_mb, _LEAST_MB)
