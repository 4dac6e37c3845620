"""The language GDL and its games by name; parsers and rules are loaded later."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.library import OPTIONS
from qsage_validate.games.library.template import LibraryGame, Template, Values
from qsage_validate.games.model_text import DeclaredLanguage

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel

LANGUAGES: Final = (
    DeclaredLanguage(
        name="gdl",
        kind="gdl",
        parts=("name", "rounds", "win", "role", "gdl"),
        needs=frozenset({"gdl"}),
        language=f"{__package__}.language:GDL",
        depths=f"{__package__}.rules:RoundDepths",
        circuit=f"{__package__}.masks:rounds_rules",
        formats=("GDL",),
        conversions={
            "bddl": f"{__package__}.conversion:FROM_GRID",
            "positional": f"{__package__}.conversion:FROM_POSITIONAL",
        },
    ),
)


def _of_library(values: Values, *, name: str) -> GameModel:
    from qsage_validate.extensions.gdl.language import of_library

    return of_library(values, name)


GAMES: Final = tuple(
    LibraryGame(
        Template(
            name=name,
            help="a game in GDL (see 'qsage help gdl')",
            language="gdl",
            options=OPTIONS,
            construct=partial(_of_library, name=name),
            examples=({"depth": "3", "role": "blue", "win": "100", "at_once": "none"},),
        )
    )
    for name in library.names()
)
