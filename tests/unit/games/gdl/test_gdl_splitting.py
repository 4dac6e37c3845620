"""Relations that are stratified once constants are seen."""

from __future__ import annotations

from random import Random

import pytest

from qsage_validate.errors import InputError
from qsage_validate.extensions.gdl.model import GdlModel, check_description
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.games.languages import load_game
from qsage_validate.solvers.search import search_for
from tests.support.random_games import random_description

_GAME = """
(role a) (role b) (init (control a)) (init (n 2))
(<= (legal ?p take) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (n 1)) (true (n 2)))
(<= (next (n 0)) (true (n 1)))
(<= (next (control b)) (true (control a)))
(<= (next (control a)) (true (control b)))
(<= terminal (true (n 0)))
"""
_WINS = "(<= (goal ?p 100) (true (n 0)) (true (control ?p)))\n"


def test_what_is_not_won_is_lost() -> None:
    text = _GAME + _WINS + "(<= (goal ?p 0) (role ?p) (not (goal ?p 100)))"
    description = parse_description(text)
    check_description(description)
    assert "(not (goal_100 ?p))" in description.text()
    again = parse_description(description.text())
    assert again.rules == description.rules
    for role, plies in (("a", 5), ("b", None)):
        game = load_game(GdlModel(description, 3, role))
        assert search_for(game).solve().critical_plies == plies


def test_chains_of_values_are_split_one_by_one() -> None:
    """As where a draw is what neither role has won, and a loss what is neither."""
    text = (
        _GAME
        + _WINS
        + "(<= (goal ?p 50) (role ?p) (not (goal a 100)) (not (goal b 100)))"
        + "(<= (goal ?p 0) (role ?p) (or (not (or (goal ?p 100) (goal ?p 50)))))"
    )
    description = parse_description(text)
    check_description(description)
    game = load_game(GdlModel(description, 3, "b", 50))
    assert search_for(game).solve().winner is not None


def test_facts_of_the_relation_are_those_that_a_plain_rule_gives() -> None:
    """(goal ?p 0) by the negation of a relation written out is the same game."""
    for seed in range(60):
        text = random_description(Random(seed))
        split = text.replace(
            "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))",
            "(<= (goal ?r 0) (role ?r) (not (won ?r)))"
            + text[text.index("(<= (goal a 100)") :].split("\n")[0].replace("goal a 100", "won a"),
        )
        for role in "ab":
            results = [
                search_for(load_game(GdlModel(parse_description(one), 2, role))).solve()
                for one in (text, split)
            ]
            assert results[0].winner is results[1].winner
            assert results[0].critical_plies == results[1].critical_plies


@pytest.mark.parametrize(
    "rules",
    [
        # The value is a variable in a head, or in the negation.
        "(<= (goal ?p ?v) (role ?p) (value ?v) (not (goal ?p 100))) (value 0)",
        "(<= (goal ?p 0) (role ?p) (value ?v) (not (goal ?p ?v))) (value 100)",
        # Each value depends on the negation of the other.
        "(<= (goal ?p 0) (role ?p) (not (goal ?p 100)))"
        "(<= (goal ?p 100) (role ?p) (not (goal ?p 0)))",
    ],
)
def test_what_depends_on_its_own_negation_is_refused_still(rules: str) -> None:
    description = parse_description(_GAME + _WINS + rules)
    assert "goal_" not in description.text()
    with pytest.raises(InputError, match=r"depends on its own negation through .not .goal"):
        check_description(description)
