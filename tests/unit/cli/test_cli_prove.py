"""The prover of the play's interface: the levels in a process that can be stopped."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.cli.play import board as module
from qsage_validate.cli.play.board import prover
from qsage_validate.errors import UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.registry import find_command
from qsage_validate.play.tui.model.situation import LevelRow
from qsage_validate.problems.load import Files, load
from qsage_validate.system.limits import Progress, nobody
from qsage_validate.system.pool import RemoteError, Send
from tests.support.places import SAMPLES

TIC = load(Files(str(SAMPLES / "tic.qcir"), str(SAMPLES / "tic.aig")))


def test_all_levels_are_told_with_their_results() -> None:
    told: list[Progress] = []
    rows: list[LevelRow] = []
    end = prover(TIC)(told.append, rows.append, lambda: False)
    assert {row.name: row.word for row in rows} == {
        "dependencies": "proved",
        "formula": "proved",
        "random plays": "sampled",
        "all plays": "proved",
        "rules": "proved",
        "boards": "proved",
        "encoding": "proved",
    }
    assert {progress.stage for progress in told} == {row.name for row in rows}
    assert "valid: Black wins" in end.text
    assert not end.refuted
    assert not end.stopped


def test_a_wrong_certificate_is_refuted_with_findings(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.aag"
    formula = tmp_path / "xor.qcir"
    formula.write_text("#QCIR-G14\nforall(a)\nexists(b)\noutput(g)\ng = xor(a, b)\n")
    wrong.write_text("aag 1 1 0 1 0\n2\n2\ni0 a\no0 b\n")
    rows: list[LevelRow] = []
    end = prover(load(Files(str(formula), str(wrong))))(nobody, rows.append, lambda: False)
    assert end.refuted
    (refuted,) = (row for row in rows if row.name == "formula")
    assert refuted.word == "refuted"
    assert refuted.findings


def test_it_stops_when_it_is_told_to() -> None:
    began = time.monotonic()
    end = prover(TIC)(nobody, lambda row: None, lambda: True)
    assert end.stopped
    assert end.text == "Stopped; no level has ended."
    assert time.monotonic() - began < 60


def test_rules_that_do_not_fit_are_one_line() -> None:
    other = load_game(find_command(["httt", "--size", "4x4"]))
    with pytest.raises(RemoteError, match="4x4"):
        prover(replace(TIC, game=other))(nobody, lambda row: None, lambda: False)


def stumbles(send: Send, problem: object) -> None:
    raise ZeroDivisionError


def vanishes(send: Send, problem: object) -> None:
    os._exit(9)


@pytest.mark.parametrize(
    ("child", "error", "said"),
    [
        (stumbles, RuntimeError, "ZeroDivisionError"),
        (vanishes, UsageError, "exit code 9"),
    ],
)
def test_a_process_that_ends_without_a_result(
    child: Callable[..., None],
    error: type[Exception],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_prove", child)
    with pytest.raises(error, match=said):
        prover(TIC)(nobody, lambda row: None, lambda: False)
