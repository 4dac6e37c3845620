"""Positions of games that are played with stones, but not by the rules of positional games.

Encodings make such games, so they share nothing with the rules that the encodings are checked
against.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from qsage_validate.games.positional.arrangement import Arrangement
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Board, Illegality, Move, Player, Position


@dataclass(frozen=True, slots=True)
class Stone:
    """A move by its text; ``position`` is the number of the position that gets a stone, if any."""

    text: str
    position: int | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class StonesPosition(Position):
    """The stones of both players and the next ply; ``model`` says whose turn that is."""

    model: PositionalModel = field(repr=False, compare=False)
    black: int
    white: int
    ply: int

    @property
    def to_move(self) -> Player:
        turns, number = self.model.turns, self.ply
        if number <= len(turns):
            return turns[number - 1]
        return turns[-1].other if turns else Player.BLACK

    @property
    def board(self) -> Board:
        arrangement = Arrangement.of(self.model.positions, hexagons=self.model.hexagons)
        return arrangement.board(self.black, self.white)

    @property
    def open(self) -> int:
        """The positions without a stone."""
        return self.model.all & ~(self.black | self.white)

    @abstractmethod
    def legal_moves(self) -> Sequence[Stone]:
        """The legal moves, as stones."""

    def illegality(self, move: Move) -> Illegality | None:
        if move in self.legal_moves():
            return None
        rule = "not a move of this position"
        return Illegality(rule, f"{move}: {rule}")
