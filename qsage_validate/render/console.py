"""Rich's console for texts from outside: nothing of them commands the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from qsage_validate.errors import visible


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
