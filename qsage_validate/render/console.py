"""What a terminal shows: a console that no text commands, and findings as lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from qsage_validate.errors import counted, one_line, visible
from qsage_validate.validation.finding import DecidingGate, Finding, grouped

# Rich's console for texts from outside: nothing of them commands the terminal


class PlainConsole(Console):
    """A console that shows what does not print; its own colours and lines are Rich's.

    Texts are looked at where Rich makes pieces of them, so that the widths of cells are right.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The pieces of something that is shown."""
        for piece in super().render(renderable, options):
            if piece.control or piece.text.isprintable():
                yield piece
            else:
                yield Segment(visible(piece.text), piece.style)


# Rows whose last cell is a sentence


_NARROW: Final = 60
"""On fewer columns the sentences stand below the rest of their rows, or words would be cut."""


def show_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print the rows, if there are any, on standard output."""
    console = PlainConsole(file=sys.stdout, highlight=False, markup=False)
    if console.width < _NARROW:
        for *cells, told in rows:
            console.print("  ".join(cells))
            for line in wrap(told, max(8, console.width - 2)):
                console.print(f"  {line}")
    elif rows:
        table = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
        for name in names:
            table.add_column(name, justify="right" if name == "seconds" else "left")
        for row in rows:
            table.add_row(*row)
        console.print(table)


# Findings as lines of text: the play, the board, and the gates that decide it


_MOST: Final = 12
"""So many comments, and gates below each of them, are written."""


def finding_lines(finding: Finding) -> Iterator[str]:
    """Lines below the one of the finding."""
    from qsage_validate.render.board_text import board_lines

    if finding.moves:
        yield f"play: {' '.join(finding.moves)}"
    if finding.board is not None and finding.board.squares:
        yield from board_lines(finding.board).splitlines()
    elif finding.position:
        yield one_line(finding.position)
    if finding.without_gates:
        yield finding.without_gates
    if finding.gates:
        yield f"enough to make the formula false ({counted(len(finding.gates), 'gate')}):"
        by_comment: dict[str, list[DecidingGate]] = {}
        for gate in finding.gates:
            by_comment.setdefault(gate.comment, []).append(gate)
        for comment, gates in [*by_comment.items()][:_MOST]:
            told = ", ".join(gate.place for gate in gates[:_MOST])
            told += f", and {len(gates) - _MOST} more" if len(gates) > _MOST else ""
            yield "  " + one_line(f"{comment}: {told}" if comment else told)
        if len(by_comment) > _MOST:
            yield f"  and {len(by_comment) - _MOST} more comments"


def group_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The plays of several differences by what they have in common."""
    for group in grouped(findings):
        yield str(group)
        for finding in group.findings:
            yield f"  {' '.join(finding.moves)}"
