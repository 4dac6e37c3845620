"""Shortest wins by trying every play on the executable rules, to hold the searches against."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solvers.search import SearchSolver

BLACK, WHITE = Player.BLACK, Player.WHITE


class Quickest:
    """Black's shortest wins in one game.

    A player without a legal move has lost.  On a grid that is seen at the ply that cannot be made,
    which is one ply more; with heaps it is seen after the last move, but in misère play, where the
    player has won, at that player's ply.  In GDL a win is claimed at a ply of its own.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
        self._language = game.language
        self._known: dict[tuple[int, Position], int | None] = {}

    def plies(self, position: Position) -> int | None:
        """In how few plies Black wins, of those that are left; ``None``: in none."""
        outcome = position.outcome
        if outcome is not None:
            if outcome.winner is WHITE:
                return None
            if self._language == "impartial":
                return int(position.to_move is BLACK)
            return int(outcome.stuck if self._language == "bddl" else self._language == "gdl")
        key = position.ply, position
        if key not in self._known:
            after = [self.plies(position.play(move)) for move in position.legal_moves()]
            self._known[key] = self._best(after, position.to_move)
        return self._known[key]

    @staticmethod
    def _best(after: list[int | None], mover: Player) -> int | None:
        wins = [plies for plies in after if plies is not None]
        if mover is BLACK:
            return 1 + min(wins) if wins else None
        return 1 + max(wins) if len(wins) == len(after) else None

    def winning(self, position: Position) -> list[Move]:
        """The moves after which the player to move still wins."""
        black = position.to_move is BLACK
        return [
            move
            for move in position.legal_moves()
            if (self.plies(position.play(move)) is not None) is black
        ]


def check_search(
    game: TwoPlayerGame, solvers: Iterable[SearchSolver], random: Random, positions: int = 4
) -> None:
    """Winner, critical depth and first moves of each search, and its moves in some positions."""
    own = Quickest(game)
    start = game.initial
    expected = own.plies(start)
    for solver in solvers:
        solved = solver.solve(all_first_moves=True)
        assert (solved.winner is BLACK) == (expected is not None), (solved, expected)
        assert solved.critical_plies == expected
        mine = solved.winner is start.to_move and start.outcome is None
        assert list(solved.first_moves) == (own.winning(start) if mine else [])
        _check_moves(own, solver, start)
        for _ in range(positions):
            position = start
            while position.outcome is None and random.random() < 0.85:
                position = position.play(random.choice(position.legal_moves()))
            if position.outcome is None:
                _check_moves(own, solver, position)


def _check_moves(own: Quickest, solver: SearchSolver, position: Position) -> None:
    if position.outcome is not None:
        return
    player, within = position.to_move, own.plies(position)
    assert solver.critical_plies(position) == within
    best = solver.best_move(position)
    if (within is not None) is not (player is BLACK):
        assert best is None
        return
    assert best is not None
    after = own.plies(position.play(best))
    if within is not None:
        assert after == within - 1, f"{best} in {position}: {after}, not {within - 1}"
    else:
        assert after is None
    assert solver.keeping_move(position) in own.winning(position)
