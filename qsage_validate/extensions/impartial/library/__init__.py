"""The impartial games that come with the project: as files of the language, and families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.impartial.families import by_name
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.nim import REPAIRED
from qsage_validate.extensions.impartial.parser import is_impartial, parse_game
from qsage_validate.formats.source import quoted
from qsage_validate.games.family import ListedGame

# The impartial games that come with the project: as files of the language, and families


def names() -> tuple[str, ...]:
    """The names of the games that are files, sorted."""
    found = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".ig") for name in found if name.endswith(".ig")))


def knows(name: str) -> bool:
    """True if there is a game of that name, as a file or in a family."""
    wanted = _plain(name)
    return wanted in names() or wanted in by_name()


def every_name() -> tuple[str, ...]:
    """The names of all games, those of families last."""
    return (*names(), *by_name())


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")


def load(name: str, variant: str = REPAIRED) -> ImpartialGame:
    """The game called ``name``, of a file or else of a family, there in that variant.

    Raises ``UsageError`` with names for one that is not known, or that was no game as published.
    """
    wanted = _plain(name)
    if wanted in names():
        path = files(__package__) / f"{wanted}.ig"
        return parse_game(path.read_text(encoding="utf-8"), f"{wanted}.ig")
    game = by_name().get(wanted)
    if game is None:
        near = did_you_mean(wanted, every_name())
        raise UsageError(
            f"found the unknown game {quoted(name)}{near}, expected a file or "
            f"one of {', '.join(names())}, a game of a family (qsage synthesize --list)"
        )
    if variant != REPAIRED and game.published is None:
        raise UsageError(f"{wanted} was published as a file that is no game: {game.defect}")
    return game.make(variant)


# The impartial games as lists, the start screen and errors have them


class _Impartial:
    """The family (a ``GameFamily``): those that are files are shown."""

    def listed(self) -> Sequence[ListedGame]:
        return tuple(self._listed())

    def _listed(self) -> Iterator[ListedGame]:
        for name in names():
            game = load(name)
            moves = ", ".join(action.name for action in game.actions)
            state = ", ".join(game.variables)
            rules = f"heaps {state}; moves {moves}; who cannot move has lost"
            yield ListedGame(name, f"state {state}; moves {moves}", rules)

    def every_name(self) -> Sequence[str]:
        return every_name()

    def recognises(self, begin: str) -> bool:
        return is_impartial(begin)

    def off_board(self, name: str, word: str) -> UsageError:
        return UsageError(
            f"found {quoted(name)}, an impartial game, expected one on a board or in GDL: "
            f"'qsage synthesize {word}' solves it, 'qsage explain {word}' explains it, "
            f"'qsage play {word}' plays it"
        )


FAMILY: Final = _Impartial()
