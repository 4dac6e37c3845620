"""Positional games in files on the command line: PG and ``.hex``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsage_validate.cli.model_arguments import ModelArguments
from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame


def is_positional(path: str) -> bool:
    """Whether a file is a positional game; raises ``InputError`` when it cannot be read."""
    from qsage_validate.games.positional.load import is_positional_file

    return is_positional_file(path)


def positional_game(path: str, model: ModelArguments) -> PositionalGame:
    """The game of a file, at ``--depth`` where that is given.

    Raises ``UsageError`` for other options of games, and ``InputError`` for a bad file.
    """
    from qsage_validate.formats.source import quoted
    from qsage_validate.games.library.template import MAX_DEPTH, Number
    from qsage_validate.games.positional.load import load_positional

    given = {k: v for k, v in model.options.items() if v is not None and v is not False}
    depth = given.pop("depth", None)
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(f"found {names} with a game read from a file, expected --depth only")
    plies = None
    if depth is not None:
        kind = Number(1, MAX_DEPTH)
        value = kind.read(depth)
        if not isinstance(value, int):
            raise UsageError(f"found {quoted(str(depth))} for --depth, expected {kind.expected}")
        plies = value
    return load_positional(path, plies)
