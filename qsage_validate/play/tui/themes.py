"""The two themes: dark and light, each with its own tones of wood for the board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textual.theme import Theme

# What Textual's colours and the variables of the style are on dark and on light.
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
    "wood": ("#9b7653", "#cda87a"),
    "wood-alt": ("#937050", "#c6a174"),
    "wood-line": ("#6f5238", "#9c7a50"),
    "wood-dot": ("#5d442e", "#7d5f3b"),
    "stone-black": ("#0c0c0e", "#101012"),
    "stone-white": ("#fbf9f4", "#ffffff"),
    "mark-won": ("#5fa35a", "#8fcf7a"),
    "mark-changed": ("#b3a04a", "#d9c04a"),
    "mark-earlier": ("#a58c50", "#d2b366"),
    "mark-selected": ("#4f8fb0", "#6fb3d6"),
    "mark-target": ("#5f9b68", "#86c48d"),
    "mark-illegal": ("#c2473f", "#e0675c"),
    "mark-finding": ("#c33b8c", "#e07ab8"),
    "mark-hint": ("#7d74c4", "#a9a0ec"),
    "mark-pointed": ("#b0663a", "#e09a63"),
    "mark-legal": ("#1c2f45", "#153a63"),
    "mark-cursor": ("#10203a", "#0b2a55"),
}


def _theme(name: str, *, dark: bool) -> Theme:
    colours: dict[str, Any] = {each: pair[not dark] for each, pair in _COLOURS.items()}
    variables = {each: pair[not dark] for each, pair in _VARIABLES.items()}
    return Theme(name=name, dark=dark, variables=variables, **colours)


DARK = _theme("qsage-dark", dark=True)
LIGHT = _theme("qsage-light", dark=False)
THEMES = {"dark": DARK, "light": LIGHT}
