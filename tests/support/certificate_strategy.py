"""A certificate as a strategy: history in, move out."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.errors import Exit, QsageError
from qsage_validate.games.protocol import Move, Player, TwoPlayerGame
from qsage_validate.strategies.reader import Assignment, CertificateReader, LayoutMove


class NoMoveError(QsageError):
    """The certificate's reply names no move of the game."""

    exit_code = Exit.REFUTED


class CertificateStrategy:
    """Answers the opponent (``player``, ``reply``) with a certificate.

    Moves are those of ``game`` where it is known, else the layout's (``LayoutMove``).
    """

    def __init__(self, reader: CertificateReader, game: TwoPlayerGame | None = None) -> None:
        self._reader = reader
        self._game = game

    @property
    def player(self) -> Player:
        """The player for whom the certificate answers."""
        return self._reader.player

    def reply(self, history: Sequence[Move]) -> Move:
        """The certificate's move after ``history``, its own moves in it being its own answers.

        Raises ``NoMoveError`` when the reply names no move, ``NoAnswerError`` when there is
        none (clause certificates), and ``ValueError`` when it is not the certificate's turn.
        """
        reader = self._reader
        assignment = reader.start()
        for move in history:
            if reader.variables(assignment.plies + 1).player is self.player:
                assignment = self._answered(assignment)[1]
            else:
                assignment = reader.with_move(assignment, self._said(assignment.plies + 1, move))
        if assignment.plies >= reader.layout.plies:
            raise ValueError("all plies are played")
        if reader.variables(assignment.plies + 1).player is not self.player:
            raise ValueError(f"it is the turn of {self.player.other}")
        move = self._answered(assignment)[0]
        return move if self._game is None else self._game.parse_move(str(move), self.player)

    def _said(self, ply: int, move: Move) -> LayoutMove:
        """A game's move for the layout."""
        found = self._reader.code.find(ply, str(move))
        if found is None:
            raise ValueError(f"ply {ply} cannot say {move}")
        return found

    def _answered(self, assignment: Assignment) -> tuple[LayoutMove, Assignment]:
        (answer,) = self._reader.answers([assignment])
        if answer.move is None:
            raise NoMoveError(
                f"the reply at ply {assignment.plies + 1} is no move: {answer.problem}"
            )
        return answer.move, self._reader.with_answer(assignment, answer)
