"""Plays against a solution file: its replies answer."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.errors import InputError
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.solutions.check import Lookup
from qsage_validate.solvers.search.solution import SearchReply
from qsage_validate.system.progress import Task

if TYPE_CHECKING:
    from qsage_validate.solutions.file import SolutionClaim


class SolutionReplies:
    """The replies of a solution in the positions of plays; nothing is searched."""

    def __init__(self, solution: SolutionClaim) -> None:
        self.solution = solution
        self.game: TwoPlayerGame = solution.game
        self.task = Task()
        self._lookup = Lookup(solution)

    def reply(self, position: Position) -> SearchReply:
        """The winner's reply; its plies are those that are left, where the winner is Black.

        Raises ``NoAnswerError`` where the solution has no legal reply.
        """
        winner = self.solution.winner
        try:
            move = self._lookup.reply(position)
        except InputError as error:
            raise NoAnswerError(str(error)) from None
        left = self.game.plies - position.ply + 1
        return SearchReply(move, winner, left if winner is Player.BLACK else None)


@dataclass(frozen=True)
class SolutionProblem:
    """The game of a solution; the winner plays its replies."""

    answers: ClassVar[str] = "solution file"
    hints: ClassVar[bool] = False

    replies: SolutionReplies
    promised: bool = True

    @property
    def game(self) -> TwoPlayerGame:
        return self.replies.game

    @property
    def player(self) -> Player:
        """The winner, who is played by the solution."""
        return self.replies.solution.winner

    @property
    def title(self) -> str:
        """The name of the game, and the side that the solution plays."""
        return f"{self.game.name}: the solution file plays {self.player}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts worth telling at the start of a play."""
        solution, top = self.replies.solution, self.game.initial.board.top
        proof = f"qsage validate --solution {shlex.quote(str(solution.path))} proves it"
        sides = f"{top} connects top and bottom, {top.other} left and right" if top else ""
        said = f"{solution.claim}, says {solution.path}: {proof}"
        return tuple(filter(None, (said, sides)))

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the person's."""
        between = "; " if any(" " in move for move in moves) else " "
        path = str(self.replies.solution.path)
        return shlex.join(["qsage-play", "--solution", path, "--moves", between.join(moves)])
