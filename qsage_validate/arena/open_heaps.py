"""Plays with heaps, apart from the others: only they need what was synthesised."""

from __future__ import annotations

from qsage_validate.arena.engines.heaps import HeapEngine
from qsage_validate.games.impartial.heap_game import HeapGame
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.protocol import Player
from qsage_validate.problems.heaps import HeapProblem
from qsage_validate.validation.heap_referee import HeapReferee


def open_heaps(problem: HeapProblem, start: State, first: Player) -> HeapEngine:
    """Plays from ``start`` on; ``first`` begins."""
    game = HeapGame(problem.rules, start, first)
    title = f"{game.name}: rules for Black"
    return HeapEngine(game, HeapReferee(problem.strategy), title, problem.notes(game))
