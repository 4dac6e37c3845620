"""The published tables, what stands beside them, and the plots of results."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.campaign import experiments, get_experiment, reference
from qsage_validate.extensions.bench.experiment import (
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
)
from qsage_validate.extensions.bench.papers.table2 import (
    EXPERIMENT,
    Cell,
    TableReading,
    depth_table,
    found,
    solved_table,
    table2,
    table3,
    verdict,
)
from qsage_validate.extensions.bench.plots import (
    MEMORY,
    SECONDS,
    Curve,
    Panel,
    Point,
    SeriesComparison,
    all_runs,
    bar,
    by_processor,
    cactus_table,
    comparison,
    comparison_notes,
    curves,
    panels,
    scatter_text,
    summary,
    times,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.registry import resolve_command
from tests.conftest import REPOSITORY


def record(
    instance: str,
    solver: str,
    status: str,
    seconds: float = 1.0,
    family: str = "HTTT",
    preprocessor: str = "none",
    **data: Any,
) -> RunRecord:
    run = Run("table2", family, instance, (), solver, "-", preprocessor, 60.0)
    result = RunResult(status, status in ("true", "false"), seconds, data=data)
    return RunRecord(run, result, "m", "now")


def cell(text: str) -> Cell:
    (one,) = [c for c in table2() if f"{c.family} {c.row} {c.column}".strip() == text]
    return one


# --- What was published ---------------------------------------------------------------------


def test_the_cells_of_table_2_are_models_of_the_library() -> None:
    for one in table2():
        model = resolve_command((*one.words, "--depth", str(one.depth)))
        assert model.problem.plies == one.printed
        game = load_game(model)
        assert game.plies == one.printed
    assert len({one.name for one in table2()}) == len(table2())


def test_values_that_are_called_complete_are_so_in_the_library() -> None:
    for one in table2():
        if one.reading in (TableReading.NONE, TableReading.SOLVED):
            assert resolve_command(one.words).problem.plies == one.printed


def test_table_2_has_the_depths_that_the_tests_know() -> None:
    """Two files with one source, which were made apart."""
    lines = (REPOSITORY / "tests" / "data" / "critical_depths.csv").read_text("utf-8").splitlines()
    known = [line.split(";") for line in lines if not line.startswith("#")]
    here = {one.words: one for one in table2()}
    for game, options, depth, status, _ in known:
        words = [game]
        for option in options.split():
            name, equals, value = option.partition("=")
            words += [f"--{name}", value] if equals else [f"--{name}"]
        own = here[tuple(words)]
        assert own.depth == int(depth)
        impossible = {"win": TableReading.NONE, "none": TableReading.CRITICAL}.get(status)
        assert own.reading is not impossible
    assert len(known) < len(here)


def test_table_3_adds_up_to_what_is_printed() -> None:
    """Totals and average coverages as printed."""
    families = table3()
    assert sum(f.instances for f in families) == 102
    for configuration, total, coverage in (
        ("bloqqer+depqbf", 94, 0.86),
        ("hqspre+depqbf", 76, 0.74),
        ("bloqqer+caqe", 76, 0.61),
        ("hqspre+caqe", 66, 0.58),
        ("cqesto", 61, 0.60),
        ("quabs", 72, 0.67),
    ):
        assert sum(f.solved[configuration] for f in families) == total
        average = sum(f.solved[configuration] / f.instances for f in families) / len(families)
        assert round(average, 2) == coverage
    in_table2 = {f.name: sum(c.family == f.name for c in table2()) for f in families}
    assert in_table2.pop("Hex") == 0
    assert in_table2 == {f.name: f.instances for f in families if f.name != "Hex"}


# --- Ours beside it -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "deep", "shallow", "says", "agrees"),
    [
        ("HTTT 4x4 tic", ("true", {"critical_plies": 5}), "true", "5", "yes"),
        ("HTTT 4x4 tic", ("true", {"critical_plies": 3}), "true", "3", "no (a win at 3)"),
        ("HTTT 4x4 tic", ("true", {"critical_plies": 7}), "false", "7", "no (refuted)"),
        ("HTTT 4x4 tic", None, "true", "", "yes"),
        ("HTTT 4x4 tic", None, "timeout", "", ""),
        ("HTTT 3x3 fatty", ("false", {}), "false", "none", "yes: none"),
        ("HTTT 3x3 fatty", ("true", {"critical_plies": 9}), "true", "9", "yes: critical"),
        ("HTTT 3x3 fatty", None, "false", "", "no (refuted)"),
        ("HTTT 4x4 knobby", ("false", {}), "false", "none", "yes"),
        ("HTTT 4x4 knobby", ("timeout", {"refuted_plies": 12}), "false", "> 12", "yes"),
        ("HTTT 4x4 knobby", ("timeout", {"refuted_plies": 0}), "timeout", "", ""),
        ("D 6x5", ("false", {}), "false", "none", "yes: refuted"),
        ("D 5x3", ("false", {}), "false", "none", "yes: none"),
        ("B 2x4 first", ("false", {}), "false", "none", "yes"),
        ("B 2x4 first", ("true", {"critical_plies": 13}), "true", "13", "no (critical)"),
        ("EP 4x4 (1,2) EP", ("false", {}), "false", "> 41", "yes"),
        (
            "EP 4x4 (1,2) EP",
            ("false", {"never": True}),
            "false",
            "none",
            "yes",
        ),
    ],
)
def test_what_search_finds_is_held_against_the_printed_value(
    text: str,
    deep: tuple[str, dict[str, Any]] | None,
    shallow: str,
    says: str,
    agrees: str,
) -> None:
    one = cell(text)
    name = f"{one.name} complete"
    plies = one.deepest or resolve_command(one.words).problem.plies
    made = None
    if deep is not None:
        status, data = deep
        defaults: dict[str, Any] = {"reason": "", "never": False, "plies": plies}
        if status == "false":
            defaults["refuted_plies"] = plies
        made = record(name, "search", status, **(defaults | data))
    at_depth = record(f"{one.name} depth {one.depth}", "search", shallow)
    assert found(one, made) == says
    assert verdict(one, made, at_depth) == agrees
    records = [at_depth] if made is None else [at_depth, made]
    (row,) = depth_table(records).rows
    assert (row[3], row[5]) == (says, agrees)


def test_table_2_has_a_column_for_each_way() -> None:
    one = cell("HTTT 4x4 tic")
    name = f"{one.name} depth 5"
    table = depth_table(
        [
            record(name, "depqbf", "timeout", preprocessor="bloqqer"),
            record(name, "depqbf", "true", 0.25, preprocessor="bloqqer"),
            record(name, "caqe", "memory"),
        ]
    )
    assert table.columns[6:] == ("bloqqer+depqbf", "caqe")
    assert table.rows == (("a", "HTTT 4x4 tic", "**5**", "", "", "", "true 0.25", "memory"),)


def test_the_depths_below_the_printed_ones_are_asked_about_on_request() -> None:
    usual = EXPERIMENT.select(Selection())
    runs = EXPERIMENT.select(Selection(options={"below": "yes"}))
    added = {run.instance: run.source for run in runs if run not in usual}
    # On boards of width 2 or 3 and height 2 Black's first win is the first that there can be.
    assert len(added) == 70
    for name, plies in (
        ("httt size 4x4 shape tic below depth 5", 3),
        ("breakthrough size 2x4 second below depth 9", 7),
        ("domineering size 4x4 below depth 8", 6),
    ):
        assert resolve_command(added[name]).problem.plies == plies
    records = [
        record("httt size 4x4 shape tic depth 5", "depqbf", "true"),
        record("httt size 4x4 shape tic below depth 5", "depqbf", "false", 0.5),
    ]
    assert depth_table(records).rows[0][6] == "true 1.00, below false 0.50"
    assert depth_table(records[1:]).rows[0][6] == "below false 0.50"
    assert {row[0]: row for row in solved_table(records).rows}["total"][-1] == "1 of 1 run"
    with pytest.raises(UsageError, match="expected yes or no"):
        EXPERIMENT.select(Selection(options={"below": "perhaps"}))


def test_the_authors_formulas_after_hqspre_are_columns_of_table_3(tmp_path: Path) -> None:
    contents = {
        "httt/3x3_3_domino": "p cnf 1 1\ne 1 0\n1 0\n",
        "BSP/2x4_8": "p cnf 0 1\n0\n",
        "EP/4x4_3_e-4-1_p-2-3": "p cnf 0 0\n",
        "hex/browne_5x5_07": "p cnf 0 1\n0\n",
    }
    for name, text in contents.items():
        path = tmp_path / f"{name}_bwnib.qdimacs.hqspre"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (tmp_path / "notes.txt").write_text("no formula")
    asked = Selection(solvers=("depqbf",), options={"hqspre": str(tmp_path)}, seconds=20.0)
    found = {run.instance: run for run in EXPERIMENT.select(asked)}
    assert {name: run.family for name, run in found.items()} == {
        "httt size 3x3 shape domino depth 3": "HTTT",
        # Black's first move is not counted where White begins.
        "breakthrough size 2x4 second depth 9": "B-SP",
        "evader-pursuer size 4x4 pursuer 2,3 depth 3": "EP",
        "hex/browne_5x5_07.pg": "Hex",
    }
    assert {run.configuration for run in found.values()} == {"hqspre+depqbf"}
    truths = {name: EXPERIMENT.execute(run).truth for name, run in found.items()}
    assert [truths[name] for name in found] == [
        {"HTTT": True, "B-SP": False, "EP": True, "Hex": False}[run.family]
        for run in found.values()
    ]
    made = [RunRecord(run, EXPERIMENT.execute(run), "m", "now") for run in found.values()]
    table = solved_table(made)
    rows = {row[0]: row[-1] for row in table.rows}
    assert table.columns[-1] == "hqspre+depqbf"
    assert (rows["HTTT"], rows["EP"], rows["total"]) == ("1 of 1 run", "1 of 1 run", "4 of 4 run")

    (tmp_path / "D").mkdir()
    (tmp_path / "D" / "9x9_9_bwnib.qdimacs.hqspre").write_text("p cnf 0 0\n")
    with pytest.raises(UsageError, match="expected a game of Table 2"):
        EXPERIMENT.select(asked)
    with pytest.raises(UsageError, match=r"found no file \*_bwnib.qdimacs.hqspre"):
        EXPERIMENT.select(replace(asked, options={"hqspre": str(tmp_path / "none")}))


def test_table_3_counts_what_is_solved_at_the_printed_depths() -> None:
    table = solved_table(
        [
            record("a depth 3", "search", "true"),
            record("b depth 3", "search", "timeout"),
            record("httt size 4x4 shape tic complete", "search", "true"),
            record("c", "search", "false", family="Hex"),
        ]
    )
    rows = {row[0]: row for row in table.rows}
    assert table.columns[-1] == "search"
    assert (rows["HTTT"][-1], rows["Hex"][-1], rows["D"][-1]) == (
        "1 of 2 run",
        "1 of 1 run",
        "",
    )
    assert rows["total"] == ("total", "102", "94", "76", "76", "66", "61", "72", "2 of 3 run")
    assert rows["average coverage"][2] == "0.86"
    assert rows["average coverage"][-1] == f"{(1 / 15 + 1 / 30) / 2:.2f}"
    assert rows["limit s"][2] == "3,600"


def test_general_tables_count_and_list() -> None:
    records = [
        record("one", "search", "true", 0.5),
        record("one", "caqe", "timeout", 60.0),
        record("two", "search", "false", 12.0, family="D"),
        record("two", "search", "false", 11.0, family="D"),
    ]
    assert summary(records).rows == (
        ("HTTT", "1", "1", "0"),
        ("D", "1", "1", ""),
        ("total", "2", "2", "0"),
        ("seconds for these", "", "11.5", "0.00"),
    )
    assert times(records).rows == (
        ("one", "true", "0.50", "timeout"),
        ("two", "false", "11.0", ""),
    )
    assert [row[2] for row in all_runs(records).rows] == ["true", "timeout", "false", "false"]
    contradiction = [record("one", "search", "true"), record("one", "caqe", "false")]
    assert times(contradiction).rows[0][1] == "true / false"


def test_processor_time_takes_the_place_of_the_clock_where_it_is_known() -> None:
    one, two = record("one", "search", "true", 5.0), record("two", "search", "true", 7.0)
    one = replace(one, result=replace(one.result, cpu_seconds=2.0))
    assert [r.result.seconds for r in by_processor([one, two])] == [2.0, 7.0]


def test_every_registered_experiment_is_what_it_says() -> None:
    for name in experiments():
        experiment = get_experiment(name)
        assert experiment.name == name
        assert {"summary", "times", "runs"} <= experiment.tables.keys()
    assert get_experiment("table2") is EXPERIMENT
    with pytest.raises(UsageError, match="expected one of table2, models, formulas"):
        reference("chess")


# --- Tables and plots as text ---------------------------------------------------------------


TABLE = ResultTable("Depths", ("name", "depth"), (("tic | toe", "5"), ("el", "11")), ("a note",))


def test_a_table_in_markdown() -> None:
    assert TABLE.markdown() == (
        "**Depths**\n\n| name | depth |\n|---|--:|\n| tic \\| toe | 5 |\n| el | 11 |\n\n- a note\n"
    )


def test_a_table_on_a_terminal() -> None:
    stream = io.StringIO()
    TABLE.show(stream)
    shown = stream.getvalue()
    assert "\x1b" not in shown
    for word in ("Depths", "name", "tic | toe", "11", "a note"):
        assert word in shown
    wide = ResultTable("", ("a", "b"), (("x" * 90, "[red]y[/red]"),))
    stream = io.StringIO()
    wide.show(stream)
    assert "x" * 90 in stream.getvalue()
    assert "[red]y[/red]" in stream.getvalue()


def records_of(configuration: str, seconds: Sequence[float | None]) -> list[RunRecord]:
    return [
        record(f"i{k}", configuration, "timeout" if s is None else "true", 60.0 if s is None else s)
        for k, s in enumerate(seconds)
    ]


def test_curves_are_sorted_and_the_best_is_first() -> None:
    records = records_of("a", [3.0, None, 1.0]) + records_of("b", [5.0, 0.004, 2.0])
    first, second = curves(records)
    assert (first.configuration, first.amounts) == ("b", (0.004, 2.0, 5.0))
    assert (second.configuration, second.amounts) == ("a", (1.0, 3.0))
    table = cactus_table(Panel("", SECONDS, (first, second)))
    assert table.columns == (
        "way",
        "decided",
        "all",
        "0.01 s",
        "0.1 s",
        "1 s",
        "10 s",
        "seconds in all",
    )
    assert [row[2:] for row in table.rows] == [
        ("3", "1", "1", "1", "3", "7.00"),
        ("2", "0", "0", "1", "2", "4.00"),
    ]
    assert table.rows[0][1] == "█" * 24
    assert table.rows[1][1] == "█" * 16


def test_curves_of_nothing_decided_are_shown() -> None:
    ((panel,),) = panels(records_of("a", [None, None]), [SECONDS], split=False)
    table = cactus_table(panel)
    assert table.rows[0][:3] == ("a", "", "0")


def test_panels_are_of_time_and_memory_and_of_false_and_true_answers() -> None:
    """Figures 3 to 5 of the positional paper."""
    made = [
        replace(one, result=replace(one.result, status=status, peak_mb=peak))
        for one, status, peak in zip(
            records_of("a", [3.0, 1.0, 2.0, None]),
            ("true", "false", "true", "timeout"),
            (70.0, 60.0, None, 9000.0),
            strict=True,
        )
    ]
    found = panels(made, [SECONDS, MEMORY], split=True)
    assert [[p.title for p in row] for row in found] == [["false", "true"]] * 2
    assert [[p.curves[0].amounts for p in row] for row in found] == [
        [(1.0,), (2.0, 3.0)],
        [(60.0,), (70.0,)],
    ]
    table = cactus_table(found[1][1])
    assert table.title == "Instances decided as true within so many MB each"
    assert table.columns[3:] == ("50 MB", "100 MB", "most MB")
    assert table.rows[0][2:] == ("1", "0", "1", "70.0")


def test_a_picture_has_a_panel_for_each_measure_and_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpl = pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    from qsage_validate.extensions.bench.plots import write_cactus

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    file = tmp_path / "c.svg"
    made = records_of("a", [3.0, 1.0]) + records_of("b", [None, 1.0])
    write_cactus(panels(made, [SECONDS, MEMORY], split=True), str(file), "title")
    svg = file.read_text("utf-8")
    for words, count in (
        ("decided as false", 2),
        ("decided as true", 2),
        ("MB", 2),
        ("seconds", 2),
    ):
        assert len(re.findall(f">[^<]*{words}</text>", svg)) == count, words
    # One legend for all.
    assert svg.count(">a</text>") == svg.count(">b</text>") == 1


def test_a_bar_has_steps_of_an_eighth() -> None:
    assert [bar(k, 16, 2) for k in range(0, 17, 4)] == ["", "▌", "█", "█▌", "██"]
    assert bar(3, 0, 5) == ""


def test_a_comparison_takes_what_both_ways_were_run_on() -> None:
    records = records_of("a", [1.0, 2.0, None, 4.0]) + records_of("b", [2.0, 1.0, 3.0])
    found_ = comparison(records, "a", "b")
    assert [(p.x, p.y) for p in found_.points] == [(1.0, 2.0), (2.0, 1.0), (None, 3.0)]
    assert found_.limit == 60.0
    assert found_.ratio == pytest.approx(1.0)
    assert comparison_notes(found_) == [
        "3 instances: 2 decided by both, 0 by a only, 1 by b only",
        "where both decided, b took 1.00 times as long as a (geometric mean)",
    ]
    with pytest.raises(UsageError, match="expected one of a, b"):
        comparison(records, "a", "c")
    other = [replace(r, run=replace(r.run, instance="x", solver="c")) for r in records[:1]]
    with pytest.raises(UsageError, match="no instance in common"):
        comparison(records + other, "a", "c")


def test_a_scatter_plot_has_every_point_at_its_place() -> None:
    points = (
        Point("low", "f", 1e-5, 1e-5),
        Point("slow", "f", None, None),
        Point("right", "f", None, 1e-5),
        *(Point(f"{k}", "f", 1.0, 1e-5) for k in range(3)),
    )
    shown = scatter_text(
        SeriesComparison("a", "b", points, 100.0), width=41, height=11
    ).splitlines()
    assert shown[0].startswith("b (")
    rows = shown[1:12]
    assert rows[0] == "│" + " " * 38 + "··o"
    assert rows[-1] == "│o··" + " " * 21 + "3" + " " * 15 + "o"
    assert shown[12] == "└" + "─" * 41
    assert "undecided" in shown[13]


# --- Pictures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chart", "kind", "magic"),
    [("cactus", "png", b"\x89PNG"), ("scatter", "svg", b"<?xml"), ("scatter", "pdf", b"%P")],
)
def test_pictures_are_written_and_the_same_each_time(
    chart: str, kind: str, magic: bytes, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    from qsage_validate.extensions.bench.plots import write_cactus, write_scatter

    records = records_of("a", [1.0, 2.0, None]) + records_of("b", [2.0, 1.0, 3.0])
    one, two = tmp_path / f"one.{kind}", tmp_path / f"two.{kind}"
    for path in (one, two):
        if chart == "cactus":
            write_cactus(panels(records, [SECONDS], split=False), str(path), "title")
        else:
            write_scatter(comparison(records, "a", "b"), str(path), "title")
    assert one.read_bytes().startswith(magic)
    assert one.read_bytes() == two.read_bytes()


def test_numbers_at_the_axes_are_typeset_and_dollars_in_names_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpl = pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    from qsage_validate.extensions.bench.plots import write_cactus

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    file = tmp_path / "c.svg"
    panel = Panel("", SECONDS, (Curve("a $x$ b", (0.01, 0.1, 1.0, 10.0)),))
    write_cactus([[panel]], str(file), "title")
    svg = re.sub(r"<!--.*?-->", "", file.read_text("utf-8"))
    assert "mathdefault" not in svg
    assert ">a $x$ b (4)</text>" in svg


def test_a_picture_of_another_kind_is_refused() -> None:
    from qsage_validate.extensions.bench.plots import check_picture

    with pytest.raises(UsageError, match=r"expected a name with one of \.png, \.svg, \.pdf"):
        check_picture("plot.gif")
