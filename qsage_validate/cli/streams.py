"""The standard streams, where they are closed or full; and Ctrl-C, however it is raised."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def fill_closed_streams() -> None:
    """Let no file that is opened later get the number of a stream that the caller has closed.

    Output would go into that file.  Standard output can then not be written to: only those
    commands fail that have something to print.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is the one that was closed.
            os.open(os.devnull, flags)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)


def say(stream: TextIO | None, text: str) -> None:
    """Write ``text`` to standard error, where that can be written to."""
    if stream is None:
        return  # what 'print' takes for standard output
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        # The rest of its buffer would be an error once more at the end of Python.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def forget_output() -> None:
    """Lead what is left in the buffer of standard output nowhere.

    Its reader has gone or its disk is full: Python must not stumble over it once more at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()


def was_interrupt(error: BaseException) -> bool:
    """True for a Ctrl-C, also one that came while a class was made.

    Before 3.12 Python wraps what is raised in ``__set_name__`` in a ``RuntimeError``.
    """
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)
