"""The experiment ``positional``: its instances, its runs, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.bench.experiment import (
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
)
from qsage_validate.extensions.bench.papers import positional
from qsage_validate.extensions.bench.papers.positional import (
    ENCODINGS,
    EXPERIMENT,
    execute,
    model_of,
)
from qsage_validate.extensions.bench.plots import by_processor
from qsage_validate.formats.pg import pg_text
from qsage_validate.games.positional.hex import hex_network, with_winning_sets

ALL = ("search", "caqe")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Hex on 3x3, which Black wins within 5 plies and not within 3."""
    path = tmp_path / "board.pg"
    path.write_text(pg_text(hex_network(3, 3, 5).pg()))
    return path


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """The same with its winning sets in the place of neighbours."""
    path = tmp_path / "sets.pg"
    path.write_text(pg_text(with_winning_sets(hex_network(3, 3, 5)).pg()))
    return path


def runs(*files: Path, **settings: Any) -> list[Run]:
    return EXPERIMENT.select(Selection(inputs=tuple(map(str, files)), **settings))


def cells(table: ResultTable, row: str) -> dict[str, str]:
    (found,) = (cells for cells in table.rows if cells[0] == row)
    return dict(zip(table.columns, found, strict=True))


# --- instances ------------------------------------------------------------------------------


def test_every_file_is_run_with_the_encodings_that_can_say_its_goal(
    board: Path, sets: Path
) -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    found = runs(board.parent)
    by_instance = {
        name: [r.encoding for r in found if r.instance == name] for name in ("board", "sets")
    }
    assert by_instance["board"] == ["-", *ENCODINGS]
    assert by_instance["sets"] == ["-", "ea", "la", "sa", "cor"]
    assert {r.configuration for r in found} >= {"search", "bloqqer+caqe (et)", "bloqqer+caqe (cor)"}
    assert {r.family for r in found} == {"5 plies"}


def test_depths_may_be_others_than_the_files(board: Path) -> None:
    found = runs(board, solvers=("search",), options={"depth": "3,9"})
    assert [(r.instance, r.family, model_of(r).plies) for r in found] == [
        ("board-03", "3 plies", 3),
        ("board-09", "9 plies", 9),
    ]
    assert len({r.key for r in found}) == 2


def test_hex_files_are_played_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "corner.hex"
    path.write_text("2\nb[a1]\n")
    (run,) = runs(path, solvers=("search",))
    assert (run.instance, model_of(run).plies) == ("corner", 3)
    assert execute(run).status == "true"
    # White's last ply is left out: encodings are of odd depths.
    path.write_text("2\n")
    (run,) = runs(path, solvers=("search",))
    assert (run.family, model_of(run).plies) == ("3 plies", 3)
    assert execute(run).status == "true"


def test_files_of_the_same_name_are_told_apart_and_changed_ones_are_others(
    board: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    other = folder / board.name
    other.write_text(board.read_text())
    one, two = runs(board, other, solvers=("search",))
    assert (one.instance, two.instance) == (f"{tmp_path.name}/board", "more/board")
    (before,) = runs(other, solvers=("search",))
    other.write_text(other.read_text() + "% changed\n")
    (after,) = runs(other, solvers=("search",))
    assert before.question != after.question


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"encodings": ("lifted",)}, "found the encoding 'lifted', expected one of: ea, en, et"),
        ({"encodings": ("cover",)}, "found the encoding 'cover'"),
        ({"solvers": ("certify:search",)}, "found the solver 'certify:search'"),
        ({"solvers": ("nobody",)}, "nobody"),
        ({"options": {"depth": "5,x"}}, "found '5,x' for depth"),
        ({"options": {"depth": "0"}}, "found '0' for depth"),
        ({"options": {"prepared": "maybe"}}, "found 'maybe' for prepared, expected yes or no"),
        ({"options": {"size": "3"}}, "found the option 'size'"),
    ],
)
def test_wrong_words_are_refused(board: Path, settings: dict[str, Any], words: str) -> None:
    settings = {"solvers": ("search",), "preprocessors": ("none",), **settings}
    with pytest.raises(UsageError, match=words):
        runs(board, **settings)


def test_wrong_files_are_refused(sets: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found no files for positional"):
        runs(solvers=("search",))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="found no positional game in"):
        runs(tmp_path / "empty", solvers=("search",))
    bad = tmp_path / "bad.pg"
    bad.write_text("what is this\n")
    with pytest.raises(InputError):
        runs(bad, solvers=("search",))
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    with pytest.raises(UsageError, match="found no network in the files"):
        runs(sets, solvers=("caqe",), preprocessors=("none",), encodings=("en", "sn"))


# --- runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "status"), [("3", "false"), ("5", "true")])
def test_all_encodings_agree_with_the_rules(board: Path, depth: str, status: str) -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    records = []
    for run in runs(board, options={"depth": depth}, encodings=(*ENCODINGS, "cor+", "li", "si")):
        result = execute(run)
        assert (result.status, result.decided) == (status, True), run
        assert result.cpu_seconds is not None
        records.append(RunRecord(run, result, "here", "now"))
    (row,) = positional.answers(records).rows
    assert row[3] == status
    assert row[4:] == (("11", "0") if status == "true" else ("0", "11")) + ("0", "yes")


def test_games_are_encoded_as_they_are_where_that_is_said(board: Path) -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")
    settings = {"solvers": ("depqbf",), "preprocessors": ("none",), "encodings": ("en",)}
    (small,) = runs(board, options={"depth": "5"}, **settings)
    (large,) = runs(board, options={"depth": "5", "prepared": "no"}, **settings)
    assert small.question != large.question
    one, other = execute(small), execute(large)
    assert one.status == other.status == "true"
    assert other.data["open"] == 9
    assert one.data["variables"] <= other.data["variables"]


def test_a_search_without_time_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "large.hex"
    path.write_text("6\n")
    (run,) = runs(path, solvers=("search",), seconds=0.01)
    result = execute(run)
    assert (result.status, result.decided) == ("timeout", False)


# --- tables ---------------------------------------------------------------------------------


def record(instance: str, encoding: str, seconds: float, status: str, limit: float) -> RunRecord:
    solver = "search" if encoding == "-" else "caqe"
    run = Run("positional", "5 plies", instance, ("file",), solver, encoding, "bloqqer", limit)
    run = replace(run, options=(("plies", "5"),))
    decided = status in ("true", "false")
    data = {"open": 4, "scopes": 5, "gates": 7, "variables": 20, "clauses": 30,
            "encode_seconds": 0.1}  # fmt: skip
    data = {} if encoding == "-" else data
    return RunRecord(run, RunResult(status, decided, seconds, data=data), "here", "now")


def some() -> Sequence[RunRecord]:
    return [
        record("a", "ea", 4.0, "true", 10),
        record("b", "ea", 10.0, "timeout", 10),
        record("a", "en", 0.5, "true", 10),
        record("b", "en", 10.0, "timeout", 10),
        record("b", "en", 30.0, "false", 60),
    ]


def test_solvers_and_preprocessors_stand_by_encoding() -> None:
    table = positional.combinations([*some(), record("a", "-", 0.1, "true", 10)])
    assert table.columns == ("solver", "preprocessor", "ea", "en", "decided", "seconds", "limit s")
    assert table.rows == (("caqe", "bloqqer", "1 of 2", "2 of 2", "3", "44.5", "10 to 60"),)


def test_solved_counts_what_was_decided_within_so_many_seconds() -> None:
    table = positional.solved(some())
    explicit = cells(table, "bloqqer+caqe (ea)")
    assert [explicit[mark] for mark in ("1 s", "10 s", "60 s", "600 s")] == ["0", "1", "1+", "1+"]
    assert (explicit["true"], explicit["false"], explicit["seconds"]) == ("1", "0", "4.00")
    assert (explicit["limit s"], explicit["paper: limit s"]) == ("10", "10,800")
    # The run with 60 s counts; all are decided, so that a longer limit adds nothing.
    neighbours = cells(table, "bloqqer+caqe (en)")
    assert [neighbours[mark] for mark in ("1 s", "10 s", "60 s", "600 s")] == ["1", "1", "2", "2"]
    assert (neighbours["instances"], neighbours["false"]) == ("2", "1")


def test_a_run_that_got_less_processor_time_than_wall_clock_time_says_less() -> None:
    (timeout,) = (r for r in some() if r.result.status == "timeout" and r.run.encoding == "ea")
    shared = replace(timeout, result=replace(timeout.result, cpu_seconds=4.0))
    assert positional.solved([shared]).rows[0][2:6] == ("0", "0", "0+", "0+")
    (row,) = positional.solved(by_processor([shared])).rows
    assert row[2:6] == ("0", "0+", "0+", "0+")


def test_a_run_that_used_nearly_all_of_its_limit_has_had_it() -> None:
    used = [record("a", "ea", 58.8, "timeout", 60), record("b", "ea", 59.0, "timeout", 600)]
    marks = [positional.solved([one]).rows[0][2:6] for one in used]
    assert marks == [("0", "0", "0", "0+"), ("0", "0", "0+", "0+")]


def test_answers_say_who_contradicts() -> None:
    table = positional.answers([*some(), record("b", "-", 0.1, "true", 10)])
    assert cells(table, "a")["agree"] == "yes"
    row = cells(table, "b")
    assert (row["rules"], row["false"], row["agree"]) == ("true", "1", "no")
    assert "agree on 1 of the 2 instances" in table.notes[-1]


def test_twins_compare_an_implicit_goal_with_its_explicit_one() -> None:
    table = positional.twins(some())
    (row,) = table.rows
    found = cells(table, "en and ea")
    assert row[0] == "en and ea"
    assert (found["both"], found["first only"], found["second only"]) == ("1", "1", "0")
    assert (found["first sooner"], found["ratio"]) == ("1", "8.00")


def test_sizes_are_of_each_formula_once() -> None:
    found = cells(positional.sizes(some()), "en")
    assert (found["instances"], found["clauses"], found["gates, most"]) == ("2", "30", "7")
