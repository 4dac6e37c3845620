"""Solutions from a search: the winner's reply in each position that the winner meets."""

from __future__ import annotations

from typing import Any

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Move, Player, TwoPlayerGame
from qsage_validate.solutions.check import rules_for
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.solutions.walk import walk
from qsage_validate.solvers.search.search_engine import SearchEngine
from qsage_validate.solvers.search.solver import SearchSolver, search_for
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Tell, nobody


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
    if game.kernel() is None:
        return False  # the positions themselves are the states
    try:
        engine.kernel.state(game.initial)
    except UsageError:
        return False
    return True
