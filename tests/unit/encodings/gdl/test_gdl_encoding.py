"""Games in GDL as formulas: held against the state machine, search, and the paper's sizes."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.errors import (
    MissingExtraError,
    QsageError,
    UndecidedError,
    UsageError,
    install_line,
)
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.encoders import (
    GdlEncoding,
    Quantification,
    Variant,
    encode_gdl,
    gdl_clauses,
)
from qsage_validate.extensions.gdl.machine import StateMachine
from qsage_validate.extensions.gdl.model import Description, Ground
from qsage_validate.extensions.gdl.parser import parse_description, read_description
from qsage_validate.extensions.gdl.qasp import ProgramCircuit, ground
from qsage_validate.extensions.gdl.rules import RoundsGame
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_qdimacs, qdimacs_text
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.protocol import Player
from tests.support.search import solve

clingo = pytest.importorskip("clingo", reason="grounding needs clingo")

ODDS = """(role a) (role B) (role c) (init start)
(number 1) (number 2) {more}
(<= (legal a (pick ?n)) (number ?n))
(<= (legal ?r (pick 1)) (distinct ?r a) (role ?r))
(<= (legal ?r (pick 2)) (distinct ?r a) (role ?r))
(<= (next (Picked ?r ?n)) (does ?r (pick ?n)))
(<= met (true (picked a ?n)) (true (picked ?r ?n)) (distinct ?r a))
(<= terminal (not (true start)))
(<= (goal a 100) (not (true start)) (not met))
(<= (goal a 0) met)
"""


def description_of(shared_data: Path, name: str) -> Description:
    return read_description(shared_data / "gdl" / f"{name}.gdl")


def truth(formula: Qbf) -> bool:
    pytest.importorskip("pyqbf", reason="no QBF solver without PyQBF")
    from qsage_validate.solvers.backends import get_backend
    from qsage_validate.solvers.qbf_solving import solve_formula
    from qsage_validate.system.limits import Deadline, Limits

    solved = solve_formula(formula, [get_backend("depqbf")], Limits(Deadline.after(120)))
    assert solved.truth is not None, solved.why
    return solved.truth


def sizes(formula: Qbf) -> tuple[int, int]:
    return len(formula.variables(Quantifier.FORALL)), len(formula.merged_scopes())


def played(encoding: GdlEncoding, moves: list[dict[Ground, Ground]]) -> dict[int, bool]:
    """All values when the moves are made; codes of rounds that are not played stay 0."""
    values = dict.fromkeys((v for s in encoding.qbf.scopes for v in s.variables), False)
    for number, joint in enumerate(moves):
        variables = encoding.rounds[number]
        for role, move in joint.items():
            if role == encoding.black:
                values[variables.black[move]] = True
                continue
            code = list(variables.others[role]).index(move)
            for bit, variable in enumerate(variables.codes[role]):
                values[variable] = bool(code >> bit & 1)
    return encoding.qbf.evaluate(values)


def check_play(encoding: GdlEncoding, machine: StateMachine, rng: random.Random) -> bool:
    """A random play in the formula and by the rules; whether Black's role wins in time."""
    state, states, moves = machine.initial, [machine.initial], list[dict[Ground, Ground]]()
    for variables in encoding.rounds:
        if machine.terminal(state):
            break
        joint = {role: rng.choice(machine.legal(state, role)) for role in machine.roles}
        assert set(joint) == {encoding.black, *variables.others}
        moves.append(joint)
        state = machine.successor(state, joint)
        states.append(state)
    values = played(encoding, moves)

    def value(literal: int) -> bool:
        return values[abs(literal)] == (literal > 0)

    for time, expected in enumerate(states):
        fluents = encoding.fluents[time]
        assert {f for f, literal in fluents.items() if value(literal)} == expected
        assert value(encoding.ended[time]) is machine.terminal(expected)
        assert value(encoding.won[time]) is (100 in machine.goals(expected, encoding.black))
        for role, table in encoding.rounds[time].legal.items() if time < len(moves) else ():
            legal = {move for move, literal in table.items() if value(literal)}
            assert legal == set(machine.legal(expected, role))
    for variables, joint in zip(encoding.rounds, moves, strict=False):
        for role, table in {encoding.black: variables.black, **variables.others}.items():
            assert [m for m, literal in table.items() if value(literal)] == [joint[role]]
    won = machine.terminal(state) and 100 in machine.goals(state, encoding.black)
    assert value(encoding.qbf.output) is won
    return won


GAMES = ["tic-tac-toe", "connect-3-4x4", "gttt-4x4-2-2-elly", "break-through-2x5"]


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("name", [*GAMES, "multiplayer/tic-tac-toe-3player-3x3"])
def test_plays_are_the_same_in_formula_and_rules(
    shared_data: Path, name: str, variant: Variant
) -> None:
    description = description_of(shared_data, name)
    machine, rng = StateMachine(description), random.Random(name)
    for role in ("xplayer", "oplayer"):
        encoding = encode_gdl(description, 7, black=role, variant=variant)
        assert encoding.black == role
        for _ in range(3):
            check_play(encoding, machine, rng)


@pytest.mark.parametrize("variant", Variant)
def test_some_plays_are_won_and_some_are_not(variant: Variant) -> None:
    description = library.load("trails")
    machine, rng = StateMachine(description), random.Random(2)
    encoding = encode_gdl(description, 10, variant=variant)
    assert {check_play(encoding, machine, rng) for _ in range(25)} == {False, True}


@pytest.mark.parametrize(
    ("black", "rounds", "variant"),
    [("red", 9, Variant.STRICT), ("red", 10, Variant.STRICT), ("Blue", 10, Variant.GENERAL)],
)
def test_truth_is_what_search_finds(black: str, rounds: int, variant: Variant) -> None:
    description = library.load("trails")
    expected = solve(RoundsGame(description, rounds, black=black)).winner is Player.BLACK
    assert expected is (black == "red" and rounds == 10)
    assert truth(encode_gdl(description, rounds, black=black, variant=variant).qbf) is expected


@pytest.mark.parametrize("quantification", Quantification)
@pytest.mark.parametrize(("rounds", "expected"), [(8, False), (9, True)])
def test_clauses_are_equivalent_however_quantified(
    shared_data: Path, rounds: int, expected: bool, quantification: Quantification
) -> None:
    # Table 2 of He, Saffidine and Thielscher 2024: depth 9 is the first that is true.
    encoding = encode_gdl(description_of(shared_data, "connect-3-4x4"), rounds)
    form = gdl_clauses(encoding, quantification)
    assert truth(parse_qdimacs(qdimacs_text(form))) is expected


def test_universals_and_blocks_are_the_papers(shared_data: Path) -> None:
    # Table 3 has 95 universals in 39 blocks for GD, 45 in 19 for SD.
    description = description_of(shared_data, "break-through-3x4")
    general = encode_gdl(description, 19)
    assert sizes(general.qbf) == (95, 39)
    universals, blocks = sizes(encode_gdl(description, 19, variant=Variant.STRICT).qbf)
    # A round's code is as long as the moves that can be legal in it need.
    assert universals <= 45
    assert blocks == 19
    form = gdl_clauses(general)
    assert len(form.clauses) < 93986
    assert form.max_variable < 29957


def test_earlier_quantification_puts_atoms_further_left(shared_data: Path) -> None:
    encoding = encode_gdl(description_of(shared_data, "connect-3-4x4"), 5)
    places = {}
    for quantification in Quantification:
        form = gdl_clauses(encoding, quantification)
        assert len(form.scopes) == 11
        places[quantification] = {v: k for k, s in enumerate(form.scopes) for v in s.variables}
    naive, time, dependency = (places[q] for q in Quantification)
    assert naive.keys() == time.keys() == dependency.keys()
    assert all(dependency[v] <= time[v] <= naive[v] for v in naive)
    assert any(dependency[v] < time[v] for v in naive)
    assert any(time[v] < naive[v] for v in naive)


def test_naive_quantification_has_the_moves_of_others_in_their_round(shared_data: Path) -> None:
    """Rule (3) of Definition 6; with these moves last DepQBF had no answer on Breakthrough."""
    encoding = encode_gdl(description_of(shared_data, "connect-3-4x4"), 5)
    form = gdl_clauses(encoding, Quantification.NAIVE)
    places = {v: k for k, s in enumerate(form.scopes) for v in s.variables}
    for time, variables in enumerate(encoding.rounds, start=1):
        made = {abs(x) for own in variables.others.values() for x in own.values()}
        assert {places[v] for v in made & places.keys() & encoding.qbf.gates.keys()} <= {2 * time}
    moves = {abs(x) for r in encoding.rounds for own in r.others.values() for x in own.values()}
    others = encoding.qbf.gates.keys() & places.keys() - moves
    assert {places[gate] for gate in others} == {2 * len(encoding.rounds)}


@pytest.mark.parametrize("quantification", Quantification)
def test_gates_that_are_no_atoms_stand_last(
    shared_data: Path, quantification: Quantification
) -> None:
    """As in qasp2qbf; further left Bloqqer may not eliminate them."""
    encoding = encode_gdl(description_of(shared_data, "break-through-2x5"), 6)
    form = gdl_clauses(encoding, quantification)
    places = {v: k for k, s in enumerate(form.scopes) for v in s.variables}
    parts = encoding.qbf.gates.keys() & places.keys() - encoding.times.keys()
    assert len(parts) > 500
    assert {places[gate] for gate in parts} == {len(form.scopes) - 1}


def test_qcir_reads_back_with_its_names(shared_data: Path) -> None:
    encoding = encode_gdl(description_of(shared_data, "tic-tac-toe"), 3)
    back = parse_qcir(qcir_text(encoding.qbf))
    assert [len(s.variables) for s in back.scopes] == [
        len(s.variables) for s in encoding.qbf.merged_scopes()
    ]
    assert len(set(encoding.qbf.names.values())) == encoding.qbf.num_variables
    assert "does_xplayer__mark_1__1_____1" in " ".join(encoding.qbf.names.values())
    assert truth(back) is False


@pytest.mark.parametrize(("more", "expected"), [("", False), ("(number 3)", True)])
def test_all_other_roles_play_together(more: str, expected: bool) -> None:
    encoding = encode_gdl(parse_description(ODDS.format(more=more)), 2)
    assert len(encoding.rounds[0].codes) == 2
    assert truth(encoding.qbf) is expected


def test_any_word_of_the_language_can_be_a_name() -> None:
    names = {"pick": "Not-a.name", "met": "T", "number": "#sum", "start": "f_2d_", "picked": "_"}
    text = ODDS.format(more="(number 3)")
    for name, other in names.items():
        text = text.replace(name, other).replace(name.capitalize(), other)
    description = parse_description(text)
    machine = StateMachine(description)
    encoding = encode_gdl(description, 2)
    rng = random.Random(1)
    assert {check_play(encoding, machine, rng) for _ in range(20)} == {False, True}
    assert truth(encoding.qbf) is True


def test_codes_without_a_move_do_no_harm() -> None:
    # With 3 moves there is a code of 2 bits that means none of them.
    text = ODDS.format(more="(number 3) (number 4)").replace(
        "(<= (legal ?r (pick 2)) ", "(<= (legal ?r (pick ?n)) (number ?n) (distinct ?n 1) "
    )
    assert truth(encode_gdl(parse_description(text), 2).qbf) is False
    three = text.replace("(distinct ?n 1)", "(distinct ?n 4)")
    assert truth(encode_gdl(parse_description(three), 2).qbf) is True


def test_all_two_player_files_encode(shared_data: Path) -> None:
    files = sorted((shared_data / "gdl").glob("*.gdl"))
    assert len(files) == 26
    for file in files:
        encoding = encode_gdl(read_description(file), 2)
        assert sizes(encoding.qbf)[1] <= 5


def test_a_game_without_a_fixed_order_is_not_encoded_strictly(shared_data: Path) -> None:
    description = description_of(shared_data, "dots-and-boxes-2x2")
    with pytest.raises(UsageError, match="found a choice of xplayer and oplayer in round"):
        encode_gdl(description, 6, variant=Variant.STRICT)


LINKS = """(role a) (role b) (init (edge 1 1)) (node 1) (node 2) (node 3) (init (turn 0))
(<= (legal a (link ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y)) (legal b noop)
(<= (next (edge ?x ?y)) (does a (link ?x ?y)))
(<= (next (edge ?x ?y)) (true (edge ?x ?y)))
(<= (reach ?x) (true (edge ?x 1)) (true (edge 1 ?x)))
(<= (reach ?y) (reach ?x) (true (edge ?x ?y)))
(<= terminal (reach 3) (not (true (edge 1 3))))
(<= (goal a 100) terminal) (<= (goal a 0) (not terminal))"""


def test_recursion_that_moves_can_change_is_built_in_stages() -> None:
    description = parse_description(LINKS)
    machine, rng = StateMachine(description), random.Random(3)
    encoding = encode_gdl(description, 4)
    assert {check_play(encoding, machine, rng) for _ in range(60)} == {False, True}
    for rounds in (1, 2):
        found = solve(RoundsGame(description, rounds)).winner is Player.BLACK
        assert truth(encode_gdl(description, rounds).qbf) is found is (rounds == 2)


def test_stages_stop_when_nothing_more_follows() -> None:
    program = ground("{e(1..4,1..4)}. r(1). r(Y) :- r(X), e(X,Y). :- not r(4).")
    chosen = sorted({a for rule in program.rules if rule.choice for a in rule.head})
    variables = {atom: k for k, atom in enumerate(chosen, start=1)}
    builder = CircuitBuilder(len(chosen) + 1)
    circuit = ProgramCircuit(program, builder, variables)
    assert circuit.recursive == 3
    scope = Scope(Quantifier.EXISTS, tuple(variables.values()))
    formula = Qbf((scope,), builder.gates, circuit.verdict())
    rng = random.Random(0)
    for _ in range(200):
        edges = {atom: rng.random() < 0.3 for atom in chosen}
        reached = {1}
        for _ in range(4):
            for atom, present in edges.items():
                x, y = (argument.number for argument in program.symbols[atom].arguments)
                if present and x in reached:
                    reached.add(y)
        assert formula.truth({variables[a]: v for a, v in edges.items()}) is (4 in reached)


def test_atoms_below_their_own_negation_are_refused() -> None:
    program = ground("{c}. p :- not q, c. q :- not p, c.")
    (chosen,) = {a for rule in program.rules if rule.choice for a in rule.head}
    with pytest.raises(QsageError, match="which depends on its own negation"):
        ProgramCircuit(program, CircuitBuilder(2), {chosen: 1})


def test_a_grounding_that_explodes_is_undecided(shared_data: Path) -> None:
    with pytest.raises(UndecidedError, match="the grounding has more than 100 rules"):
        encode_gdl(description_of(shared_data, "tic-tac-toe"), 3, max_rules=100)


def test_rounds_and_roles_are_checked(shared_data: Path) -> None:
    description = description_of(shared_data, "tic-tac-toe")
    with pytest.raises(UsageError, match="found 0 rounds"):
        encode_gdl(description, 0)
    with pytest.raises(UsageError, match="found the role 'z', expected xplayer or oplayer"):
        encode_gdl(description, 2, black="z")


def test_without_clingo_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clingo", None)
    with pytest.raises(MissingExtraError, match=re.escape(install_line("gdl"))):
        ground("a.")
