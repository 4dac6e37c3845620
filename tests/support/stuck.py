"""A test that does not end fails: the gate is to say which one it was.

Waits for other programs have limits of their own; this is for those that somebody forgot.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import pytest

LONGEST: Final = 1200.0
"""Seconds for one test: the longest takes two minutes, and a machine may be slow."""
# An exception can get lost; a process that never hears is in the code of a library.
_AGAIN: Final = 5.0
_MOST_TIMES: Final = 12
SIGNAL: Final = getattr(signal, "SIGUSR1", None)


@contextmanager
def ending_within(seconds: float = LONGEST, again: float = _AGAIN) -> Iterator[None]:
    """Fail the test in the main thread if what is inside takes longer, again until it ends.

    Does nothing where the system has no signals to send.
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
        for _ in range(_MOST_TIMES):
            if ended.wait(wait):
                return
            wait = again
            signal.pthread_kill(main, SIGNAL)
        if not ended.wait(again):
            os.abort()  # pytest prints where each thread was

    before = signal.signal(SIGNAL, fail)
    watching = threading.Thread(target=watch, name="watchdog", daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
        signal.signal(SIGNAL, before)
