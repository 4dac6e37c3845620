"""What a certificate says about a play: its answers, boards, legality and the verdict.

A reader works on :class:`~qsage_validate.strategies.line.Line` values, many at a time, so that
one person's play and a thousand random plays in lock step are the same code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from qsage_validate.encodings.layout import Layout, MoveVariables
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.line import (
    Answer,
    BoardCode,
    BoardMove,
    BoardReading,
    Legality,
    Line,
    MoveCode,
    VerdictReading,
)


class RandomNumbers(Protocol):
    """Whatever draws numbers from 0 to 1, without 1."""

    def random(self) -> float:
        """The next number."""
        ...


class CertificateReader(ABC):
    """Reads plays of one certificate with the help of a layout."""

    def __init__(self, layout: Layout, player: Player, opponent: frozenset[int]) -> None:
        self.layout = layout
        self.player = player
        self.opponent = opponent
        self.moves = MoveCode(layout)
        self.squares = BoardCode(layout)

    @property
    def knows_legality(self) -> bool:
        """Whether :meth:`legality` has an answer at every ply of the opponent."""
        own = [move.ply for move in self.layout.moves if move.player is Player.WHITE]
        return all(self.layout.indicator(ply) is not None for ply in own)

    def start(self) -> Line:
        """The line before ply 1."""
        return Line()

    def variables(self, ply: int) -> MoveVariables:
        """The variables of ply ``ply`` (from 1)."""
        return self.layout.moves[ply - 1]

    def with_move(self, line: Line, move: BoardMove, *, stop: bool = False) -> Line:
        """The line after the opponent's ``move``; ``stop`` claims the goal."""
        variables = self.variables(line.plies + 1)
        values = self.moves.encode(variables, move)
        if variables.stop is not None:
            values[abs(variables.stop)] = stop != (variables.stop < 0)
        own = {v: value for v, value in values.items() if v in self.opponent}
        return Line(line.plies + 1, {**line.choice, **own}, line.reply)

    def with_answer(self, line: Line, answer: Answer) -> Line:
        """The line after the certificate's ply."""
        return Line(line.plies + 1, line.choice, {**line.reply, **answer.values})

    @abstractmethod
    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        """The certificate's ply after each line; all lines have the same number of plies."""

    @abstractmethod
    def boards(self, lines: Sequence[Line], wanted: Sequence[int] = ()) -> list[BoardReading]:
        """The board of each line, and the literals ``wanted`` on every square."""

    @abstractmethod
    def legality(
        self, lines: Sequence[Line], moves: Sequence[BoardMove]
    ) -> list[list[Legality] | None]:
        """What the formula says of each of the opponent's moves after each line.

        ``None`` for a line after which it says nothing, or nobody knows where to look.
        """

    @abstractmethod
    def verdicts(self, lines: Sequence[Line]) -> list[VerdictReading]:
        """The verdict of finished plays, for the rest of the variables whatever they are."""

    @abstractmethod
    def sample_verdicts(
        self, lines: Sequence[Line], generators: Sequence[RandomNumbers]
    ) -> list[VerdictReading]:
        """The verdict of each line for values of the rest that its generator draws.

        Much cheaper than :meth:`verdicts`, for many lines.
        """
