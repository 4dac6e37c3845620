"""The shell's completions behind a command: names, and files.

Completion runs with each press of the key: each function loads what it needs, and nothing heavy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# The modules that define these names load NumPy and PySAT; a test holds one to the other.
DIALECTS: Final = ("caqe", "outer", "pedant", "qaiger", "qbfcert-ascii", "qbfcert-binary")
SOLVERS: Final = (
    *("depqbf", "qute", "caqe", "rareqs", "qfun"),
    *("quabs", "cqesto", "qesto", "qubi"),
)
PREPROCESSORS: Final = ("bloqqer", "hqspre", "qratpre", "none")


def like(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that begin so."""
    return [name for name in names if name.startswith(incomplete)]


def files(incomplete: str) -> list[str]:
    """Files and folders; hidden ones where the word begins with a dot."""
    import os

    folder, begin = os.path.split(incomplete)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        os.path.join(folder, entry.name) + ("/" if entry.is_dir() else "")
        for entry in entries
        if entry.name.startswith(begin) and (begin or not entry.name.startswith("."))
    ]


def games(incomplete: str) -> list[str]:
    from qsage_validate.games.library import catalogue

    return like(incomplete, (game.name for game in catalogue.library_games()))


def models(incomplete: str) -> list[str]:
    """Games, and files."""
    return [*games(incomplete), *files(incomplete)]


def shapes(incomplete: str) -> list[str]:
    """The polyominoes that have names."""
    from qsage_validate.games.positional.polyominoes import named

    return like(incomplete, named())


def encodings(incomplete: str) -> list[str]:
    """The encodings of all kinds of games."""
    from qsage_validate.encodings.registry import encoders

    return like(incomplete, encoders())


def solvers(incomplete: str) -> list[str]:
    """The search, and the QBF solvers that the program knows."""
    from qsage_validate.registry import declares

    if not declares("solvers"):
        return like(incomplete, ("search", *SOLVERS))
    from qsage_validate.solvers.backends import backends

    return like(incomplete, ("search", *backends()))


def preprocessors(incomplete: str) -> list[str]:
    return like(incomplete, PREPROCESSORS)


def levels(incomplete: str) -> list[str]:
    from qsage_validate.proving.levels import LEVELS

    return like(incomplete, LEVELS)


def dialects(incomplete: str) -> list[str]:
    return like(incomplete, DIALECTS)
