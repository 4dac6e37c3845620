"""The published dialect of impartial games: what is read, printed, and refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.model import TRUE, ImpartialGame, Linear, game_text
from qsage_validate.extensions.impartial.parser import is_impartial, parse_game, read_game
from tests.support.impartial_games import games

HEAD = "(define (domain d)\n(:objects ?v)\n(:tercondition (= ?v 0))\n(:constraint (>= ?v 0))\n"
ACTION = "(:action take :parameters (?k) :precondition {} :effect {}))"


def game(precondition: str = "(= ?k 1)", effect: str = "(assign ?v (- ?v ?k))") -> str:
    return HEAD + ACTION.format(precondition, effect)


@given(games())
def test_what_is_printed_parses_back(model: ImpartialGame) -> None:
    assert parse_game(game_text(model)) == model


@pytest.mark.parametrize("name", families.names())
def test_the_games_of_the_library_print_and_parse(name: str) -> None:
    model = families.load(name)
    assert model.name == name
    assert parse_game(game_text(model)) == model


def test_an_unknown_name_lists_the_library() -> None:
    with pytest.raises(UsageError, match="expected a file or one of odd-wythoff, "):
        families.load("chess")


def test_effects_may_be_conditional_and_nested() -> None:
    model = parse_game(game(effect="(and (when (= ?v 3) (and (assign ?v 1))) (assign ?v 0))"))
    first, second = model.actions[0].effects
    assert str(first.condition) == "v = 3"
    assert second.condition == TRUE
    assert first.expression == Linear((), 1)


def test_large_factors_print_as_products() -> None:
    model = parse_game(game("(= ?v (* 40 ?k))"))
    assert "(* 40 ?k)" in game_text(model)
    assert parse_game(game_text(model)) == model


def test_actions_of_one_name_are_told_apart() -> None:
    action = "(:action a :parameters () :precondition (> ?v 0) :effect (assign ?v 0))"
    model = parse_game(HEAD + action + action + ")")
    assert [one.name for one in model.actions] == ["a", "a_2"]
    assert parse_game(game_text(model)) == model


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "g.ig:1:1: found an empty file, expected a game: (define (domain ..."),
        (
            "; a comment (alone)",
            "g.ig:1:20: found the end of the file, expected a game: (define (domain ...",
        ),
        ("hello", "g.ig:1:1: found 'hello', expected '(define (domain ...'"),
        (
            HEAD,
            "g.ig:4:24: found the end of the file, expected ')' for the '(' in line 1, column 1",
        ),
        (game() + ")", "g.ig:5:86: found ')', expected nothing after the game's last ')'"),
        ("(define (domain d))", "g.ig:1:19: found ')', expected (:tercondition F)"),
        ("(define (:objects ?v))", "g.ig:1:9: found '(:objects ?v)', expected (domain NAME)"),
        (
            "(define (domain d) (:constraint (= 1 1)))",
            "g.ig:1:20: found '(:constraint (= 1 1))', expected (:objects ?v ...) first",
        ),
        *(
            (
                f"(define (domain d) (:objects ?{word}) (:constraint (= 1 1)))",
                f"g.ig:1:30: found '?{word}', expected a variable that is no word of formulas or "
                "of SMT-LIB",
            )
            for word in ("true", "not", "mod", "as", "_")
        ),
        (
            game("(= ?k ?x)"),
            "g.ig:5:52: found the undeclared variable ?x, expected one of ?k, ?v",
        ),
        (
            game("(= ?v (* ?k ?v))"),
            "g.ig:5:52: found '(* ?k ?v)', expected a linear term (a product with a number)",
        ),
        (
            game("(%= ?v 0 1)"),
            "g.ig:5:53: found division by zero, expected a positive modulus",
        ),
        (
            game("(%= ?v ?k 1)"),
            "g.ig:5:53: found '?k', expected a number as modulus (anything else is not linear)",
        ),
        (
            game("(= ?v (/ ?v 2))"),
            "g.ig:5:53: found '/', expected +, - or * (remainders are tested by %=)",
        ),
        (
            game("(= ?v)"),
            "g.ig:5:51: found ')', expected two sides of =",
        ),
        (
            game("(xor (= ?v 1))"),
            "g.ig:5:47: found 'xor', expected a formula: and, or, not, =, !=, <, <=, >, >= or %=",
        ),
        (
            game(effect="(assign ?k 0)"),
            "g.ig:5:71: found '?k', expected a state variable to assign to (?v)",
        ),
        (
            game(effect="(increase ?v 1)"),
            "g.ig:5:64: found 'increase', expected assign, when or and",
        ),
        (
            game("(= ?v 12345678)"),
            "g.ig:5:52: found '12345678', expected a number of at most 999999",
        ),
        (
            HEAD + "(:action a :parameters (?v) :precondition (= 1 1) :effect (assign ?v 0)))",
            "g.ig:5:25: found '?v', expected each variable to be declared once",
        ),
        (
            HEAD + "(:action a :precondition (= 1 1)))",
            "g.ig:5:33: found ')', expected :effect of action a",
        ),
        (HEAD + ")", "g.ig:5:1: found ')', expected (:action ..."),
        (
            "(" * 500,
            "g.ig:1:151: found more than 150 nested parentheses, expected a flatter formula",
        ),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_game(text, "g.ig")
    assert str(error.value) == message


def test_the_dialect_is_told_by_its_beginning() -> None:
    assert is_impartial("; a game\n\n( define (domain x)")
    assert not is_impartial("#blackactions\n:action a")


BROKEN = {
    "CircularNim(5,4).pddl": "11:76: found the undeclared variable ?k5, expected one of ?k1, ?k2, "
    "?k3, ?k4, ?v1, ?v2, ?v3, ?v4, ?v5",
    "Entropy-Reduction-Game(n=2).pddl": "4:5: found '(', expected nothing after the game's last "
    "')'",
}


def test_the_published_files_are_read_as_they_are(shared_data: Path) -> None:
    every = sorted((shared_data / "impartial").rglob("*.pddl"))
    if not every:
        pytest.skip("no published impartial games among the files of other tools")
    # Of each family the sizes differ: every fourth one, and all that are broken.
    files = [path for k, path in enumerate(every) if k % 4 == 0 or path.name in BROKEN]
    broken = {}
    for number, path in enumerate(files):
        try:
            model = read_game(path)
        except InputError as error:
            broken[path.name] = str(error).partition(".pddl:")[2]
        else:
            assert number % 10 or parse_game(game_text(model)) == model
    assert broken == {path.name: BROKEN[path.name] for path in files if path.name in BROKEN}
