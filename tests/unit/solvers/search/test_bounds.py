"""Bounds read off the rules, held against the exact values of all positions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from qsage_validate.games.bddl.bounds import GroundBounds, Packing, RaceBound
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.kernel import ALWAYS
from qsage_validate.games.protocol import BoardPicture, Player, Square
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.general_search import Bounds
from qsage_validate.solvers.search import SearchSolver
from tests.support.exact import TooManyError, exact_plies, wins_at_once
from tests.support.minimax import minimax
from tests.support.wild_models import (
    filling_models,
    moving_models,
    positional_models,
    wild_models,
)

pytestmark = pytest.mark.slow


def model_of(words: str) -> Model:
    model = find_command(words.split())
    assert isinstance(model, Model)
    return model


def bounds_of(grounding: Grounding) -> GroundBounds | None:
    return Packing.of(grounding) or RaceBound.of(grounding)


def compare(model: Model, most: int = 4000) -> Counter[str]:
    """Hold the bounds of all positions against what is so; count what they say."""
    grounding = Grounding(model)
    bounds = bounds_of(grounding)
    said: Counter[str] = Counter()
    if bounds is None:
        return said
    width, height = model.problem.width, model.problem.height
    for (squares, player), plies in exact_plies(model, most).items():
        if wins_at_once(model, squares, player):
            continue
        state = grounding.state_of(BoardPicture(width, height, squares))
        win, lose = bounds.bounds(state, player)
        told = f"{squares} {player}: {win}, {lose}, exact {plies}"
        assert win == ALWAYS or (plies is not None and plies <= win), told
        assert plies is None or plies > lose, told
        said["positions"] += 1
        said["wins"] += win < ALWAYS
        said["never"] += lose == ALWAYS
        said["not within"] += 0 < lose < ALWAYS
    return said


@pytest.mark.parametrize(
    ("words", "least"),
    [
        # Each says something of many positions, or the comparison would be about nothing.
        ("domineering --size 2x2", {"wins": 2, "not within": 1}),
        ("domineering --size 3x3", {"wins": 20, "never": 8, "not within": 20}),
        ("domineering --size 4x3", {"wins": 90, "never": 85, "not within": 100}),
        ("domineering --size 3x4 --second", {"wins": 85, "never": 90, "not within": 100}),
        ("breakthrough --size 2x4", {"not within": 100}),
        ("breakthrough --size 2x4 --second", {"not within": 100}),
        ("connect-c --size 3x3 --connect 3", {"not within": 200}),
        ("connect-c --size 2x4 --connect 3 --second", {"not within": 100}),
        ("evader-pursuer-dual --size 3x3 --pursuer 2,3", {"not within": 50}),
        ("httt --size 3x2 --shape el", {"not within": 100, "never": 10}),
    ],
)
def test_bounds_hold_on_small_boards(words: str, least: dict[str, int]) -> None:
    said = compare(model_of(words), 20_000)
    for kind, number in least.items():
        assert said[kind] >= number, said


def test_bounds_hold_in_random_games() -> None:
    """And most kinds of them are met."""
    said: Counter[str] = Counter()

    @settings(max_examples=250, deadline=None)
    @given(
        filling_models(with_goals=False)
        | filling_models(with_goals=True)
        | moving_models()
        | positional_models(most_squares=5)
        | wild_models(max_side=2)
    )
    def hold(model: Model) -> None:
        try:
            said.update(compare(model, 1500))
        except TooManyError:
            said["too many"] += 1

    hold()
    assert min(said["wins"], said["never"], said["not within"]) > 30, said


@settings(max_examples=60, deadline=None)
@given(filling_models(with_goals=False) | filling_models(with_goals=True) | moving_models())
def test_searches_with_and_without_bounds_agree(model: Model) -> None:
    limited = model.at_plies(min(model.problem.plies, 6))
    game = BddlGame(limited)
    found = [
        SearchSolver(game, Bounds(game, with_bounds=on, bounds_from=0)).solve()
        for on in (True, False)
    ]
    assert found[0].winner is found[1].winner is minimax(game)
    assert found[0].critical_plies == found[1].critical_plies


# -- conditions that are checked -------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("domineering --size 4x4", Packing),
        ("breakthrough --size 3x4", RaceBound),
        ("connect-c --size 4x4", RaceBound),
        ("evader-pursuer-dual --size 4x4", RaceBound),
    ],
)
def test_which_bounds_a_game_has(words: str, kind: type[Packing] | type[RaceBound]) -> None:
    assert isinstance(bounds_of(Grounding(model_of(words))), kind)


def test_white_pawns_on_one_column_may_be_stuck() -> None:
    """Head to head they cannot move, so there is no bound; two columns are enough."""
    wide = model_of("breakthrough --size 2x4")
    pieces = tuple(piece for piece in wide.problem.initial if piece[1] == 1)
    narrow = replace(wide, problem=replace(wide.problem, width=1, initial=pieces))
    assert bounds_of(Grounding(narrow)) is None
    assert bounds_of(Grounding(model_of("breakthrough --size 2x4"))) is not None


def test_white_stuck_on_the_full_board_is_not_never() -> None:
    """On nine squares White has no move at ply 10, and loses, whatever the lines say."""
    model = model_of("connect-c --size 3x3 --connect 3 --depth 10")
    grounding = Grounding(model)
    bounds = bounds_of(grounding)
    assert bounds is not None
    told = 0
    for (squares, player), plies in exact_plies(model, 20_000).items():
        if Square.OPEN in squares:
            continue
        assert player is Player.WHITE
        assert plies == 1
        told += 1
        assert bounds.bounds(grounding.state_of(BoardPicture(3, 3, squares)), player)[1] == 0
    assert told
    game = BddlGame(model)
    assert SearchSolver(game).solve().winner is minimax(game)


def test_bounds_leave_out_most_of_domineering() -> None:
    game = BddlGame(model_of("domineering --size 5x5"))
    engines = [Bounds(game, with_bounds=on, bounds_from=0) for on in (True, False)]
    nodes = [SearchSolver(game, engine).solve().nodes for engine in engines]
    assert nodes[0] * 5 < nodes[1]
