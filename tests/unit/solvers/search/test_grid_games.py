"""Grid games that are positional: the same game in both languages, and the same answers."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.positional_search import GridEngine, positional_model_of
from qsage_validate.solvers.search import SearchSolver, engine_for, search_for
from tests.support.minimax import minimax
from tests.support.wild_models import positional_models, wild_models


def grid_game(words: str) -> BddlGame:
    model = find_command(words.split())
    assert isinstance(model, Model)
    return BddlGame(model)


def same_everywhere(game: BddlGame) -> int:
    """Walk both games side by side, and count the positions."""
    other = PositionalGame(positional_model_of(game))
    assert game.plies >= other.plies
    seen = set()
    waiting = [(game.initial, other.initial)]
    while waiting:
        grid, sets = waiting.pop()
        assert grid.board.squares == sets.board.squares
        assert grid.ply == sets.ply
        ends = grid.outcome, sets.outcome
        assert (ends[0] is None) == (ends[1] is None), (grid, ends)
        if ends[0] is not None and ends[1] is not None:
            assert ends[0].winner is ends[1].winner
            continue
        assert grid.to_move is sets.to_move
        by_square = {
            square: move
            for move in sets.legal_moves()
            if (square := other.square_of(str(move))) is not None
        }
        moves = grid.legal_moves()
        assert {(m.x, m.y) for m in moves} == set(by_square)
        for move in moves:
            after = grid.play(move)
            if after not in seen:
                seen.add(after)
                waiting.append((after, sets.play(by_square[move.x, move.y])))
    return len(seen)


@pytest.mark.parametrize(
    ("words", "positions"),
    [
        ("httt --size 3x3 --shape el", 2_000),
        ("httt --size 3x3 --shape tic", 2_000),
        ("httt --size 2x4 --shape tippy --second --depth 8", 500),
        ("httt --size 3x3 --shape domino --maker-breaker", 500),
        ("hex --size 3x3", 1_000),
        ("hex --size 2x4 --second --depth 9", 500),
    ],
)
def test_both_games_are_one(words: str, positions: int) -> None:
    game = grid_game(words)
    assert isinstance(engine_for(game), GridEngine)
    assert same_everywhere(game) > positions


@settings(max_examples=60, deadline=None)
@given(positional_models(most_squares=6), st.randoms(use_true_random=False))
def test_answers_are_those_of_minimax(model: Model, random: Random) -> None:
    """Of the game, and of each position of a random play, with its best moves."""
    game = BddlGame(model)
    engine = engine_for(game)
    solver, general = SearchSolver(game, engine), SearchSolver(game)
    solved, expected = solver.solve(), general.solve()
    assert solved.winner is minimax(game)
    assert solved.critical_plies == expected.critical_plies
    if engine is None:
        return
    with contextlib.suppress(UsageError):  # where White loses on the full board
        same_everywhere(game)
    position = game.initial
    while position.outcome is None:
        assert solver.winner(position) is general.winner(position)
        assert solver.critical_plies(position) == general.critical_plies(position)
        best = solver.best_move(position)
        wins = general.winner(position) is position.to_move
        assert (best is not None) == wins
        if best is not None:
            assert general.winner(position.play(best)) is position.to_move
        for plies in (1, 3, 6, 7, 8):
            state, player = position.state, position.to_move
            one = engine.search(state, player, plies)
            assert (one == 1) == (general.engine.search(state, player, plies) == 1)
        position = position.play(random.choice(position.legal_moves()))


@settings(max_examples=30, deadline=None)
@given(positional_models(most_squares=6))
def test_never_is_said_of_any_number_of_plies(model: Model) -> None:
    """Also where the board is full, and White cannot move."""
    game = BddlGame(model)
    solved = search_for(game).solve()
    if solved.never:
        for more in range(1, 4):
            longer = replace(model.problem, depth=model.problem.depth + more)
            assert minimax(BddlGame(replace(model, problem=longer))) is Player.WHITE


@given(wild_models(max_side=2))
def test_other_games_are_refused(model: Model) -> None:
    game = BddlGame(model)
    if engine_for(game) is None:
        with pytest.raises(UsageError):
            positional_model_of(game)
    else:
        assert search_for(game).solve().winner is minimax(game)


def test_white_who_loses_on_the_full_board_is_not_overlooked() -> None:
    """A positional game is White's when the board is full; this one is not."""
    game = grid_game("httt --size 3x3 --shape tic --depth 10")
    with pytest.raises(UsageError, match="White cannot move on the full board"):
        positional_model_of(game)
    assert search_for(game).solve().critical_plies == 10
    nine = grid_game("httt --size 3x3 --shape tic --depth 9")
    solved = search_for(nine).solve()
    assert (solved.winner, solved.never) == (Player.WHITE, False)


@pytest.mark.parametrize("words", ["connect-c --size 3x3 --connect 3", "domineering --size 3x3"])
def test_games_with_other_moves_have_the_general_search(words: str) -> None:
    assert engine_for(grid_game(words)) is None


def test_a_board_beyond_the_general_search_is_decided() -> None:
    """Undecided after a minute by the general search: 5 by 5 with the straight line of four."""
    solved = search_for(grid_game("httt --size 5x5 --shape skinny --depth 25")).solve()
    assert solved.winner is Player.WHITE
    assert solved.nodes < 2_000
