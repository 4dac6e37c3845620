"""The experiment on impartial games: its instances, its runs, and its tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit, UsageError
from qsage_validate.extensions.bench.campaign import read_runs
from qsage_validate.extensions.bench.experiment import Run, RunRecord, RunResult, Selection
from qsage_validate.extensions.bench.papers.impartial import (
    EXPERIMENT,
    apart,
    beside_table4,
    by_family,
    by_technique,
    execute,
    table4,
    unsolved,
)
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.model import game_text
from tests.support.commands import run_qsage

pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")


def runs(**settings: Any) -> list[Run]:
    return EXPERIMENT.select(Selection(**settings))


# --- Instances ------------------------------------------------------------------------------


def test_without_files_the_families_are_run() -> None:
    assert len(runs()) == 3720
    assert len(runs(options={"variant": "published"})) == 3718
    defective = runs(options={"variant": "defective"})
    assert len(defective) == 90
    assert {dict(run.options)["variant"] for run in defective} == {"published"}
    tenth = runs(options={"every": "10"}, solvers=("synms", "enum"))
    assert len(tenth) == 2 * 372
    assert [r.instance for r in tenth[:3]] == ["take-away-1", "take-away-1", "take-away-11"]
    assert {r.family for r in tenth} >= {
        "1.1 Take-away",
        "2.8 l-Slow Nim",
        "4.8 3rd (l, m)-Wythoff",
    }


def test_files_are_taken_by_their_folders(tmp_path: Path) -> None:
    folder = tmp_path / "all" / "2.1 Nim"
    folder.mkdir(parents=True)
    for name in ("b.pddl", "a.pddl", "c.pddl", "notes.txt"):
        (folder / name).write_text(game_text(families.load("nim-2")))
    found = runs(inputs=(str(tmp_path / "all"),), options={"every": "2", "strategy": "no"})
    assert [(r.family, r.instance) for r in found] == [
        ("2.1 Nim", "2.1 Nim/a.pddl"),
        ("2.1 Nim", "2.1 Nim/c.pddl"),
    ]
    assert dict(found[0].options)["strategy"] == "no"
    before = found[0].key
    (folder / "a.pddl").write_text(game_text(families.load("nim-3")))
    assert runs(inputs=(str(folder / "a.pddl"),), options={"strategy": "no"})[0].key != before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"solvers": ("depqbf",)},
            "unknown method 'depqbf' for --solver, expected one of hybrid, synms, enum",
        ),
        ({"options": {"every": "0"}}, "found '0' for every, expected a positive number"),
        ({"options": {"every": "²"}}, "found '²' for every"),
        ({"options": {"strategy": "maybe"}}, "'maybe' for strategy, expected yes or no"),
        (
            {"options": {"variant": "old"}},
            "'old' for variant, expected repaired or published or defective",
        ),
        ({"options": {"k": "1"}}, "found the option 'k' for impartial"),
        ({"preprocessors": ("bloqqer",)}, "'bloqqer' for impartial, which has methods alone"),
        ({"only": ("chess*",)}, r"found no instance called 'chess\*'"),
    ],
)
def test_what_is_not_known_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        runs(**settings)


def test_a_folder_without_games_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"found no \.pddl or \.ig file in "):
        runs(inputs=(str(tmp_path),))


# --- Runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["hybrid", "synms", "enum"])
@pytest.mark.parametrize(("name", "size"), [("take-away-3", 4), ("nim-2", 3)])
def test_all_methods_solve_small_games(name: str, size: int, method: str) -> None:
    (one,) = runs(only=(name,), solvers=(method,), seconds=60.0)
    result = execute(one)
    assert (result.status, result.decided, result.why) == ("proved", True, "")
    assert result.data["size"] == size
    assert result.data["cross_check"]["agrees"]
    assert result.data["strategy"]["outcome"] == "proved"
    assert result.data["strategy"]["rules"] >= 1
    assert result.seconds >= result.data["seconds"] + result.data["strategy"]["seconds"] - 0.01
    assert json.loads(json.dumps(result.to_dict()))["data"] == dict(result.data)


def test_a_game_without_a_formula_is_an_answer() -> None:
    (one,) = runs(only=("transfer-3-le-1",), options={"variant": "published"}, seconds=60.0)
    result = execute(one)
    assert (result.status, result.decided) == ("impossible", True)
    assert result.why.startswith("no winning formula exists: the losing state v1 = 1")


def test_a_game_without_end_is_an_answer_and_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "round.ig"
    path.write_text(
        "(define (domain round) (:objects ?v) (:tercondition (= ?v 5))"
        "(:constraint (and (>= ?v 0) (<= ?v 5)))"
        "(:action f :parameters () :precondition (= ?v 0) :effect (assign ?v 1))"
        "(:action g :parameters () :precondition (= ?v 1) :effect (assign ?v 0)))"
    )
    (one,) = runs(inputs=(str(path),), seconds=20.0)
    result = execute(one)
    assert (result.status, result.decided) == ("endless", True)
    assert result.why == "play need not end: (v = 0) f() (v = 1) g() (v = 0), and so on for ever"
    assert result.data["formula"] is None
    assert result.data["termination"]["status"] == "endless"
    made = RunRecord(one, result, "m", "2026-01-01T00:00:00+00:00")
    assert by_family([made]).rows[0][1:] == ("1", "", "0", "0")


def test_a_formula_that_holds_if_plays_end_is_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "hundred.ig"
    path.write_text(
        "(define (domain hundred) (:objects ?v) (:tercondition (= ?v 0)) (:constraint (>= ?v 0))"
        "(:action up :parameters () :precondition (not (%= ?v 100 0)) :effect (assign ?v (+ ?v 1)))"
        "(:action out :parameters () :precondition (and (%= ?v 100 0) (> ?v 0))"
        " :effect (assign ?v 0)))"
    )
    (one,) = runs(inputs=(str(path),), seconds=40.0)
    result = execute(one)
    assert (result.status, result.decided) == ("if plays end", False)
    assert result.why.startswith("that every play ends is not proved: ")
    made = RunRecord(one, result, "m", "2026-01-01T00:00:00+00:00")
    assert by_family([made]).rows[0][3:] == ("0", "0")


def test_a_file_that_is_no_game_is_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "broken.ig"
    path.write_text("(define (domain d)\n  (:objects ?v)\n  (:tercondition (= ?w 0)))")
    (one,) = runs(inputs=(str(path),))
    result = execute(one)
    assert (result.status, result.decided) == ("malformed", True)
    assert result.why.startswith(f"{path}:3:")


def test_time_that_is_over_is_no_answer() -> None:
    (one,) = runs(only=("wythoff",), options={"strategy": "no"}, seconds=0.5)
    result = execute(one)
    assert (result.status, result.decided) == ("undecided", False)
    assert result.why
    assert "strategy" not in result.data


def test_a_campaign_is_made_shown_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["bench", "impartial", "--only", "take-away-3"]
    words += ["--solver", "synms", "--solver", "enum"]
    assert run_qsage(words) == Exit.FINE
    out, _ = capfd.readouterr()
    assert "Winning formulas and strategies" in out
    records = read_runs("bench-impartial.jsonl").records
    assert [r.result.status for r in records] == ["proved"] * 2
    assert run_qsage(words) == Exit.FINE
    assert capfd.readouterr().err == "bench-impartial.jsonl: 2 of 2 runs have results\n"
    show = ["bench", "table", "bench-impartial.jsonl", "--table", "families", "--markdown"]
    assert run_qsage(show) == Exit.FINE
    out, _ = capfd.readouterr()
    assert "| 1.1 Take-away | 1 |  | 1 | 1 | 1 | 1 |" in out
    assert "| total | 1 |  | 1 | 1 | 1 | 1 |" in out


# --- Tables ---------------------------------------------------------------------------------


def test_the_papers_categories_add_up() -> None:
    for method in ("Enum", "SynMS"):
        lines = {line["category"]: line for line in table4() if line["method"] == method}
        total = lines.pop("Total")
        for name in ("cases", "formulas", "strategies"):
            assert sum(int(line[name]) for line in lines.values()) == int(total[name])
    assert [int(total[name]) for name in ("cases", "formulas", "strategies")] == [3720, 2729, 1584]


def record(name: str, solver: str, status: str, size: int = 0, strategy: str = "") -> RunRecord:
    data: dict[str, Any] = {"seconds": 2.0, "size": size or None, "rounds": 1, "labelled": 9}
    if strategy:
        data["strategy"] = {"outcome": strategy, "reason": "no", "size": 7, "seconds": 1.0}
    one = Run("impartial", "1.1 Take-away", name, ("family", name), solver, seconds=60.0)
    why = "" if status == "proved" else "too hard"
    result = RunResult(status, status != "undecided", 3.0, why, data=data)
    return RunRecord(one, result, "m", "2026-01-01T00:00:00+00:00")


RECORDS = [
    record("a", "synms", "proved", 4, "proved"),
    record("a", "enum", "proved", 6, "undecided"),
    record("b", "synms", "proved", 30, "proved"),
    record("b", "enum", "undecided"),
    record("c", "synms", "impossible"),
    record("c", "enum", "impossible"),
]


def test_results_stand_beside_the_papers() -> None:
    rows = {row[:2]: row[2:] for row in beside_table4(RECORDS).rows}
    assert rows["Sub", "paper: SynMS"][:5] == ("479", "363", "75.8 %", "61.2", "61.0")
    assert rows["Sub", "synms"] == (
        *("3", "2", "66.7 %", "2.00", "17.0", "4.0"),
        *("2", "66.7 %", "1.00", "7.0", "60"),
    )
    assert rows["Total", "enum"] == (
        *("3", "1", "33.3 %", "2.00", "6.0", "6.0"),
        *("0", "0.0 %", "", "", "60"),
    )
    assert rows["Sub", "paper: SynMS"][-1] == "1,200"
    assert ("Nim", "paper: SynMS") not in rows


def test_formulas_and_strategies_are_taken_apart() -> None:
    found = apart(RECORDS)
    own = {
        (r.run.instance, r.run.configuration): r.result.seconds for r in found if r.result.decided
    }
    assert len(found) == 2 * len(RECORDS)
    assert own["a", "synms: formula"] == 2.0
    assert own["a", "synms: strategy"] == 1.0
    # What has no winning formula has nothing that is found.
    assert ("c", "enum: formula") not in own
    assert EXPERIMENT.formulas is apart


def test_other_files_are_a_category_of_their_own() -> None:
    foreign = replace(RECORDS[0], run=replace(RECORDS[0].run, family="games", instance="x"))
    rows = [row[:3] for row in beside_table4([foreign]).rows]
    assert ("other", "synms", "1") in rows
    assert not any(row[0] == "Sub" for row in rows)


def test_families_and_open_cases_are_told() -> None:
    assert by_family(RECORDS).rows[0] == ("1.1 Take-away", "3", "1", "2", "2", "1", "0")
    found = [row[:5] for row in unsolved(RECORDS).rows]
    assert found == [
        ("a", "enum", "strategy", "undecided", "no"),
        ("b", "enum", "formula", "undecided", "too hard"),
        ("c", "synms", "formula", "impossible", "too hard"),
        ("c", "enum", "formula", "impossible", "too hard"),
    ]


def test_formulas_are_counted_by_the_technique_that_found_them() -> None:
    first = replace(
        RECORDS[0],
        result=replace(
            RECORDS[0].result, data={**RECORDS[0].result.data, "technique": "classification"}
        ),
    )
    table = by_technique([first, *RECORDS[1:]])
    assert table.columns == ("method", "formulas", "classification", "not recorded")
    assert table.rows == (("synms", "2", "1", "1"), ("enum", "1", "0", "1"))
