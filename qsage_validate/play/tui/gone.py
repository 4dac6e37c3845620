"""Terminals that are gone: what is written to one is lost, and nobody waits for it.

Textual writes in a thread, which ends at the first error; the app then waits for ever for room in
the thread's queue, and hears no signal.
"""

from __future__ import annotations

from typing import IO, Any

from textual.drivers._writer_thread import WriterThread


class _Lossy:
    """A stream whose errors are nobody's: SIGHUP tells the app that its terminal is gone."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            return


class LossyWriter(WriterThread):
    """The thread that writes, which goes on when the terminal is gone."""

    def __init__(self, file: IO[str]) -> None:
        lossy: Any = _Lossy(file)
        super().__init__(lossy)


def write_without_errors() -> None:
    """Let the terminal's driver of this process write by :class:`LossyWriter`."""
    try:
        from textual.drivers import linux_driver
    except ImportError:
        return  # a system without termios
    setattr(linux_driver, "WriterThread", LossyWriter)  # noqa: B010
