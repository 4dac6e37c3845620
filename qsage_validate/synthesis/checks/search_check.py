"""Compares a winning formula with a search on finite instances of the game.

The search (:mod:`qsage_validate.solvers.search.solver`) is that of all other games.  It knows moves
and their ends only: no labels, no SMT solver, no formula.
"""

from __future__ import annotations

from collections.abc import Iterable

from qsage_validate.errors import UndecidedError
from qsage_validate.games.impartial.heap_game import HeapGame, HeapPosition
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.impartial.rules import EndlessGameError, ImpartialRules, reach
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search.bounds import MAX_PLIES
from qsage_validate.solvers.search.solver import Solver
from qsage_validate.system.limits import Deadline, Limits


def search_check(
    rules: ImpartialRules, said: Iterable[tuple[State, bool]], deadline: Deadline
) -> tuple[int, State | None]:
    """Compare who is ``said`` to win (the player to move: true) with a search of each state.

    Returns how many were compared, and the first that disagrees; stops when the time is over.
    States from which plays are too long, too many, or need not end, are left out.
    """
    asked: list[tuple[State, bool]] = []
    plies = 0
    for state, winning in said:
        try:
            found = None if deadline.over else reach(rules, state)
        except EndlessGameError:
            continue
        # One ply more than there are moves: in misère play the end itself is a win to be seen.
        if found is not None and found.longest < MAX_PLIES:
            asked.append((state, winning))
            plies = max(plies, found.longest + 1)
    if not asked:
        return 0, None
    game = HeapGame(rules, asked[-1][0], plies=plies)
    # One search for all states: they share its table.
    solver = Solver(game, limits=Limits(deadline))
    for done, (state, winning) in enumerate(asked):
        try:
            deadline.check("states were searched")
            winner = solver.winner(HeapPosition(game, state, Player.BLACK, 1))
        except UndecidedError:
            return done, None
        if (winner is Player.BLACK) != winning:
            return done + 1, state
    return len(asked), None
