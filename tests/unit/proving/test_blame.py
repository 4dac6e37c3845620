"""Who is to blame for what, and what a report says of it."""

from __future__ import annotations

import pytest

from qsage_validate.errors import Exit, Undecided
from qsage_validate.games.protocol import Player
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import ValidationReport, blame, conclude
from qsage_validate.proving.run import LevelResult
from qsage_validate.validation.finding import (
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Sampled,
    Unsupported,
    Verdict,
)

OK = Proved("it holds")
BAD = Refuted((Finding(FindingKind.BOARD_DIFFERS, 1, "a square differs"),))
MISREAD = Refuted((Finding(FindingKind.LAYOUT_DIFFERS, 0, "ply 1 is White's"),))
OPEN = Undecided("time is up")
TRIED = Sampled("10 random plays")
NONE = Unsupported("no rules are known")


def _results(**verdicts: Verdict) -> list[LevelResult]:
    return [LevelResult(Level[name.upper()], v, 0.1) for name, v in verdicts.items()]


@pytest.mark.parametrize(
    ("verdicts", "winner", "expected"),
    [
        ({"dependencies": OK, "formula": OK, "rules": OK, "encoding": OK}, None, ""),
        ({"dependencies": BAD}, Player.BLACK, "the certificate is wrong"),
        ({"formula": BAD, "encoding": OK}, Player.BLACK, "the certificate is wrong"),
        ({"formula": BAD, "encoding": OK}, None, "the certificate is wrong"),
        ({"formula": BAD, "encoding": OK}, Player.WHITE, "the solver's answer is wrong"),
        # Whose formula it is is not known: its value may be another than the game's.
        ({"formula": BAD}, Player.WHITE, "the certificate is wrong: it does not prove the formula"),
        ({"dependencies": BAD, "encoding": OPEN}, Player.WHITE, "the certificate is wrong"),
        ({"formula": OK, "rules": BAD, "encoding": BAD}, None, "the encoding is wrong"),
        ({"formula": BAD, "rules": BAD, "encoding": BAD}, None, "the encoding is wrong"),
        (
            {"dependencies": OK, "formula": OK, "rules": BAD},
            None,
            "the encoding, its layout or the model is wrong",
        ),
        (
            {"dependencies": OK, "formula": OK, "random": BAD, "encoding": OPEN},
            None,
            "the encoding, its layout or the model",
        ),
        # Functions that peek prove nothing, though they win against the formula.
        (
            {"formula": OK, "rules": BAD},
            None,
            "the plays are not what was promised; run the depend",
        ),
        ({"random": BAD}, None, "the plays are not what was promised"),
        ({"formula": OK, "rules": OK, "boards": BAD}, None, "the formula's boards or its legality"),
        ({"rules": MISREAD, "formula": OK}, None, "the layout is wrong"),
    ],
)
def test_blame(verdicts: dict[str, Verdict], winner: Player | None, expected: str) -> None:
    text = blame(_results(**verdicts), Player.BLACK, winner, 0)
    assert text.startswith(expected)
    assert bool(text) == bool(expected)


@pytest.mark.parametrize(
    ("evidence", "how"),
    [
        ({}, "the formula, read by its layout, is not this game's"),
        ({"any reading": False}, "the formula, read by the layout that was found, is not"),
        ({"any reading": True}, "the formula has not this game's value, whatever its variables"),
    ],
)
def test_a_wrong_encoding_is_wrong_by_a_layout(evidence: dict[str, object], how: str) -> None:
    text = blame([LevelResult(Level.ENCODING, BAD, 0.0, evidence)], None, None, 0)
    assert text.startswith(f"the encoding is wrong: {how}")


def test_rules_that_were_not_asked_do_not_disagree() -> None:
    proved = {"dependencies": OK, "formula": OK}
    by_plays = blame(_results(**proved, random=BAD, rules=NONE), Player.BLACK, None, 0)
    assert by_plays.endswith("and plays disagree with it")
    by_rules = blame(_results(**proved, random=BAD, rules=BAD), Player.BLACK, None, 0)
    assert by_rules.endswith("and the rules disagree with it")


def test_a_doubtful_model_is_mentioned() -> None:
    assert "doubtful" in blame(_results(formula=OK), Player.BLACK, None, 2)
    assert "doubtful" in blame(_results(encoding=BAD), Player.BLACK, None, 1)


@pytest.mark.parametrize(
    ("verdicts", "code", "words"),
    [
        (
            {"dependencies": OK, "formula": OK, "rules": NONE},
            Exit.FINE,
            "valid: the formula is true (dependencies, formula)",
        ),
        ({"formula": OK}, Exit.FINE, "proved: no choice of the opponent beats the functions"),
        ({"dependencies": OK}, Exit.FINE, "proved: it holds"),
        ({"random": TRIED}, Exit.UNDECIDED, "f.qcir: no fault found in 10 random plays"),
        (
            {"dependencies": OK, "formula": OK, "random": TRIED},
            Exit.FINE,
            "valid: the formula is true (dependencies, formula); no fault found in 10 random plays",
        ),
        ({"formula": OK, "rules": OPEN}, Exit.UNDECIDED, "undecided (rules); proved: formula"),
        ({"formula": BAD, "rules": OPEN}, Exit.REFUTED, "refuted (formula): somebody"),
        ({"rules": NONE}, Exit.UNDECIDED, "nothing could be checked"),
        ({}, Exit.UNDECIDED, "nothing could be checked"),
    ],
)
def test_a_report_in_one_line(verdicts: dict[str, Verdict], code: Exit, words: str) -> None:
    results = tuple(_results(**verdicts))
    said = conclude(results, Player.BLACK, None)
    report = ValidationReport("f.qcir", results, said, "somebody" if code == Exit.REFUTED else "")
    assert report.exit_code == code
    assert words in report.last_line
    assert "\n" not in report.last_line
    assert report.to_dict()["summary"] == report.last_line


def test_an_interruption_is_neither_valid_nor_refuted() -> None:
    report = ValidationReport("f.qcir", tuple(_results(formula=OK)), interrupted=True)
    assert report.exit_code == Exit.INTERRUPTED
    assert "interrupted" in report.last_line
    assert report.to_dict()["verdict"] == "interrupted"
