from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.foreign import find_meta, layout_from_meta
from qsage_validate.encodings.layout import Indicators, StateCode
from qsage_validate.errors import InputError
from qsage_validate.formats.meta import MetaFile, parse_meta
from qsage_validate.games.protocol import Player
from tests.support.plies import indicators_of

# A 3x1 board, two actions of Black, one of White, three plies, in Q-sage's manner: Black's
# stop 4, White's stop 8, bounds 9, precondition 10; 5 is White's action bit, 14 Black's last.
META = """\
#boardsize
3 1
#depth
3
#blackactions
left(?x,?y)
right(?x,?y)
#whiteactions
occupy(?x,?y)
#actionvars
[1] [2,3] [ ]
[5] [6,7] [ ]
[11] [12,13] [ ]
#symbolicpos
[20,21] [ ]
#statevars
22 23
24 25
26 27
28 29
#goalvar
0
"""


def formula(**changes: object) -> Qbf:
    e, a = Quantifier.EXISTS, Quantifier.FORALL
    scopes = (
        Scope(e, (1, 2, 3, 4)),
        Scope(e, (5,)),
        Scope(a, (6, 7, 8)),
        Scope(e, (9,)),
        Scope(e, (10,)),
        Scope(e, (11, 12, 13, 14)),
        Scope(e, (15,)),
        Scope(e, (16, 17)),
        Scope(a, (30, 31, 32)),
        Scope(e, (33,)),
        Scope(a, (20, 21)),
        Scope(e, tuple(range(22, 30))),
    )
    compared = [(a, b) for a, b in ((16, 20), (17, 21), (30, 20), (31, 21))]
    gates = {40: Gate(Connective.AND, (9, 10)), 41: Gate(Connective.OR, (4, 8, 14, 40))}
    for a_, b in compared:
        gates[max(gates) + 1] = Gate(Connective.OR, (-a_, b))
        gates[max(gates) + 1] = Gate(Connective.OR, (-b, a_))
    qbf = Qbf(scopes, gates, 41, path="f.qcir")
    return replace(qbf, **changes)  # type: ignore[arg-type]


def meta(text: str = META) -> MetaFile:
    return parse_meta(text, "f.meta")


def test_a_layout_is_completed_from_prefix_and_matrix() -> None:
    layout = layout_from_meta(meta(), formula())
    assert [m.player for m in layout.moves] == [Player.BLACK, Player.WHITE, Player.BLACK]
    assert [(m.action, m.x, m.y) for m in layout.moves] == [
        ((1,), (2, 3), ()),
        ((), (6, 7), ()),
        ((11,), (12, 13), ()),
    ]
    assert [m.stop for m in layout.moves] == [4, 8, None]
    assert indicators_of(layout) == [(2, Indicators(9, (10,)))]
    assert layout.gates == {"white 2 legal": 40}
    assert layout.actions[Player.BLACK] == ("left", "right")
    assert layout.state.code is StateCode.OCCUPIED_WHITE
    assert (layout.state.x, layout.state.y) == ((20, 21), ())
    assert layout.state.states == ((22, 23), (24, 25), (26, 27), (28, 29))
    assert layout.goals.black_condition == (15,)
    assert (layout.goals.black_x, layout.goals.black_y) == ((16, 17), ())
    assert (layout.goals.white_x, layout.goals.white_condition) == ((30, 31), (32,))
    assert layout.goals.counterexample == (33,)
    assert layout.verdict == 41
    assert (layout.state.size, layout.plies) == ((3, 1), 3)
    assert layout.source == "meta file f.meta"


def test_indicators_need_the_gate_that_joins_them() -> None:
    gates = {k: g for k, g in formula().gates.items() if k != 40}
    gates[41] = Gate(Connective.OR, (4, 9))
    layout = layout_from_meta(meta(), formula(gates=gates))
    assert indicators_of(layout) == []
    assert layout.gates == {}


def test_a_goal_position_is_what_the_matrix_compares_to_the_board() -> None:
    gates = {40: Gate(Connective.AND, (9, 10)), 41: Gate(Connective.OR, (4, 40))}
    goals = layout_from_meta(meta(), formula(gates=gates)).goals
    assert (goals.black_x, goals.white_x, goals.white_condition) == ((), (), ())


def test_white_moves_first_when_the_number_of_plies_is_even() -> None:
    lines = META.splitlines()
    text = "\n".join(line for line in lines if line not in ("[1] [2,3] [ ]", "22 23")).replace(
        "#depth\n3", "#depth\n3"
    )
    layout = layout_from_meta(parse_meta(text), formula())
    assert [m.player for m in layout.moves] == [Player.WHITE, Player.BLACK]
    assert indicators_of(layout) == [(1, Indicators(9, (10,)))]
    assert layout.moves[0].stop == 8


def test_the_first_ply_of_black_is_none_where_the_rules_say_that_white_begins() -> None:
    layout = layout_from_meta(meta(), formula(), first_player=Player.WHITE)
    assert [m.player for m in layout.moves] == [Player.WHITE, Player.BLACK]
    assert [m.ply for m in layout.moves] == [1, 2]
    assert layout.state.states == ((24, 25), (26, 27), (28, 29))
    assert layout_from_meta(meta(), formula(), first_player=Player.BLACK).plies == 3


def test_a_dummy_last_ply_is_none() -> None:
    gates = dict(formula().gates) | {60: Gate(Connective.OR, (11, 12, 13, -14))}
    layout = layout_from_meta(meta(), formula(gates=gates))
    assert [m.player for m in layout.moves] == [Player.BLACK, Player.WHITE]
    assert layout.state.states == ((22, 23), (24, 25), (26, 27))


def test_the_goal_variable_is_the_verdict() -> None:
    given = META.replace("#goalvar\n0", "#goalvar\n40")
    assert layout_from_meta(meta(given), formula()).verdict == 40
    assert layout_from_meta(meta(given), None).verdict == 40
    assert layout_from_meta(meta(), None).verdict is None


def test_without_a_formula_the_gaps_of_the_numbering_tell() -> None:
    # The older encodings have no stop variable of White.
    text = META.replace("[11] [12,13]", "[10] [11,12]")
    layout = layout_from_meta(meta(text), None)
    assert [m.stop for m in layout.moves] == [4, None, None]
    assert indicators_of(layout) == [(2, Indicators(8, (9,)))]
    assert layout.moves[1].action == (5,)
    decided = {1, 2, 3, 4, 5, 8, 9, 10, 11, 12, *range(22, 30)}
    known = layout_from_meta(meta(text), None, decided)
    assert known.moves[1].action == ()
    assert indicators_of(known) == [(2, Indicators(8, (9,)))]
    assert indicators_of(layout_from_meta(meta(text), None, decided - {9})) == []
    with pytest.raises(InputError, match="existential variable 6 in the White ply 2"):
        layout_from_meta(meta(text), None, decided | {6})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[1] [2,3]",
            "[1] [2,99]",
            "f.meta:11:1: found the variable 99, which f.qcir does not quantify, "
            "expected a variable of its prefix",
        ),
        (
            "[1] [2,3]",
            "[1] [2,2]",
            "f.meta:11:1: found the variable 2 once more, expected each variable in one place",
        ),
        (
            "[5] [6,7]",
            "[5] [6,10]",
            "f.meta:12:1: found the existential variable 10 in the White ply 2, "
            "expected Black's variables existential and White's universal, by turns",
        ),
        (
            "[11] [12,13]",
            "[11] [12,8]",
            "f.meta:13:1: found the universal variable 8 in the Black ply 3, "
            "expected Black's variables existential and White's universal, by turns",
        ),
        (
            "[5] [6,7]",
            "[5] [6]",
            "f.meta:12:1: found 1 bit for 3 columns, expected 2",
        ),
        (
            "[1] [2,3]",
            "[ ] [2,3]",
            "f.meta:11:1: found 0 bits for 2 black actions, expected 1",
        ),
        (
            "[20,21]",
            "[20]",
            "f.meta:15:1: found 1 bit for 3 columns, expected 2",
        ),
        (
            "[20,21]",
            "[20,33]",
            "f.meta:15:1: found the existential variable 33, expected universal variables",
        ),
        (
            "24 25",
            "24 32",
            "f.meta:18:1: found the universal variable 32, expected existential state variables",
        ),
        (
            "#goalvar\n0",
            "#goalvar\n99",
            "f.meta:22:1: found the goal variable 99, which f.qcir does not have, "
            "expected a variable or gate of it, or 0",
        ),
        (
            "[11] [12,13] [ ]",
            "[1] [2,3] [ ]",
            "f.meta:12:1: found variables of ply 2 that stand left of those of ply 1, "
            "expected plies in the order of the prefix",
        ),
    ],
)
def test_a_meta_file_of_another_formula_is_refused(old: str, new: str, message: str) -> None:
    text = META.replace(old, new)
    if "plies in the order" in message:
        text = text.replace("[1] [2,3] [ ]\n[5]", "[11] [12,13] [ ]\n[5]")
    with pytest.raises(InputError) as caught:
        layout_from_meta(meta(text), formula())
    assert str(caught.value) == message


def test_the_meta_file_is_found_beside_the_formula(tmp_path: Path) -> None:
    qcir = tmp_path / "a.qcir"
    assert find_meta(qcir) is None
    assert find_meta(tmp_path / "missing" / "a.qcir") is None
    (tmp_path / "b.meta").write_text(META)
    assert find_meta(qcir) == str(tmp_path / "b.meta")
    (tmp_path / "c.meta").write_text(META)
    assert find_meta(qcir) is None
    (tmp_path / "viz_meta_out").write_text(META)
    assert find_meta(qcir) == str(tmp_path / "viz_meta_out")
    (tmp_path / "a.meta").write_text(META)
    assert find_meta(qcir) == str(tmp_path / "a.meta")
    assert find_meta(tmp_path / "a.qcir.gz") == str(tmp_path / "a.meta")
