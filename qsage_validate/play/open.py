"""A person's play of a problem."""

from __future__ import annotations

from qsage_validate.arena.names import Names
from qsage_validate.arena.open import conductor_with_names
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.games.impartial.heap_game import HeapGame
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.protocol import Player
from qsage_validate.play.block_match import BlockMatch
from qsage_validate.play.board_match import BoardMatch
from qsage_validate.play.heap_match import HeapMatch
from qsage_validate.play.match import Match
from qsage_validate.problems.heaps import HeapProblem
from qsage_validate.problems.load import Problem
from qsage_validate.validation.heap_referee import HeapReferee


def open_match(problem: Problem) -> Match:
    """A play against the problem's certificate."""
    oracle = problem.oracle(OracleKind.SAT)
    if problem.layout is None:
        assert problem.formula is not None, "without a layout there is a formula"
        return BlockMatch(problem.formula, problem.answering, oracle, problem.title, problem.notes)
    names = Names(problem.layout, problem.formula)
    conductor = conductor_with_names(problem, problem.layout, oracle, names, names.at_ply)
    return BoardMatch(conductor, names, problem.title, problem.notes)


def open_heap_match(problem: HeapProblem, start: State, first: Player | None = None) -> HeapMatch:
    """A play from ``start``; ``first`` begins, or else the side that lets the strategy win."""
    game = HeapGame(problem.rules, start, first or problem.begins(start))
    title = f"{game.name}: rules for Black"
    return HeapMatch(game, HeapReferee(problem.strategy), title, problem.notes(game))
