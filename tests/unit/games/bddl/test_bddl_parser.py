"""BDDL files: what is read, what is printed, and what is said about what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import Place
from qsage_validate.games.bddl.model import (
    Anchor,
    BddlProblem,
    Coordinate,
    Model,
    SubCondition,
)
from qsage_validate.games.bddl.parser import file_kind, parse_domain, parse_problem, read_model
from qsage_validate.games.protocol import Player, Square
from tests.support.by_name import grid_templates, resolve_model
from tests.support.wild_models import wild_models

PAPER_DOMAIN = """\
#blackactions
:action occupyOnTop
:parameters (?x,?y)
:precondition
  (open(?x,?y)
  NOT(open(?x,?y+1)))
:effect (black(?x,?y))
:action occupyBottom
:parameters (?x,?y)
:precondition
   (open(?x,ymax))
:effect (black(?x,ymax))
#whiteactions
"""

QSAGE_DOMAIN = """\
%====================
#blackactions
%action 1
:action occupyOnTop
:parameters (?x, ?y)
:precondition (open(?x,?y) (NOT(open(?x,?y+1))))
:effect (black(?x,?y))
%action 2
:action occupyBottom
:parameters (?x, ?y)
:precondition (open(?x,ymax))
:effect (black(?x,ymax))
%--------------------
#whiteactions
%====================


"""

PAPER_PROBLEM = """\
#boardsize 5 4
#init
(black(1,3)white(2,4))
#depth
5
#blackgoals
(black(?x,?y)black(?x,?y+1)black(?x,?y+2))
(black(?x,?y)black(?x+1,?y)
 black(?x+2,?y))
#whitegoals
"""

QSAGE_PROBLEM = """\
#boardsize
5 4
#init
black(1,3) white(2,4)
#depth
5
#blackgoal
%each line represents a shape with one orientation
black(?x,?y) black(?x,?y+1)black(?x,?y+2)
black(?x , ?y) black(?x + 1,?y) black(?x+2,?y)
#whitegoal
False
#blackturn
first



"""


def test_both_dialects_are_one_language() -> None:
    assert parse_domain(PAPER_DOMAIN) == parse_domain(QSAGE_DOMAIN)
    assert parse_problem(PAPER_PROBLEM) == parse_problem(QSAGE_PROBLEM)


def test_what_a_domain_says() -> None:
    domain = parse_domain(PAPER_DOMAIN)
    on_top, bottom = domain.black_actions
    assert domain.white_actions == ()
    here = Coordinate(Anchor.PARAMETER)
    assert on_top.precondition == (
        SubCondition(Square.OPEN, here, here),
        SubCondition(Square.OPEN, here, Coordinate(Anchor.PARAMETER, 1), negated=True),
    )
    assert bottom.effect == (SubCondition(Square.BLACK, here, Coordinate(Anchor.MAXIMUM)),)


def test_what_a_problem_says() -> None:
    problem = parse_problem(PAPER_PROBLEM)
    assert (problem.width, problem.height, problem.depth, problem.plies) == (5, 4, 5, 5)
    assert problem.initial == ((Square.BLACK, 1, 3), (Square.WHITE, 2, 4))
    assert [len(goal) for goal in problem.black_goals] == [3, 3]
    assert problem.first_player is Player.BLACK
    assert parse_problem(PAPER_PROBLEM + "#blackturn second").plies == 4


def test_sections_of_a_problem_may_come_in_any_order() -> None:
    text = "#blackturn second #whitegoals\n#depth 3 #blackgoals\nblack(1,1)\n#init #boardsize 1 1"
    problem = parse_problem(text)
    assert problem.first_player is Player.WHITE
    assert len(problem.black_goals) == 1


def test_keywords_in_any_case() -> None:
    text = PAPER_DOMAIN.replace("NOT", "not").replace("#black", "#Black").replace(":act", ":ACT")
    assert parse_domain(text.replace("ymax", "YMAX")) == parse_domain(PAPER_DOMAIN)


def test_an_empty_condition_is_one_that_always_holds() -> None:
    problem = parse_problem(PAPER_PROBLEM.replace("#whitegoals", "#whitegoals\n()\n( )"))
    assert problem.white_goals == ((), ())
    problem = parse_problem(PAPER_PROBLEM + "\n%()\n\n")
    assert problem.white_goals == ()


def test_places_are_kept() -> None:
    domain = parse_domain(PAPER_DOMAIN, "d.ig")
    action = domain.black_actions[0]
    assert action.place == Place("d.ig", 2, 9)
    assert action.precondition[1].place == Place("d.ig", 6, 3)
    problem = parse_problem(QSAGE_PROBLEM, "p.ig")
    assert problem.places is not None
    assert problem.places.size == Place("p.ig", 2, 1)
    assert problem.places.initial == (Place("p.ig", 4, 1), Place("p.ig", 4, 12))
    assert problem.places.goals(Player.BLACK) == (Place("p.ig", 9, 1), Place("p.ig", 10, 1))
    assert problem.places.goals(Player.WHITE) == ()


# -- errors ---------------------------------------------------------------------------------

_ATOM = "a condition with open, white or black"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("#blackactions\n", "", "1:1: found ':action', expected #blackactions or #whiteactions"),
        ("#whiteactions\n", "", "12:25: found the end of the file, expected :action or #white"),
        ("#whiteactions", "#blackactions", "13:1: found '#blackactions', expected one section"),
        ("#whiteactions", "#whitegoals", "this is a problem file"),
        ("#whiteactions", "#whiteactions\nrest", "14:1: found 'rest', expected :action or noth"),
        (":action occupyOnTop", ":action", "3:1: found ':parameters', expected the action's name"),
        (":parameters (?x,?y)", "", "8:1: found ':action', expected :parameters of action occ"),
        (":parameters (?x,?y)", ":parameters (?y,?x)", "3:14: found '?y', expected '?x' of (?x,"),
        (":effect (black(?x,?y))", "", "8:1: found ':action', expected :effect of action occ"),
        (":effect", ":effects", "7:1: found ':effects', expected :effect of action occupyOnTop"),
        ("(open(?x,?y)", "(closed(?x,?y)", "5:4: found the unknown predicate 'closed', expected"),
        ("(open(?x,?y)", "(Open(?x,?y)", "found the unknown predicate 'Open', expected open, wh"),
        ("(open(?x,?y)", "(3(?x,?y)", f"5:4: found '3', expected {_ATOM}"),
        ("(open(?x,?y)", "(open(?y,?y)", "5:9: found '?y', expected ?x, xmin, xmax or a number"),
        ("(open(?x,?y)", "(open(?x,xmin)", "found 'xmin', expected ?y, ymin, ymax or a number"),
        ("(open(?x,?y)", "(open(?x;?y)", "5:11: found the character ';', expected BDDL"),
        ("(open(?x,?y)", "(open(?x,?y", "6:3: found 'NOT', expected ')'"),
        ("(open(?x,?y)", "(open(?x)", "5:11: found ')', expected ','"),
        ("(open(?x,?y)", "(open(?x+,?y)", "5:12: found ',', expected a number"),
        ("(open(?x,?y)", "(open(?x+y,?y)", "5:12: found 'y', expected a number"),
        ("(open(?x,?y)", "(open(?x+1000000,?y)", "expected a number of at most 999999"),
        ("NOT(open(?x,?y+1))", "NOT open(?x,?y+1)", "6:7: found 'open', expected '(' after NOT"),
        ("NOT(open(?x,?y+1))", "NOT(NOT(open(?x,?y)))", "6:7: found 'NOT', expected open, whi"),
        ("(open(?x,ymax))", "(open(?x,ymax)", "expected ')' for the '(' in line 11, column 4"),
    ],
)
def test_errors_in_domains(old: str, new: str, message: str) -> None:
    text = PAPER_DOMAIN.replace(old, new, 1)
    assert text != PAPER_DOMAIN
    with pytest.raises(InputError) as caught:
        parse_domain(text, "domain.ig")
    assert str(caught.value).startswith("domain.ig:")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5 4\n", "5\n", "3:1: found '#init', expected the board's width and height"),
        ("5 4\n", "0 4\n", "2:1: found '0', expected the board's width and height (from 1)"),
        ("5 4\n", "5x4\n", "2:1: found '5x4', expected the board's width and height"),
        ("\n5\n#black", "\n-5\n#black", "6:1: found '-', expected a depth (from 1)"),
        ("\n5\n#black", "\n#black", "found '#blackgoal', expected a depth"),
        ("\n5\n#black", "\n5 6\n#black", "6:3: found '6', expected #blackgoals or #whitegoals"),
        ("#depth", "#dept", "5:1: found '#dept', expected #depth or #blackgoals or #whitegoals"),
        ("#whitegoal\n", "", "13:6: found the end of the file, expected #whitegoals"),
        ("False", "False black(1,1)", "12:7: found 'black', expected the end of the line"),
        ("first", "third", "14:1: found 'third', expected first or second"),
        ("white(2,4)", "open(2,4)", "4:12: found 'open(2,4)', expected black(x,y) or white(x,y)"),
        ("white(2,4)", "NOT(white(2,4))", "found 'NOT(white(2,4))', expected black(x,y) or wh"),
        ("white(2,4)", "white(?x,4)", "4:12: found 'white(?x,4)', expected a piece on a square"),
        ("#init", "#whiteactions", "3:1: found '#whiteactions', expected a problem"),
        (
            "#blackturn\nfirst",
            "rest",
            "13:1: found the unknown predicate 'rest', expected open, white",
        ),
        ("#blackturn\nfirst", "#depth 3", "13:1: found '#depth', expected one section #depth"),
        ("black(?x , ?y)", "(black(?x,?y)", "expected ')' for the '(' in line 10, column 1"),
        ("#blackturn\nfirst", ":action", "13:1: found ':action', expected a goal or the next"),
    ],
)
def test_errors_in_problems(old: str, new: str, message: str) -> None:
    text = QSAGE_PROBLEM.replace(old, new, 1)
    assert text != QSAGE_PROBLEM
    with pytest.raises(InputError) as caught:
        parse_problem(text, "problem.ig")
    assert str(caught.value).startswith("problem.ig:")
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_empty_texts(text: str) -> None:
    with pytest.raises(InputError, match="found an empty file, expected a BDDL domain"):
        parse_domain(text)
    with pytest.raises(InputError, match="found an empty file, expected a BDDL problem"):
        parse_problem(text)


def test_deep_nesting_is_no_recursion() -> None:
    many = 20_000
    goal = "(" * many + "black(1,1)" + ")" * many
    problem = parse_problem(PAPER_PROBLEM + goal)
    assert len(problem.white_goals) == 1
    with pytest.raises(InputError, match="expected '\\)'"):
        parse_problem(PAPER_PROBLEM + "(" * many)
    negated = "NOT" + "(" * many + "black(1,1)" + ")" * many
    assert parse_problem(PAPER_PROBLEM + negated).white_goals[0][0].negated


def refusal(parse: Callable[[str, str], object], text: str) -> InputError | None:
    """The error for ``text``, which has to be one line; ``None`` when it can be read."""
    try:
        parse(text, "f")
    except InputError as error:
        line = str(error)
        if not line.startswith("f:") or "\n" in line:
            raise AssertionError(line) from error
        return error
    return None


@given(st.text(alphabet="#:?()+-, \n%xyabklckwhiteopnNOTdm0123", max_size=80))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    for parse in (parse_domain, parse_problem):
        error = refusal(parse, text)
        if error is not None:
            assert error.line is not None
            assert 1 <= error.line <= text.count("\n") + 1


@settings(max_examples=80)
@given(st.data())
def test_damaged_files_are_read_or_refused_in_one_line(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([PAPER_DOMAIN, QSAGE_DOMAIN, PAPER_PROBLEM, QSAGE_PROBLEM]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 8))
        text = text[:start] + data.draw(st.text(max_size=3)) + text[start + length :]
    for parse in (parse_domain, parse_problem):
        refusal(parse, text)


# -- printing -------------------------------------------------------------------------------


def as_qsage_writes(problem: BddlProblem) -> str:
    """A problem with ``#blackgoal`` and without the outer parentheses, as Q-sage has them."""
    lines = str(problem).replace("goals\n", "goal\n").splitlines(keepends=True)
    return "".join(re.sub(r"\((.+)\)\n", r"\1\n", line) for line in lines)


PRINTED = (str, as_qsage_writes)


@settings(max_examples=80)
@given(wild_models(), st.sampled_from(PRINTED))
def test_what_is_printed_parses_back(model: Model, printed: Callable[[BddlProblem], str]) -> None:
    assert parse_domain(str(model.domain)) == model.domain
    assert parse_problem(printed(model.problem)) == model.problem


def test_printed_text_looks_like_the_papers() -> None:
    problem = parse_problem(PAPER_PROBLEM)
    assert str(problem) == (
        "#boardsize\n5 4\n#init\n(black(1,3) white(2,4))\n#depth\n5\n#blackgoals\n"
        "(black(?x,?y) black(?x,?y+1) black(?x,?y+2))\n"
        "(black(?x,?y) black(?x+1,?y) black(?x+2,?y))\n#whitegoals\n"
    )
    assert str(parse_domain(PAPER_DOMAIN)).startswith(
        "#blackactions\n:action occupyOnTop\n:parameters (?x,?y)\n"
        ":precondition (open(?x,?y) NOT(open(?x,?y+1)))\n:effect (black(?x,?y))\n"
    )


# -- files ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "connect"
    folder.mkdir()
    domain, problem = folder / "domain.ig", folder / "5x4.ig"
    domain.write_text(PAPER_DOMAIN)
    problem.write_text(PAPER_PROBLEM)
    return domain, problem


def test_a_model_is_named_after_its_files(files: tuple[Path, Path]) -> None:
    domain, problem = files
    assert read_model(domain, problem).name == "connect 5x4"
    other = domain.with_name("drop.bddl")
    domain.rename(other)
    assert read_model(other, problem).name == "drop 5x4"


def test_another_depth_means_the_same_as_the_files(files: tuple[Path, Path]) -> None:
    domain, problem = files
    assert read_model(domain, problem, 7).problem.plies == 7
    problem.write_text(PAPER_PROBLEM + "#blackturn second\n")
    assert read_model(domain, problem, 7).problem.plies == 6
    with pytest.raises(UsageError, match="found the depth 0"):
        read_model(domain, problem, 0)
    with pytest.raises(InputError, match="found depth 1 without Black's first move"):
        read_model(domain, problem, 1)


def test_semantic_errors_have_a_place_too(files: tuple[Path, Path]) -> None:
    domain, problem = files
    problem.write_text(PAPER_PROBLEM.replace("white(2,4)", "white(2,5)"))
    with pytest.raises(InputError) as caught:
        read_model(domain, problem)
    assert str(caught.value) == (
        f"{problem}:3:12: found white(2,5), expected a square of the 5x4 board"
    )


def test_missing_and_binary_files(files: tuple[Path, Path]) -> None:
    domain, problem = files
    with pytest.raises(InputError, match="no such file"):
        read_model(domain, problem.with_name("nothing.ig"))
    problem.write_bytes(b"\xff\xfe#boardsize")
    with pytest.raises(InputError, match="not UTF-8"):
        read_model(domain, problem)


def test_windows_line_ends(files: tuple[Path, Path]) -> None:
    domain, problem = files
    expected = read_model(domain, problem)
    for file in files:
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert read_model(domain, problem) == expected


def test_the_kind_of_a_file_is_told_by_its_first_section() -> None:
    assert file_kind(QSAGE_DOMAIN) == "domain"
    assert file_kind("% #blackactions\n" + QSAGE_PROBLEM) == "problem"
    assert file_kind("nothing #of the kind") is None


def shared_models(bddl: Path) -> list[tuple[Path, Path]]:
    return [
        (domain, problem)
        for domain in sorted(bddl.glob("*/domain.ig"))
        for problem in sorted(domain.parent.iterdir())
        if problem != domain
    ]


def test_all_models_of_the_papers_benchmark_parse_and_print(shared_data: Path) -> None:
    pairs = shared_models(shared_data / "bddl")
    assert len(pairs) == 102
    for domain, problem in pairs:
        model = read_model(domain, problem)
        assert parse_domain(str(model.domain)) == model.domain
        for printed in PRINTED:
            assert parse_problem(printed(model.problem)) == model.problem


def test_all_templates_parse_and_print() -> None:
    for template in grid_templates():
        for options in template.examples:
            model = resolve_model([template.name], options)
            assert parse_domain(str(model.domain)) == model.domain
            assert parse_problem(str(model.problem)) == model.problem
