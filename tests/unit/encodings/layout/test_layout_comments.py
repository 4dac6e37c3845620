"""Layout comments that do not fit their formula are told by their line."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from qsage_validate.encodings.layout import ANY_GAME, Layout, StateView, UnspecifiedLegality
from qsage_validate.encodings.layout_lines import comments_in_clauses, with_layout
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import (
    clausal_form,
    parse_qdimacs,
    qbf_to_qdimacs,
    qdimacs_text,
)
from tests.conftest import REPOSITORY
from tests.support.plies import with_width

SAMPLE = (REPOSITORY / "certificates" / "tic.qcir").read_text("utf-8")
SYMBOLIC = "symbolic x [39 40] y [41 42]"
WHITE = "move 2 white action [] x [6 7]"


def layout_with(old: str, new: str) -> Layout:
    assert SAMPLE.count(old) == 1
    layout = layout_from_comments(parse_qcir(SAMPLE.replace(old, new), "f.qcir"))
    assert layout is not None
    return layout


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (SYMBOLIC, "symbolic x [1 40] y [41 42]", "variable 1 once more"),
        (SYMBOLIC, "symbolic x [39 -39] y [41 42]", "variable 39 once more"),
        (SYMBOLIC, "symbolic x [43 40] y [41 42]", "the existential variable 43"),
        (WHITE, "move 2 white action [] x [43 7]", "the existential variable 43"),
        ("move 1 black action [] x [1 2]", "move 1 black action [] x [6 2]", "the uni"),
        (SYMBOLIC, "symbolic x [39] y [41 42]", "1 bit for 4 columns"),
        ("verdict 275", "verdict 276", "literal 276"),
        ("board 4 4", "board 4 " + "1" * 5000, "'1111"),
        ("#@ qsage-layout\n", "#@ qsage-layout 3\n", "'qsage-layout 3'"),
    ],
)
def test_what_does_not_fit_is_one_short_line(old: str, new: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        layout_with(old, new)
    assert str(caught.value).startswith("f.qcir:")
    assert f"found {found}" in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("old", "new", "line", "found"),
    [
        # Bit lists of another width than what they number needs.
        ("x [6 7] y", "x [6] y", 8, "1 bit for 4 columns, expected 2"),
        ("x [6 7] y [8 9]", "x [6 7 9] y [8]", 8, "3 bits for 4 columns, expected 2"),
        ("y [25 26]", "y []", 11, "0 bits for 4 rows, expected 2"),
        ("goal black-x [28 29]", "goal black-x [28]", 15, "1 bit for 4 columns"),
        ("goal white-y [35 36]", "goal white-y [36]", 19, "1 bit for 4 rows"),
        (
            f"{WHITE} y [8 9]",
            f"{WHITE.replace('[]', '[10]')} y [8 9]",
            8,
            "1 bit for 1 actions, expected 0",
        ),
        ("actions black occupy", "actions black occupy lift", 7, "0 bits for 2 actions"),
        (
            "actions white occupy",
            "actions white",
            8,
            "a white ply, expected a line 'actions white'",
        ),
        ("actions black occupy", "actions black a a", 5, "the action 'a' twice"),
        ("board 4 4", "board 0 4", 4, "a board of 0x4"),
        ("board 4 4", "board 4 5", 7, "2 bits for 5 rows, expected 3"),
        # Lines that are missing, doubled, or of another ply.
        ("#@ board 4 4\n", "", 6, "coordinates, expected a line 'board' above them"),
        (f"#@ {SYMBOLIC} code open-white\n", "", 21, "a state, expected a line 'atoms', or 'sym"),
        ("state 1 45 46", "state 1 [45 46]", 23, "2 values, expected the time and two literals"),
        ("state 1 45 46", "state 1 45 0", 23, "literal 0, expected a variable or gate"),
        ("verdict 275", "atoms list 1", 28, "atoms of a board, expected them without 'code'"),
        ("#@ indicators 2 preconditions [11]\n", "", 8, "a White ply 2 without a line"),
        ("indicators 2", "indicators 1", 12, "indicators of ply 1, expected a White ply"),
        ("indicators 2", "indicators 6", 12, "indicators of ply 6, expected a White ply"),
        ("indicators 4", "indicators 2", 13, "a second line 'indicators 2'"),
        ("goal black-y", "goal black-x", 16, "a second line 'goal black-x'"),
        ("verdict 275", "board 4 4", 28, "a second line 'board', expected one (it is in line 6)"),
        ("verdict 275", "qsage-layout", 28, "a second line 'qsage-layout'"),
        ("gate 269 black 1 wins", "gate 269 black 1 ply", 31, "a second line 'gate black 1 ply'"),
        ("move 3 black", "move 4 black", 9, "ply 4, expected ply 3"),
        ("move 3 black", "move 03 black", 9, "'03', expected a number"),
        ("state 3", "state 4", 25, "state 4, expected state 3"),
        # Variables with two meanings, gates and other players' variables.
        ("stop 10", "stop 5", 8, "variable 5 once more"),
        ("stop 10", "stop 16", 8, "the existential variable 16"),
        ("stop 5", "stop 6", 7, "the universal variable 6"),
        ("stop 5", "stop -4", 7, "variable 4 once more"),
        ("stop 5", "stop 275", 7, "the gate 275"),
        ("stop 5", "stop 0", 7, "literal 0"),
        ("y [25 26]", "y [25 26] stop 5", 11, "variable 5 once more"),
        ("x [6 7] y", "x [6 275] y", 8, "the gate 275"),
        ("counterexample [37 38]", "counterexample [37 99]", 20, "the gate 99"),
        ("counterexample [37 38]", "counterexample [37 36]", 20, "variable 36 once more"),
        ("counterexample [37 38]", "counterexample [37 41]", 20, "the universal variable 41"),
        ("white-condition [32]", "white-condition [54]", 17, "the existential variable 54"),
        ("preconditions [11]", "preconditions [6]", 12, "variable 6 once more"),
        ("preconditions [11]", "preconditions [22]", 13, "variable 22 once more"),
        ("preconditions [11]", "preconditions [32]", 12, "the universal variable 32"),
        ("state 1 45 46", "state 1 45 45", 23, "variable 45 once more"),
        ("state 1 45 46", "state 1 45 11", 23, "variable 11 once more"),
        # Other things.
        ("game bddl", "game gdl", 4, "a board in a game of the kind gdl, expected"),
        ("game bddl", "game go", 3, "the kind of game 'go'"),
        ("x [1 2] y", "x [1 2] x", 7, "keys action, x, x, stop"),
        ("model name | httt", "model nam | httt", 50, "the part 'nam' of a model"),
        ("model domain | #whiteactions", "model name | x", 56, "a second line of 'name'"),
        (
            "#@ qsage-layout\n",
            "#@ board 4 4\n",
            1,
            "'@ board 4 4', expected the",
        ),
        ("#@ encoding lifted\n", "#@ encoding a b\n", 2, "2 values"),
    ],
)
def test_each_condition_of_form_is_told_at_its_line(
    old: str, new: str, line: int, found: str
) -> None:
    with pytest.raises(InputError) as caught:
        layout_with(old, new)
    rows = [k for k, text in enumerate(SAMPLE.split("\n"), start=1) if text.startswith("#@")]
    place = rows[line - 1] if line > 0 else rows[-1] - 1
    assert str(caught.value).startswith(f"f.qcir:{place}:1: found {found}")


def test_stop_in_the_last_ply_stops_nothing() -> None:
    text = SAMPLE.replace("stop 16", "").replace("y [25 26]", "y [25 26] stop 16")
    with pytest.raises(InputError, match="found 'stop' in the last ply, expected"):
        layout_from_comments(parse_qcir(text, "f.qcir"))


MOVES_ALONE = """#@ qsage-layout
#@ board 2 1
#@ actions black occupy
#@ list 1 occupy(1,1) occupy(2,1)
#@ move 1 black action [] x [1] y []
#@ move 2 white list 1 literals [2 3]
exists(1)
forall(2, 3)
output(4)
4 = or(1, 2)
"""


def test_a_layout_may_name_moves_alone_and_mix_their_kinds() -> None:
    layout = layout_from_comments(parse_qcir(MOVES_ALONE, "f.qcir"))
    assert layout is not None
    assert [ply.moves for ply in layout.moves] == [("occupy(1,1)", "occupy(2,1)")] * 2
    assert (layout.state, layout.silence) == (StateView(), UnspecifiedLegality.UNSAID)
    assert (layout.game, layout.verdict, dict(layout.model)) == ("bddl", None, {})
    again = with_layout(parse_qcir(MOVES_ALONE), layout)
    assert layout_from_comments(again) == layout
    listed = re.sub("#@ (board|actions).*\n", "", MOVES_ALONE)
    listed = listed.replace("action [] x [1] y []", "list 1 code [1]")
    alone = layout_from_comments(parse_qcir(listed, "f.qcir"))
    assert alone is not None
    assert alone.game == ANY_GAME
    assert alone.moves[1] == layout.moves[1]


def test_the_numbers_of_older_versions_mean_nothing() -> None:
    layout = layout_from_comments(parse_qcir(SAMPLE))
    for number in (1, 2):
        text = SAMPLE.replace("#@ qsage-layout", f"#@ qsage-layout {number}")
        assert layout_from_comments(parse_qcir(text)) == layout


def test_a_clausal_form_of_a_grid_names_no_gate() -> None:
    qbf = parse_qcir(SAMPLE)
    whole = layout_from_comments(qbf)
    form = clausal_form(qbf, polarity=True)
    read = parse_qdimacs(qdimacs_text(form, comments_in_clauses(qbf, qbf.levels())))
    found = layout_from_comments(read)
    assert whole is not None
    assert whole.gates
    expected = replace(
        whole,
        verdict=read.output,
        gates={n: x for n, x in whole.gates.items() if abs(x) in qbf.levels()},
    )
    assert found == expected
    assert read.comments[0][1].strip() == qbf.comments[0][1].strip()


def test_comments_of_others_that_begin_alike_are_no_layout() -> None:
    assert layout_from_comments(parse_qcir("#@ author x\nexists(1)\noutput(1)\n")) is None
    text = SAMPLE.replace("#@ qsage-layout", "#@ author x\n#@ qsage-layout")
    with pytest.raises(InputError, match=r"f\.qcir:3:1: found '@ author x', expected"):
        layout_from_comments(parse_qcir(text, "f.qcir"))


def named(number: str) -> str:
    """The sample with a name in the place of this number."""
    return re.sub(rf"(?<![\w.]){number}(?![\w.])", "n", SAMPLE)


def test_literals_are_those_of_the_file_names_included() -> None:
    whole = layout_from_comments(parse_qcir(SAMPLE))
    text = named("45")
    assert "state 1 n 46" in text
    layout = layout_from_comments(parse_qcir(text, "f.qcir"))
    assert whole is not None
    assert layout is not None
    inner = layout.state.states[1][0]
    assert inner > 275
    assert layout.state.states[1] == (inner, 46)
    # The number that the reader gave to the name is none of the file's.
    with pytest.raises(InputError, match=rf"found literal {inner}, expected"):
        layout_from_comments(parse_qcir(text.replace("state 1 n", f"state 1 {inner}"), "f.qcir"))


def test_a_number_too_large_to_keep_is_found_again() -> None:
    text = SAMPLE.replace("45", "4500000")
    layout = layout_from_comments(parse_qcir(text, "f.qcir"))
    assert layout is not None
    assert parse_qcir(text).names[layout.state.states[1][0]] == "4500000"


def test_the_clauses_of_qdimacs_have_no_numbers() -> None:
    text = qbf_to_qdimacs(parse_qcir(SAMPLE))
    read = parse_qdimacs(text, "f.qdimacs")
    assert layout_from_comments(read) is not None
    clause = next(iter(read.gates))
    with pytest.raises(InputError, match=rf"found literal {clause}, expected a variable or gate"):
        layout_from_comments(parse_qdimacs(text.replace("verdict 275", f"verdict {clause}")))


def test_a_board_of_absurd_size_is_refused_before_its_squares_are_made() -> None:
    layout = layout_with("board 4 4", "board 4 4")
    assert layout.state.squares[-1] == (4, 4)
    with pytest.raises(UsageError, match="262145x4"):
        _ = with_width(layout, 262145).state.squares
