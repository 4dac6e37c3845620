"""A pseudo-terminal with a program in it, and eyes to read its screen."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NoReturn

import pexpect
import pyte

from qsage_validate.cli import start
from tests.support.forks import load_commands

LEAVES_SCREEN = b"\x1b[?1049l"
SHOWS_CURSOR = b"\x1b[?25h"
LEAVES_MOUSE = b"\x1b[?1000l"


def spawn(
    words: Sequence[str],
    *,
    folder: Path,
    columns: int = 80,
    lines: int = 24,
    variables: Mapping[str, str] | None = None,
    anew: bool = False,
    **options: Any,
) -> Any:
    """``words`` (``qsage`` or ``qsage-play`` and more) in a pseudo-terminal; pexpect's child.

    They run in a fork of this process, in which everything is loaded; ``anew`` starts the
    installed program instead.
    """
    repository = Path(__file__).resolve().parents[2]
    environment = {
        **{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")},
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(repository),
        **(variables or {}),
    }

    def begin() -> None:
        # In the child, before the program starts: pexpect does it from outside, perhaps
        # after a program on a busy machine has looked, which then misses the signal.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        # Who runs in the background ignores Ctrl-C, and so would its children.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if not anew:
            _run_here(words, environment)

    if not anew:
        load_commands()
    command = _program(words[0]) if anew else [sys.executable]
    return pexpect.spawn(
        command[0],
        [*command[1:], *words[1:]],
        cwd=str(folder),
        env=environment,
        dimensions=(lines, columns),
        preexec_fn=begin,
        timeout=60,
        **options,
    )


def _program(name: str) -> list[str]:
    """The installed command ``name``, or what it does where the package is not installed."""
    installed = Path(sys.executable).with_name(name)
    if installed.exists():
        return [str(installed)]
    function = {"qsage": "main", "qsage-play": "play_main"}[name]
    return [sys.executable, "-c", f"from qsage_validate.cli.start import {function}; {function}()"]


def _run_here(words: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Be the program ``words`` in this process, a fork, and end with it."""
    code: object = 1
    try:
        # What the suite's libraries do when garbage is collected is not for the program: an
        # exception in it, Ctrl-C's as well, is told to nobody.
        gc.callbacks.clear()
        # Nor are finalisers of what the suite has left behind: they swallow Ctrl-C as well.
        gc.freeze()
        os.closerange(3, 1 << 10)  # our parent waits for the end of one of them
        # A tracker of our parent's was reached by one of them: the program starts its own.
        tracker: Any = resource_tracker._resource_tracker
        tracker._fd = tracker._pid = None
        os.environ.clear()
        os.environ.update(environment)
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            stream = os.fdopen(number, "w" if number else "r", 1, "utf-8", closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        sys.argv = list(words)
        start.main(words[0])
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


class Terminal:
    """A running program, see :func:`spawn`; use it in a ``with`` block."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        columns: int = 80,
        lines: int = 24,
        variables: Mapping[str, str] | None = None,
        anew: bool = False,
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.output = b""
        self.child = spawn(
            words, folder=folder, columns=columns, lines=lines, variables=variables, anew=anew
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    @property
    def lines(self) -> list[str]:
        """The characters on the screen, line by line."""
        return list(self._screen.display)

    @property
    def text(self) -> str:
        """The characters on the screen."""
        return "\n".join(self.lines)

    @property
    def cells(self) -> list[list[pyte.screens.Char]]:
        """The cells of the screen with their colours, line by line."""
        screen = self._screen
        return [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]

    def find(self, text: str) -> tuple[int, int] | None:
        """Line and column, from 0, of the first ``text`` on the screen."""
        for number, line in enumerate(self.lines):
            if text in line:
                return number, line.index(text)
        return None

    def send(self, keys: str) -> None:
        """Press keys."""
        self.child.send(keys)

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, if the program is still there to read them."""
        with contextlib.suppress(OSError):
            self.child.send(data)

    def click(self, line: int, column: int) -> None:
        """Press and release the left button there (counted from 0)."""
        place = f"0;{column + 1};{line + 1}"
        self.child.send(f"\x1b[<{place}M\x1b[<{place}m")

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size."""
        self._screen.resize(lines, columns)
        self.child.setwinsize(lines, columns)

    def wait_for(self, *texts: str, seconds: float = 60) -> str:
        """Read until one of ``texts`` is on the screen; returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for text in texts:
                if text in self.text:
                    return text
            if not self._read(0.1) and not self.child.isalive():
                break
        raise AssertionError(f"expected one of {texts} on the screen, found:\n{self.text}")

    def settle(self, seconds: float = 0.5, most: float = 30) -> None:
        """Read until nothing has come for ``seconds``; or for ``most``, where a clock is shown."""
        end = time.monotonic() + most
        while self._read(seconds) and time.monotonic() < end:
            pass

    def exit_code(self, seconds: float = 60) -> int:
        """Read until the program has ended; returns its exit code."""
        end = time.monotonic() + seconds
        while self._read(0.1) or self.child.isalive():
            assert time.monotonic() < end, f"the program goes on:\n{self.text}"
        self.child.close()
        assert self.child.exitstatus is not None, f"killed by signal {self.child.signalstatus}"
        return int(self.child.exitstatus)

    def _read(self, seconds: float) -> bool:
        try:
            data = self.child.read_nonblocking(1 << 16, timeout=seconds)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            return False
        self.output += data
        self._stream.feed(data)
        return True
