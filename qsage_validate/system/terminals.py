"""Programs in pseudo-terminals of their own, and never left behind."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import UsageError

# The new session takes the terminal of its standard input as its own, and becomes the program.
_BEGIN: Final = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)
_MOST: Final = 1000  # columns and lines


def check_pseudo_terminals() -> None:
    """Raise ``UsageError`` on a system that has none."""
    try:
        import fcntl  # noqa: F401
        import pty  # noqa: F401
        import termios  # noqa: F401
    except ImportError:
        raise UsageError("found a system without pseudo-terminals, which --web needs") from None


@dataclass(frozen=True, slots=True)
class TerminalProgram:
    """A program that runs in a terminal; ``terminal`` is the number of the terminal's other end."""

    process: subprocess.Popen[bytes]
    terminal: int

    @classmethod
    def begin(
        cls, words: Sequence[str], environment: Mapping[str, str], columns: int, lines: int
    ) -> TerminalProgram:
        """Run ``words``, a program and its arguments, in a terminal of this size."""
        import pty

        program = shutil.which(words[0]) or words[0]
        terminal, inner = pty.openpty()
        try:
            _resize(terminal, columns, lines)
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BEGIN, program, *words[1:]],
                stdin=inner,
                stdout=inner,
                stderr=inner,
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            os.close(terminal)
            raise
        finally:
            os.close(inner)
        return cls(process, terminal)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size; the program is told by the system."""
        with suppress(OSError):
            _resize(self.terminal, columns, lines)

    def hang_up(self) -> None:
        """Send the program SIGHUP, as a closed terminal window does; the program then ends.

        One that is stopped is woken for that.
        """
        self._signal(signal.SIGHUP)
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the program, whatever it does."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)


def _resize(terminal: int, columns: int, lines: int) -> None:
    import fcntl
    import termios

    size = (min(max(lines, 1), _MOST), min(max(columns, 1), _MOST), 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
