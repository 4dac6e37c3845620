"""Scripts: how moves are told apart, and where what is wrong stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.arena.frame import Frame
from qsage_validate.errors import InputError
from qsage_validate.play.report import run_script
from qsage_validate.play.transcript import transcript_of
from qsage_validate.problems.script_moves import script_moves
from tests.support.plays import DOMINO, EL, match_for


def read(text: str, *, by_line: bool = False) -> list[tuple[str, bool, bool]]:
    return [(m.text, m.force, m.claim) for m in script_moves(text, by_line=by_line)]


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("", []),
        ("occupy(1,1)", ["occupy(1,1)"]),
        ("occupy(1,1) occupy(3,3)", ["occupy(1,1)", "occupy(3,3)"]),
        ("occupy(1, 1)\noccupy ( 3 , 3 ); a(1,1)", ["occupy(1, 1)", "occupy ( 3 , 3 )", "a(1,1)"]),
        ("# nothing\n  a(1,1) # b(2,2)\n", ["a(1,1)"]),
        (";; a(1,1) ;;", ["a(1,1)"]),
        ("1.a1 2.c3", ["a1", "c3"]),
        ('1. a1 2... c3\n3.(1,2) 4."d d"', ["a1", "c3", "(1,2)", "d d"]),
        ("a1, c3,b2 , a(1,1),b(2,2)", ["a1", "c3", "b2", "a(1,1)", "b(2,2)"]),
        ("1,2 3.4 2(1,2)", ["1,2", "3.4", "2(1,2)"]),
        ("\ufeffa1 b2", ["a1", "b2"]),
    ],
)
def test_moves_are_told_apart(text: str, moves: list[str]) -> None:
    assert [move for move, _, _ in read(text)] == moves


def test_marks() -> None:
    assert read("a(1,1)! b(1,1) ! c(1,1)!stop d(1,1)!! e(1,1)!illegal f(1,1) g(1,1)!stop!") == [
        ("a(1,1)", True, False),
        ("b(1,1)", True, False),
        ("c(1,1)", False, True),
        ("d(1,1)", False, True),
        ("e(1,1)", True, False),
        ("f(1,1)", False, False),
        ("g(1,1)", True, True),
    ]
    with pytest.raises(InputError, match=r"'!', '!stop' or '!stop!' behind a move"):
        read("a(1,1)!maybe")


def test_blocks_are_separated_by_semicolons_and_lines() -> None:
    assert read("7=1 8=0; 9=1\n10=1 11=1", by_line=True) == [
        ("7=1 8=0", False, False),
        ("9=1", False, False),
        ("10=1 11=1", False, False),
    ]


@given(st.lists(st.from_regex(r"[a-z]{1,5}\([1-9],[1-9]\)!?", fullmatch=True), max_size=5))
def test_any_list_of_moves_reads_back(moves: list[str]) -> None:
    for separator in (" ", ";", "\n", " ; ", "  "):
        found = [m.text + "!" * m.force for m in script_moves(separator.join(moves))]
        assert found == moves


@given(st.text(max_size=40), st.booleans())
def test_any_text_is_taken_apart_or_refused(text: str, by_line: bool) -> None:
    lines = text.splitlines()
    message = ""
    try:
        for move in script_moves(text, by_line=by_line):
            assert lines[move.line - 1][move.column - 1 :].startswith(move.text[:1])
    except InputError as error:
        message = str(error)
    assert "\n" not in message


def test_every_frame_is_shown_once() -> None:
    match = match_for(EL)
    shown: list[Frame] = []
    legal = [str(move) for move in match.legal_moves()]
    assert run_script(match, legal[0], show=shown.append) is None
    assert tuple(shown) == match.frames


def test_a_script_stops_at_an_illegal_move() -> None:
    match = match_for(DOMINO)
    taken = str(match.frame.move)
    why = run_script(match, f"{taken} occupy(3,3)")
    assert why is not None
    assert str(why.move) == taken
    assert len(match.frames) == 2
    assert run_script(match, f"{taken}!") is None
    assert match.over


def test_a_transcript_is_a_script() -> None:
    match = match_for(EL)
    run_script(match, str(match.legal_moves()[0]))
    again = match_for(EL)
    shown: list[Frame] = []
    assert run_script(again, str(transcript_of(match)), show=shown.append) is None
    assert transcript_of(again) == transcript_of(match)
    assert tuple(shown) == again.frames


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hop(1,1)", "m.txt:1:1: found the unknown action 'hop', expected one of White: occupy"),
        ("\n  nonsense", "m.txt:2:3: found 'nonsense', expected a move like b1 or occupy(2,1)"),
        ("occupy(9,9)!", "m.txt:1:1: found 'occupy(9,9)', expected no move (occupy(9,9) cannot"),
    ],
)
def test_the_place_of_what_is_wrong_is_told(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        run_script(match_for(DOMINO), text, "m.txt")
    assert str(error.value).startswith(message)


def test_moves_after_the_end_are_refused() -> None:
    match = match_for(DOMINO)
    legal = str(match.legal_moves()[0])
    with pytest.raises(InputError, match=r"expected no more moves: the play is over"):
        run_script(match, f"{legal} {legal}")
