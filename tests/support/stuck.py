"""A test that does not end fails: the gate is to say which one it was.

Waits for other programs have limits of their own; this is for those that somebody forgot.
"""

from __future__ import annotations

import faulthandler
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import pytest

LONGEST: Final = 1200.0
"""Seconds for one test: the longest takes two minutes, and a machine may be slow."""
# An exception can get lost.
_AGAIN: Final = 5.0
# Who has not heard a signal for so long is in the code of a library, perhaps with Python's lock.
_DEAF: Final = 60.0
SIGNAL: Final = getattr(signal, "SIGUSR1", None)


@contextmanager
def ending_within(
    seconds: float = LONGEST, again: float = _AGAIN, deaf: float = _DEAF, log: int = 2
) -> Iterator[None]:
    """Fail the test in the main thread if what is inside takes longer, again until it ends.

    In a process that hears nothing, the tracebacks of all threads go to the descriptor ``log``, and
    it is ended.  Does nothing where the system has no signals to send.
    """
    if SIGNAL is None:
        yield
        return
    ended = threading.Event()
    main = threading.main_thread().ident or 0

    def fail(_number: int, _frame: FrameType | None) -> None:
        if not ended.is_set():
            pytest.fail(f"the test did not end within {seconds:g} s")

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            wait = again
            signal.pthread_kill(main, SIGNAL)

    before = signal.signal(SIGNAL, fail)
    watching = threading.Thread(target=watch, name="watchdog", daemon=True)
    watching.start()
    faulthandler.dump_traceback_later(seconds + deaf, exit=True, file=log)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        ended.set()
        watching.join()
        signal.signal(SIGNAL, before)
