"""A table of words and numbers, as it is shown in a terminal and in a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from qsage_validate.errors import visible


@dataclass(frozen=True)
class ResultTable:
    """A title, names of columns, rows of cells, and remarks below.

    The first ``left`` columns are aligned to the left, the others to the right.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    left: int = 1

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows)

    def markdown(self) -> str:
        lines = [f"**{self.title}**", ""] if self.title else []
        lines.append(_line(map(_cell, self.columns)))
        lines.append("|" + "|".join("---" if k < self.left else "--:" for k in self._places) + "|")
        lines += [_line(map(_cell, row)) for row in self.rows]
        lines += ["", *(f"- {visible(note)}" for note in self.notes)] if self.notes else []
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Columns and rows as RFC 4180 has them, with line feeds; title and notes are left out."""
        import csv
        import io

        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [visible(cell) for cell in row] for row in (self.columns, *self.rows)
        )
        return text.getvalue()

    def show(self, stream: TextIO, width: int | None = None) -> None:
        """Print the table; colours and the width are those of the terminal that it goes to."""
        from rich import box
        from rich.table import Table as Shown
        from rich.text import Text

        from qsage_validate.render.console import PlainConsole

        console = PlainConsole(file=stream, width=width, highlight=False)
        if width is None and not console.is_terminal:
            console = PlainConsole(file=stream, width=max(80, self._width()), highlight=False)
        shown = Shown(title=Text(self.title), box=box.SIMPLE, title_justify="left")
        for k, name in enumerate(self.columns):
            shown.add_column(Text(name), justify="left" if k < self.left else "right")
        for row in self.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
        for note in self.notes:
            console.print(Text(f"  {note}"), soft_wrap=not console.is_terminal)

    @property
    def _places(self) -> range:
        return range(len(self.columns))

    def _width(self) -> int:
        widest = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        return sum(widest) + 3 * len(widest) + 4


def _line(cells: Sequence[str] | map[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return visible(text).replace("|", "\\|").replace("\n", " ")
