"""Games that strategies are planned on where a formula is not about the rules alone.

Some formulas have an answer for fewer strategies than the rules: those that end with a pairing,
those that keep to a cover.  Their subject is a game as well, with the formula's moves; its
positions are searched and planned on like those of any other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from qsage_validate.games.protocol import Player, Position, Witness


class PlanningGame(ABC):
    """A game of bounded depth that a formula is about, for one player's strategies.

    Moves have the texts of the formula's tables of moves.  A play may have one ply more than
    the formula, at which the player of its strategies only says which goal is reached.
    """

    @property
    @abstractmethod
    def plies(self) -> int:
        """The largest number of plies of a play."""

    @property
    @abstractmethod
    def initial(self) -> Position: ...

    @abstractmethod
    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        """The goals of ``player`` that hold: what the formula asks for, besides moves."""

    def settled(self, position: Position) -> Player | None:
        """The winner from a position that goes on, where it is known without a search."""
        return None
