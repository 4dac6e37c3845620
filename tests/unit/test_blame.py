"""Who is to blame for what, and what a report says of it."""

from __future__ import annotations

import pytest

from qsage_validate.errors import Exit
from qsage_validate.games.protocol import Player
from qsage_validate.proving.blame import blame
from qsage_validate.proving.levels import Level, LevelResult, Report
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.verdict import Proved, Refuted, Undecided, Unsupported, Verdict

OK = Proved("it holds")
BAD = Refuted((Finding(FindingKind.BOARD_DIFFERS, 1, "a square differs"),))
OPEN = Undecided("time is up")
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
        ({"formula": OK, "rules": BAD, "encoding": BAD}, None, "the encoding is wrong"),
        ({"formula": BAD, "rules": BAD, "encoding": BAD}, None, "the encoding is wrong"),
        ({"formula": OK, "rules": BAD}, None, "the encoding or the model is wrong"),
        ({"formula": OK, "random": BAD, "encoding": OPEN}, None, "the encoding or the model"),
        ({"random": BAD}, None, "the plays are not what was promised"),
        ({"formula": OK, "rules": BAD, "encoding": OK}, None, "the levels contradict"),
    ],
)
def test_blame(verdicts: dict[str, Verdict], winner: Player | None, expected: str) -> None:
    text = blame(_results(**verdicts), Player.BLACK, winner, 0)
    assert text.startswith(expected)
    assert bool(text) == bool(expected)


def test_a_doubtful_model_is_mentioned() -> None:
    assert "doubtful" in blame(_results(formula=OK), Player.BLACK, None, 2)
    assert "doubtful" in blame(_results(encoding=BAD), Player.BLACK, None, 1)


@pytest.mark.parametrize(
    ("verdicts", "code", "words"),
    [
        ({"formula": OK, "rules": NONE}, Exit.FINE, "valid: the claim (formula)"),
        ({"formula": OK, "rules": OPEN}, Exit.UNDECIDED, "undecided (rules); proved: formula"),
        ({"formula": BAD, "rules": OPEN}, Exit.REFUTED, "refuted (formula): somebody"),
        ({"rules": NONE}, Exit.UNDECIDED, "nothing could be checked"),
        ({}, Exit.UNDECIDED, "nothing could be checked"),
    ],
)
def test_a_report_in_one_line(verdicts: dict[str, Verdict], code: Exit, words: str) -> None:
    results = tuple(_results(**verdicts))
    report = Report("f.qcir", "the claim", results, "somebody" if code == Exit.REFUTED else "")
    assert report.exit_code == code
    assert words in report.last_line
    assert "\n" not in report.last_line
    assert report.as_json()["summary"] == report.last_line


def test_an_interruption_is_neither_valid_nor_refuted() -> None:
    report = Report("f.qcir", "the claim", tuple(_results(formula=OK)), interrupted=True)
    assert report.exit_code == Exit.INTERRUPTED
    assert "interrupted" in report.last_line
    assert report.as_json()["verdict"] == "interrupted"
