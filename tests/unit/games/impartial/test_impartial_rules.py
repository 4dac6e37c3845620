"""Moves and labels of impartial games, against rules that try everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.parser import parse_game
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialRules,
    box_states,
    intervals,
)
from qsage_validate.system.limits import Deadline
from tests.support.impartial_games import games, naive_labels, naive_successors


@settings(max_examples=60)
@given(games())
def test_moves_and_labels_are_those_of_naive_rules(game: ImpartialGame) -> None:
    for misere in (False, True):
        rules = ImpartialRules(game, misere=misere)
        for state, wins in naive_labels(game, 9, misere=misere).items():
            assert {m.after for m in rules.applicable(state)} == naive_successors(game, state)
            assert rules.winning(state) is wins
            assert bool(rules.winning_moves(state)) <= wins


def test_the_label_does_not_depend_on_the_order_of_questions() -> None:
    game = families.load("wythoff-3")
    states = box_states(game, 200)
    up, down = ImpartialRules(game), ImpartialRules(game)
    expected = [up.winning(state) for state in states]
    assert [down.winning(state) for state in reversed(states)] == expected[::-1]


def test_moves_have_names_and_stay_legal() -> None:
    rules = ImpartialRules(families.load("two-row-chomp"))
    assert sorted(map(str, rules.moves((2, 2)))) == ["lower(1)", "lower(2)", "upper(2)"]
    assert list(rules.moves((1, 0))) == []


def test_bounds_of_parameters_need_not_be_stated_outright() -> None:
    game = parse_game(
        "(define (domain d) (:objects ?v ?w) (:tercondition (= ?v 0)) (:constraint (and (>= ?v 0) "
        "(>= ?w 0))) (:action a :parameters (?k ?l ?m) :precondition (and (> ?k 0) (>= ?l ?k) "
        "(= ?m (- ?l 2)) (<= (+ ?k (+ ?l ?m)) ?v)) :effect (assign ?v (- ?v (+ ?k ?l)))))"
    )
    found = {move.arguments for move in ImpartialRules(game).applicable((6, 0))}
    assert found == {
        (k, m + 2, m)
        for k in range(1, 7)
        for m in range(-6, 7)
        if k <= m + 2 and k + 2 * m + 2 <= 6
    }


@pytest.mark.parametrize(
    ("precondition", "found"),
    [
        ("(>= ?k 1)", "unbounded above"),
        ("(<= ?k ?v)", "unbounded below"),
        ("(or (= ?k 1) (> ?k 3))", "unbounded above"),
        ("(and (!= ?k 0) (%= ?k 2 1))", "unbounded below"),
    ],
)
def test_unbounded_parameters_are_an_error_at_the_action(precondition: str, found: str) -> None:
    text = (
        "(define (domain d) (:objects ?v) (:tercondition (= ?v 0)) (:constraint (>= ?v 0))\n"
        f"(:action a :parameters (?k) :precondition {precondition} :effect (assign ?v 0)))"
    )
    with pytest.raises(InputError) as error:
        ImpartialRules(parse_game(text, "g.ig"))
    assert str(error.value) == (
        f"g.ig:2:10: found the parameter ?k, {found}, in action a, expected a precondition that "
        "bounds it"
    )


ENDLESS = (
    "(define (domain d) (:objects ?v) (:tercondition (= ?v 0)) (:constraint (>= ?v 0))"
    "(:action down :parameters () :precondition (> ?v 4) :effect (assign ?v (- ?v 1)))"
    "(:action up :parameters () :precondition (= ?v 4) :effect (assign ?v 6)))"
)


def test_a_game_that_need_not_end_is_an_error_where_that_matters() -> None:
    rules = ImpartialRules(parse_game(ENDLESS))
    assert not rules.winning((3,))
    with pytest.raises(EndlessGameError, match="that its own moves lead back to"):
        rules.winning((5,))


def test_a_losing_state_with_a_losing_successor_rules_out_any_formula() -> None:
    game = parse_game(
        "(define (domain d) (:objects ?v) (:tercondition (<= ?v 1)) (:constraint (>= ?v 0))"
        "(:action take :parameters () :precondition (> ?v 0) :effect (assign ?v (- ?v 1))))"
    )
    flaw = ImpartialRules(game).flaw((1,))
    assert flaw is not None
    assert flaw.text(game) == (
        "the losing state v = 1 has a move to another losing state (v = 0), though it is an end: "
        "Definition 6 allows no such move"
    )
    assert ImpartialRules(game).flaw((0,)) is None


def test_labelling_stops_at_its_deadline() -> None:
    rules = ImpartialRules(families.load("two-heap-nim"))
    rules.deadline = Deadline.after(-1)
    with pytest.raises(UndecidedError):
        rules.winning((60, 61))


def test_boxes_have_the_legal_states_of_a_box() -> None:
    game = families.load("wythoff-3")
    states = box_states(game, 100)
    assert states[0] == (0, 0)
    assert {state[1] for state in states} == {0, 1, 2, 3}
    assert len(set(states)) == len(states) == 100
    assert (intervals(game)["v2"].lower, intervals(game)["v2"].upper) == (0, 3)
    chomp = box_states(families.load("two-row-chomp"), 400)
    assert all(v1 >= 1 and 0 <= v2 <= v1 for v1, v2 in chomp)
