"""A game's rules as a circuit: what the proofs about plays ask for.

A *state* is a tuple of literals of one and-inverter graph, so that it stands for many positions
at once.  Time ``t`` is after ``t`` plies and before ply ``t + 1``; plies count from 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.kernel.player import Player

State = tuple[int, ...]


class TooLargeError(Exception):
    """The rules do not fit into the limits of a circuit; the text says which."""


class Rules(ABC):
    """The rules of a game of at most ``plies`` plies; Black wins or does not.

    In a play, from the initial state on, the player to move makes one of the legal moves of the
    ply, until :meth:`won` is true of a player.  A play of ``plies`` plies that no player has won
    is White's.  ``builder`` is the graph in which everything is built.
    """

    builder: AigBuilder
    plies: int

    @abstractmethod
    def mover(self, ply: int) -> Player:
        """The player who makes a ply, 1 to ``plies``."""

    @abstractmethod
    def moves(self, ply: int) -> Sequence[str]:
        """The texts of all moves that may be legal at a ply, each once.

        Every move that is legal at this ply in some play is among them.
        """

    @property
    @abstractmethod
    def initial(self) -> State:
        """The state at time 0, as constants."""

    @abstractmethod
    def legal(self, state: State, ply: int) -> Sequence[int]:
        """The literals for the legality of each of ``moves(ply)`` in ``state``."""

    @abstractmethod
    def after(self, state: State, ply: int, made: Sequence[int]) -> State:
        """The state after a ply; ``made[k]`` says that move ``k`` is legal and was made.

        At most one of them is true; where none is, the result means nothing.
        """

    @abstractmethod
    def won(self, state: State, time: int) -> Mapping[Player, int]:
        """The literal, for each player, that the play has ended at ``time`` with this player's win.

        ``time`` is below or equal to ``plies``; never true of both.  A player to move without a
        legal move is covered here, where the rules say what that means.
        """

    @abstractmethod
    def atoms(self, state: State, time: int) -> Mapping[str, int]:
        """The atoms of a position, in the words of the game, each with its literal."""

    def undefined(self, state: State, ply: int) -> int:
        """A literal that is true if the rules are silent at ``ply``, though no player has won.

        In GDL a role must have a legal move as long as the play goes on, two roles must not both
        have a choice, and a goal at the end must be a number.
        """
        return FALSE

    def as_good(self, first: str) -> frozenset[str]:
        """First moves that are exactly as good as ``first``: a symmetry of the game exchanges them.

        The symmetry keeps the first position, the moves with what they do, and the goals.
        """
        return frozenset()

    def passed(self, state: State, ply: int) -> State | None:
        """The state after a ply without a move, where that is never better than any legal move.

        ``None`` in games of which this is not known.  This is a theorem about positional games: a
        claimed position more never hurts its owner.
        """
        return None
