"""What a certificate says about a play: its answers, boards, legality and the verdict.

A reader works on :class:`~qsage_validate.strategies.readings.Line` values, many at a time, so that
one person's play and a thousand random plays in lock step are the same code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Protocol

from qsage_validate.certificates.oracles.oracle import Oracle
from qsage_validate.encodings.layout.grid import MoveVariables
from qsage_validate.encodings.layout.tables import AnyLayout, MoveTable
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.readings import (
    Answer,
    BoardReading,
    LayoutMove,
    Legality,
    Line,
    PlyCode,
    SquareXY,
    VerdictReading,
)
from qsage_validate.strategies.values import ask


class RandomNumbers(Protocol):
    """Whatever draws numbers from 0 to 1, without 1."""

    def random(self) -> float:
        """The next number."""
        ...


class CertificateReader(ABC):
    """Reads plays of one certificate with the help of a layout."""

    def __init__(self, layout: AnyLayout, player: Player, oracle: Oracle, code: PlyCode) -> None:
        self.layout = layout
        self.player = player
        self.oracle = oracle
        self.opponent = frozenset(oracle.opponent)
        self.code = code

    @property
    @abstractmethod
    def knows_legality(self) -> bool:
        """Whether :meth:`legality` has an answer at every ply of the opponent."""

    @property
    @abstractmethod
    def places(self) -> tuple[SquareXY, ...]:
        """The squares on which a reading has the values of literals; none for one value."""

    def start(self) -> Line:
        """The line before ply 1."""
        return Line()

    def variables(self, ply: int) -> MoveVariables | MoveTable:
        """The variables of ply ``ply`` (from 1)."""
        return self.layout.moves[ply - 1]

    def with_move(self, line: Line, move: LayoutMove, *, stop: bool = False) -> Line:
        """The line after the opponent's ``move``; ``stop`` claims the goal."""
        variables = self.variables(line.plies + 1)
        values = self.code.encode(line.plies + 1, move)
        if variables.stop is not None:
            values[abs(variables.stop)] = stop != (variables.stop < 0)
        own = {v: value for v, value in values.items() if v in self.opponent}
        return Line(line.plies + 1, {**line.choice, **own}, line.reply)

    @property
    def reads_atoms(self) -> bool:
        """Whether the certificate reads what the opponent says of the position."""
        return False

    def with_atoms(self, line: Line, true: Collection[str]) -> Line:
        """The line in which the opponent says of the position what holds in it."""
        return line

    def with_answer(self, line: Line, answer: Answer) -> Line:
        """The line after the certificate's ply."""
        return Line(line.plies + 1, line.choice, {**line.reply, **answer.values})

    def answers(self, lines: Sequence[Line]) -> list[Answer]:
        """The certificate's ply after each line; all lines have the same number of plies."""
        if not lines:
            return []
        ply = lines[0].plies + 1
        variables = self.variables(ply)
        wanted = [abs(v) for v in variables.variables]
        wanted += [] if variables.stop is None else [abs(variables.stop)]
        rows = ask(self.oracle, [line.choice for line in lines], wanted)
        return [self.code.decode(ply, dict(zip(wanted, row, strict=True))) for row in rows.tolist()]

    @abstractmethod
    def boards(self, lines: Sequence[Line], wanted: Sequence[int] = ()) -> list[BoardReading]:
        """The board of each line, and the literals ``wanted`` on every square."""

    @abstractmethod
    def legality(
        self, lines: Sequence[Line], moves: Sequence[LayoutMove]
    ) -> list[list[Legality | None] | None]:
        """What the formula says of each of the opponent's moves after each line.

        ``None`` for a line after which it says nothing, or nobody knows where to look; and for
        single moves of which it says nothing.
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
