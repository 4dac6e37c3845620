"""The impartial games as lists, the start screen and errors have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.impartial import library
from qsage_validate.extensions.impartial.parser import is_impartial
from qsage_validate.formats.source import quoted
from qsage_validate.games.family import ListedGame


class _Impartial:
    """The family (a ``GameFamily``): those that are files are shown."""

    def listed(self) -> Sequence[ListedGame]:
        return tuple(self._listed())

    def _listed(self) -> Iterator[ListedGame]:
        for name in library.names():
            game = library.load(name)
            moves = ", ".join(action.name for action in game.actions)
            state = ", ".join(game.variables)
            rules = f"heaps {state}; moves {moves}; who cannot move has lost"
            yield ListedGame(name, f"state {state}; moves {moves}", rules)

    def every_name(self) -> Sequence[str]:
        return library.every_name()

    def recognises(self, begin: str) -> bool:
        return is_impartial(begin)

    def off_board(self, name: str, word: str) -> UsageError:
        return UsageError(
            f"found {quoted(name)}, an impartial game, expected one on a board or in GDL: "
            f"'qsage synthesize {word}' solves it, 'qsage explain {word}' explains it, "
            f"'qsage play {word}' plays it"
        )


FAMILY: Final = _Impartial()
