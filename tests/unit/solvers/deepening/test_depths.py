"""Depths that cannot differ from the one before are told rightly, and so are bounds."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player, Position
from qsage_validate.games.registry import resolve_command
from qsage_validate.solvers.deepening import GridDepths, deepen_by_search
from tests.support.minimax import minimax
from tests.support.wild_models import positional_models, wild_models

# The depths up to which games are played out.
MOST = 4


def is_true(model: Model, plies: int) -> bool:
    return minimax(BddlGame(model.at_plies(plies))) is Player.BLACK


@given(st.one_of(wild_models(max_side=2), positional_models()))
def test_only_relevant_depths_change_the_answer(model: Model) -> None:
    depths = GridDepths(model)
    relevant = set(depths.relevant(1, MOST))
    before = False
    for plies in range(1, MOST + 1):
        now = is_true(model, plies)
        assert now or not before, "deeper formulas are implied by shallower ones"
        assert now == before or plies in relevant
        before = now


def longest_play(position: Position) -> int:
    if position.outcome is not None:
        return 0
    return 1 + max(longest_play(position.play(move)) for move in position.legal_moves())


@given(st.one_of(wild_models(max_side=2), positional_models()))
def test_no_play_is_longer_than_the_bound(model: Model) -> None:
    bound = GridDepths(model).bound
    if bound is not None and bound.plies <= 5:
        longest = longest_play(BddlGame(model.at_plies(bound.plies + 1)).initial)
        assert longest <= bound.plies


@pytest.mark.parametrize(
    ("words", "first", "bound", "why"),
    [
        ("httt --size 3x3 --shape el", [1, 3, 5, 7, 9, 10], 10, "the board is full after 9 plies"),
        (
            "httt --size 2x3 --shape tic --second",
            [2, 4, 6, 7],
            7,
            "the board is full after 6 plies",
        ),
        ("connect-c --size 3x2 --connect 2", [1, 3, 5], 6, "the board is full after 6 plies"),
        ("hex --size 2x2", [1, 3], 4, "the board is full after 4 plies"),
        ("domineering --size 4x4", [2, 4, 6, 8], 9, "no play has more than 8 plies"),
        ("domineering --size 3x3 --second", [1, 3, 5], 5, "no play has more than 4 plies"),
        ("breakthrough --size 2x4", [1, 2, 3, 4, 5, 6], 21, "no play has more than 20 plies"),
        ("evader-pursuer --size 4x4", [1, 2, 3, 4, 5, 6], None, None),
    ],
)
def test_games(words: str, first: list[int], bound: int | None, why: str | None) -> None:
    depths = GridDepths(resolve_command(words.split()))
    assert list(islice(depths.relevant(), 6)) == first
    assert (depths.bound and (depths.bound.plies, depths.bound.why)) == (bound and (bound, why))


def test_the_first_player_and_the_count_of_plies() -> None:
    model = resolve_command(["breakthrough", "--size", "2x4", "--second", "--depth", "9"])
    assert GridDepths(model).depth(8) == 9
    eight = model.at_plies(8)
    assert eight == model
    assert model.at_plies(3).problem.depth == 4
    assert model.at_plies(3).player_at(1) is Player.WHITE


def test_what_is_asked_for_ends_it_before_the_bound() -> None:
    depths = GridDepths(resolve_command(["httt", "--size", "3x3", "--shape", "el"]))
    assert list(depths.relevant(2, 6)) == [3, 5]
    assert (depths.last(6), depths.last(12), depths.last()) == (6, 10, 10)


def test_a_game_that_is_won_before_ply_1_is_won_within_1_ply() -> None:
    """Also where White would make that ply."""
    network = Network((0, 0), 1, 1, joined=False)
    turns = (Player.WHITE, Player.BLACK)
    model = PositionalModel("won", ("a", "b"), turns, network=network, black=1)
    assert deepen_by_search(model).critical == 1
