"""What children of tests do: here, because a child imports the module of what it does.

A module of tests would bring pytest and Hypothesis with it.
"""

from __future__ import annotations

import os
import signal
import time

from qsage_validate.errors import UsageError
from qsage_validate.system.pool import Send

# Enough for Python with numpy, and little for anything else.
SOME_MEMORY = 1500


# -- jobs -----------------------------------------------------------------------------------


def total(send: Send, numbers: list[int]) -> int:
    for number in numbers:
        send(number)
    return sum(numbers)


def hoard(send: Send, how: str) -> int:
    send("begun")
    if how == "python":
        return len(bytearray(SOME_MEMORY << 20))
    if how == "abort":
        os.abort()
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    from pysat.solvers import Solver

    with Solver("cadical153") as solver:
        variables = 1 << 16
        while True:
            # A solver has something for each variable up to the largest.
            solver.add_clause([variables])
            variables *= 2


def fail(send: Send, text: str) -> None:
    if text == "bug":
        raise LookupError("of ours")
    raise UsageError(text)


def chatter(send: Send) -> int:
    os.write(1, b"said")
    os.write(2, b"complained")
    return 1


def doze(send: Send, seconds: float) -> None:
    send(os.getpid())
    time.sleep(seconds)


# -- pools ----------------------------------------------------------------------------------


def square(base: int, index: int) -> int:
    if index == base:
        raise MemoryError
    if index == base + 1:
        raise ValueError("no square")
    return index * index


def vanish(status: int, index: int) -> int:
    os._exit(status + index)


def nap(seconds: float, index: int) -> int:
    time.sleep(seconds * index)
    return index
