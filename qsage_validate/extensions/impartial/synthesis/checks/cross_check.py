"""Compares a synthesised answer with backward induction, and with a search, state by state.

This shares nothing with the proofs: no SMT solver, no substitution, no arrays; the formula is
evaluated as it stands, and the moves are those of the rules.  The search
(:mod:`qsage_validate.solvers.search.solver`) is that of all other games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.formula import ImpartialFormula
from qsage_validate.extensions.impartial.heap_game import HeapGame, HeapPosition
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rules import EndlessGameError, ImpartialRules, reach
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialStrategy
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search.bounds import MAX_PLIES
from qsage_validate.solvers.search.solver import SearchSolver
from qsage_validate.system.limits import Deadline, Limits


@dataclass(frozen=True)
class CrossCheck:
    """The result of a comparison: the number of states compared, and the first that disagrees.

    ``complete`` says whether all requested states were compared.  States from which plays are
    endless or too many are left out.
    """

    states: int
    complete: bool
    mistake: State | None = None
    reason: str = ""

    @property
    def agrees(self) -> bool:
        return self.mistake is None


def cross_check(
    rules: ImpartialRules,
    formula: ImpartialFormula,
    strategy: ImpartialStrategy | None,
    states: Sequence[State],
    deadline: Deadline,
) -> CrossCheck:
    """Compare a formula, and a strategy if there is one, with the rules on legal ``states``."""
    game = rules.game
    done, complete = 0, True
    rules.deadline = deadline
    for state in states:
        try:
            deadline.check("states were compared")
            winning = rules.winning(state)
        except EndlessGameError:
            complete = False
            continue
        except UndecidedError:
            return CrossCheck(done, complete=False)
        done += 1
        if formula.holds(game.state(state)) != winning:
            said = "winning" if not winning else "losing"
            return CrossCheck(done, True, state, f"it is said to be {said}, but is not")
        if strategy is None:
            continue
        reason = _mistake(rules, strategy, state, winning)
        if reason:
            return CrossCheck(done, True, state, reason)
    return CrossCheck(done, complete)


def _mistake(
    rules: ImpartialRules, strategy: ImpartialStrategy, state: State, winning: bool
) -> str:
    """The mistake of the strategy in ``state``, in words; empty when there is none."""
    fired = strategy.fires(rules.game, state)
    if fired is None:
        to_move = winning and any(True for _ in rules.moves(state))
        return "no rule fires in a winning state" if to_move else ""
    if not winning:
        return f"rule {fired[0] + 1} fires in a losing state"
    move = fired[1]
    if not rules.allows(state, move):
        return f"{move} of rule {fired[0] + 1} is not legal"
    if rules.winning(move.after):
        return f"{move} of rule {fired[0] + 1} leads to a winning state"
    return ""


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
    solver = SearchSolver(game, limits=Limits(deadline))
    for done, (state, winning) in enumerate(asked):
        try:
            deadline.check("states were searched")
            winner = solver.winner(HeapPosition(game, state, Player.BLACK, 1))
        except UndecidedError:
            return done, None
        if (winner is Player.BLACK) != winning:
            return done + 1, state
    return len(asked), None
