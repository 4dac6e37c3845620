"""An end of work that asks for no deadline: a timer raises an error in the midst of it.

Loops that look at the clock are better, for they know what is left to tell.  Here are parsers,
grounders and encoders, whose time is known beforehand to be short, until somebody's input is large.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import _GeneratorContextManager, contextmanager
from types import FrameType
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.system.limits import NEVER, Deadline, now

# An exception can get lost where nobody can raise it: the timer rings again.
_AGAIN_SECONDS: Final = 0.5
_MOST_SECONDS: Final = 1e9
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
    seconds = min(max(least, deadline.left(), 1e-6), _MOST_SECONDS)
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
