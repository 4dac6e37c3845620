"""The line of a terminal that tells how far a search is."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from qsage_validate.solvers.search.solver import Progress, ProgressCallback

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._show("")

    @property
    def progress(self) -> ProgressCallback | None:
        """What a search is to call; ``None`` where nobody would see it."""
        return None if self._stream is None else self._progress

    def stage(self, name: str) -> None:
        """Tell which stage of the work begins."""
        self._show(_STAGES.get(name, name))

    def clear(self) -> None:
        """Make room for other lines."""
        self._show("")

    def _progress(self, progress: Progress) -> None:
        self._show(
            f"searching depth {progress.plies}: {progress.positions:,} positions, "
            f"{progress.seconds:.0f} s"
        )

    def _show(self, text: str) -> None:
        if self._stream is not None:
            print(f"\r\x1b[K{text}", end="", file=self._stream, flush=True)
