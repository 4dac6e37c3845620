"""Limits of reading: a command's time and memory hold for its inputs, too.

Reading, unpacking and parsing ask for no deadline.  A timer ends them wherever they are, also while
they wait for a pipe, and the system refuses them memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.system.limits import Deadline, Limits

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
    from qsage_validate.system.signals import alarm

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


def reading_deadline() -> Deadline:
    """When what is marked as :func:`reading` ends, for work that can end by itself before that."""
    return _limits[-1].deadline


@contextmanager
def in_time(doing: str) -> Iterator[None]:
    """While inside, the command's time holds for work without a deadline of its own.

    Raises ``UndecidedError`` with what it was ``doing``.
    """
    from qsage_validate.system.signals import alarm

    with alarm(_limits[-1].deadline, doing, least=_LEAST_SECONDS):
        yield


def _with_least(memory_mb: int | None) -> int | None:
    return None if memory_mb is None else max(memory_mb, _LEAST_MB)
