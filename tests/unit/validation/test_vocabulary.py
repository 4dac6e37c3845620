"""What the names of assertions mean: on grids, in lists of moves, in GDL; and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError
from qsage_validate.formats.assertions import (
    GOAL,
    Join,
    Name,
    Not,
    names,
    parse_assertions,
)
from qsage_validate.formats.source import Source
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.validation.assertions import Asserted, AssertionVocabulary
from tests.support.gdl_heap import heap
from tests.support.plays import EL, model_of

FORMULA = Qbf(
    (Scope(Quantifier.EXISTS, (1,)), Scope(Quantifier.FORALL, (2,))),
    {3: Gate(Connective.OR, (1, 2)), 4: Gate(Connective.AND, (3,))},
    4,
    names={1: "move", 3: "7"},
    unwritten=range(4, 5),
)


def grid() -> AssertionVocabulary:
    made = encode(model_of(EL))
    return AssertionVocabulary(made.qbf, made.layout, load_game(made.model))


def listed(encoding: str = "ln") -> AssertionVocabulary:
    made = encode(hex_network(2, 2, 3), encoding)
    return AssertionVocabulary(made.qbf, made.layout, load_game(made.model))


def fluents() -> AssertionVocabulary:
    model = heap(4, 2)
    made = encode(model)
    return AssertionVocabulary(made.qbf, made.layout, load_game(model))


def bound(known: AssertionVocabulary, text: str) -> Asserted:
    (found,) = known.bound(parse_assertions(Source(text, "a")))
    return found


def refused(known: AssertionVocabulary, text: str) -> str:
    with pytest.raises(InputError) as error:
        known.bound(parse_assertions(Source(text, "a")))
    message = str(error.value)
    assert message.isprintable()
    return message


def test_squares_of_a_grid() -> None:
    known = grid()
    found = bound(known, "always Black (2, 2) or occupied (1,3)")
    assert found.literals is None
    assert [n.text for n in names(found.assertion.condition)] == [
        "black (2,2)",
        "black (1,3)",
        "white (1,3)",
    ]
    assert bound(known, "end: goal").assertion.condition == Name(GOAL, 0)
    assert bound(known, "ply 5: open (1,1)").assertion.condition == Join(
        True, (Not(Name("black (1,1)", 0)), Not(Name("white (1,1)", 0)))
    )


def test_positions_of_a_list() -> None:
    assert bound(listed(), "always ((black b2))").assertion.condition == Name("black b2", 0)


def test_fluents() -> None:
    known = fluents()
    for text in ("always (heap 3)", "always heap 3", "always ((HEAP 3))"):
        assert bound(known, text).assertion.condition == Name("(heap 3)", 0)


def test_gates_by_the_names_of_layout_and_file() -> None:
    known = grid()
    assert known.layout is not None
    legal = known.layout.gates["white 2 legal"]
    found = bound(known, "end: white 2 legal or not verdict")
    assert found.literals == {"white 2 legal": legal, "verdict": known.layout.verdict}
    assert bound(known, f"-{legal} 1 0").literals == {str(legal): legal, "1": 1}
    bare = AssertionVocabulary(FORMULA, None, None)
    assert bound(bare, "end: move implies 7").literals == {"move": 1, "7": 3}
    assert bound(bare, "7 -2 0").literals == {"7": 3, "2": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "always not (black (2,2) and whit (2,2))",
            "a:1:29: found 'whit (2,2)', expected a name of the position like 'black (1,1)' (did "
            "you mean 'white (2,2)'?)",
        ),
        ("ply 6: goal", "a:1:1: found ply 6, expected a ply from 0 to 5"),
        ("\n  ply 6: goal", "a:2:3: found ply 6, expected a ply from 0 to 5"),
        (
            "1 99999 0",
            "a:1:3: found 99999, expected the number of a variable or gate of the formula",
        ),
        (
            "always white 2 legal",
            "a:1:8: found 'white 2 legal', expected it behind 'end:', for variables and gates have "
            "their values there",
        ),
        (
            "end: black (1,1) or white 2 legal",
            "a:1:21: found 'white 2 legal', expected names of one kind: this one is the "
            "formula's, others are a position's",
        ),
        (
            "end: white 2 legl",
            "a:1:6: found 'white 2 legl', expected a name of the position like 'black (1,1)' (did "
            "you mean 'white 2 legal'?)",
        ),
    ],
)
def test_what_a_grid_does_not_have(text: str, message: str) -> None:
    assert refused(grid(), text) == message


def test_what_lists_and_fluents_do_not_have() -> None:
    assert "did you mean 'black b2'?" in refused(listed(), "always blak b2")
    assert "expected a name of the position" in refused(listed(), "always black (2,2)")
    assert "expected a ply from 0 to 3" in refused(listed(), "ply 4: goal")
    assert "expected a ply from 0 to 4" in refused(fluents(), "ply 5: goal")
    assert "did you mean '(heap 3)'?" in refused(fluents(), "always (heep 3)")


def test_without_a_layout_there_are_no_positions() -> None:
    known = AssertionVocabulary(FORMULA, None, None)
    expected = "expected a variable or gate of the formula, for no layout tells positions"
    assert expected in refused(known, "always black b2")
    assert expected in refused(known, "end: goal")
    # The conjunction of the clauses of QDIMACS has a number that no file can mean.
    assert refused(known, "4 0").startswith("a:1:1: found 4, expected the number")
    # A circuit with names has none of the numbers that the gates have within.
    known = AssertionVocabulary(replace(FORMULA, unwritten=range(0)), None, None)
    assert refused(known, "3 0").startswith("a:1:1: found 3, expected the number")


def test_without_a_formula_there_are_no_clauses() -> None:
    known = replace(grid(), formula=None)
    assert "there is no formula" in refused(known, "1 0")


def test_without_rules_the_layout_says_what_positions_are() -> None:
    known = replace(grid(), game=None)
    assert bound(known, "always black (3,3)").literals is None
    assert "for no rules are known that say who has won" in refused(known, "always goal")
    atoms = replace(listed("cor-ladder"), game=None)
    assert bound(atoms, "always black b2 and white b2").literals is None
    assert "for no layout tells positions" in refused(
        replace(listed("sn"), game=None), "end: black b2"
    )


@given(st.text(alphabet="always plyend:not()and black white 12(,)3 impliesgoal-\n", max_size=60))
def test_any_text_is_bound_or_refused_in_a_line(text: str) -> None:
    for known in (AssertionVocabulary(FORMULA, None, None), _GRID):
        message = ""
        try:
            known.bound(parse_assertions(Source(text, "a")))
        except InputError as error:
            message = str(error)
        assert not message or (message.isprintable() and ": found " in message)


_GRID = grid()
