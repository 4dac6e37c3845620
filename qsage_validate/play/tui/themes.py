"""The two themes: dark and light, each with its own tones of wood for the board."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="qsage-dark",
    primary="#6ea8dc",
    secondary="#8f9fb3",
    accent="#f0b45a",
    warning="#e8a33d",
    error="#e0605e",
    success="#6fbf73",
    foreground="#dfe3ea",
    background="#14171c",
    surface="#1b1f26",
    panel="#262c36",
    dark=True,
    variables={
        "quiet": "#8b94a3",
        "rim": "#3a4352",
        "wood": "#9b7653",
        "wood-alt": "#937050",
        "wood-line": "#6f5238",
        "wood-dot": "#5d442e",
        "stone-black": "#0c0c0e",
        "stone-white": "#fbf9f4",
        "mark-won": "#5fa35a",
        "mark-changed": "#b3a04a",
        "mark-earlier": "#a58c50",
        "mark-selected": "#4f8fb0",
        "mark-target": "#5f9b68",
        "mark-illegal": "#c2473f",
        "mark-finding": "#c33b8c",
        "mark-hint": "#7d74c4",
        "mark-pointed": "#b0663a",
        "mark-legal": "#1c2f45",
        "mark-cursor": "#10203a",
    },
)

LIGHT = Theme(
    name="qsage-light",
    primary="#1f5f99",
    secondary="#556575",
    accent="#a35c00",
    warning="#9a5b00",
    error="#b3261e",
    success="#24702b",
    foreground="#1d2126",
    background="#f6f4ef",
    surface="#fffdf8",
    panel="#e6e2d8",
    dark=False,
    variables={
        "quiet": "#6a6f76",
        "rim": "#b9b3a4",
        "wood": "#cda87a",
        "wood-alt": "#c6a174",
        "wood-line": "#9c7a50",
        "wood-dot": "#7d5f3b",
        "stone-black": "#101012",
        "stone-white": "#ffffff",
        "mark-won": "#8fcf7a",
        "mark-changed": "#d9c04a",
        "mark-earlier": "#d2b366",
        "mark-selected": "#6fb3d6",
        "mark-target": "#86c48d",
        "mark-illegal": "#e0675c",
        "mark-finding": "#e07ab8",
        "mark-hint": "#a9a0ec",
        "mark-pointed": "#e09a63",
        "mark-legal": "#153a63",
        "mark-cursor": "#0b2a55",
    },
)

THEMES = {"dark": DARK, "light": LIGHT}
