"""Models of grid games by name, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qsage_validate.games.bddl.language import BDDL
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.library.template import Template
from qsage_validate.games.registry import find_model

TEMPLATES = tuple(template for game in library_games() for template in game.templates)
"""Each game in each language that it is written in."""


def resolve_model(words: Sequence[str], options: Mapping[str, object]) -> Model:
    """The model that words mean, a grid game's; ``UsageError`` for one of another kind."""
    return BDDL.own(find_model(words, options))


def grid_templates() -> tuple[Template, ...]:
    """The templates whose models are BDDL."""
    return tuple(template for template in TEMPLATES if template.language == BDDL.name)


def find_template(name: str) -> Template:
    """The template of that name."""
    return next(template for template in TEMPLATES if template.name == name)
