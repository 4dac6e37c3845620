"""The experiment on folders of formulas by any encoder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.experiment import RunRecord, Selection
from qsage_validate.extensions.bench.solving import EXPERIMENT, judge_run, verdicts
from tests.support.commands import run_qsage
from tests.support.places import REPOSITORY

SAMPLES = REPOSITORY / "certificates"
PUZZLE = str(SAMPLES / "puzzle.pg")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a right formula, a wrong one, and one of another game."""
    for name in ("puzzle.qcir", "puzzle-wrong.qcir"):
        shutil.copy(SAMPLES / name, tmp_path / name)
    (tmp_path / "notes.txt").write_text("no formula")
    return tmp_path


def test_each_formula_has_a_row_and_is_judged_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words = ["bench", "encodings", ".", "--model", PUZZLE, "-o", "r.jsonl"]
    assert run_qsage(words) == 0
    told = capsys.readouterr()
    assert "1 proved, 1 refuted" in told.out
    assert "moves as numbers in the game's order" in told.out
    lines = Path("r.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row.get("kind") == "run"]
    results = {row["run"]["instance"]: row["result"] for row in rows}
    assert {name: result["status"] for name, result in results.items()} == {
        "./puzzle.qcir": "proved",
        "./puzzle-wrong.qcir": "refuted",
    }
    assert results["./puzzle-wrong.qcir"]["data"]["play"].startswith("a")
    # The same command has nothing left to do.
    assert run_qsage(words) == 0
    assert "2 of 2 runs have results" in capsys.readouterr().err
    assert Path("r.jsonl").read_text().splitlines() == lines


def test_a_formula_that_cannot_be_the_games_fails_and_the_others_go_on(folder: Path) -> None:
    tiny = folder / "tiny.qcir"
    tiny.write_text("exists(1)\noutput(1)\n")
    selection = Selection(inputs=(str(folder),), models=(PUZZLE,), seconds=30.0)
    runs = EXPERIMENT.select(selection)
    assert [Path(run.instance).name for run in runs] == [
        "puzzle-wrong.qcir",
        "puzzle.qcir",
        "tiny.qcir",
    ]
    with pytest.raises(UsageError):
        judge_run(runs[2])
    table = verdicts([RunRecord(runs[1], judge_run(runs[1]), "m", "t")])
    assert table.rows[0][1] == "proved"


def test_bad_selections_are_told(folder: Path) -> None:
    for selection, text in (
        (Selection(), "found no files for encodings"),
        (Selection(inputs=(str(folder),), models=("hex", "el")), "found 2 games"),
        (Selection(inputs=(str(folder),), models=("nothing",)), "unknown game 'nothing'"),
        (Selection(inputs=(str(folder / "notes.txt"),), models=(PUZZLE,)), "expected a QCIR"),
    ):
        with pytest.raises(UsageError, match=text):
            EXPERIMENT.select(selection)
    (folder / "empty").mkdir()
    with pytest.raises(UsageError, match="found no formula in"):
        EXPERIMENT.select(Selection(inputs=(str(folder / "empty"),), models=(PUZZLE,)))
