"""Proofs, counterexamples and syntheses: nothing is called proved that is not true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from qsage_validate.errors import InputError, MissingExtraError, install_line
from qsage_validate.extensions.impartial import families, report
from qsage_validate.extensions.impartial.model import ImpartialFormula, ImpartialGame
from qsage_validate.extensions.impartial.parser import parse_formula, parse_game
from qsage_validate.extensions.impartial.proofs import (
    ClaimStatus,
    ClaimVerification,
    Verifier,
    check_game,
    verify_strategy,
)
from qsage_validate.extensions.impartial.report import (
    Synthesis,
    SynthesisMethod,
    SynthesisOptions,
    synthesise,
)
from qsage_validate.extensions.impartial.rules import ImpartialRules, box_states
from qsage_validate.extensions.impartial.smt import SmtSolver, definition, script
from qsage_validate.extensions.impartial.strategy import (
    ImpartialRule,
    ImpartialStrategy,
    cross_check,
    parse_strategy,
)
from qsage_validate.extensions.impartial.termination import TerminationUnknown
from qsage_validate.extensions.impartial.winning_formula import (
    FormulaOutcome,
    FormulaResult,
    synthesise_formula,
)
from qsage_validate.system.limits import NEVER, Deadline
from tests.support.impartial_games import VARIABLES, formulas, games, naive_labels

pytestmark = pytest.mark.slow

z3 = pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")


@pytest.fixture(scope="module")
def solver() -> Iterator[SmtSolver]:
    with SmtSolver() as made:
        yield made


def verified(
    solver: SmtSolver, name: str, text: str, *, misere: bool = False, sample: int = 0
) -> ClaimVerification:
    game = families.load(name)
    verifier = Verifier(ImpartialRules(game, misere=misere), solver, box_states(game, 100)[:sample])
    return verifier.winning_formula(parse_formula(text, game.variables), Deadline.after(60))


@pytest.mark.parametrize(
    ("name", "text", "misere"),
    [
        ("take-away-3", "v % 4 != 0", False),
        ("take-away-3", "v % 4 != 1", True),
        ("take-away-3", "not (v % 4 < 1)", False),
        ("two-heap-nim", "v1 != v2", False),
        ("two-heap-nim", "v1 + v2 != 1 and (v1 <= 1 or v1 != v2)", True),
        ("two-row-chomp", "v1 != v2 + 1", False),
        ("odd-wythoff", "v1 % 2 = 1 or v2 % 2 = 1", False),
        ("wythoff-3", "2*v1 != v2 and (v2 != 1 or v1 != 2) and (v1 != 5 or v2 < 3)", False),
    ],
)
@pytest.mark.parametrize("sample", [0, 12])
def test_winning_formulas_are_proved(
    solver: SmtSolver, name: str, text: str, misere: bool, sample: int
) -> None:
    verdict = verified(solver, name, text, misere=misere, sample=sample)
    assert verdict.status is ClaimStatus.PROVED, verdict.reason
    assert verdict.questions


@pytest.mark.parametrize(
    ("name", "text", "misere", "constraint"),
    [
        ("take-away-3", "true", False, 1),
        ("take-away-3", "v % 4 != 0", True, 1),
        ("take-away-3", "v % 8 != 0", False, 2),
        ("take-away-3", "v % 2 != 0", False, 3),
        ("take-away-3", "v % 4 != 0 or v > 1000", False, 2),
        ("take-away-3", "v % 4 != 0 and v < 1000", False, 3),
        ("two-heap-nim", "v1 > v2", False, 3),
        ("two-heap-nim", "v1 != v2", True, 1),
        ("wythoff-3", "v1 != v2", False, 3),
    ],
)
def test_wrong_formulas_are_refuted_with_a_state(
    solver: SmtSolver, name: str, text: str, misere: bool, constraint: int
) -> None:
    verdict = verified(solver, name, text, misere=misere)
    assert (verdict.status, verdict.constraint) == (ClaimStatus.REFUTED, constraint), verdict.reason
    rules = ImpartialRules(families.load(name), misere=misere)
    assert verdict.state is not None
    assert rules.is_legal(verdict.state)


def test_successors_must_be_legal(solver: SmtSolver) -> None:
    game = parse_game(
        "(define (domain d) (:objects ?v) (:tercondition (= ?v 0)) (:constraint (>= ?v 0))"
        "(:action a :parameters () :precondition (= ?v 2) :effect (assign ?v (- 0 1)))"
        "(:action b :parameters () :precondition (> ?v 2) :effect (assign ?v 0)))"
    )
    verifier = Verifier(ImpartialRules(game), solver)
    verdict = verifier.winning_formula(parse_formula("v > 2", ["v"]), Deadline.after(20))
    assert (verdict.status, verdict.state) == (ClaimStatus.REFUTED, (2,))
    assert "leaves the legal states" in verdict.reason


def test_an_answer_that_the_solver_does_not_give_is_undecided(solver: SmtSolver) -> None:
    game = families.load("take-away-3")
    verifier = Verifier(ImpartialRules(game), solver)
    verdict = verifier.winning_formula(parse_formula("v % 4 != 0", ["v"]), Deadline.after(0))
    assert verdict.status is ClaimStatus.UNDECIDED
    assert "no time was left" in verdict.reason


def test_a_solver_that_overruns_is_killed_and_started_again() -> None:
    # A product of primes: far beyond any limit of a second.
    hard = (
        "(declare-const a Int)(declare-const b Int)(assert (> a 1))(assert (> b 1))"
        "(assert (= (* a b) 340282366920938463463374607431768211507))(check-sat)"
    )
    with SmtSolver() as solver:
        answer = solver.check(hard, Deadline.after(0.3))
        assert answer.status == "unknown"
        assert solver.check("(declare-const a Int)(assert (= a 3))", Deadline.after(20)).model == {
            "a": 3
        }


def test_a_missing_solver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=re.escape(install_line("impartial"))):
        SmtSolver()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(formulas(), formulas())
def test_residue_variables_say_what_mod_says(
    solver: SmtSolver, one: ImpartialFormula, other: ImpartialFormula
) -> None:
    """The formula and the same with plain ``mod`` are never different."""
    text = script([one])
    plain = definition("plain", VARIABLES, one)
    names = "".join(f"(declare-const {v} Int)\n" for v in VARIABLES if f"const {v} " not in text)
    head, _, _ = text.rpartition("(check-sat)")
    wrong = head + names + plain + "(assert (not (plain v1 v2)))\n(check-sat)"
    assert solver.check(wrong, Deadline.after(20)).status == "unsat"
    both = solver.check(script([one, other]), Deadline.after(20))
    assert both.status in ("sat", "unsat")
    if both.status == "sat":
        state = {v: both.model.get(v, 0) for v in VARIABLES}
        assert one.holds(state)
        assert other.holds(state)


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(games())
def test_random_games_are_solved_truly_or_not_at_all(
    solver: SmtSolver, game: ImpartialGame
) -> None:
    for misere in (False, True):
        options = SynthesisOptions(strategy=True, misere=misere, seconds=0.15)
        result = synthesise(game, options, solver=solver)
        labels = naive_labels(game, 14, misere=misere)
        if result.formula.outcome is FormulaOutcome.PROVED:
            # Whether all plays end may be open when the time is over.
            found = result.found or result.found_if_plays_end
            assert found is not None
            assert result.checked is not None
            assert result.checked.agrees
            for state, wins in labels.items():
                assert found.holds(game.state(state)) is wins
        elif result.formula.outcome is FormulaOutcome.IMPOSSIBLE:
            flaw = result.formula.flaw
            assert flaw is not None
            assert not ImpartialRules(game, misere=misere).winning(flaw.state)


@pytest.mark.parametrize("name", families.names())
@pytest.mark.parametrize("misere", [False, True])
def test_the_library_is_solved_with_complete_strategies(
    solver: SmtSolver, name: str, misere: bool
) -> None:
    game = families.load(name)
    result = synthesise(
        game, SynthesisOptions(strategy=True, misere=misere, seconds=60), solver=solver
    )
    assert result.warnings == []
    assert result.formula.outcome is FormulaOutcome.PROVED, result.formula.reason
    assert result.strategy is not None
    assert result.strategy.proved, result.strategy.reason
    assert result.checked is not None
    assert result.checked.agrees
    assert result.checked.states > 1000


def test_take_away_3_has_the_formula_and_strategy_of_the_paper(solver: SmtSolver) -> None:
    game = families.load("take-away-3")
    result = synthesise(game, SynthesisOptions(strategy=True, seconds=60), solver=solver)
    assert str(result.found) == "v % 4 != 0"
    strategy = report.proved_strategy(result)
    assert strategy is not None
    assert strategy.text(game) == (
        "v % 4 = 1 -> take(1)\nv % 4 = 2 -> take(2)\nv % 4 = 3 -> take(3)"
    )


def test_the_rival_finds_formulas_and_strategies_too(solver: SmtSolver) -> None:
    for name, size in (("take-away-3", 4), ("two-heap-nim", 3), ("two-row-chomp", 5)):
        options = SynthesisOptions(SynthesisMethod.ENUM, strategy=True, seconds=60)
        result = synthesise(families.load(name), options, solver=solver)
        assert result.found is not None
        assert result.found.size == size
        assert result.strategy is not None
        assert result.strategy.proved
        assert result.checked is not None
        assert result.checked.agrees


def test_games_without_a_formula_are_told_by_their_flaw(solver: SmtSolver) -> None:
    game = parse_game(
        "(define (domain d) (:objects ?v) (:tercondition (<= ?v 1)) (:constraint (>= ?v 0))"
        "(:action take :parameters () :precondition (> ?v 0) :effect (assign ?v (- ?v 1))))"
    )
    result = synthesise_formula(ImpartialRules(game), solver, Deadline.after(20))
    assert result.outcome is FormulaOutcome.IMPOSSIBLE
    assert result.reason.startswith("no winning formula exists: the losing state v = 1")


def test_a_synthesis_without_time_is_undecided(solver: SmtSolver) -> None:
    result = synthesise(families.load("wythoff-3"), SynthesisOptions(seconds=0.0), solver=solver)
    assert result.formula.outcome is FormulaOutcome.UNDECIDED
    assert result.found is None
    assert "time is up while" in result.formula.reason


# -- strategies -----------------------------------------------------------------------------

RULES = "v % 4 = 1 -> take(1)\n\n# two\nv % 4 = 2 -> take(2)\nv % 4 = 3 -> take(4 - 1)\n"


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        (RULES, ClaimStatus.PROVED, "all rules are winning and complete"),
        (RULES.replace("% 4 = 2", "= 2"), ClaimStatus.REFUTED, "its condition does not hold"),
        (
            RULES.replace("take(2)", "take(1)"),
            ClaimStatus.REFUTED,
            "does not lead to a legal losing",
        ),
        (RULES.partition("\n")[0], ClaimStatus.REFUTED, "no rule's condition holds"),
        (RULES.replace("take(1)", "take(5)"), ClaimStatus.REFUTED, "is not applicable"),
    ],
)
def test_strategies_that_people_write_are_proved_or_refuted(
    solver: SmtSolver, text: str, status: ClaimStatus, reason: str
) -> None:
    game = families.load("take-away-3")
    strategy = parse_strategy(text, game)
    verifier = Verifier(ImpartialRules(game), solver)
    formula = parse_formula("v % 4 != 0", ["v"])
    verdict = verify_strategy(verifier, formula, strategy, Deadline.after(60))
    assert verdict.status is status
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v = 1", "s.txt:1:1: found 'v = 1', expected CONDITION -> ACTION(EXPRESSION, ...)"),
        ("v = 1 -> eat(1)", "s.txt:1:10: found the action 'eat', expected one of take"),
        ("v = 1 -> take(1, 2)", "s.txt:1:15: found 2 arguments, expected 1 for take"),
        ("\nw = 1 -> take(1)", "s.txt:2:1: found the undeclared variable w, expected one of v"),
        ("v = 1 -> take(v + w)", "s.txt:1:19: found the undeclared variable w, expected one of v"),
    ],
)
def test_rules_that_cannot_be_read_are_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_strategy(text, families.load("take-away-3"), "s.txt")
    assert str(error.value) == message


def test_the_cross_check_finds_what_is_wrong() -> None:
    rules = ImpartialRules(families.load("take-away-3"))
    states = box_states(rules.game, 100)
    right = parse_formula("v % 4 != 0", ["v"])
    strategy = parse_strategy(RULES, rules.game)
    assert cross_check(rules, right, strategy, states, NEVER).agrees
    wrong = parse_formula("v % 4 != 0 and v != 90", ["v"])
    assert cross_check(rules, wrong, None, states, NEVER).mistake == (90,)
    fewer = ImpartialStrategy(strategy.rules[:2])
    assert cross_check(rules, right, fewer, states, NEVER).mistake == (3,)
    first = strategy.rules[0]
    bad = ImpartialStrategy((ImpartialRule(parse_formula("v % 4 != 0", ["v"]), first.action),))
    found = cross_check(rules, right, bad, states, NEVER)
    assert (found.mistake, found.reason) == ((2,), "take(1) of rule 1 leads to a winning state")


# -- checks of the game ---------------------------------------------------------------------

HEAD = "(define (domain d) (:objects ?v) (:tercondition {}) (:constraint {}) {})"
DOWN = "(:action down :parameters () :precondition (> ?v 0) :effect {})"


@pytest.mark.parametrize(
    ("ending", "constraint", "actions", "warning"),
    [
        ("(= ?v 0)", "(>= ?v 0)", DOWN.format("(assign ?v (- ?v 1))"), None),
        (
            "(= ?v (- 0 1))",
            "(>= ?v 0)",
            DOWN.format("(assign ?v (- ?v 1))"),
            "no legal state is an ending state: play ends only where no move is left",
        ),
        (
            "(= ?v 0)",
            "(>= ?v 0)",
            DOWN.format("(assign ?v (- ?v 2))"),
            "down() at v = STATE leaves the legal states",
        ),
        (
            "(= ?v 0)",
            "(>= ?v 0)",
            DOWN.format("(and (assign ?v (- ?v 1)) (when (= ?v 7) (assign ?v 2)))"),
            "two effects of down() at v = 7 put different values for v: the first one counts",
        ),
    ],
)
def test_what_is_odd_about_a_game_is_shown_by_a_state(
    solver: SmtSolver, ending: str, constraint: str, actions: str, warning: str | None
) -> None:
    game = parse_game(HEAD.format(ending, constraint, actions))
    texts = [found.text for found in check_game(game, solver, Deadline.after(60))]
    assert len(texts) == (warning is not None)
    if warning is not None:
        # Which state shows it is the solver's choice.
        assert re.fullmatch(re.escape(warning).replace("STATE", "[0-9]+"), texts[0]), texts


def test_a_constraint_that_nothing_fulfils_is_an_error(solver: SmtSolver) -> None:
    text = HEAD.format("(= ?v 0)", "(and (> ?v 3) (< ?v 3))", DOWN.format("(assign ?v 0)"))
    with pytest.raises(InputError) as error:
        check_game(parse_game(text, "g.ig"), solver, Deadline.after(20))
    assert (
        str(error.value) == "g.ig: found a constraint that no state fulfils, expected legal states"
    )


# -- reports --------------------------------------------------------------------------------


def test_the_report_runs_and_its_proofs_are_unsatisfiable(
    solver: SmtSolver, tmp_path: Path
) -> None:
    game = families.load("two-heap-nim")
    result = synthesise(game, SynthesisOptions(strategy=True, seconds=60), solver=solver)
    names = report.write_folder(result, str(tmp_path / "out"))
    folder = tmp_path / "out"
    assert set(names) == {path.name for path in folder.iterdir()}
    proofs = sorted(folder.glob("proof-*.smt2"))
    assert len(proofs) == len(report.questions(result)) > 8
    for proof in proofs:
        found = z3.Solver()
        found.from_string(proof.read_text())
        assert str(found.check()) == "unsat"
    scope: dict[str, object] = {}
    exec((folder / "winning.py").read_text(), scope)
    rules = ImpartialRules(game)
    for state in box_states(game, 200):
        winning, move = scope["is_winning"], scope["move"]
        assert callable(winning)
        assert callable(move)
        assert winning(*state) == rules.winning(state)
        answer = move(*state)
        assert (answer is not None) == rules.winning(state)
        if answer is not None:
            assert answer in {(m.name, m.arguments) for m in rules.winning_moves(state)}
    loaded = json.loads((folder / "report.json").read_text())
    assert loaded["formula"] == "v1 != v2"
    assert loaded["cross_check"]["agrees"] is True
    plain = (folder / "winning.smt2").read_text() + "(assert (winning 3 3))(check-sat)"
    assert solver.check(plain, Deadline.after(10)).status == "unsat"


def test_the_python_of_a_game_with_odd_names_runs() -> None:
    game = parse_game(
        "(define (domain odd) (:objects ?if ?if_) (:tercondition (= ?if 0))"
        "(:constraint (>= ?if 0))"
        '(:action ta"ke\\ :parameters () :precondition (> ?if 0) :effect (assign ?if (- ?if 1))))'
    )
    rules = parse_strategy('if % 2 = 1 -> ta"ke\\()', game)
    scope: dict[str, Any] = {}
    exec(report.python_module(game, rules.rules[0].condition, rules), scope)
    assert scope["move"](3, 0) == ('ta"ke\\', ())


def test_a_candidate_of_any_size_is_one_short_line() -> None:
    game = families.load("take-away-3")
    candidate = parse_formula(" or ".join(f"v = {n}" for n in range(5000)), game.variables)
    found = FormulaResult(FormulaOutcome.UNDECIDED, "why", candidate=candidate)
    result = Synthesis(game, SynthesisOptions(), found, TerminationUnknown("why"))
    assert max(map(len, report.text(result).splitlines())) < 500
    assert report.to_dict(result)["candidate"] == str(candidate)


def test_the_solver_ends_with_whoever_asked() -> None:
    program = (
        "from qsage_validate.extensions.impartial.smt import SmtSolver\n"
        "from qsage_validate.system.limits import Deadline\n"
        "s = SmtSolver(); s.check('(assert true)', Deadline.after(9))\n"
        "print(s._process.pid, flush=True)\n"
        "import os; os._exit(0)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    pid = int(run.stdout)
    finished = f"import os, time\nfor _ in range(300):\n    try: os.kill({pid}, 0)\n"
    finished += (
        "    except ProcessLookupError: break\n    time.sleep(0.05)\nelse: raise SystemExit(1)\n"
    )
    subprocess.run([sys.executable, "-c", finished], check=True, timeout=60)
