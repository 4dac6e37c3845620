"""The two themes: dark and light, each with its own tones of wood for the board.

Terminals with 256 or 16 colours replace a colour by the nearest that they have, and two of ours
may become one: the board has colours of its own there, which are among theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textual.theme import Theme

# Textual's colours and the variables of the style, on dark and on light.
_COLOURS: Final[Mapping[str, tuple[str, str]]] = {
    "primary": ("#6ea8dc", "#1f5f99"),
    "secondary": ("#8f9fb3", "#556575"),
    "accent": ("#f0b45a", "#a35c00"),
    "warning": ("#e8a33d", "#9a5b00"),
    "error": ("#e0605e", "#b3261e"),
    "success": ("#6fbf73", "#24702b"),
    "foreground": ("#dfe3ea", "#1d2126"),
    "background": ("#14171c", "#f6f4ef"),
    "surface": ("#1b1f26", "#fffdf8"),
    "panel": ("#262c36", "#e6e2d8"),
}
_VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    "quiet": ("#8b94a3", "#6a6f76"),
    "rim": ("#3a4352", "#b9b3a4"),
    "wood": ("#9b7653", "#b38a5e"),
    "wood-alt": ("#937050", "#ad8459"),
    "wood-line": ("#6f5238", "#8a673f"),
    "wood-dot": ("#3c2a1a", "#4f3920"),
    "stone-black": ("#0c0c0e", "#101012"),
    "stone-white": ("#fbf9f4", "#ffffff"),
    "mark-won": ("#5fa35a", "#8fcf7a"),
    "mark-changed": ("#b3a04a", "#d9c04a"),
    "mark-earlier": ("#a58c50", "#d2b366"),
    "mark-selected": ("#4f8fb0", "#6fb3d6"),
    "mark-target": ("#5f9b68", "#86c48d"),
    "mark-illegal": ("#cf554d", "#e0675c"),
    "mark-finding": ("#cf4d9b", "#e07ab8"),
    "mark-hint": ("#7d74c4", "#a9a0ec"),
    "mark-pointed": ("#b0663a", "#e09a63"),
    "mark-legal": ("#1c2f45", "#153a63"),
    "mark-cursor": ("#10203a", "#0b2a55"),
}
# The board where there are fewer colours, by Rich's name of the colour system; on both themes.
_FEWER: Final[Mapping[str | None, Mapping[str, str]]] = {
    "256": {
        "wood": "#af875f",
        "wood-alt": "#af875f",
        "wood-line": "#875f00",
        "wood-dot": "#5f0000",
        "stone-black": "#000000",
        "stone-white": "#ffffff",
        "mark-won": "#5faf5f",
        "mark-changed": "#d7af00",
        "mark-earlier": "#af8700",
        "mark-selected": "#5fafd7",
        "mark-target": "#87d787",
        "mark-illegal": "#ff5f5f",
        "mark-finding": "#ff87d7",
        "mark-hint": "#afafff",
        "mark-pointed": "#ff875f",
        "mark-legal": "#00005f",
        "mark-cursor": "#00005f",
    },
    "standard": {
        "wood": "#aa5500",
        "wood-alt": "#aa5500",
        "wood-line": "#000000",
        "wood-dot": "#000000",
        "stone-black": "#000000",
        "stone-white": "#ffffff",
        "mark-won": "#00aa00",
        "mark-changed": "#aaaaaa",
        "mark-earlier": "#aa5500",
        "mark-selected": "#00aaaa",
        "mark-target": "#00aa00",
        "mark-illegal": "#ff5555",
        "mark-finding": "#ff55ff",
        "mark-hint": "#55ffff",
        "mark-pointed": "#ffff55",
        "mark-legal": "#000000",
        "mark-cursor": "#000000",
    },
}
# Text where there are 16 colours.  The nearest to ours are a yellow that xterm has so bright that
# it cannot be read on white, and for dim text a grey that is nearly white, or black on black.
_ON_LIGHT: Final[Mapping[str | None, Mapping[str, str]]] = {
    "standard": {"accent": "#0000aa", "warning": "#aa00aa"},
}
_DIM: Final[Mapping[str | None, Mapping[str, str]]] = {
    "standard": {"text-disabled": "#555555", "rim": "#555555"},
}


def _theme(system: str | None, *, dark: bool) -> Theme:
    name, fewer = f"qsage-{'dark' if dark else 'light'}", _FEWER.get(system, {})
    colours: dict[str, Any] = {each: pair[not dark] for each, pair in _COLOURS.items()}
    if not dark:
        colours.update(_ON_LIGHT.get(system, {}))
    variables = {each: pair[not dark] for each, pair in _VARIABLES.items()}
    variables |= {**fewer, **_DIM.get(system, {})}
    return Theme(name=name, dark=dark, variables=variables, **colours)


def themes(colour_system: str | None) -> Mapping[str, Theme]:
    """The themes by the word of ``--theme``, for a colour system of Rich (``"256"``)."""
    return {word: _theme(colour_system, dark=word == "dark") for word in ("dark", "light")}


THEMES = themes(None)
DARK, LIGHT = THEMES.values()
