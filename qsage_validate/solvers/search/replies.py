"""Replies of a search: winning moves, else the moves that delay the loss longest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solvers.search.solver import search_for
from qsage_validate.system.limits import Limits
from qsage_validate.system.task import Task

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchReply:
    """A move of the player to move; ``plies`` are the fewest in which Black wins, or ``None``."""

    move: Move
    player: Player
    plies: int | None

    @property
    def winner(self) -> Player:
        return Player.WHITE if self.plies is None else Player.BLACK


class SearchReplies:
    """Replies in the positions of one game, each within ``seconds``; all are kept.

    The winner plays a winning move, Black on a shortest way.  A losing White plays the move that
    holds out longest; a losing Black plays the move to which White has the fewest winning answers.
    ``task`` is told how far the search is; where it is called off, ``CancelledError`` is raised,
    and ``UndecidedError`` where the time is over.
    """

    def __init__(self, game: TwoPlayerGame, seconds: float | None = None) -> None:
        self.game = game
        self.task = Task()
        self._seconds = seconds
        self._solver = search_for(game, tell=self.task.tell)
        self._kept: dict[Position, SearchReply] = {}

    def winner(self) -> Player:
        plies = self._asked(lambda: self._solver.critical_plies(self.game.initial))
        return Player.WHITE if plies is None else Player.BLACK

    def reply(self, position: Position) -> SearchReply:
        """The reply of the player to move in a position of a play that goes on."""
        if position not in self._kept:
            self._kept[position] = self._asked(lambda: self._reply(position))
        return self._kept[position]

    def _asked(self, question: Callable[[], T]) -> T:
        deadline = self.task.deadline(self._seconds)
        self._solver.limits = Limits(deadline)
        try:
            return question()
        except UndecidedError:
            deadline.check_called_off()
            raise

    def _reply(self, position: Position) -> SearchReply:
        player = position.to_move
        plies = self._solver.critical_plies(position)
        move = self._solver.best_move(position)
        if move is None:
            moves = position.legal_moves()
            move = max(moves, key=lambda one: self._resistance(position.play(one), player))
        return SearchReply(move, player, plies)

    def _resistance(self, after: Position, player: Player) -> int:
        """The resistance of a loser's move that leads to ``after``: greater is harder to beat."""
        if player is Player.WHITE:
            return self._solver.critical_plies(after) or 0
        if after.outcome is not None:
            return -len(self.game.moves(Player.WHITE)) - 1
        answers = (self._solver.critical_plies(after.play(move)) for move in after.legal_moves())
        return -sum(plies is None for plies in answers)
