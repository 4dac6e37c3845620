"""What a search answers with: replies in a play, and whole solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.kernel import kernel_of
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solutions.check import rules_for
from qsage_validate.solutions.walk import SolutionClaim, walk
from qsage_validate.solvers.search import SearchSolver, search_for
from qsage_validate.solvers.search_engine import SearchEngine
from qsage_validate.system.limits import Limits, Tell, nobody
from qsage_validate.system.task import Task

# Replies of a search: winning moves, else the moves that delay the loss longest


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchReply:
    """A move of the player to move; ``plies`` are the fewest in which Black wins, or ``None``.

    ``why`` says where the move comes from, if it is known: then Black is the one who wins by it.
    """

    move: Move
    player: Player
    plies: int | None
    why: str = ""

    @property
    def winner(self) -> Player:
        return Player.WHITE if self.plies is None and not self.why else Player.BLACK


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


# Solutions from a search: the winner's reply in each position that the winner meets


def solution_of(model: GameModel, solver: SearchSolver, winner: Player) -> SolutionClaim:
    """The solution of a model that ``solver`` has found ``winner`` to win.

    Raises ``UndecidedError`` when a limit of the solver's is reached.
    """
    replies: dict[int, dict[str, str]] = {}
    rules = rules_for(solver.game)

    def known(ply: int, layer: Any) -> list[Move | None]:
        planes, many = rules.planes(layer), solver.engine.many
        if planes is None or many is None:
            return [None] * len(layer)
        numbers = many(*planes, winner, solver.game.plies - ply + 1)
        moves = {n: solver.engine.kernel.move(n, winner) for n in set(numbers) if n >= 0}
        return [moves.get(number) for number in numbers]

    def reply(ply: int, layer: Any) -> Any:
        moves = known(ply, layer)
        for index, move in enumerate(moves):
            if move is None:
                moves[index] = solver.keeping_move(rules.position(layer, index, ply))
        replies[ply] = dict(zip(rules.texts(layer, ply), map(str, moves), strict=True))
        return rules.chosen(moves, winner)

    walked = walk(rules, winner, reply, deadline=solver.limits.deadline, tell=solver.tell)
    if walked.refuted is not None:
        play = " ".join(walked.refuted.moves)
        raise AssertionError(f"the search's replies fail: {walked.refuted.reason}: {play}")
    return SolutionClaim(model, winner, replies)


def find_solution(
    model: GameModel,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
    *,
    known: SearchSolver | None = None,
) -> SolutionClaim:
    """Search a model at its depth, and make the winner's solution.

    ``known`` has searched the same game at another depth: its table is used where its states are
    those of all depths.  Raises ``UndecidedError`` when a limit is reached.
    """
    game = load_game(model)
    if known is not None and _knows(known.engine, game):
        solver = SearchSolver(game, known.engine, limits=limits, tell=tell)
    else:
        solver = search_for(game, limits=limits, tell=tell)
    result = solver.solve(winner_only=True)
    if result.winner is None:
        raise UndecidedError(result.reason)
    return solution_of(model, solver, result.winner)


def _knows(engine: SearchEngine, game: TwoPlayerGame) -> bool:
    """True if the engine takes positions of a game that may have another depth than its own."""
    if kernel_of(game) is None:
        return False  # the positions themselves are the states
    try:
        engine.kernel.state(game.initial)
    except UsageError:
        return False
    return True
