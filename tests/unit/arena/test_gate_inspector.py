from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from qsage_validate.arena.frame import Frame, Names
from qsage_validate.arena.open import open_engine
from qsage_validate.arena.strategy_tree import GateInspector, GateReader, GateRow
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import UsageError
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import Files, load, sorted_out
from qsage_validate.strategies.reader import Assignment
from tests.support.plays import DOMINEERING, EL, certified, match_for, reader_for


def gate_lines(rows: Iterable[GateRow]) -> Iterator[str]:
    """A tree as text: ``*`` marks the inputs that give a gate its value."""
    for row in rows:
        indent = "  " * row.depth
        mark = "* " if row.decisive else "  " if row.depth else ""
        more = f" ({row.hidden} more inputs)" if row.hidden else ""
        yield f"{indent}{mark}{row.text}{more}"


def inspector_after(words: tuple[str, ...], rounds: int) -> tuple[GateInspector, Qbf, Frame]:
    made, match = certified(words), match_for(words)
    for _ in range(rounds):
        match.push(match.legal_moves()[0])
    formula, frame = made.encoding.qbf, match.frame
    reader = reader_for(made.encoding, made.certificate)
    assignment = Assignment(frame.ply, frame.choice, frame.reply)
    names = Names(made.encoding.layout, formula)
    return GateInspector.on_board(formula, names, reader, assignment), formula, frame


def tiny(values: dict[int, bool | None]) -> GateInspector:
    """Variables 1 to 3, a gate of each kind, and one that uses all of them twice."""
    gates = {
        4: Gate(Connective.AND, (1, -2)),
        5: Gate(Connective.OR, (1, 2, 3)),
        6: Gate(Connective.XOR, (1, 2)),
        7: Gate(Connective.ITE, (1, 2, -3)),
        8: Gate(Connective.AND, (4, -5, 6, 7, 4)),
        9: Gate(Connective.OR, (8, -8)),
    }
    scopes = (Scope(Quantifier.EXISTS, (1, 2, 3)),)
    formula = Qbf(scopes, gates, 9, names={1: "a", 8: "<g>"})
    return GateInspector(formula, lambda wanted: {v: (values.get(v),) for v in wanted})


@pytest.mark.parametrize("words", [EL, DOMINEERING], ids=lambda words: words[0])
@pytest.mark.parametrize("rounds", [1, 2])
def test_gates_have_the_values_that_their_inputs_give(words: tuple[str, ...], rounds: int) -> None:
    inspector, formula, _ = inspector_after(words, rounds)
    checked = 0
    for square in inspector.squares[:3]:
        for gate in list(formula.gates)[::3]:
            row, inputs = inspector.row(gate, square), inspector.inputs(gate, square)
            values = {v: i.value for v, i in ((abs(i.literal), i) for i in inputs)}
            if row.value is None or None in values.values() or not inputs:
                continue
            own = {abs(i.literal): bool(i.value) != (i.literal < 0) for i in inputs}
            single = Qbf((), {gate: formula.gates[gate]}, gate)
            assert single.truth(own) is row.value
            checked += 1
    assert checked > 10


def test_the_verdict_of_a_won_play_is_true_on_every_square() -> None:
    inspector, formula, frame = inspector_after(EL, 2)
    assert frame.outcome is not None
    assert inspector.row("verdict").value is True
    assert inspector.row("output").literal == formula.output
    assert inspector.row("-verdict").value is False


def test_a_gate_that_differs_between_squares_lists_them() -> None:
    inspector, _, frame = inspector_after(EL, 1)
    row = inspector.row(f"state {frame.ply} open")
    assert row.value is None
    assert frame.board is not None
    taken = [s for s in inspector.squares if frame.board[s].value != "."]
    assert list(row.false_at) == taken
    for square in inspector.squares:
        assert inspector.row(row.literal, square).value is (square not in taken)
    assert "false at " in row.text


def test_inputs_that_decide_come_first_and_are_marked() -> None:
    inspector = tiny({1: False, 2: False, 3: True, 4: False, 5: True, 6: False, 7: False, 8: False})
    assert [(r.name, r.decisive) for r in inspector.inputs(4)] == [("a", True), ("-2", False)]
    assert [r.name for r in inspector.inputs(5) if r.decisive] == ["3"]
    assert [r.name for r in inspector.inputs(6) if r.decisive] == ["a", "2"]
    assert [r.name for r in inspector.inputs(7) if r.decisive] == ["a", "-3"]
    assert [r.decisive for r in inspector.inputs(8)] == [True] * 5
    # A complemented gate has its value for the same reasons.
    assert [r.name for r in inspector.inputs(-4) if r.decisive] == ["a"]


def test_unknown_values_decide_nothing() -> None:
    inspector = tiny({1: None, 2: True, 3: False, 7: True})
    assert [r.name for r in inspector.inputs(7) if r.decisive] == ["2", "-3"]
    assert not any(r.decisive for r in inspector.inputs(4))


def test_a_gate_is_expanded_once_and_bounds_hold() -> None:
    inspector = tiny(dict.fromkeys(range(1, 10), False))
    rows = inspector.tree(9, depth=4)
    assert [r.name for r in rows if r.depth == 1] == ["<g>", "-<g>"]
    assert [r.repeated for r in rows if r.depth == 1] == [False, True]
    fours = [r for r in rows if abs(r.literal) == 4]
    assert sorted(r.repeated for r in fours) == [False, True]
    assert max(r.depth for r in rows) == 3

    assert [r.hidden for r in inspector.tree(8, depth=0)] == [5]
    narrow = inspector.tree(8, depth=1, width=2)
    assert (len(narrow), narrow[0].hidden) == (3, 3)
    assert len(inspector.tree(9, depth=9, rows=4)) == 4


def test_deep_circuits_need_no_stack() -> None:
    gates = {v: Gate(Connective.AND, (v - 1, 1)) for v in range(2, 20_002)}
    formula = Qbf((Scope(Quantifier.EXISTS, (1,)),), gates, 20_001)
    inspector = GateInspector(formula, lambda wanted: dict.fromkeys(wanted, (True,)))
    rows = inspector.tree("output", depth=15_000, rows=None)
    assert max(row.depth for row in rows) == 15_000


def test_names_resolve_and_unknown_ones_name_what_is_similar() -> None:
    inspector, formula, _ = inspector_after(EL, 0)
    gate = inspector.resolve("black 1 move")
    assert inspector.row(gate).meaning == "black 1 move"
    assert inspector.resolve(str(abs(formula.output))) == abs(formula.output)
    with pytest.raises(UsageError, match="black 1 move"):
        inspector.resolve("blak 1 move")
    with pytest.raises(UsageError, match="99999"):
        inspector.row(99_999)
    with pytest.raises(UsageError, match=r"\(9,9\)"):
        inspector.row("verdict", (9, 9))
    points = inspector.starting_points
    assert points[0] == "verdict"
    assert "black 1 move" in points
    assert all(inspector.row(name).connective is not None for name in points)


def test_the_tree_as_text() -> None:
    inspector = tiny({4: False, 1: False, 2: False})
    assert list(gate_lines(inspector.tree(-4, depth=1))) == [
        "-4 = true, not and of 2",
        "  * a = false",
        "    -2 = true",
    ]
    assert next(gate_lines(inspector.tree(8, depth=0))) == "<g> = ?, and of 5 (5 more inputs)"


def test_a_setup_gives_inspectors_for_the_steps_of_its_plays(repository: Path) -> None:
    problem = load(sorted_out(Files(str(repository / "certificates" / "tic.qcir"))))
    match, gates = PlayMatch(open_engine(problem)), GateReader(problem)
    match.push(match.legal_moves()[0])
    for frame in match.frames[1:]:
        inspector = gates.at(frame)
        for value in frame.values:
            if value.value is not None:
                assert inspector.row(value.literal).value is value.value


def test_a_formula_without_a_layout_has_gates_too(tmp_path: Path) -> None:
    formula = tmp_path / "f.qcir"
    formula.write_text("#QCIR-14\nexists(1)\nforall(2)\noutput(4)\n3 = or(1, 2)\n4 = and(3)\n")
    certificate = tmp_path / "f.aag"
    certificate.write_text("aag 1 1 0 1 0\n2\n1\ni0 2\no0 1\n")
    problem = load(Files(str(formula), str(certificate)))
    match, gates = PlayMatch(open_engine(problem)), GateReader(problem)
    match.push("2=0")
    rows = gates.at(match.frame).tree("verdict", depth=2)
    assert list(gate_lines(rows)) == [
        "output [4] = true, and of 1",
        "  * 3 = true, or of 2",
        "    * 1 = true",
        "      2 = false",
    ]
