"""The games in GDL that come with the project, as files of the language."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import UsageError
from qsage_validate.games.library.template import (
    MAX_DEPTH,
    ChoiceKind,
    NumberKind,
    TemplateOption,
    WordKind,
)

if TYPE_CHECKING:
    from qsage_validate.extensions.gdl.model import Description


# The options of a game in GDL, from a file or by name


OPTIONS: Final = (
    TemplateOption("depth", NumberKind(1, MAX_DEPTH), "number of rounds (plies)", 20),
    TemplateOption("role", WordKind("a role of the game"), "whose win is asked for", ""),
    TemplateOption("win", NumberKind(0, 100), "the smallest goal that counts as a win", 100),
    TemplateOption(
        "at_once",
        ChoiceKind(("none", "maximin", "minimax")),
        "of simultaneous moves: who chooses first, the other knowing",
        "none",
    ),
)


# The games in GDL that come with the project, as files of the language


_FOLDER: Final = os.path.dirname(__file__)


def names() -> tuple[str, ...]:
    """The names of the games, sorted."""
    found = (name for name in os.listdir(_FOLDER) if name.endswith(".gdl"))
    return tuple(sorted(name.removesuffix(".gdl") for name in found))


def load(name: str) -> Description:
    """The game called ``name``; raises ``UsageError`` with the list of names."""
    from qsage_validate.extensions.gdl.parser import parse_description
    from qsage_validate.formats.source import quoted

    wanted = name.strip().lower().replace("_", "-")
    if wanted not in names():
        raise UsageError(
            f"found the unknown game {quoted(name)}, expected a file or one of {', '.join(names())}"
        )
    with open(os.path.join(_FOLDER, f"{wanted}.gdl"), encoding="utf-8") as file:
        return parse_description(file.read(), f"{wanted}.gdl")
