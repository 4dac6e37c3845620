"""The experiment on games in GDL: its instances, and its tables beside the paper's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.experiment import Run, RunRecord, RunResult, Selection
from qsage_validate.extensions.bench.papers.gdl import (
    EXPERIMENT,
    execute,
    in_bddl,
    sizes_table,
    table2,
    table3,
    table3_table,
    times_table,
)
from qsage_validate.extensions.gdl import library


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Descriptions under the names of published ones, and one more."""
    text = library.load("trails").text()
    for name in ("connect-3-4x4", "dots-and-boxes-2x2", "trails"):
        (tmp_path / f"{name}.gdl").write_text(text)
    return tmp_path


def selected(folder: Path, **options: object) -> list[Run]:
    selection = Selection(inputs=(str(folder),), **options)  # type: ignore[arg-type]
    return EXPERIMENT.select(selection)


def test_the_papers_tables_are_complete() -> None:
    rows = table2()
    assert len(rows) == 23
    assert len({row.name for row in rows}) == 23
    assert sum(row.truth for row in rows) == 10
    assert {row.name for row in rows if not row.strict} == {"D&B 2x2", "D&B 2x3"}
    # A description is won within its longest win, and refuted for good only there.
    assert all(row.depth == row.longest for row in rows if row.value == "false")
    assert all(row.depth < row.longest for row in rows if row.value == "open")
    assert len(table3()) == 6


def test_runs_are_what_fits_a_game(folder: Path) -> None:
    pytest.importorskip("pyqbf", reason="the solvers are PyQBF's")
    runs = selected(folder)
    configurations = {(run.instance, run.configuration) for run in runs}
    assert ("C-3 4x4", "bloqqer+caqe (gdl-sd)") in configurations
    assert ("C-3 4x4 (BDDL)", "bloqqer+depqbf") in configurations
    assert ("D&B 2x2", "bloqqer+caqe (gdl-gd)") in configurations
    assert ("D&B 2x2", "bloqqer+caqe (gdl-sd)") not in configurations
    assert {run.instance for run in runs} == {"C-3 4x4", "C-3 4x4 (BDDL)", "D&B 2x2"}
    further = selected(folder, options={"depth": "4"}, only=("trails",), solvers=("search",))
    assert [(run.instance, run.source[1:]) for run in further] == [("trails", ("--depth", "4"))]


def test_what_is_not_there_is_told(tmp_path: Path, folder: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match=r"found no \.gdl file"):
        selected(empty)
    with pytest.raises(UsageError, match="found 'many' for depth"):
        selected(folder, options={"depth": "many"})
    for file in folder.glob("*-*"):
        file.unlink()
    with pytest.raises(UsageError, match="expected --set depth=N"):
        selected(folder)


def test_a_run_has_sizes_before_and_after(folder: Path) -> None:
    pytest.importorskip("clingo", reason="grounding needs clingo")
    pytest.importorskip("pyqbf", reason="the solvers are PyQBF's")
    (run,) = selected(
        folder, options={"depth": "5"}, only=("trails",), solvers=("caqe",), encodings=("gdl-sd",)
    )
    result = execute(run)
    assert (result.status, result.decided) == ("false", True)
    assert result.data["plain"]["clauses"] > 100
    assert result.data["preprocess_seconds"] >= 0


def record(run: str, solver: str, encoding: str, truth: bool | None, seconds: float) -> RunRecord:
    sizes = {"variables": 17595, "universals": 95, "clauses": 78017, "blocks": 39}
    data = {"solve_seconds": seconds, "preprocess_seconds": 2.5, "plain": sizes}
    status = "timeout" if truth is None else str(truth).lower()
    result = RunResult(status, truth is not None, seconds + 2.5, data=data)
    made = Run("gdl", "BT", run, (), solver, encoding, "bloqqer", 60.0)
    return RunRecord(made, result, "machine", "2026-11-21T00:00:00Z")


def test_ours_stand_beside_the_papers() -> None:
    (cell,) = (c for c in table2() if c.name == "BT 3x4")
    records = [
        record(cell.name, "caqe", "gdl-gd", False, 0.25),
        record(cell.name, "depqbf", "gdl-gd", None, 60.0),
        record(in_bddl(cell), "caqe", "lifted", False, 9.5),
        record("C-3 4x4", "caqe", "gdl-gd", False, 1.0),
    ]
    table = times_table(records)
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["BT 3x4"]["caqe GD"] == "0.11 / 0.25"
    assert rows["BT 3x4"]["depqbf GD"] == "0.59 / *"
    assert rows["BT 3x4"]["caqe BL"] == "* / 9.50"
    assert rows["BT 3x4"]["value"] == "false"
    assert rows["BT 3x4"]["Bloqqer"] == "9.39 / 2.50"
    assert rows["C-3 4x4"]["value"] == "false (paper: true)"
    assert rows["limit s"]["caqe GD"] == "1,000 / 60"
    assert rows["limit s"]["minimax"] == "1,000 / -"
    sizes = sizes_table(records)
    assert sizes.rows[0] == (
        "BT 3x4", "GD", "plain", "29,957 / 17,595", "95 / 95", "93,986 / 78,017", "39 / 39"
    )  # fmt: skip


def test_table_3_has_sizes_and_seconds_before_and_after_bloqqer() -> None:
    (cell,) = (c for c in table2() if c.name == "BT 3x4")
    after = record(cell.name, "caqe", "gdl-gd", False, 0.25)
    left = {"variables": 3602, "universals": 45, "clauses": 20044, "blocks": 19}
    after.result.data["preprocessed"] = left  # type: ignore[index]
    plain = record(cell.name, "depqbf", "gdl-gd", None, 40.0)
    plain = replace(plain, run=replace(plain.run, preprocessor="none", seconds=40.0))
    table = table3_table([plain, after])
    assert table.rows == (
        ("GD", "plain", "29,957 / 17,595", "95 / 95", "93,986 / 78,017", "39 / 39",
         "557.79 / *", "150.36 / -"),
        ("GD", "bloqqer", "1,072 / 3,602", "41 / 45", "10,459 / 20,044", "19 / 19",
         "0.59 / -", "0.11 / 0.25"),
    )  # fmt: skip
    assert "ours: 40, 60 s" in table.notes[0]
    # What Bloqqer leaves counts in Table 2, whatever was run last.
    for records in ([after, plain], [plain, after]):
        rows = times_table([replace(r, run=replace(r.run, solver="caqe")) for r in records]).rows
        assert "0.11 / 0.25" in rows[0]
