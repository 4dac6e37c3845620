"""Signals, and the alarm by which work in a library ends in time.

*The alarm.*  Loops that look at the clock are better, for they know what is left to tell.  Here
are parsers, grounders and encoders, whose time is known beforehand to be short, until somebody's
input is large.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import _GeneratorContextManager, contextmanager
from types import FrameType
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.system.limits import NEVER, Deadline, now

# An end of work that asks for no deadline: a timer raises an error in the midst of it


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


# Signals that end the program: as exceptions, and not in between


def known(*names: str) -> tuple[signal.Signals, ...]:
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


TERMINATING: Final = known("SIGTERM", "SIGHUP")
"""The signals that ask a program to end."""


ENDING: Final = (signal.SIGINT, *TERMINATING)
"""The signals that end a program, that of Ctrl-C first."""


@contextmanager
def signals_told(tell: Callable[[int], None]) -> Iterator[None]:
    """While inside, the numbers of signals that end a program are told, and nothing is raised.

    ``tell`` is called in between anything that the main thread does.  Signals that are ignored
    stay so; does nothing outside the main thread.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        found = {number: signal.getsignal(number) for number in ENDING}
        before = {n: how for n, how in found.items() if how not in (signal.SIG_IGN, None)}
    try:
        for number in before:
            signal.signal(number, lambda told, _frame: tell(told))
        yield
    finally:
        for number, how in before.items():
            signal.signal(number, how)


@contextmanager
def orderly_termination() -> Iterator[None]:
    """While inside, SIGTERM and SIGHUP end the program as ``SystemExit``: cleanly.

    Children are then killed and temporary files removed on the way out; the exit code is 128
    plus the signal's number, as shells say it.  Does nothing outside the main thread, and
    leaves alone whoever has set a handler of their own.
    """
    replaced: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        replaced = [s for s in TERMINATING if signal.getsignal(s) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, _terminate)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def kill_group(pid: int) -> bool:
    """Kill the group of processes that ``pid`` leads; whether there was one to kill.

    There is none when it has ended, before the process has made it one, and on systems that have
    no groups.
    """
    try:
        os.killpg(pid, signal.SIGKILL)
    except (AttributeError, ProcessLookupError, PermissionError):
        return False  # macOS says PermissionError of a group of zombies
    return True


@contextmanager
def signals_held_back(tell: Callable[[], None] = lambda: None) -> Iterator[None]:
    """While inside, signals that raise exceptions wait; they are raised at the end.

    The first that waits calls ``tell``.

    For work that must not be cut off half-way, such as starting a child whose number is not yet
    known.  Handlers are those of Python's functions; does nothing outside the main thread.
    """
    held: list[tuple[int, FrameType | None]] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append((number, frame))
        if len(held) == 1:
            tell()

    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {
            number: handler
            for number in (signal.SIGINT, *TERMINATING)
            if callable(handler := signal.getsignal(number))
        }
    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number_held, frame in held:
            handlers[signal.Signals(number_held)](number_held, frame)


@contextmanager
def ctrl_c_held_back() -> Iterator[None]:
    """While inside, Ctrl-C waits, and processes that are started do not hear it either.

    A process of Python's that is just loading its modules would answer it by a traceback.  A
    program that ignored the signal ignores it still: whoever has started it ends it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # It lets signals in again when it starts its own process: that has to be before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
