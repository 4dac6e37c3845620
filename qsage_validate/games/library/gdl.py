"""Games in GDL by name: those that come with the project."""

from __future__ import annotations

from functools import partial

from qsage_validate.games.gdl.library import load, names
from qsage_validate.games.gdl.model import Description
from qsage_validate.games.gdl.paranoid import GdlModel
from qsage_validate.games.library.template import MAX_DEPTH, Number, Option, Template, Values, Word

OPTIONS = (
    Option("depth", Number(1, MAX_DEPTH), "number of rounds (plies)", 20),
    Option("role", Word("a role of the game"), "whose win is asked for", ""),
    Option("win", Number(0, 100), "the smallest goal that counts as a win", 100),
)
"""What can be said of a game in GDL, from a file or by name."""


def with_options(description: Description, values: Values) -> GdlModel:
    """The question about a game that some options ask."""
    role = values.word("role") or None
    return GdlModel(description, values.number("depth"), role, values.number("win"))


def _construct(name: str, values: Values) -> GdlModel:
    return with_options(load(name), values)


TEMPLATES = tuple(
    Template(
        name=name,
        help="a game in GDL (see docs/reference/gdl.md)",
        options=OPTIONS,
        construct=partial(_construct, name),
        examples=({"depth": "3", "role": "blue", "win": "100"},),
    )
    for name in names()
)
