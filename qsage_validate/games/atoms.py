"""Games whose positions can be told in words: as the set of things that hold in them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection

from qsage_validate.games.protocol import Board, Game, Position


class AtomGame(Game):
    """A game with a vocabulary for positions, in which formulas keep them.

    Atoms are the texts of ``StateTable.atoms``: ``black b2`` in positional games, fluents in GDL.
    """

    @abstractmethod
    def atoms(self, position: Position) -> frozenset[str]:
        """All atoms that are true in a position of this game; every other one is false."""

    @abstractmethod
    def board_of(self, atoms: Collection[str]) -> Board:
        """The board that shows some atoms; those that it does not show are left out."""

    @abstractmethod
    def square_of(self, text: str) -> tuple[int, int] | None:
        """The square, 1-based (x, y), that a move or place is drawn on, if it is on one."""

    def winning_squares(self, position: Position) -> tuple[tuple[int, int], ...]:
        """The squares that reached the winner's goal, as far as a game can point at them."""
        return ()

    @property
    def target(self) -> tuple[str, ...]:
        """The shape that is to be formed, row by row (``XX``, ``X.``), if it is about one."""
        return ()
