"""What a search finds out, asked move by move: all winning moves, and the winner's replies."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solvers.search import SearchResult, SearchSolver
from qsage_validate.system.limits import Limits


def solve(game: TwoPlayerGame, *, limits: Limits | None = None) -> SearchResult:
    """Who wins ``game`` within its plies, by the general search."""
    return SearchSolver(game, limits=limits or Limits()).solve()


def winning_moves(solver: SearchSolver, position: Position) -> list[Move]:
    """All moves after which the player to move still wins, in the order of the rules."""
    player = position.to_move
    moves = position.legal_moves()
    return [move for move in moves if solver.winner(position.play(move)) is player]


def winning_first_moves(game: TwoPlayerGame) -> tuple[Move, ...]:
    """All winning first moves, where the winner begins."""
    return SearchSolver(game).solve(all_first_moves=True).first_moves


class WinningStrategy:
    """What the winner of a game plays, from the table of the search that found it."""

    def __init__(self, solver: SearchSolver, player: Player) -> None:
        self.solver = solver
        self.player = player

    def is_win(self, position: Position) -> bool:
        """Whether the strategy's player wins from ``position``, ended or not."""
        return self.solver.winner(position) is self.player

    def winning_moves(self, position: Position) -> list[Move]:
        """All winning moves of the strategy's player, who is to move."""
        self._check_turn(position)
        return winning_moves(self.solver, position)

    def reply(self, history: Sequence[Move]) -> Move:
        """The move after ``history``: Black's is on a shortest way to the win."""
        position = self.solver.game.initial
        for move in history:
            position = position.play(move)
        self._check_turn(position)
        move = self.solver.best_move(position)
        if move is None:
            raise UsageError(f"{self.player} does not win in {position}")
        return move

    def _check_turn(self, position: Position) -> None:
        if position.outcome is not None:
            raise UsageError(f"the play has ended: {position}")
        if position.to_move is not self.player:
            raise UsageError(f"{position.to_move} is to move, expected {self.player}")


def winning_strategy(game: TwoPlayerGame, *, limits: Limits | None = None) -> WinningStrategy:
    """The strategy of whoever wins ``game``; raises ``UndecidedError`` at a limit."""
    solver = SearchSolver(game, limits=limits or Limits())
    result = solver.solve()
    if result.winner is None:
        raise UndecidedError(result.reason)
    return WinningStrategy(solver, result.winner)
