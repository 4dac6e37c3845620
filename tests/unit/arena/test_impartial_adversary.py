"""Opponents of rules: random plays, all states, and each kind of wrong rule found by them."""

from __future__ import annotations

import random
import shlex
from pathlib import Path

import pytest

from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.cli_play import HeapAdversary, exhaust, heaps_json
from qsage_validate.extensions.impartial.model import game_text
from qsage_validate.extensions.impartial.parser import parse_formula, parse_game
from qsage_validate.extensions.impartial.problem import (
    HeapProblem,
    HeapReferee,
    RuleStrategy,
    bounded_states,
    load_rules,
    open_heaps,
    random_state,
)
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.extensions.impartial.strategy import parse_strategy
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import PlayMatch
from qsage_validate.validation.finding import FindingKind
from tests.support.commands import run_play
from tests.support.heap_rules import MISERE, RULES, TRANSFER, WRONG, problem


def with_formula(formula: str, text: str | None = None) -> HeapProblem:
    """Take-away-3 with a formula and rules of their own."""
    game = families.load("take-away-3")
    strategy = None if text is None else parse_strategy(text, game)
    found = parse_formula(formula, game.variables)
    return HeapProblem(("take-away-3",), RuleStrategy(ImpartialRules(game), found, strategy), "")


# -- right rules ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES)
def test_right_rules_stand_all_opponents(name: str) -> None:
    own, bound = problem(name), 12
    report = HeapAdversary(own, seed=3, bound=bound, illegal=0.3).run(60)
    given = report.results.given
    assert (report.wins, report.losses, given, report.undecided) == (60, 0, 0, 0)
    assert report.results.tried == report.results.flagged > 0
    assert not report.findings
    every = exhaust(own, bound)
    assert every.found.kept == []
    assert every.states == every.labelled == len(bounded_states(own.rules, bound))
    assert 0 < every.winning < every.states
    assert every.searched == min(every.states, 200)


def test_misere_rules_stand_all_opponents() -> None:
    own = problem("take-away-3", MISERE, misere=True)
    assert len(exhaust(own, 40).found) == 0
    assert HeapAdversary(own, seed=1, bound=20).run(50).wins == 50


def test_a_formula_alone_is_a_strategy() -> None:
    own = with_formula("v % 4 != 0")
    assert len(exhaust(own, 30).found) == 0
    assert HeapAdversary(own, seed=1, bound=20).run(50).wins == 50


def test_the_same_seed_gives_the_same_plays() -> None:
    reports = []
    for seed in (5, 5, 6):
        data = heaps_json(HeapAdversary(problem("two-heap-nim"), seed=seed, bound=9).run(30))
        reports.append((data["plies"], data["won"]))
    assert reports[0] == reports[1] != reports[2]


def test_the_losing_side_is_not_promised_anything() -> None:
    own = problem("take-away-3")
    report = HeapAdversary(own, seed=1, bound=3, start=(3,), first=Player.WHITE).run(200)
    assert report.results.given + report.wins == 200
    assert report.results.given > 0
    assert report.losses == report.findings_total == 0


def test_the_counts_are_those_of_the_states() -> None:
    report = exhaust(problem("take-away-3"), 7)
    # Replies to 1..7 leave 0, 0, 0, 3, 4, 4, 4, against which there are 0, 0, 0, 3, 3, 3, 3 moves.
    assert (report.states, report.winning, report.replies, report.answers) == (8, 6, 7, 12)


# -- wrong rules ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attacked", "kind"),
    [
        (problem("take-away-3", WRONG), FindingKind.REPLY_FAILS),
        (problem("take-away-3", "v >= 4 -> take(4)\n"), FindingKind.ILLEGAL_REPLY),
        (problem("take-away-3", "v % 5 != 0 -> take(1)\n"), FindingKind.FORMULA_DIFFERS),
        (
            with_formula("v % 4 != 0", "v % 4 = 1 -> take(1)\nv % 4 = 2 -> take(2)\n"),
            FindingKind.RULES_SILENT,
        ),
        (
            with_formula("v % 4 != 0", RULES["take-away-3"] + "v >= 4 -> take(1)\n"),
            FindingKind.RULE_MISFIRES,
        ),
    ],
)
def test_wrong_rules_are_found(attacked: HeapProblem, kind: FindingKind) -> None:
    every = exhaust(attacked, 12)
    assert kind in {finding.kind for finding in every.found.kept}
    at_random = HeapAdversary(attacked, seed=2, bound=12, first=Player.BLACK).run(100)
    assert kind in {finding.kind for finding in at_random.findings}


@pytest.mark.parametrize("text", [WRONG, "v >= 4 -> take(4)\n", "v % 5 != 0 -> take(1)\n"])
def test_each_finding_is_replayed(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.rules"
    path.write_text(text, encoding="utf-8")
    attacked = problem("take-away-3", text)
    attacked = HeapProblem(("take-away-3", "--rules", str(path)), attacked.strategy, "")
    at_random = HeapAdversary(attacked, seed=1, bound=9).run(20)
    found = [*exhaust(attacked, 9).found.kept, *at_random.findings]
    assert found
    for finding in found:
        words = shlex.split(finding.replay)
        assert words[0] == "qsage-play"
        assert run_play(words[1:]) == Exit.REFUTED, finding.replay
        assert finding.text.partition(": ")[2] in capsys.readouterr().out


def test_a_wrong_formula_of_large_states_is_seen_without_induction() -> None:
    attacked = with_formula("v % 4 != 0 and v != 1001")
    referee = HeapReferee(attacked.strategy, seconds=0)
    assert referee.truth((1001,)) is None
    (objection,) = referee.state((1001,), (1004,))
    assert objection.kind is FindingKind.FORMULA_DIFFERS
    assert "v = 1004 is losing, but a move leads from there to v = 1001" in objection.detail


def test_induction_that_takes_too_long_is_given_up_for_larger_states() -> None:
    game = families.load("two-heap-nim")
    strategy = parse_strategy(RULES["two-heap-nim"], game)
    referee = HeapReferee(RuleStrategy.of_rules(ImpartialRules(game), strategy), seconds=0.01)
    assert referee.truth((2, 1)) is True
    assert referee.truth((4000, 4000)) is None
    assert referee.truth((4000, 4001)) is None
    assert referee.truth((3, 3)) is False


# -- states and files -----------------------------------------------------------------------


def test_states_up_to_a_bound() -> None:
    rules = ImpartialRules(families.load("wythoff-3"))
    states = bounded_states(rules, 5)
    assert len(states) == 6 * 4
    assert all(random_state(rules, 5, random.Random(n)) in states for n in range(20))
    with pytest.raises(UsageError, match="found 1,000,004 states up to 250000"):
        bounded_states(rules, 250_000)
    with pytest.raises(UsageError, match="no state up to 0 with a move"):
        random_state(rules, 0, random.Random(1))
    assert bounded_states(ImpartialRules(TRANSFER), 1) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"variables": ["w"], "formula": "w = 0"}',
            ":1:15: found a report on the variables w, expected v",
        ),
        ('{"variables": ["v"]}', "found a report without a formula, expected a proved formula"),
        ('{"variables": ["v"], "formula": "v ="}', ":1:33: found the end of the formula"),
        ('{"variables": ["v"], "formula": "v = 1", "misere": true}', "a report on misère play"),
        ('{"variables"', "found no JSON"),
        ("{", ":1:2: found no JSON (Expecting property"),
        (
            '{"variables": ["v"], "formula": "v = 1", "strategy": {"rules": [{"x": 1}]}}',
            ":1:65: found no 'condition', expected a report with it",
        ),
        (
            '{"variables": ["v"], "formula": "v = 1", "strategy": 7}',
            ":1:54: found a number for 'strategy'",
        ),
        (
            '{"variables": ["v"], "formula": "v = 1",\n'
            '"strategy": {"rules": [{"condition": "v = 1", "action": "eat(1)"}]}}',
            ":2:24: found the action 'eat', expected one of take",
        ),
        ("v = 1 -> eat(1)", "found the action 'eat', expected one of take"),
        ("v = 1", "expected CONDITION -> ACTION"),
        ("", "expected rules CONDITION -> ACTION"),
    ],
)
def test_rules_that_cannot_be_read(text: str, said: str, tmp_path: Path) -> None:
    path = str(tmp_path / "rules")
    Path(path).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_rules(families.load("take-away-3"), path, misere=False)
    assert said in str(caught.value)
    assert str(caught.value).startswith(path)


# -- plays without end -------------------------------------------------------------------------

ROUND = parse_game(
    "(define (domain round) (:objects ?v) (:tercondition (= ?v 5))"
    "(:constraint (and (>= ?v 0) (<= ?v 5)))"
    "(:action f :parameters () :precondition (= ?v 0) :effect (assign ?v 1))"
    "(:action g :parameters () :precondition (= ?v 1) :effect (assign ?v 0))"
    "(:action h :parameters () :precondition (= ?v 2) :effect (assign ?v 5)))"
)
CLIMB = parse_game(
    "(define (domain climb) (:objects ?v) (:tercondition (= ?v 0)) (:constraint (>= ?v 0))"
    "(:action up :parameters () :precondition (>= ?v 1) :effect (assign ?v (+ ?v 1))))"
)


def test_a_random_play_that_comes_back_is_undecided() -> None:
    own = problem(ROUND, "v = 1 -> g()\nv = 2 -> h()\n")
    report = HeapAdversary(own, seed=1, bound=9, start=(1,)).run(6)
    assert (report.wins, report.losses, report.undecided) == (0, 0, 6)
    assert report.results.plies == 6 * 4
    assert report.findings_total == 0


def test_a_random_play_that_never_comes_back_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.extensions.impartial.cli_play.MAX_PLIES", 200)
    climb = problem(CLIMB, "v % 2 = 1 -> up()\n")
    climb.rules.max_depth = 3_000
    report = HeapAdversary(climb, seed=1, bound=9).run(3)
    assert (report.wins, report.losses, report.undecided) == (0, 0, 3)
    assert report.results.plies == 600


def test_states_that_play_comes_back_to_are_not_compared() -> None:
    report = exhaust(problem(ROUND, "v = 1 -> g()\nv = 2 -> h()\n"), 5)
    assert (report.states, report.labelled, report.searched) == (6, 4, 4)
    assert len(report.found) == 0


def test_that_play_need_not_end_is_told_and_no_proof(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = problem(ROUND, "v = 1 -> g()\nv = 2 -> h()\n")
    match = PlayMatch(open_heaps(one, (1,), one.begins((1,))))
    assert match.facts.plies == 0
    assert match.facts.notes[-1] == (
        "play need not end: it can come back to v = 1; all that is said of winning and losing "
        "holds if plays end"
    )
    game, rules = tmp_path / "round.ig", tmp_path / "round.rules"
    game.write_text(game_text(ROUND))
    rules.write_text("v = 1 -> g()\nv = 2 -> h()\n")
    words = [str(game), "--rules", str(rules)]
    assert run_play([*words, "--white", "all"]) == Exit.UNDECIDED
    assert run_play([*words, "--white", "random"]) == Exit.UNDECIDED
    script = ["--state", "1", "--moves", "f() f()"]
    assert run_play([*words, *script]) == Exit.UNDECIDED
    assert "the moves end before the play does" in capsys.readouterr().err
    assert run_play([*words[:1], "--plain"]) == Exit.UNDECIDED
