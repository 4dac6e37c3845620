"""The state machine of GDL: against naive evaluation, clingo, known counts and other rules."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import IllegalMoveError
from qsage_validate.extensions.gdl.machine import (
    STATIC,
    JoinProgram,
    LayerFacts,
    State,
    StateMachine,
)
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Distinct,
    GdlLiteral,
    GdlRule,
    Ground,
    Term,
    Variable,
    variables,
)
from qsage_validate.extensions.gdl.parser import read_description
from tests.support.gdl_reference import ClingoReference, Facts, naive_facts

pytestmark = pytest.mark.slow

CONSTANTS: list[Ground] = ["a", "b", ("f", "a"), ("f", "b")]
TERMS: list[Term] = [
    "a",
    Variable("x"),
    Variable("y"),
    Variable("z"),
    ("f", Variable("x")),
    ("f", "a"),
]
LEVELS = 3


@st.composite
def clauses(draw: st.DrawFn, level: int) -> Clause:
    """An allowed clause for a relation of ``level``; negation only of lower levels."""
    same = [(f"p{level}", 2), (f"q{level}", 1)]
    below = [(f"{p}{k}", n) for k in range(level) for p, n in (("p", 2), ("q", 1))] + [("e", 2)]

    def atom(choice: list[tuple[str, int]], terms: list[Term]) -> Atom:
        name, count = draw(st.sampled_from(choice))
        return Atom(name, tuple(draw(st.sampled_from(terms)) for _ in range(count)))

    positive = [atom(same + below, TERMS) for _ in range(draw(st.integers(1, 3)))]
    bound: list[Term] = [v for a in positive for v in variables(a.arguments)]
    body = [GdlLiteral(a) for a in positive]
    bound.append("a")
    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            body.append(GdlLiteral(atom(below, bound), False))
        else:
            pair = (draw(st.sampled_from(bound)), draw(st.sampled_from(bound)))
            body.append(GdlLiteral(Distinct(*pair), draw(st.booleans())))
    head = atom(same, bound)
    return Clause(head, tuple(draw(st.permutations(body))), GdlRule(head))


@given(st.data())
def test_evaluation_agrees_with_trying_all_substitutions(data: st.DataObject) -> None:
    strata = [data.draw(st.lists(clauses(k), min_size=1, max_size=4)) for k in range(LEVELS)]
    pairs = st.tuples(*[st.sampled_from(CONSTANTS)] * 2)
    edges = data.draw(st.sets(pairs, max_size=6))
    given_facts: Facts = {("e", pair) for pair in edges}
    expected = naive_facts(strata, CONSTANTS, given_facts)
    program = JoinProgram([clause for stratum in strata for clause in stratum])
    view = LayerFacts(program, STATIC, {("e", 2): edges})
    for level in range(LEVELS):
        for name, count in ((f"p{level}", 2), (f"q{level}", 1)):
            found = {(name, fact) for fact in view.facts((name, count))}
            assert found == {fact for fact in expected if fact[0] == name}


def machine_of(shared_data: Path, name: str) -> StateMachine:
    return StateMachine(read_description(shared_data / "gdl" / f"{name}.gdl"))


def random_move(machine: StateMachine, state: State, rng: random.Random) -> dict[Ground, Ground]:
    return {role: rng.choice(machine.legal(state, role)) for role in machine.roles}


def test_clingo_agrees_on_random_plays_of_all_games(shared_data: Path) -> None:
    clingo = pytest.importorskip("clingo", reason="the reference needs clingo")
    for file in sorted((shared_data / "gdl").rglob("*.gdl")):
        description = read_description(file)
        machine, reference = StateMachine(description), ClingoReference(clingo, description)
        rng = random.Random(file.name)
        state = machine.initial
        assert {("init", (fluent,)) for fluent in state} == {
            fact for fact in reference.facts() if fact[0] == "init"
        }
        for step in range(40):
            ended = machine.terminal(state)
            moves = {} if ended else random_move(machine, state, rng)
            if not ended and step % 3:  # asking the reference takes the time
                state = machine.successor(state, moves)
                continue
            facts = reference.facts(state, moves)
            assert (("terminal", ()) in facts) is ended
            for role in machine.roles:
                legal = {("legal", (role, move)) for move in machine.legal(state, role)}
                goals = {("goal", (role, str(value))) for value in machine.goals(state, role)}
                mine = {f for f in facts if f[0] in {"legal", "goal"} and f[1][0] == role}
                assert legal | goals == mine, file.name
            if ended:
                break
            state = machine.successor(state, moves)
            assert {("next", (fluent,)) for fluent in state} == {f for f in facts if f[0] == "next"}
        else:
            raise AssertionError(f"{file.name} did not end")


def plays(machine: StateMachine, last: int) -> tuple[list[int], int, dict[tuple[int, ...], int]]:
    """Plays by length, different states, and how the plays that end do so, by goals."""
    level: dict[State, int] = {machine.initial: 1}
    counts, seen, ends = [1], {machine.initial}, dict[tuple[int, ...], int]()
    for _ in range(last):
        after: dict[State, int] = {}
        for state, number in level.items():
            if machine.terminal(state):
                goals = tuple(machine.goals(state, role)[0] for role in machine.roles)
                ends[goals] = ends.get(goals, 0) + number
                continue
            first, second = machine.roles
            for one in machine.legal(state, first):
                for two in machine.legal(state, second):
                    state_after = machine.successor(state, {first: one, second: two})
                    after[state_after] = after.get(state_after, 0) + number
        level = after
        seen.update(level)
        counts.append(sum(level.values()))
    return counts, len(seen), ends


def test_tic_tac_toe_has_the_known_counts(shared_data: Path) -> None:
    # The 255,168 games and 5,478 positions of tic-tac-toe are folklore, computed many times.
    counts, positions, ends = plays(machine_of(shared_data, "tic-tac-toe"), 10)
    assert counts == [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]
    assert positions == 5478
    assert ends == {(100, 0): 131184, (0, 100): 77904, (50, 50): 46080}


def test_only_legal_joint_moves_can_be_played(shared_data: Path) -> None:
    machine = machine_of(shared_data, "tic-tac-toe")
    state = machine.initial
    mark: Ground = ("mark", "1", "1")
    after = machine.play(state, {"xplayer": mark, "oplayer": "noop"})
    assert ("cell", "1", "1", "x") in after
    with pytest.raises(IllegalMoveError, match=r"\(mark 1 1\) is not legal for oplayer"):
        machine.play(state, {"xplayer": mark, "oplayer": mark})
    with pytest.raises(IllegalMoveError, match="no move of oplayer"):
        machine.play(state, {"xplayer": mark})
