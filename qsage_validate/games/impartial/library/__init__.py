"""The impartial games that come with the project, as files of the language."""

from __future__ import annotations

from importlib.resources import files

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.games.impartial.model import ImpartialGame
from qsage_validate.games.impartial.parser import parse_game


def names() -> tuple[str, ...]:
    """The names of the games, sorted."""
    found = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".ig") for name in found if name.endswith(".ig")))


def load(name: str) -> ImpartialGame:
    """The game called ``name``; raises ``UsageError`` with the list of names."""
    wanted = name.strip().lower().replace("_", "-")
    if wanted not in names():
        raise UsageError(
            f"found the unknown game {quoted(name)}, expected a file or one of {', '.join(names())}"
        )
    path = files(__package__) / f"{wanted}.ig"
    return parse_game(path.read_text(encoding="utf-8"), f"{wanted}.ig")
