"""The games in GDL that come with the project, as files of the language."""

from __future__ import annotations

from importlib.resources import files

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.games.gdl.model import Description
from qsage_validate.games.gdl.parser import parse_description


def names() -> tuple[str, ...]:
    """The names of the games, sorted."""
    found = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".gdl") for name in found if name.endswith(".gdl")))


def load(name: str) -> Description:
    """The game called ``name``; raises ``UsageError`` with the list of names."""
    wanted = name.strip().lower().replace("_", "-")
    if wanted not in names():
        raise UsageError(
            f"found the unknown game {quoted(name)}, expected a file or one of {', '.join(names())}"
        )
    path = files(__package__) / f"{wanted}.gdl"
    return parse_description(path.read_text(encoding="utf-8"), f"{wanted}.gdl")
