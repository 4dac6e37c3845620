"""The walk through a solution: what it proves holds, what breaks it is refuted with the play."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import UndecidedError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.solutions.check import GridRules, check, rules_for
from qsage_validate.solutions.walk import (
    LayerRules,
    PlainRules,
    SolutionClaim,
    Walked,
    as_bytes,
    walk,
)
from qsage_validate.solvers.search_solution import find_solution
from qsage_validate.system.limits import Deadline
from tests.support.minimax import minimax
from tests.support.wild_models import filling_models, moving_models, positional_models, wild_models

B, W = Player.BLACK, Player.WHITE

GAMES = [
    "domineering --size 4x4 --depth 8",
    "domineering --size 3x3 --depth 9",
    "httt --size 3x3 --shape el --depth 5",
    "httt --size 3x3 --shape tic --depth 9",
    "connect-c --size 3x3 --connect 3 --depth 9",
    "breakthrough --size 2x4 --depth 13",
    "breakthrough --size 2x5 --depth 17 --second",
    "hex --size 3x3",
    "harary --size 3x3 --shape el --depth 5",
    "harary --size 3x3 --shape tic --depth 5 --stones 2",
    "hex-network --size 3x3",
    "trails --depth 3",
]


def solution_of(words: str) -> SolutionClaim:
    return find_solution(find_command(words.split()))


def breaks(game: TwoPlayerGame, winner: Player, walked: Walked) -> bool:
    """True if the play of a refutation breaks the claim, as positions of the game have it."""
    assert walked.refuted is not None
    position: Position = game.initial
    for text in walked.refuted.moves:
        position = position.play(game.parse_move(text, position.to_move))
    if position.outcome is not None:
        return position.outcome.winner is not winner
    return position.to_move is winner and (
        "no reply" in walked.refuted.reason or "illegal" in walked.refuted.reason
    )


@pytest.mark.parametrize("words", GAMES)
def test_what_a_search_finds_is_proved(words: str) -> None:
    solution = solution_of(words)
    checked = check(solution)
    assert checked.proved, checked.text
    assert solution.winner is minimax(solution.game)
    assert checked.walked.replies == solution.positions
    assert checked.walked.longest <= solution.game.plies
    assert "proved by exhaustive walk" in checked.text


@pytest.mark.parametrize("words", GAMES)
def test_a_reply_less_and_every_other_reply(words: str) -> None:
    """A claim without a reply, or with an illegal one, is refuted; with another one it may hold."""
    solution = solution_of(words)
    game, draw = solution.game, random.Random(1)
    for _ in range(12):
        ply = draw.choice(sorted(solution.replies))
        position = draw.choice(sorted(solution.replies[ply]))
        left = {k: v for k, v in solution.replies[ply].items() if k != position}
        less = replace(solution, replies={**solution.replies, ply: left})
        checked = check(less)
        assert not checked.proved
        assert "no reply" in checked.text
        assert breaks(game, solution.winner, checked.walked)
        other = str(draw.choice(game.moves(solution.winner)))
        changed = {**solution.replies[ply], position: other}
        checked = check(replace(solution, replies={**solution.replies, ply: changed}))
        assert checked.proved or breaks(game, solution.winner, checked.walked), checked.text


@pytest.mark.parametrize("words", GAMES)
def test_nobody_proves_that_the_loser_wins(words: str) -> None:
    solution = solution_of(words)
    loser = solution.winner.other
    rules: Any = rules_for(solution.game)

    def replies(ply: int, layer: Any) -> Any:
        count = len(layer)
        positions = [rules.position(layer, index, ply) for index in range(count)]
        return rules.chosen([position.legal_moves()[-1] for position in positions], loser)

    walked = walk(rules, loser, replies)
    assert breaks(solution.game, loser, walked)


def drawn(rules: LayerRules[Any, Any], winner: Player, seed: int) -> Callable[[int, Any], Any]:
    """Replies that are drawn by the position, whatever the rules are executed on."""

    def choose(position: Position) -> Move:
        moves: Sequence[Move] = position.legal_moves()
        return random.Random(f"{seed} {position}").choice(moves)

    def replies(ply: int, layer: Any) -> Any:
        positions = [rules.position(layer, index, ply) for index in range(len(layer))]
        return rules.chosen([choose(position) for position in positions], winner)

    return replies


@settings(max_examples=200, deadline=None)
@given(
    filling_models(with_goals=False)
    | filling_models(with_goals=True)
    | moving_models()
    | positional_models(most_squares=5)
    | wild_models(max_side=2),
    st.sampled_from(Player),
    st.integers(0, 9),
)
def test_arrays_and_positions_walk_the_same_way(model: Model, winner: Player, seed: int) -> None:
    game = BddlGame(model.at_plies(min(model.problem.plies, 6)))
    by_positions: Any = PlainRules(game)
    by_arrays: Any = GridRules(game, symmetric=False)
    found = [walk(rules, winner, drawn(rules, winner, seed)) for rules in (by_positions, by_arrays)]
    assert (found[0].refuted is None) is (found[1].refuted is None)
    if found[0].refuted is None:
        assert found[0] == found[1]
        assert minimax(game) is winner
    else:
        assert all(breaks(game, winner, each) for each in found)


@settings(max_examples=100, deadline=None)
@given(
    filling_models(with_goals=False)
    | filling_models(with_goals=True)
    | positional_models(most_squares=5)
    | wild_models(max_side=2)
)
def test_solutions_of_random_games_are_proved(model: Model) -> None:
    """Symmetric positions share a reply, and every symmetry that is taken holds."""
    limited = model.at_plies(min(model.problem.plies, 6))
    solution = find_solution(limited)
    checked = check(solution)
    assert checked.proved, checked.text
    assert solution.winner is minimax(load_game(limited))


def test_a_game_that_is_not_symmetric_has_no_symmetries() -> None:
    """Domineering keeps its actions under reflections, and not under a quarter turn."""
    assert "up to 3 symmetries" in check(solution_of("domineering --size 4x4 --depth 8")).hypotheses
    assert "up to 7 symmetries" in check(solution_of(GAMES[2])).hypotheses
    assert "up to 1 symmetry" in check(solution_of("breakthrough --size 2x4")).hypotheses


def test_a_board_of_more_squares_than_bits() -> None:
    """It is walked through position by position."""
    solution = solution_of("httt --size 9x9 --shape domino --depth 3")
    checked = check(solution)
    assert checked.proved
    assert "position by position" in checked.hypotheses


def test_limits() -> None:
    with pytest.raises(UndecidedError, match="time is up"):
        check(solution_of(GAMES[0]), deadline=Deadline.after(0))


def test_equal_solutions_have_equal_bytes() -> None:
    assert as_bytes(solution_of(GAMES[0])) == as_bytes(solution_of(GAMES[0]))
