"""Registered GDL encodings: their layouts, their clauses, and what they refuse."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from qsage_validate.circuit.qbf import Connective, Quantifier
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import IllegalMoves
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.encoders import (
    GdlTables,
    Quantification,
    clausal,
    gdl_clauses,
    tables,
)
from qsage_validate.extensions.gdl.machine import StateMachine
from qsage_validate.extensions.gdl.model import GdlModel, against_all, term_text
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.extensions.gdl.rules import GdlMove, NotTurnTakingError, rounds_game
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.games.protocol import Player
from qsage_validate.system.limits import memory_within

pytest.importorskip("clingo", reason="grounding needs clingo")

TRAILS = GdlModel(library.load("trails"), 5, "red")

# Three roles say in turn who is out; the last one in has won.
OUT = parse_description(
    """
(role a) (role b) (role c) (init (in a)) (init (in b)) (init (in c)) (init (turn a))
(after a b) (after b c) (after c a)
(<= (legal ?r (throw ?s)) (true (turn ?r)) (true (in ?s)) (distinct ?r ?s))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (in ?r)) (true (in ?r)) (not (thrown ?r)))
(<= (thrown ?r) (does ?s (throw ?r)))
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s) (not (thrown ?s)))
(<= (next (turn ?t)) (true (turn ?r)) (after ?r ?s) (thrown ?s) (after ?s ?t))
(<= two (true (in ?r)) (true (in ?s)) (distinct ?r ?s))
(<= terminal (not two))
(<= (goal ?r 100) (true (in ?r)) terminal)
(<= (goal ?r 0) (role ?r) (not (true (in ?r))))
"""
)

BOTH = parse_description(
    """
(role x) (role y) (init s) (m 1) (m 2)
(<= (legal ?r ?m) (role ?r) (m ?m) (true late)) (<= (legal ?r 1) (role ?r) (not (true late)))
(<= (next late) (does x 1)) (<= terminal (true never)) (<= (goal ?r 0) (role ?r))
"""
)


def values_of(encoding: Encoding, plays: Sequence[str]) -> dict[int, bool]:
    """All values when these moves are made, one a ply."""
    values = dict.fromkeys((v for s in encoding.qbf.scopes for v in s.variables), False)
    for table, move in zip(encoding.layout.moves, plays, strict=False):
        number = table.moves.index(move)
        if table.coding.numbers:
            code, width = table.variables, len(table.variables)
            values.update((v, bool(number >> (width - 1 - k) & 1)) for k, v in enumerate(code))
        else:
            values[table.variables[number]] = True
        assert table.coding.decode(values) == (move, "")
    return encoding.qbf.evaluate(values)


@pytest.mark.parametrize("name", ["gdl", "gdl-strict"])
def test_the_layout_says_what_the_rules_say(name: str) -> None:
    encoding = encode(TRAILS, name)
    game = rounds_game(TRAILS)
    rng = random.Random(1)
    for _ in range(20):
        position, moves = game.initial, list[str]()
        while position.outcome is None:
            moves.append(str(rng.choice(position.legal_moves())))
            position = position.play(GdlMove(game.parse_move(moves[-1], Player.BLACK).term))
        values = values_of(encoding, moves)
        position = game.initial
        for ply, move in enumerate(moves):
            legal = encoding.layout.moves[ply].legal
            said = {
                text
                for text, literal in zip(encoding.layout.moves[ply].moves, legal, strict=True)
                if values[abs(literal)] == (literal > 0)
            }
            assert said == set(map(str, position.legal_moves()))
            state = encoding.layout.state.states[ply]
            assert bool(state) is (ply % 2 == 0)
            if state:
                atoms = zip(encoding.layout.state.kinds, state, strict=True)
                true = {a for a, x in atoms if values[abs(x)] == (x > 0)}
                assert true == set(map(term_text, position.state))
            position = position.play(game.parse_move(move, Player.BLACK))


def test_every_variable_of_the_clauses_is_one_of_the_circuits() -> None:
    made = tables(TRAILS)
    assert made.layout.illegal is IllegalMoves.REPLACED
    for quantification in Quantification:
        form = clausal(made, quantification)
        assert isinstance(form, GdlTables)
        gate = form.qbf.gates[form.qbf.output]
        assert gate.connective is Connective.AND
        known = form.qbf.quantifiers()
        assert all(
            known[v] is (Quantifier.FORALL if t.coding.numbers else Quantifier.EXISTS)
            for t in form.layout.moves
            for v in t.variables
        )
        written = clausal_form(form.qbf)
        expected = gdl_clauses(made.inner, quantification, also=_constants(made))
        assert set(written.clauses) == set(expected.clauses)
        assert written.scopes == expected.scopes


def _constants(made: GdlTables) -> list[int]:
    return [n for n, gate in made.inner.qbf.gates.items() if not gate.inputs]


def test_quantifications_differ_in_their_blocks_as_defined() -> None:
    # GN has all atoms innermost, GD some as far left as they can be.
    sizes = {
        name: [len(s.variables) for s in encode(TRAILS, name).qbf.merged_scopes()]
        for name in ("gdl-gn", "gdl-gt", "gdl-gd")
    }
    assert sizes["gdl-gn"][-1] > sizes["gdl-gt"][-1] > 0
    assert sizes["gdl-gd"][0] >= sizes["gdl-gt"][0] >= sizes["gdl-gn"][0]
    assert len({sum(blocks) for blocks in sizes.values()}) == 1


def test_the_names_are_those_of_the_paper() -> None:
    names = list(encoders("gdl"))
    assert names[0] == "gdl"
    assert set(names) == {"gdl", "gdl-strict", "gdl-gn", "gdl-gt", "gdl-gd", "gdl-sd"}
    assert [encode(TRAILS, n).layout.encoding for n in names] == names


def test_other_roles_move_together() -> None:
    made = against_all(OUT, "b")
    assert parse_description(made.text()) == made
    machine = StateMachine(made)
    assert [term_text(r) for r in machine.roles] == ["b", "others"]
    assert machine.initial == StateMachine(OUT).initial
    assert [term_text(m) for m in machine.legal(machine.initial, "others")] == [
        "(together (throw b) wait)",
        "(together (throw c) wait)",
    ]


def test_two_roles_stay_as_they_are() -> None:
    assert against_all(library.load("trails")) == library.load("trails")


def test_names_that_are_taken_are_not_used_for_the_others() -> None:
    text = OUT.text().replace("wait", "together").replace("turn", "others")
    machine = StateMachine(against_all(parse_description(text), "a"))
    assert [term_text(r) for r in machine.roles] == ["a", "others_"]
    assert (
        term_text(machine.legal(machine.initial, "others_")[0]) == "(together_ together together)"
    )


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(UsageError, match="found the role 'z', expected a, b or c"):
        encode(GdlModel(OUT, 3, "z"))


def test_a_game_that_is_not_turn_taking_is_found_out_in_plays() -> None:
    encode(GdlModel(BOTH, 1))
    with pytest.raises(NotTurnTakingError, match=r"found a choice of both .* in \{late\}"):
        encode(GdlModel(BOTH, 3))


def test_plies_of_a_search_are_told_as_rounds() -> None:
    game = rounds_game(TRAILS)
    assert [game.span(plies) for plies in (2, 3, 4, 11)] == [
        "1 round",
        "1 round",
        "2 rounds",
        "5 rounds",
    ]
    assert game.span(None) == "any number of rounds"
    assert game.length == "5 rounds"


def test_memory_bounds_the_grounding() -> None:
    with memory_within(1):
        encode(GdlModel(TRAILS.description, 2))
        with pytest.raises(UndecidedError, match="about what fits into 1 MB"):
            encode(GdlModel(TRAILS.description, 40))
    encode(TRAILS)
