"""Labels of trees: pieces of text, each with the name of a colour of the theme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.style import Style
from rich.text import Text

Piece = tuple[str, str]


def painted(pieces: Iterable[Piece], colours: Mapping[str, str]) -> Text:
    """A label; ``colours`` are the variables of the theme, "" is the plain text's colour.

    A name may follow ``bold``.
    """
    text = Text(no_wrap=True, overflow="ellipsis")
    for piece, look in pieces:
        name = look.removeprefix("bold").strip()
        style = Style(color=colours[name] if name else None, bold=look.startswith("bold") or None)
        text.append(piece, style)
    return text
