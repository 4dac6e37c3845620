"""Games in GDL by name: those that come with the project."""

from __future__ import annotations

from qsage_validate.extensions.gdl.library import load
from qsage_validate.extensions.gdl.model import Description
from qsage_validate.extensions.gdl.paranoid import GdlModel
from qsage_validate.games.library.template import Values


def with_options(description: Description, values: Values) -> GdlModel:
    """The model of a description with the options ``role``, ``depth`` and ``win``."""
    role = values.word("role") or None
    return GdlModel(description, values.number("depth"), role, values.number("win"))


def of_library(values: Values, name: str) -> GdlModel:
    """The game called ``name`` of those that come with the project."""
    return with_options(load(name), values)
