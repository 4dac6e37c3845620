"""The program that prints the paper's tables of sizes beside the counts made here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from research.benchmarks.positional_sizes import main


def made(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    (table,) = json.loads(capsys.readouterr().out)
    return {"notes": table["notes"], "rows": table["rows"]}


def test_table_2_says_which_numbers_agree(capsys: pytest.CaptureFixture[str]) -> None:
    rows = made(capsys, "--table", "2")["rows"]
    agrees = {(row["encoding"], row["depth"]): row["agrees"] for row in rows}
    assert {agrees["et", depth] for depth in (45, 91, 181, 361)} == {"both"}
    assert {agrees["en", depth] for depth in (45, 91, 181, 361)} == {"both"}
    assert {agrees["sn", depth] for depth in (45, 91, 181, 361)} == {"no"}
    # Squaring is not in the printed table.
    assert agrees["si", 45] is None
    (et,) = (row for row in rows if (row["encoding"], row["depth"]) == ("et", 361))
    assert (et["variables"], et["clauses"]) == (134292, 785424)
    assert et["printed, thousands"] == "134/785"


def test_other_boards_are_written_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    rows = made(capsys, "--table", "2", "--board", "4", "--depths", "7,9", "--written")["rows"]
    assert len(rows) == 12
    assert all(row["printed, thousands"] is None for row in rows)


def test_bloqqer_leaves_a_formula_or_says_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyqbf", reason="Bloqqer comes with the extra 'solve'")
    arguments = ("--table", "2", "--board", "4", "--depths", "7", "--bloqqer", "60")
    rows = made(capsys, *arguments)["rows"]
    (transversal,) = (row for row in rows if row["encoding"] == "et")
    # Bloqqer expands universal variables: what is left can be more.
    assert transversal["Bloqqer"] == "simplified"
    assert transversal["clauses left"] > 0
    assert transversal["printed after"] is None
    arguments = ("--table", "2", "--board", "4", "--depths", "7", "--bloqqer", "0.001")
    rows = made(capsys, *arguments)["rows"]
    assert {(row["clauses left"], row["Bloqqer"]) for row in rows} == {(None, "timeout")}


def test_table_3_differs_by_units_only(capsys: pytest.CaptureFixture[str]) -> None:
    rows = made(capsys, "--table", "3", "--size", "5x4", "--depth", "9")["rows"]
    assert [row["encoding"] for row in rows] == ["ea", "en-forward", "et"]
    for row in rows:
        assert row["variables"] == row["printed variables"]
        assert row["difference"] == 0


def test_tables_1_and_4_count_what_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    first = made(capsys, "--table", "1")["rows"]
    fourth = {row["encoding"]: row for row in made(capsys, "--table", "4")["rows"]}
    for row in first:
        assert row["ratio"] == pytest.approx(row["number"] / row["printed number"], abs=0.01)
        if row["of"] == "gates":
            assert row["number"] == fourth[row["encoding"]]["gates"]
    assert fourth["sn"]["difference"] == 0
    assert fourth["la"]["difference"] == 2
    assert fourth["si"]["printed gates"] is None


def test_all_tables_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--size", "3x3", "--depth", "5", "--board", "3", "--depths", "5"]) == 0
    shown = capsys.readouterr().out
    assert [f"Table {k}:" in shown for k in range(1, 6)] == [True] * 4 + [False]


@pytest.mark.parametrize("words", [["--depths", "4"], ["--size", "5"], ["--table", "5"]])
def test_wrong_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_boards_that_the_formulas_do_not_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--table", "2", "--board", "1", "--depths", "45"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
