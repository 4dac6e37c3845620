"""Sentences are said exactly when the proved levels imply them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

import pytest

from qsage_validate.errors import Exit, Undecided
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.protocol import Player
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import StatementSubject, ValidationReport, conclude
from qsage_validate.proving.run import LevelResult
from qsage_validate.validation.finding import (
    Claimed,
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Sampled,
    Unsupported,
    Verdict,
)

GAME = load_game(harary_model("el", 3, 3, maker_breaker=True, plies=5))
OK = Proved("it holds")
LOST = Refuted((Finding(FindingKind.END_DIFFERS, 1, "White wins"),))
VERDICTS: Final[tuple[Verdict, ...]] = (
    OK,
    LOST,
    Sampled("10 random plays"),
    Undecided("time is up"),
    Unsupported("no rules"),
    Claimed("caqe says that the formula is true"),
)
LEVELS = [level for level in Level if level is not Level.TRACE]


def result(level: Level, verdict: Verdict, **evidence: object) -> LevelResult:
    return LevelResult(level, verdict, 0.1, evidence)


def trace(value: str) -> LevelResult:
    return result(Level.TRACE, OK, result=value)


@pytest.mark.parametrize("hero", [*Player, None])
def test_each_sentence_follows_from_its_levels(hero: Player | None) -> None:
    """All combinations of proved and not proved; the rule is written down a second time here."""
    for verdicts in product(VERDICTS[:1] + VERDICTS[3:4], repeat=len(LEVELS)):
        results = [result(lvl, v) for lvl, v in zip(LEVELS, verdicts, strict=True)]
        proved = {r.level for r in results if isinstance(r.verdict, Proved)}
        said = {s.about for s in conclude(results, hero, GAME).statements}
        value = hero is not None and {Level.DEPENDENCIES, Level.FORMULA} <= proved
        by_plays = hero is not None and bool({Level.RULES, Level.EXHAUSTIVE} & proved)
        assert (StatementSubject.FORMULA in said) == value
        assert (StatementSubject.GAME in said) == (by_plays or (value and Level.ENCODING in proved))
        assert (StatementSubject.ENCODING in said) == (Level.ENCODING in proved)
        assert (StatementSubject.BOARDS in said) == (Level.BOARDS in proved)
        assert (StatementSubject.ASSERTIONS in said) == (Level.ASSERTIONS in proved)


def test_no_verdict_but_a_proof_is_said_of_formula_or_game() -> None:
    for verdict in VERDICTS[1:]:
        results = [result(level, verdict) for level in LEVELS]
        said = {s.about for s in conclude(results, Player.BLACK, GAME).statements}
        assert said <= {StatementSubject.SAMPLE, StatementSubject.CLAIM}


def test_assertions_alone_say_nothing_of_formula_or_game() -> None:
    results = (result(Level.ASSERTIONS, Proved("the formula is true; Black wins")),)
    said = conclude(results, Player.BLACK, GAME)
    assert {s.about for s in said.statements} == {StatementSubject.ASSERTIONS}
    assert ValidationReport("f with c", results, said).word == "proved"


def test_a_sample_proves_nothing() -> None:
    results = (result(Level.RANDOM, VERDICTS[2]),)
    report = ValidationReport("f with c", results, conclude(results, Player.BLACK, GAME))
    assert report.exit_code is Exit.UNDECIDED
    assert report.word == "sampled"
    assert report.claim == ""
    assert report.last_line == "f with c: no fault found in 10 random plays"


def test_a_solvers_word_proves_nothing() -> None:
    results = (result(Level.DEPENDENCIES, OK), result(Level.FORMULA, VERDICTS[5]))
    report = ValidationReport("f with c", results, conclude(results, Player.BLACK, GAME))
    assert report.exit_code is Exit.UNDECIDED
    assert (report.word, results[1].word) == ("claimed", "claimed")
    assert report.claim == "it holds"
    assert report.last_line == (
        "f with c: claimed (formula); proved: dependencies; caqe says that the formula is true"
    )
    undecided = (*results, result(Level.RULES, VERDICTS[3]))
    assert ValidationReport("f with c", undecided).word == "undecided"


def test_a_trace_says_what_it_proves_whatever_the_certificate_is_for() -> None:
    (said,) = conclude([trace("true")], Player.WHITE, None).statements
    assert (said.about, said.value) == (StatementSubject.FORMULA, True)


def test_a_trace_and_a_certificate_that_prove_opposite_values() -> None:
    results = [
        result(Level.DEPENDENCIES, OK),
        result(Level.FORMULA, OK),
        trace("true"),
    ]
    found = conclude(results, Player.WHITE, None)
    assert StatementSubject.FORMULA not in {s.about for s in found.statements}
    (finding,) = found.contradictions
    assert finding.kind is FindingKind.LEVELS_DIFFER
    assert "dependencies and formula and trace contradict each other" in finding.detail
    report = ValidationReport("f with c", tuple(results), found)
    assert report.exit_code is Exit.REFUTED
    assert report.to_dict()["contradictions"] == [finding.to_dict()]


def test_the_encoding_and_the_rules_that_name_two_winners() -> None:
    results = [result(Level.RULES, OK), result(Level.ENCODING, OK), trace("false")]
    found = conclude(results, Player.BLACK, GAME)
    assert StatementSubject.GAME not in {s.about for s in found.statements}
    (finding,) = found.contradictions
    assert "rules" in finding.detail
    assert "encoding" in finding.detail


def test_a_play_that_is_lost_where_all_plays_are_won() -> None:
    results = [result(Level.EXHAUSTIVE, OK), result(Level.RULES, LOST)]
    found = conclude(results, Player.BLACK, GAME)
    assert [f.kind for f in found.contradictions] == [FindingKind.LEVELS_DIFFER]
    assert StatementSubject.GAME not in {s.about for s in found.statements}


def test_a_name_that_looks_like_a_sentence_stands_in_quotation_marks() -> None:
    named = load_game(replace(harary_model("el", 3, 3, plies=5), name="chess: mate in 4; el 9x9"))
    (said,) = conclude([result(Level.RULES, OK)], Player.BLACK, named).statements
    assert said.text == (
        'Black wins the positional game of 9 positions labelled "chess: mate in 4; el 9x9" '
        "within 5 plies"
    )


@pytest.mark.parametrize(
    ("implies", "told"),
    [
        ([True], "if the formula is true, Black wins "),
        ([False], "if the formula is false, Black does not win"),
        ([], ""),
    ],
)
def test_the_half_that_was_proved_stands_beside_the_difference(
    implies: list[bool], told: str
) -> None:
    results = (result(Level.ENCODING, LOST, implies=implies),)
    report = ValidationReport("f", results, conclude(results, None, GAME), "the encoding")
    said = [s.text for s in report.conclusions.statements if s.about is StatementSubject.ENCODING]
    assert len(said) == bool(told)
    assert report.exit_code is Exit.REFUTED
    assert report.last_line == "; ".join(["f: refuted (encoding): the encoding", *said])
    assert all(text.startswith(told) for text in said)
    assert report.last_line.endswith(": what differs can only cost wins") is (implies == [True])
