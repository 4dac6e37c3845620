"""The program that looks for faulty formulas that are proved."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from qsage_validate.circuit.qbf import Connective, Gate
from qsage_validate.validation.finding import Proved, Verdict
from research.benchmarks import listed_faults
from research.benchmarks.listed_faults import Judged, cases, judged, main

CASE = "heap of 7, 6: gdl-gd"

pytest.importorskip("pyqbf", reason="asks DepQBF, which comes with PyQBF")


def test_faults_are_drawn_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "1", "--only", CASE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cases"] == 1
    assert sum(map(sum, found["verdicts"].values())) > 1
    assert found["lies"] == []


def test_a_proved_formula_that_names_the_other_winner_is_a_lie(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (case,) = cases(CASE)
    formula = case.encoded.qbf
    nothing = Gate(Connective.OR, ())
    opposite = replace(formula, gates={**formula.gates, abs(formula.output): nothing})
    assert judged(case, "none", formula) == Judged(CASE, "none", "Proved", right=True)
    assert not judged(case, "false", opposite).is_lie

    class Believed:
        verdict: Verdict = Proved("whatever is asked")

    monkeypatch.setattr(listed_faults, "judge", lambda *_, **__: Believed)
    assert judged(case, "false", opposite).is_lie
    monkeypatch.setattr(listed_faults, "faults", lambda *_: [(case, "false", opposite)])
    assert main(["--only", CASE]) == 1
    assert f"proved, and wrong: {CASE}: false" in capsys.readouterr().out
