"""The options of a game in GDL, from a file or by name."""

from __future__ import annotations

from typing import Final

from qsage_validate.games.library.template import MAX_DEPTH, Number, Option, Word

OPTIONS: Final = (
    Option("depth", Number(1, MAX_DEPTH), "number of rounds (plies)", 20),
    Option("role", Word("a role of the game"), "whose win is asked for", ""),
    Option("win", Number(0, 100), "the smallest goal that counts as a win", 100),
)
