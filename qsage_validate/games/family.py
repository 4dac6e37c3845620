"""Families of games that have no formula: extensions list, recognise and play them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import FORMULAS, STDIN, open_input, sniff
from qsage_validate.games.library.template import plain
from qsage_validate.registry import declared, load

_BEGIN: Final = 65_536


class ListedGame(NamedTuple):
    """A game of a family: ``help`` and ``rules`` are a line each, for a list and for a board."""

    name: str
    help: str
    rules: str


class GameFamily(Protocol):
    """The games of a family; names are those of the command line."""

    def listed(self) -> Sequence[ListedGame]:
        """The games that are shown to people who look for one."""
        ...

    def every_name(self) -> Sequence[str]:
        """All names, those that are not shown last."""
        ...

    def recognises(self, begin: str) -> bool: ...

    def facts(self, data: bytes, name: str) -> Mapping[str, object]:
        """What is told of the game in a file; raises ``InputError`` for one that is none."""
        ...

    def off_board(self, name: str, word: str) -> UsageError:
        """The error about a game ``name`` (``word`` in a shell) where one on a board belongs."""
        ...


@dataclass(frozen=True, slots=True)
class DeclaredFamily:
    """A family by the word for its games, ``impartial``.

    ``about`` is its heading in the list of games, ``more`` the line below it.  Places are loaded
    when they are asked for: ``games`` is a :class:`GameFamily`; ``play`` plays one of them (a
    function of its name or file, the ``HeapOptions``, the ``PlayOptions`` and whether JSON is
    written), and returns the exit code.
    """

    name: str
    about: str
    more: str
    games: str
    play: str

    @property
    def family(self) -> GameFamily:
        found: GameFamily = load(self.games)
        return found

    def has(self, name: str | None) -> bool:
        """True if ``name`` is a file of the family, or a name in it."""
        if name is None or name == STDIN:
            return False
        if not os.path.isfile(name):
            return plain(name) in self.family.every_name()
        if sniff(name) in FORMULAS:
            return False
        with open_input(name) as file:
            return self.recognises(file.read(_BEGIN))

    def recognises(self, data: bytes) -> bool:
        """True if a file that is no formula is a game of the family."""
        return self.family.recognises(data[:_BEGIN].decode("utf-8-sig", errors="replace"))


@lru_cache(maxsize=1)
def families() -> tuple[DeclaredFamily, ...]:
    return declared("families", DeclaredFamily)
