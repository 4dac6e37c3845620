"""Does every play end?  Measures that fall, plays without end, and what is proved without them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from qsage_validate.extensions.impartial import families, report
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.parser import parse_game, read_game
from qsage_validate.extensions.impartial.proofs import (
    ClaimStatus,
    ClaimVerification,
    Verifier,
)
from qsage_validate.extensions.impartial.report import (
    SynthesisOptions,
    Verdict,
    synthesise,
)
from qsage_validate.extensions.impartial.rules import EndlessGameError, ImpartialRules
from qsage_validate.extensions.impartial.smt import SmtSolver
from qsage_validate.extensions.impartial.termination import (
    Endless,
    Terminates,
    Termination,
    TerminationMeasure,
    TerminationUnknown,
    concluded,
    prove_termination,
    to_dict,
)
from qsage_validate.system.limits import Deadline
from tests.support.wild_heaps import (
    State,
    all_states,
    finite_game,
    goes_on,
    graph,
    has_cycle,
    one_of,
    outcomes,
    successors,
    wild_game,
)

pytestmark = pytest.mark.slow

z3 = pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")

HEAD = "(define (domain {}) (:objects {}) (:tercondition {}) (:constraint {}) {})"


def action(name: str, before: str, effect: str, parameters: str = "") -> str:
    return f"(:action {name} :parameters ({parameters}) :precondition {before} :effect {effect})"


def game(name: str, objects: str, ending: str, constraint: str, *actions: str) -> ImpartialGame:
    return parse_game(HEAD.format(name, objects, ending, constraint, " ".join(actions)))


ROUND = game(
    "round",
    "?v",
    "(= ?v 5)",
    "(and (>= ?v 0) (<= ?v 5))",
    action("f", "(= ?v 0)", "(assign ?v 1)"),
    action("g", "(= ?v 1)", "(assign ?v 0)"),
    action("h", "(= ?v 2)", "(assign ?v 5)"),
    action("i", "(= ?v 3)", "(assign ?v 2)"),
)
"""The plays from 0 and 1 never end: the formulas v = 0 or 2, and v = 1 or 2, both fit."""

CLIMB = game(
    "climb",
    "?v",
    "(= ?v 0)",
    "(>= ?v 0)",
    action("down", "(= ?v 1)", "(assign ?v 0)"),
    action("up", "(>= ?v 2)", "(assign ?v (+ ?v 1))"),
)

HUNDRED = game(
    "hundred",
    "?v",
    "(= ?v 0)",
    "(>= ?v 0)",
    action("up", "(not (%= ?v 100 0))", "(assign ?v (+ ?v 1))"),
    action("out", "(and (%= ?v 100 0) (> ?v 0))", "(assign ?v 0)"),
)
"""Every play ends, after at most a hundred plies and one: no measure of ours says so."""


@pytest.fixture(scope="module")
def solver() -> Iterator[SmtSolver]:
    with SmtSolver() as made:
        yield made


def termination(solver: SmtSolver, one: ImpartialGame) -> Termination:
    return prove_termination(one, solver, Deadline.after(600))


def value(measure: TerminationMeasure, names: tuple[str, ...], state: State) -> int:
    """The measure of a state; all cases that hold must agree."""
    values = dict(zip(names, state, strict=True))
    found = {v.value(values) for condition, v in measure.cases if condition.holds(values)}
    assert len(found) == 1, f"{measure} at {state}: {found}"
    return found.pop()


def falls(one: ImpartialGame, found: Terminates, low: int, high: int) -> bool:
    """Whether the measures fall, the first that changes counting, in all moves of a cube."""
    for state in all_states(one, low, high):
        before = [value(m, one.variables, state) for m in found.measures]
        for after in successors(one, state):
            if [value(m, one.variables, after) for m in found.measures] >= before:
                return False
    return True


# -- measures --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", families.names())
def test_the_games_that_come_along_end(solver: SmtSolver, name: str) -> None:
    one = families.load(name)
    found = termination(solver, one)
    assert isinstance(found, Terminates)
    assert falls(one, found, 0, 7)


ENDING = {
    "the first heap falls, the second one grows": game(
        "d",
        "?a ?b",
        "(= ?a 0)",
        "(and (>= ?a 0) (>= ?b 0))",
        action("grow", "(and (>= ?k 1) (<= ?k ?a))", "(assign ?a (- ?a 1))", "?k"),
        action(
            "swap",
            "(and (>= ?a 1) (>= ?k 0) (<= ?k ?a))",
            "(and (assign ?a (- ?a 1)) (assign ?b (+ ?b ?k)))",
            "?k",
        ),
        action("less", "(>= ?b 1)", "(assign ?b (- ?b 1))"),
    ),
    "a heap grows up to a bound that a precondition has": game(
        "d",
        "?v",
        "(= ?v 11)",
        "(>= ?v (- 0 20))",
        action("up", "(<= ?v 10)", "(assign ?v (+ ?v 1))"),
    ),
    "no variable is bounded, a difference is": game(
        "d",
        "?a ?b",
        "(= ?a ?b)",
        "(>= ?a ?b)",
        action("up", "(> ?a ?b)", "(assign ?b (+ ?b 1))"),
        action("down", "(> ?a ?b)", "(assign ?a (- ?a 1))"),
    ),
    "heaps are negative": game(
        "d", "?v", "(= ?v 0)", "(<= ?v 0)", action("up", "(< ?v 0)", "(assign ?v (+ ?v 1))")
    ),
    "a flag says which heap falls, the other one grows": game(
        "d",
        "?p ?a",
        "(= ?a 0)",
        "(and (>= ?a 0) (>= ?p 0) (<= ?p 1))",
        action("on", "(and (= ?p 0) (>= ?a 1))", "(and (assign ?p 1) (assign ?a (+ ?a 1)))"),
        action("off", "(and (= ?p 1) (>= ?a 2))", "(and (assign ?p 0) (assign ?a (- ?a 2)))"),
    ),
    "a residue says what a move takes": game(
        "d",
        "?v",
        "(= ?v 0)",
        "(>= ?v 0)",
        action("up", "(and (%= ?v 3 1) (>= ?v 4))", "(assign ?v (+ ?v 1))"),
        action("down", "(and (not (%= ?v 3 1)) (>= ?v 4))", "(assign ?v (- ?v 4))"),
    ),
    "tokens go from a larger heap to a smaller one": game(
        "d",
        "?a ?b ?c",
        "(= ?a (- 0 1))",
        "(and (>= ?a 0) (>= ?b 0) (>= ?c 0))",
        *(
            action(
                f"move{x}{y}",
                f"(and (>= ?k 1) (< ?k (- ?{x} ?{y})))",
                f"(and (assign ?{x} (- ?{x} ?k)) (assign ?{y} (+ ?{y} ?k)))",
                "?k",
            )
            for x, y in ("ab", "ba", "bc", "cb", "ac", "ca")
        ),
    ),
    "one heap is split, the other one is lost": game(
        "d",
        "?a ?b",
        "(= ?a (- 0 1))",
        "(and (>= ?a 0) (>= ?b 0))",
        *(
            action(
                f"keep{x}",
                f"(and (>= ?k 1) (< ?k ?{x}))",
                f"(and (assign ?{x} ?k) (assign ?{y} (- ?{x} ?k)))",
                "?k",
            )
            for x, y in ("ab", "ba")
        ),
    ),
    "an end has a move that leads back": game(
        "d",
        "?v",
        "(<= ?v 1)",
        "(>= ?v 0)",
        action("down", "(>= ?v 1)", "(assign ?v (- ?v 1))"),
        action("up", "(= ?v 0)", "(assign ?v 1)"),
    ),
    "a move that would lead back is not legal": game(
        "d",
        "?v",
        "(= ?v 0)",
        "(and (>= ?v 0) (!= ?v 9))",
        action("down", "(>= ?v 1)", "(assign ?v (- ?v 1))"),
        action("up", "(= ?v 8)", "(assign ?v 9)"),
    ),
}


@pytest.mark.parametrize("one", ENDING.values(), ids=ENDING)
def test_a_measure_is_found_and_falls(solver: SmtSolver, one: ImpartialGame) -> None:
    found = termination(solver, one)
    assert isinstance(found, Terminates), str(found)
    assert falls(
        one, found, -12 if len(one.variables) < 3 else 0, 12 if len(one.variables) < 3 else 6
    )
    assert found.questions
    assert str(found).startswith("every play ends: ")


def test_every_question_of_the_proof_has_the_answer_unsat(solver: SmtSolver) -> None:
    found = termination(solver, ENDING["a residue says what a move takes"])
    assert isinstance(found, Terminates)
    for question in found.questions:
        other = z3.Solver()
        other.from_string(question.text)
        assert other.check() == z3.unsat, question.title


def test_a_finite_game_is_walked_through(solver: SmtSolver) -> None:
    table = [(0, 4), (4, 2), (2, 6), (6, 1), (6, 3), (1, 5)]
    actions = [action(f"a{i}", f"(= ?v {x})", f"(assign ?v {y})") for i, (x, y) in enumerate(table)]
    legal = "(and (>= ?v 0) (<= ?v 6))"
    found = termination(solver, game("d", "?v", "(= ?v 3)", legal, *actions))
    assert str(found) == "every play ends: the graph of the 7 legal states has no cycle"
    back = game("d", "?v", "(= ?v 3)", legal, *actions, action("b", "(= ?v 5)", "(assign ?v 4)"))
    found = termination(solver, back)
    assert isinstance(found, Endless)
    assert set(found.play.states) == {(4,), (2,), (6,), (1,), (5,)}
    assert goes_on(back, found.play)


# -- plays without end -----------------------------------------------------------------------

ENDLESS = {
    "round": ROUND,
    "climb": CLIMB,
    "a cycle of large numbers": game(
        "d",
        "?v",
        "(= ?v 0)",
        "(>= ?v 0)",
        action("down", "(>= ?v 1)", "(assign ?v (- ?v 1))"),
        action("up", "(= ?v 77777)", "(assign ?v 77778)"),
    ),
    "nothing changes": game(
        "d",
        "?v",
        "(= ?v 0)",
        "(>= ?v 0)",
        action("down", "(> ?v 0)", "(when (= ?v 3) (assign ?v 3))"),
    ),
    "the number that is taken grows too": game(
        "d",
        "?a ?b",
        "(= ?a 0)",
        "(and (>= ?a 0) (>= ?b 0))",
        action(
            "put", "(and (>= ?a 3) (= ?k ?a))", "(and (assign ?a (+ ?a 1)) (assign ?b ?k))", "?k"
        ),
    ),
    "two moves in turn": game(
        "d",
        "?p ?v",
        "(= ?v 0)",
        "(and (>= ?v 0) (>= ?p 0) (<= ?p 1))",
        action("on", "(and (= ?p 0) (>= ?v 1))", "(and (assign ?p 1) (assign ?v (- ?v 1)))"),
        action("off", "(and (= ?p 1) (>= ?v 1))", "(and (assign ?p 0) (assign ?v (+ ?v 2)))"),
    ),
    "a heap is doubled": game(
        "d", "?v", "(= ?v 0)", "(>= ?v 0)", action("twice", "(>= ?v 1)", "(assign ?v (+ ?v ?v))")
    ),
    "a heap falls without a bound": game(
        "d", "?v", "(= ?v 0)", "(<= ?v 5)", action("down", "(< ?v 0)", "(assign ?v (- ?v 1))")
    ),
}


@pytest.mark.parametrize("one", ENDLESS.values(), ids=ENDLESS)
def test_a_play_without_end_is_shown(solver: SmtSolver, one: ImpartialGame) -> None:
    found = termination(solver, one)
    assert isinstance(found, Endless), str(found)
    assert goes_on(one, found.play)
    assert str(found).startswith("play need not end: (")
    data = json.loads(json.dumps(to_dict(found)))
    assert data["status"] == "endless"
    assert len(data["play"]["states"]) == len(data["play"]["moves"]) + 1


def test_what_is_neither_is_said_to_be_so(solver: SmtSolver) -> None:
    found = termination(solver, HUNDRED)
    assert isinstance(found, TerminationUnknown)
    assert str(found) == (
        "that every play ends is not proved: no measure was found that falls with up, out"
    )
    assert to_dict(found)["status"] == "unknown"


def test_without_time_nothing_is_proved(solver: SmtSolver) -> None:
    assert isinstance(prove_termination(ROUND, solver, Deadline.after(0)), TerminationUnknown)
    one = families.load("two-heap-nim")
    assert isinstance(prove_termination(one, solver, Deadline.after(0)), TerminationUnknown)


# -- what is proved of a formula -----------------------------------------------------------------


def check(
    solver: SmtSolver, one: ImpartialGame, text: str, *, misere: bool = False
) -> ClaimVerification:
    from qsage_validate.extensions.impartial.parser import parse_formula

    verifier = Verifier(ImpartialRules(one, misere=misere), solver)
    verdict = verifier.winning_formula(parse_formula(text, one.variables), Deadline.after(600))
    return concluded(verdict, termination(solver, one))


@pytest.mark.parametrize(
    ("one", "text", "status"),
    [
        (ROUND, "v = 0 or v = 2", ClaimStatus.UNDECIDED),
        (ROUND, "v = 1 or v = 2", ClaimStatus.UNDECIDED),
        (ROUND, "v = 3", ClaimStatus.REFUTED),
        (CLIMB, "v = 1 or v >= 2 and v % 2 = 0", ClaimStatus.UNDECIDED),
        (CLIMB, "v = 1 or v >= 2 and v % 2 = 1", ClaimStatus.UNDECIDED),
        (HUNDRED, "v % 2 = 0 and v > 0", ClaimStatus.UNDECIDED),
        (HUNDRED, "v % 2 = 1", ClaimStatus.REFUTED),
    ],
)
def test_a_formula_is_proved_together_with_the_end_of_all_plays_only(
    solver: SmtSolver, one: ImpartialGame, text: str, status: ClaimStatus
) -> None:
    verdict = check(solver, one, text)
    assert verdict.status is status, verdict.reason
    assert verdict.if_plays_end is (status is ClaimStatus.UNDECIDED)
    assert ("if plays end" in verdict.reason) is verdict.if_plays_end


def test_formulas_and_rules_of_endless_games_are_not_proved(
    shared_data: Path, solver: SmtSolver
) -> None:
    """The files of which contradicting formulas were called proved."""
    files = sorted((shared_data / "liars").glob("*impartial/*.ig"))
    if not files:
        pytest.skip("the files of games without end are not among those of other tools")
    for path in files:
        one = read_game(path)
        found = termination(solver, one)
        assert isinstance(found, Endless)
        assert goes_on(one, found.play)
        result = synthesise(one, SynthesisOptions(strategy=True, seconds=5), solver=solver)
        assert result.verdict in (Verdict.ENDLESS, Verdict.IF_PLAYS_END)
        assert result.found is None


@pytest.mark.parametrize("misere", [False, True])
def test_nothing_is_proved_or_refuted_that_retrograde_analysis_denies(
    solver: SmtSolver, misere: bool
) -> None:
    seen = set()
    for seed in range(16):
        random = Random(f"finite {seed} {misere}")
        one = finite_game(random)
        moves = graph(one, all_states(one, 0, 6), 100)
        truth = outcomes(moves, misere=misere)
        said = {
            s for s, wins in truth.items() if (wins or (wins is None and random.random() < 0.5))
        }
        if random.random() < 0.3:
            said ^= {random.choice(sorted(truth))}
        verifier = Verifier(ImpartialRules(one, misere=misere), solver)
        formula = one_of(sorted(said), one.variables)
        ends = termination(solver, one)
        verdict = concluded(verifier.winning_formula(formula, Deadline.after(20)), ends)
        right = all(wins is (state in said) for state, wins in truth.items())
        assert isinstance(ends, Terminates) is not has_cycle(moves), (seed, str(ends))
        assert isinstance(ends, Endless) is has_cycle(moves), (seed, str(ends))
        if verdict.status is ClaimStatus.PROVED:
            assert right, seed
        elif verdict.status is ClaimStatus.REFUTED:
            assert not right, seed
        else:
            assert verdict.if_plays_end, verdict.reason
        seen.add((verdict.status, right))
    assert {(ClaimStatus.PROVED, True), (ClaimStatus.REFUTED, False)} <= seen


def test_wild_games_end_or_do_not_as_is_said(solver: SmtSolver) -> None:
    seen = set()
    for seed in range(16):
        one = wild_game(Random(f"wild {seed}"))
        found = termination(solver, one)
        seen.add(type(found))
        if isinstance(found, Terminates):
            assert not has_cycle(graph(one, all_states(one, -4, 6), 300)), seed
            if found.measures:
                assert falls(one, found, -4, 6), seed
        elif isinstance(found, Endless):
            assert goes_on(one, found.play), seed
    assert {Terminates, Endless} <= seen


# -- syntheses -------------------------------------------------------------------------------


def test_a_synthesis_says_if_plays_end(solver: SmtSolver, tmp_path: Path) -> None:
    result = synthesise(HUNDRED, SynthesisOptions(strategy=True, seconds=40), solver=solver)
    assert result.verdict is Verdict.IF_PLAYS_END
    assert result.found is None
    assert report.proved_strategy(result) is None
    lines = report.text(result).splitlines()
    assert lines[0].startswith("if plays end: hundred, normal play: ")
    assert lines[1].startswith("that every play ends is not proved: ")
    assert lines[2].startswith("winning formula if plays end (size ")
    assert not any("strategy proved" in line for line in lines)
    data = report.to_dict(result)
    assert data["outcome"] == "if plays end"
    assert data["formula"] is None
    assert data["formula_if_plays_end"] == str(result.found_if_plays_end)
    assert data["termination"]["status"] == "unknown"
    assert data["strategy"]["outcome"] != "proved"
    assert report.write_folder(result, str(tmp_path / "out")) == ["report.txt", "report.json"]


def test_an_endless_game_is_told_with_its_play(solver: SmtSolver) -> None:
    result = synthesise(ROUND, SynthesisOptions(strategy=True, seconds=20), solver=solver)
    assert result.found is None
    assert result.verdict in (Verdict.ENDLESS, Verdict.IF_PLAYS_END)
    assert "play need not end: (v = 0) f() (v = 1) g() (v = 0), and so on for ever" in (
        report.text(result)
    )
    began = time.monotonic()
    result = synthesise(CLIMB, SynthesisOptions(seconds=20), solver=solver)
    assert result.verdict in (Verdict.ENDLESS, Verdict.IF_PLAYS_END)
    assert time.monotonic() - began < 15


def test_a_contradiction_is_no_proof(solver: SmtSolver) -> None:
    result = synthesise(families.load("take-away-3"), SynthesisOptions(seconds=20), solver=solver)
    assert result.checked is not None
    from dataclasses import replace

    result.checked = replace(result.checked, mistake=(4,), reason="a test says so")
    assert result.verdict is Verdict.CONTRADICTED
    assert result.found is None
    assert report.text(result).startswith("contradicted: take-away-3, normal play: ")
    data = report.to_dict(result)
    assert (data["outcome"], data["formula"]) == ("contradicted", None)


# -- rules -----------------------------------------------------------------------------------


def test_a_play_that_never_comes_back_is_given_up() -> None:
    from qsage_validate.errors import UndecidedError

    rules = ImpartialRules(CLIMB)
    rules.max_depth = 3000
    with pytest.raises(UndecidedError, match="3,000 plies, which may be endless"):
        rules.winning((5,))


def test_the_cycle_is_told_with_its_states() -> None:
    with pytest.raises(EndlessGameError) as caught:
        ImpartialRules(ROUND).winning((1,))
    cycle = caught.value.cycle
    assert cycle[0] == cycle[-1]
    assert all(after in successors(ROUND, before) for before, after in pairwise(cycle))
