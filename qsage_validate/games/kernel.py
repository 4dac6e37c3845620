"""The rules of a game on plain values, for search, where the game has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Final, Protocol, runtime_checkable

from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame

ALWAYS: Final = 1 << 30
"""More plies than there are: Black never wins, or is not known to win."""

State = Hashable
"""A position's content as a kernel sees it: a plain value, without the number of the ply."""


class Kernel(ABC):
    """The rules on plain values instead of ``Position`` objects, for search.

    A state does not say which ply it is: the searcher knows who moves and how many plies are
    left.  Moves are numbers.  Every method answers for a play that goes on.
    """

    initial: State
    """The state before ply 1."""
    alternates: bool = True
    """True if the players make one ply each in turn; else ``player_to_move`` names the mover."""

    def player_to_move(self, state: State) -> Player:
        """The player who makes the next ply; asked only of games that do not alternate.

        Not abstract: most games alternate and have no other answer than the search's own.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not alternate: it has to say who moves"
        )

    @abstractmethod
    def successors(self, state: State, player: Player) -> Sequence[tuple[int, State, bool]]:
        """Each legal move with the state after it and whether ``player`` has won by it.

        Moves that lead to one state may be given as one (the first of them).
        """

    @abstractmethod
    def wins_at_once(self, state: State, player: Player) -> bool:
        """True if some legal move of ``player`` reaches the player's goal."""

    def candidates(
        self, state: State, player: Player, plies: int
    ) -> Sequence[tuple[int, State, bool]] | None:
        """Successors among which is a best one, for the question of a Black win in ``plies``.

        Asked only where ``player`` does not win at once and ``plies`` is at least 2.  Empty for
        Black when Black cannot win in so many plies; ``None`` when nothing is known.
        """
        return None

    def bounds(self, state: State, player: Player) -> tuple[int, int] | None:
        """Bounds known without a search: Black wins within the first number, not within the second.

        ``ALWAYS`` as the first is not known to win, as the second never wins.  Asked where
        ``player``, to move, does not win at once; ``None`` in a game of which nothing is known.
        """
        return None

    def quiet_successors(
        self, state: State, player: Player
    ) -> Sequence[tuple[int, State, bool]] | None:
        """The successors in which the opponent does not win at once; the others lose.

        Asked only where ``player`` does not win at once.  ``None`` where they are not told apart.
        """
        return None

    @abstractmethod
    def key(self, state: State) -> Hashable:
        """The key that symmetric states share; equal keys mean equal values."""

    @abstractmethod
    def move(self, number: int, player: Player) -> Move:
        """The move behind a number."""

    @abstractmethod
    def state(self, position: Position) -> State:
        """The state of a position of the game."""


@runtime_checkable
class HasKernel(Protocol):
    """A game with a kernel: search is quicker on this."""

    def kernel(self) -> Kernel: ...


def kernel_of(game: TwoPlayerGame) -> Kernel | None:
    """The kernel of a game, where it has one."""
    return game.kernel() if isinstance(game, HasKernel) else None
