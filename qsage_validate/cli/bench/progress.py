"""What a person sees of a campaign while it lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

    from qsage_validate.bench.campaign import Tally
    from qsage_validate.bench.run import Record


class CampaignProgress:
    """A bar with the results so far on a terminal; elsewhere a line for each run."""

    def __init__(self, stream: TextIO | None, wanted: int, name: str) -> None:
        self._stream = stream
        self._wanted = wanted
        self._name = name
        self._bar: Progress | None = None

    def __enter__(self) -> CampaignProgress:
        if self._stream is not None and self._stream.isatty():
            self._bar = self._make_bar()
            self._bar.start()
            self._bar.add_task(self._name, total=self._wanted, so_far="")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, record: Record, tally: Tally) -> None:
        """A run was made."""
        result = record.result
        line = f"{record.run}: {result.status}, {result.seconds:.2f} s"
        if result.why and not result.decided:
            line += f" ({result.why})"
        if self._bar is not None:
            from rich.text import Text

            self._bar.console.print(Text(line))
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=tally.finished, so_far=tally.statuses)
        elif self._stream is not None:
            print(f"[{tally.finished}/{tally.wanted}] {line}", file=self._stream, flush=True)

    def _make_bar(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        console = Console(file=self._stream, highlight=False)
        shown = ("{task.description}", *columns, "{task.fields[so_far]}")
        return Progress(*shown, console=console, refresh_per_second=2)
