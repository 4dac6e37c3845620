"""The line of a terminal that tells how far a search is."""

from __future__ import annotations

from typing import TextIO

from qsage_validate.system.progress import Progress

_STAGES = {
    "search": "searching",
    "plan": "planning",
    "compile": "compiling",
    "check": "proving the certificate",
    "minimise": "making the certificate smaller",
}


class SearchLine:
    """Overwrites one line of ``stream`` while it lasts; silent where there is no terminal."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None

    def __enter__(self) -> SearchLine:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Make room for other lines."""
        self._show("")

    def tell(self, progress: Progress) -> None:
        """Tell how far the work is."""
        text = str(progress)
        self._show(_STAGES.get(text, text))

    def _show(self, text: str) -> None:
        if self._stream is not None:
            print(f"\r\x1b[K{text}", end="", file=self._stream, flush=True)
