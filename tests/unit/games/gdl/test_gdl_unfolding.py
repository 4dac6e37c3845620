"""Descriptions that are safe only where their relations are called; games of one role."""

from __future__ import annotations

from itertools import product

import pytest

from qsage_validate.errors import InputError
from qsage_validate.extensions.gdl.machine import StateMachine
from qsage_validate.extensions.gdl.model import Description, GdlModel, check_description, term_text
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.extensions.gdl.rules import rounds_game
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import search_for

HEAD = "(role a) (role b) (init s) (n 1) (n 2) (n 3) (<= terminal (true t)) (goal a 100)"
APART = "(<= (apart ?x ?y) (distinct ?x ?y))"


def legal(text: str, role: str = "a") -> set[str]:
    description = parse_description(f"{HEAD} {text}")
    check_description(description)
    machine = StateMachine(description)
    return {term_text(move) for move in machine.legal(machine.initial, role)}


@pytest.mark.parametrize("before", ["(apart ?x ?y) (n ?x) (n ?y)", "(n ?x) (n ?y) (apart ?x ?y)"])
def test_a_relation_of_comparisons_is_unfolded_where_it_is_called(before: str) -> None:
    found = legal(f"{APART} (<= (legal a (go ?x ?y)) {before})")
    assert found == {f"(go {x} {y})" for x, y in product("123", repeat=2) if x != y}


def test_its_negation_is_unfolded_too() -> None:
    found = legal(f"{APART} (<= (legal a (go ?x ?y)) (n ?x) (n ?y) (not (apart ?x ?y)))")
    assert found == {"(go 1 1)", "(go 2 2)", "(go 3 3)"}


def test_several_rules_are_a_disjunction_and_arguments_may_be_terms() -> None:
    two = "(<= (far ?x ?y ?u ?v) (distinct ?x ?u)) (<= (far ?k ?l ?m ?n) (distinct ?l ?n))"
    found = legal(f"{two} (<= (legal a (go ?x ?y)) (n ?x) (n ?y) (far ?x ?y 1 2))")
    assert found == {f"(go {x} {y})" for x, y in product("123", repeat=2) if (x, y) != ("1", "2")}


def test_relations_that_call_each_other_are_unfolded_one_after_the_other() -> None:
    chain = f"{APART} (<= (all3 ?x ?y ?z) (apart ?x ?y) (apart ?y ?z) (apart ?x ?z))"
    found = legal(f"{chain} (<= (legal a (go ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (all3 ?x ?y ?z))")
    assert len(found) == 6


def test_local_variables_get_names_of_their_own() -> None:
    """``?z`` of the definition is not the ``?z`` of the caller."""
    other = "(<= (other ?x ?w) (n ?z) (distinct ?z ?x) (distinct ?z ?w))"
    found = legal(f"{other} (<= (legal a (go ?x ?z)) (n ?x) (n ?z) (other ?x ?z))")
    assert len(found) == 9  # there are three numbers, so that one is always left
    with pytest.raises(InputError, match=r"\?x in the head \(other \?x \?w\)"):
        legal(f"{other} (<= (legal a (go ?x)) (n ?x) (not (other ?x 1)))")


def test_an_open_role_stands_for_each_role() -> None:
    for role in "ab":
        assert legal("(<= (legal ?who go) (true s))", role) == {"go"}
    check_description(parse_description(f"{HEAD} (legal a go) (<= (goal ?p 50) (true s))"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{APART} (<= (legal a (go ?x ?y)) (n ?x) (apart ?x ?y))", r"\?y in the head \(legal a"),
        ("(<= (p ?x) (p ?x)) (legal a go)", None),
        ("(<= (p ?x) (distinct ?x 1) (p ?y)) (legal a go)", r"\?x in the head \(p \?x\)"),
        ("(<= (p ?x 1) (distinct ?x 1)) (<= (legal a go) (p 2 1))", r"\?x in the head \(p \?x 1"),
        ("(<= (next ?x) (distinct ?x 1)) (legal a go)", r"\?x in the head \(next \?x\)"),
    ],
)
def test_what_stays_unsafe_is_named(text: str, message: str | None) -> None:
    if message is None:
        legal(text)
        return
    with pytest.raises(InputError, match=message):
        legal(text)


def test_what_grows_without_bound_is_refused() -> None:
    rules = [APART.replace("apart", "p0")]
    rules += [f"(<= (p{k} ?x ?y) (p{k - 1} ?x ?y) (p{k - 1} ?y ?x))" for k in range(1, 40)]
    with pytest.raises(InputError, match="stands for more than 10,000 conditions"):
        legal(f"{' '.join(rules)} (<= (legal a (go ?x ?y)) (n ?x) (n ?y) (p39 ?x ?y))")


# -- games of one role -----------------------------------------------------------------------------

WALK = """(role robot) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)
(<= (legal ?who go) (true (at ?x)) (step ?x ?y)) (<= (legal ?who rest) (true (at ?x)))
(<= (next (at ?y)) (does robot go) (true (at ?x)) (step ?x ?y))
(<= (next (at ?x)) (does robot rest) (true (at ?x)))
(<= terminal (true (at 3))) (<= (goal ?who 100) (true (at 3)))
(<= (goal ?who 0) (not (true (at 3))))"""


def walk() -> Description:
    return parse_description(WALK)


@pytest.mark.parametrize("rounds", range(1, 6))
def test_one_role_wins_where_the_goal_can_be_reached(rounds: int) -> None:
    found = search_for(rounds_game(GdlModel(walk(), rounds))).solve()
    assert (found.winner is Player.BLACK) is (rounds >= 3)


def test_nobody_can_only_wait_and_names_of_the_file_are_kept() -> None:
    game = GdlModel(parse_description(WALK.replace("robot", "nobody").replace("rest", "wait")), 3)
    machine = StateMachine(game.two_roles)
    assert [term_text(role) for role in machine.roles] == ["nobody", "nobody_"]
    assert [term_text(m) for m in machine.legal(machine.initial, "nobody_")] == ["wait_"]
