"""The last word on what reaches the terminal: no text commands it."""

from __future__ import annotations

from typing import Any, Final

from textual.color import Color
from textual.filter import LineFilter


class Visible(LineFilter):
    """Leaves out what does not print, which has no width.

    Names that come from files are shown by ``errors.visible`` where they are put together; this
    holds for all that is ever shown.
    """

    def apply(self, segments: list[Any], background: Color) -> list[Any]:
        """The pieces of a line without what does not print."""
        if all(piece.text.isprintable() for piece in segments):
            return segments
        return [
            piece._replace(text="".join(filter(str.isprintable, piece.text))) for piece in segments
        ]


VISIBLE: Final = Visible()
