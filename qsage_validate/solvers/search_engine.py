"""What a search is to its solver: the protocol of engines, their results, and declared ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from qsage_validate.games.kernel import Kernel, State
from qsage_validate.games.protocol import Player

# The search engine that a :class:`~qsage_validate.solvers.search.SearchSolver` calls


WIN: Final = 1
NOT_WITHIN: Final = 0
NEVER: Final = -1
"""Results of a search for a win of Black's within so many plies."""

MAX_PLIES = 900
"""The greatest depth of the search: its recursion has to fit into the stack of a thread."""


class LimitError(Exception):
    """A limit was reached; caught by the solver."""


def time_over(seconds: float) -> str:
    """``20 seconds are over``."""
    return f"{seconds:g} second{' is' if seconds == 1 else 's are'} over"


def unwatched() -> None:
    """What an engine calls until it is watched."""


class ManyReplies(Protocol):
    """For many positions the number of a move that keeps a player's win; -1 where none is known."""

    def __call__(self, black: Any, white: Any, player: Player, plies: int) -> Sequence[int]:
        """``black`` and ``white`` are arrays of sets of squares, ``plies`` are left."""
        ...


class SearchEngine(Protocol):
    """The search of one game's positions with its tables.

    ``nodes`` are the positions that were looked at; every so many of them ``watch`` is called,
    which ends the search by an error.  The states are those of ``kernel``.
    """

    watch: Callable[[], None]
    for_ever: bool
    """True if ``NEVER`` holds for any number of plies, false if only for those of the game."""

    @property
    def kernel(self) -> Kernel: ...

    @property
    def deepens(self) -> bool:
        """True if fewer plies should be searched first, since deciding moves are known then."""
        ...

    @property
    def at_once(self) -> bool:
        """True if who wins is found sooner by one search of all plies than by deepening."""
        ...

    @property
    def many(self) -> ManyReplies | None:
        """Replies in many positions of a grid at once, where the engine knows them so."""
        ...

    @property
    def name(self) -> str:
        """``"pure"`` for a search in Python, ``"compiled"`` for one in machine code."""
        ...

    @property
    def replaces(self) -> bool:
        """True if the table has a size of its own, so that no limit on memory ends the search."""
        ...

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        ...

    @property
    def positions(self) -> int:
        """The number of positions in the tables."""
        ...

    def frames(self, plies: int) -> int:
        """The number of stack frames that a search of so many plies may take."""
        ...

    def depths(self, player: Player, last: int) -> Iterable[int]:
        """The numbers of plies, up to ``last``, that can differ in their result from fewer."""
        ...

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``, for a position that goes on."""
        ...

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the tables do not tell."""
        ...

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """The number of a move that decided a search; ``None`` when none is known."""
        ...


@dataclass(frozen=True, slots=True)
class DeclaredEngine:
    """What searches more quickly than the engines in Python; the first one that takes a game does.

    ``languages`` are those of the games whose general search it replaces.  Places are loaded when
    they are asked for: ``general`` makes that search of a game, the choice of engine and the limit
    of memory in MB; ``stage`` makes the ``Stage`` of a game of connection (its model, the same
    choice and limit), ``None`` where it has none; ``check`` raises ``UsageError`` where machine
    code is asked for and not there; ``farm`` searches a model by many processes: see
    ``cli/deepening.py``.
    """

    languages: tuple[str, ...]
    general: str
    stage: str
    check: str
    farm: str
