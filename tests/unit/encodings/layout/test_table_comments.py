"""Layouts with tables of moves: written, read again, and told apart from what is damaged."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.layout import IllegalMoves, Layout, Number, StateView
from qsage_validate.encodings.layout_lines import comments_in_clauses, layout_comments, with_layout
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.list_codings import listed
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import (
    clausal_form,
    parse_qdimacs,
    qbf_to_qdimacs,
    qdimacs_text,
)
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import Player

EXISTS, FORALL = Quantifier.EXISTS, Quantifier.FORALL
BLACK, WHITE = Player.BLACK, Player.WHITE

# ∃1 2 3 ∀4 5 ∃6 7 with two gates: enough for a layout with everything in it.
FORMULA = Qbf(
    (Scope(EXISTS, (1, 2, 3)), Scope(FORALL, (4, 5, 8)), Scope(EXISTS, (6, 7))),
    {
        9: Gate(Connective.AND, (1, -4)),
        10: Gate(Connective.OR, (9, -6)),
        11: Gate(Connective.AND, (10, 7, -5)),
    },
    11,
)
MOVES = ("a", "(mark 1 1)", 'a "word"')
LAYOUT = Layout(
    (
        listed(1, BLACK, MOVES, code=(2, 1), legal=(9, 0, -10)),
        listed(2, WHITE, ("x", "y"), literals=(4, 5), stop=8),
        listed(3, BLACK, ("pass",)),
    ),
    StateView(("black a", "white a"), ((), (9, 0), (10, -7), ())),
    verdict=11,
    gates={"white 2 legal": 9, "a name with [1 2] in it": -10},
    encoding="tiny",
    game="positional",
    model={"name": "tiny", "pg": "#positions\n\n  a b\n| % c"},
    conclusive=(False,),
    illegal=IllegalMoves.REPLACED,
    black_passes=True,
)
TEXT = qcir_text(with_layout(FORMULA, LAYOUT))


def test_every_part_comes_back_from_both_formats() -> None:
    made = with_layout(FORMULA, LAYOUT)
    for read in (parse_qcir(qcir_text(made)), parse_qdimacs(qbf_to_qdimacs(made))):
        assert layout_from_comments(read) == LAYOUT


def test_there_is_one_version() -> None:
    assert layout_from_comments(FORMULA) is None
    with pytest.raises(InputError, match="'qsage-layout 3', expected the line '@ qsage-layout'"):
        layout_from_comments(parse_qcir(TEXT.replace("qsage-layout", "qsage-layout 3")))


def test_a_symbolic_position_comes_back() -> None:
    state = StateView(
        ("black", "white"), ((9, 10),), axes=(Number((8, -4), 3),), names=("a", "b c", "d")
    )
    layout = replace(LAYOUT, moves=LAYOUT.moves[:1], state=state)
    made = with_layout(FORMULA, layout)
    assert layout_from_comments(parse_qcir(qcir_text(made))) == layout


def test_moves_are_written_once_and_runs_in_short() -> None:
    """361 positions and plies, states with two literals a position: some kilobytes."""
    size = plies = 361
    names = tuple(f"p{k}" for k in range(size))
    width = size.bit_length()
    step = width + 2 * size
    layout = Layout(
        tuple(
            listed(
                ply,
                BLACK if ply % 2 else WHITE,
                names,
                code=tuple(range(ply * step, ply * step + width)),
                legal=tuple(range(ply * step + width, (ply + 1) * step, 2)),
            )
            for ply in range(1, plies + 1)
        ),
        StateView(
            tuple(f"{c} {n}" for c in ("black", "white") for n in names),
            tuple(
                tuple(range(t * step + width, (t + 1) * step)) if t % 2 else (0,) * 2 * size
                for t in range(plies + 1)
            ),
        ),
    )
    lines = layout_comments(layout)
    assert sum(map(len, lines)) < 60_000
    blocks = tuple(
        Scope(
            FORALL if t and t % 2 == 0 else EXISTS,
            tuple(range(t * step + (t == 0), (t + 1) * step)),
        )
        for t in range(plies + 1)
    )
    formula = Qbf(blocks, {10**6: Gate(Connective.AND, ())}, 10**6)
    assert layout_from_comments(with_layout(formula, layout)) == layout


def test_of_clauses_only_the_output_is_named_and_keeps_its_meaning() -> None:
    clauses = Qbf(
        FORMULA.scopes,
        # Numbers that no reader of QDIMACS gives.
        {20: Gate(Connective.OR, (1, -4)), 30: Gate(Connective.AND, (20, -6))},
        30,
    )
    layout = Layout(LAYOUT.moves[1:2], verdict=30)
    layout = replace(layout, moves=(replace(layout.moves[0], ply=1),))
    made = with_layout(clauses, layout)
    read = parse_qdimacs(qbf_to_qdimacs(made))
    found = layout_from_comments(read)
    assert read.output != 30
    assert found == replace(layout, verdict=read.output)
    with pytest.raises(ValueError, match="names 20"):
        with_layout(clauses, replace(layout, gates={"a clause": 20}))


def test_a_literal_of_no_variable_or_gate_is_not_written() -> None:
    with pytest.raises(ValueError, match="names -12"):
        with_layout(FORMULA, replace(LAYOUT, gates={"nothing": -12}))


def test_a_clausal_form_keeps_the_names_of_what_it_keeps() -> None:
    made = encode(hex_network(3, 3, 3), "la")
    form = clausal_form(made.qbf, polarity=True)
    read = parse_qdimacs(qdimacs_text(form, comments_in_clauses(made.qbf, made.qbf.levels())))
    found = layout_from_comments(read)
    assert found is not None
    assert found.moves == made.layout.moves
    assert found.state.position == made.layout.state.position
    assert found.gates == {}
    assert found.verdict == read.output
    assert any(any(state) for state in made.layout.state.states)
    own = set(made.qbf.levels())
    assert all(abs(x) in own for state in found.state.states for x in state if x)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("code [2 1]", "code [2 2]", "variable 2 once more"),
        ("code [2 1]", "code [2 -2]", "variable 2 once more"),
        ("code [2 1]", "code [4 1]", "the universal variable 4"),
        ("literals [4 5]", "literals [4 6]", "the existential variable 6"),
        ("literals [4 5]", "literals [4 1]", "variable 1 once more"),
        ("literals [4 5]", "literals [4]", "1 literals for 2 moves"),
        ("literals [4 5]", "literals [4 5 8]", "more than 2 literals"),
        ("literals [4 5]", "literals [4 99]", "literal 99"),
        ("literals [4 5]", "literals [4 0]", "literal 0"),
        ("literals [4 5]", "literals [4..999999999]", "more than 2 literals"),
        ("literals [4 5]", "literals [4*999999999]", "more than 2 literals"),
        ("literals [4 5]", "literals [4..9/2]", "'4..9/2'"),
        ("literals [4 5]", "literals [4;5]", "'4;5'"),
        ("literals [4 5]", "literals [4 5] code [8]", "code and literals"),
        ("literals [4 5]", "literals [4 5] literals [4 5]", "keys list, literals"),
        ("literals [4 5]", "literal [4 5]", "keys list, literal"),
        ("literals [4 5]", "", "0 bits for 2 moves"),
        ("stop 8", "stop 80", "literal 80"),
        ("stop 8", "stop", "'list 2 literals [4 5] stop'"),
        ("stop 8", "stop 8 stop 8", "keys list, literals, stop, stop"),
        ("code [2 1]", "code [2]", "1 bit for 3 moves"),
        ("legal [9 0 -10]", "legal [9 0]", "2 legal for 3 moves"),
        ("move 2 white", "move 3 white", "ply 3"),
        ("move 2 white", "move 2 red", "'red'"),
        ("move 2 white list 2", "move 2 white list 9", "list 9"),
        ("list 2 x y", "list 1 x y", "a second line 'list 1'"),
        ("list 2 x y", "list 2 x x", "'x' twice in a list"),
        ("list 2 x y", 'list 2 x "y', "'\"y'"),
        ("list 2 x y", 'list 2 x"y"', "'x\"y\"'"),
        ("list 2 x y", r'list 2 x "\q"', r"""'"\q"'"""),
        ("state 1 [9 0]", "state 2 [9 0]", "state 2"),
        ("state 1 [9 0]", "state 1 [9]", "1 literal,"),
        ("state 1 [9 0]", "state 1 9 0", "3 values"),
        ("verdict 11", "verdict 12", "literal 12"),
        ("verdict 11", "verdict all", "'all'"),
        ("verdict 11", "conclusive maybe", "'maybe'"),
        ("verdict 11", "illegal never", "'never'"),
        ("verdict 11", "illegal ignored ignored", "2 values"),
        ("verdict 11", "conclusive true false", "2 values"),
        ("gate 9 white 2 legal", "gate 9", "'9'"),
        ("game positional", "game positional\n#@ game gdl", "a second line 'game'"),
        ("game positional", "games positional", "layout keyword 'games'"),
        ("encoding tiny", "encoding very tiny", "2 values"),
        ("model name | tiny", "model name tiny", "'name tiny'"),
        ("atoms list 4", "atoms 4", "1 value"),
        ("literals [4 5]", "literals [4 9]", "the gate 9"),
        ("literals [4 5]", "literals [4 -4]", "variable 4 once more"),
        ("literals [4 5]", "literals [04 5]", "'04'"),
        ("literals [4 5]", "literals [4 -0]", "'-0'"),
        ("code [2 1]", "code [2 11]", "the gate 11"),
        ("stop 8", "stop 5", "variable 5 once more"),
        ("stop 8", "stop 3", "the existential variable 3"),
        ("stop 8", "stop 9", "the gate 9"),
        ("game positional", "game chess", "the kind of game 'chess'"),
        ("game positional", "qsage-layout", "a second line 'qsage-layout'"),
        ("gate -10 a name with [1 2] in it", "gate -10 white 2 legal", "a second line 'gate wh"),
        ("model name | tiny", "model nme | tiny", "the part 'nme' of a model"),
        ("model name | tiny", "model name | ti\x1bny", "a control character in 'name'"),
    ],
)
def test_what_does_not_fit_is_one_line(old: str, new: str, found: str) -> None:
    assert TEXT.count(old) == 1, old
    text = TEXT.replace(old, new)
    with pytest.raises(InputError) as caught:
        layout_from_comments(parse_qcir(text, "f.qcir"))
    pairs = enumerate(zip(TEXT.split("\n"), text.split("\n"), strict=False), start=1)
    line = next(number for number, (before, after) in pairs if before != after)
    assert str(caught.value).startswith(f"f.qcir:{line}:1: found {found}")


def clauses(*units: int) -> str:
    """A formula over ∃1 2 ∀4 ∃3 with these unit clauses, for layouts in its comments."""
    lines = ["p cnf 4 " + str(len(units) + 1), "e 1 2 0", "a 4 0", "e 3 0", "1 -4 3 0"]
    return "\n".join([*lines, *(f"{x} 0" for x in units)]) + "\n"


IMPOSSIBLE = """c @ qsage-layout
c @ list 1 a b c
c @ list 2 d e
c @ move 1 black list 1 literals [1 -2*2]
c @ move 2 white list 2 code [4]
c @ move 3 black list 2 literals [3 -2]
"""


def test_moves_that_cannot_be_made_share_a_constant_and_nothing_else() -> None:
    layout = layout_from_comments(parse_qdimacs(IMPOSSIBLE + clauses(2), "f.qdimacs"))
    assert layout is not None
    assert layout.moves[0].variables == (1, -2, -2)
    assert layout.moves[2].variables == (3, -2)
    # Not asserted, 2 is a variable like any other one.
    with pytest.raises(InputError, match=r"f\.qdimacs:4:1: found variable 2 once more"):
        layout_from_comments(parse_qdimacs(IMPOSSIBLE + clauses(), "f.qdimacs"))
    taken = IMPOSSIBLE.replace("list 2 literals [3 -2]", "list 2 code [2]")
    with pytest.raises(InputError, match=r"f\.qdimacs:6:1: found variable 2 once more"):
        layout_from_comments(parse_qdimacs(taken + clauses(2), "f.qdimacs"))


def test_a_constant_gate_stands_for_a_move_that_cannot_be_made() -> None:
    text = (
        "#@ qsage-layout\n#@ list 1 a b\n#@ move 1 black list 1 literals [1 -2]\n"
        "exists(1)\noutput(3)\n2 = and()\n3 = and(1, 2)\n"
    )
    layout = layout_from_comments(parse_qcir(text, "f.qcir"))
    assert layout is not None
    assert layout.moves[0].variables == (1, -2)
    with pytest.raises(InputError, match=r"f\.qcir:3:1: found the constant 2, which is true"):
        layout_from_comments(parse_qcir(text.replace("1 -2", "1 2"), "f.qcir"))


def test_the_clauses_of_qdimacs_have_no_numbers() -> None:
    layout = IMPOSSIBLE + "c @ verdict 5\n"
    with pytest.raises(InputError, match=r"f\.qdimacs:7:1: found literal 5, expected a variable"):
        layout_from_comments(parse_qdimacs(layout + clauses(2), "f.qdimacs"))
    named = layout_from_comments(
        parse_qdimacs(layout.replace("verdict 5", "verdict output") + clauses(2), "f.qdimacs")
    )
    assert named is not None
    assert named.verdict == 6


def test_a_ply_may_have_no_move() -> None:
    """Formulas of a game in GDL that are deeper than the game have such plies."""
    read = layout_from_comments(parse_qcir(TEXT.replace("list 3 pass", "list 3")))
    assert read is not None
    assert () in [table.moves for table in read.moves]


def test_too_many_states_are_told() -> None:
    text = TEXT.replace("#@ verdict", "#@ state 4 []\n#@ verdict")
    with pytest.raises(InputError, match="5 states for 3 moves"):
        layout_from_comments(parse_qcir(text))


texts = st.text(st.characters(codec="utf-8"), max_size=6)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Layouts over :data:`FORMULA` with any texts."""
    some = st.lists(texts, min_size=2, max_size=2, unique=True).map(tuple)
    literals = st.sampled_from([x for k in range(1, 12) for x in (k, -k)] + [0, 0, 0])
    bits = st.lists(literals, min_size=2, max_size=2).map(tuple)
    moves = (
        listed(1, BLACK, draw(some), code=(draw(st.sampled_from((1, -1))),), legal=draw(bits)),
        listed(2, WHITE, draw(some), literals=draw(st.sampled_from(((4, 5), (-8, 4))))),
    )
    lines = st.text(st.characters(codec="ascii", exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e"))
    return Layout(
        moves,
        StateView(draw(some), tuple(draw(st.lists(bits, max_size=3)))),
        verdict=draw(st.sampled_from((None, 3, -11, 11))),
        gates=draw(st.dictionaries(st.sampled_from(("a", "b c")), literals.filter(bool))),
        model={"notes": draw(lines).strip()},
    )


@given(layouts())
@settings(max_examples=60)
def test_any_texts_come_back(layout: Layout) -> None:
    made = with_layout(FORMULA, layout)
    assert layout_from_comments(made) == layout
    read = parse_qcir(qcir_text(made))
    found = layout_from_comments(read)
    assert found is not None
    assert found.moves == layout.moves
    assert found.state == layout.state


def test_damage_is_an_input_error_or_another_layout() -> None:
    """Whatever a byte is changed to: nothing but what is documented is raised."""
    random = Random(11)
    refused = 0
    lines = TEXT.split("\n")
    own = [k for k, line in enumerate(lines) if line.startswith("#@")]
    for _ in range(1500):
        damaged = list(lines)
        k = random.choice(own[1:])
        line = damaged[k]
        at = random.randrange(2, len(line))
        sign = random.choice('0123456789 []-."*/|abc\\')
        cut = random.choice(
            (line[:at] + sign + line[at + 1 :], line[:at] + line[at + 1 :], line[:at])
        )
        damaged[k] = cut
        try:
            layout_from_comments(parse_qcir("\n".join(damaged)))
        except InputError:
            refused += 1
    assert refused > 300
