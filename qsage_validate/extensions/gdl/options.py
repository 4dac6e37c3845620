"""The options of a game in GDL, from a file or by name."""

from __future__ import annotations

from typing import Final

from qsage_validate.games.library.template import MAX_DEPTH, NumberKind, TemplateOption, WordKind

OPTIONS: Final = (
    TemplateOption("depth", NumberKind(1, MAX_DEPTH), "number of rounds (plies)", 20),
    TemplateOption("role", WordKind("a role of the game"), "whose win is asked for", ""),
    TemplateOption("win", NumberKind(0, 100), "the smallest goal that counts as a win", 100),
)
