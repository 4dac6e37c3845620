"""Tables of the result pages are those of the results that are kept beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import qsage_validate as qs
from qsage_validate.extensions.bench.campaign import latest, read_runs
from qsage_validate.extensions.bench.experiment import Run, RunRecord, RunResult
from research.experiments import coverage
from research.experiments.pages import PAGES as EVERY_PAGE
from research.experiments.pages import commands, with_tables
from tests.support.places import REPOSITORY

RESULTS, PAGES = REPOSITORY / "research" / "experiments", REPOSITORY / "docs" / "results"


def test_the_kept_results_are_a_fifth_of_the_families_by_two_methods() -> None:
    found = qs.read_results(RESULTS / "impartial-families.jsonl.xz")
    assert len(found) == 2 * 744


WITH_TABLES = [
    page
    for page in sorted((REPOSITORY / "docs").rglob("*.md"))
    if any(commands(page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("page", WITH_TABLES, ids=lambda page: page.stem)
def test_tables_of_pages_are_those_of_their_results(page: Path) -> None:
    """``python research/experiments/pages.py`` would change nothing."""
    assert with_tables(page, pictures=False) == page.read_text(encoding="utf-8")


def test_the_program_looks_at_the_pages() -> None:
    assert EVERY_PAGE / "results" == PAGES


def test_every_table_of_the_papers_has_its_line() -> None:
    names = {(one.paper, one.name.partition(";")[0]) for one in coverage.tables()}
    assert names >= {
        *(("BDDL", "Table 2"), ("BDDL", "Table 3"), ("GDL", "Table 2"), ("GDL", "Table 3")),
        *(("COVER", "Table 1"), ("COVER", "Figure 2"), ("positional", "Table 2")),
        *(("positional", "Figure 2(a)"), ("positional", "Figure 2(b)")),
        *(("positional", "section 6"), ("positional", "Appendix B")),
        *(("SynMS", "Table 4, SynMS"), ("SynMS", "Table 4, Enum")),
    }
    for one in coverage.tables():
        row = dict(zip(coverage.COLUMNS, one.row(), strict=True))
        cells, here, limit = (
            int(row[name].replace(",", ""))
            for name in ("cells in the paper", "cells here", "limit is the paper's")
        )
        assert limit <= here <= cells, one.name
        if row["page"] and here:
            page = re.search(r"\((.*?\.md)", row["page"])
            assert page is not None
            assert (PAGES / page[1]).exists()


def run_of(status: str, seconds: float) -> RunRecord:
    run = Run("gdl", "BT", "BT 3x4", ("f",), "caqe", "gdl-gd", "bloqqer", seconds)
    return RunRecord(run, RunResult(status, status != "timeout", 1.0), "m", "2026-11-27T08:00:00")


def test_a_cell_has_the_papers_limit_where_it_is_decided_or_had_it() -> None:
    decided, short, long = run_of("true", 60), run_of("timeout", 60), run_of("timeout", 1000)
    found = coverage.counted([[decided], [short], [long], []], 1000, 2)
    assert (found.cells, found.at_limit, found.disagreements) == (3, 2, 2)
    assert coverage.counted([[decided, short]], 1000, 0).at_limit == 0
    table = coverage.PaperTable("GDL", "Table 9", "seconds", 4, 1000, "[x](y.md)", lambda: found)
    assert table.row() == (
        *("GDL", "Table 9", "seconds", "4", "3", "2", "2", "1,000", "60 to 1,000"),
        *("2026-11-27", "[x](y.md)"),
    )


def test_a_value_that_is_not_the_papers_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(status: str) -> int:
        monkeypatch.setattr(coverage, "records_of", lambda *files: (run_of(status, 60),))
        return coverage.gdl_table2().disagreements

    assert (found("false"), found("timeout"), found("true")) == (0, 0, 1)


def test_a_table_that_is_not_that_of_its_results_is_found(tmp_path: Path) -> None:
    command = "<!-- experiments: table positional-championship.jsonl --table sizes -->"
    page = tmp_path / "page.md"
    page.write_text(f"{command}\n| encoding |\n|---|\n| et |\n\n| another |\n")
    made = with_tables(page, pictures=False)
    assert "| et | 23 | 15 | 17 | 767 |" in made
    assert made.startswith(f"{command}\n| encoding | instances |")
    assert made.endswith("\n\n| another |\n")
    page.write_text(made)
    assert with_tables(page, pictures=False) == made
    page.write_text("<!-- experiments: cactus positional-championship.jsonl -o none.svg -->\n")
    with pytest.raises(SystemExit, match=r"found no none\.svg, expected the picture"):
        with_tables(page, pictures=False)
    page.write_text("<!-- experiments: table none.jsonl -->\n")
    with pytest.raises(SystemExit, match=r"none\.jsonl: found no such file"):
        with_tables(page, pictures=False)


def test_columns_of_a_benchmark_are_a_table(tmp_path: Path) -> None:
    rows = [{"depth": 45, "left": 122951, "why": "25/105"}, {"depth": 91, "left": None, "why": ""}]
    (tmp_path / "made.json").write_text(json.dumps([{"table": "2", "rows": rows}]))
    page = tmp_path / "page.md"
    comment = f"<!-- experiments: rows {tmp_path / 'made.json'} depth left why -->\n"
    page.write_text(comment)
    assert with_tables(page, pictures=False) == comment + (
        "| depth | left | why |\n| --: | --: | --- |\n| 45 | 122,951 | 25/105 |\n| 91 | - |  |\n"
    )


def test_pictures_are_written_beside_their_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- experiments: cactus positional-championship.jsonl -o c.svg -->\n![](c.svg)\n"
    )
    assert with_tables(page, pictures=True) == page.read_text()
    assert (tmp_path / "c.svg").read_bytes().startswith(b"<?xml")


def test_the_page_of_5x5_has_the_answers_and_seconds_of_its_results() -> None:
    found = latest(read_runs(str(RESULTS / "httt-5x5.jsonl")).records)
    cells = {(r.run.source[0], r.run.family): r.result for r in found}
    text = (PAGES / "httt-5x5.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| `[X./]+` \| (.+) \| (.+) \| (.+) \| (.+) \|$", text, re.M)
    assert {name for name, *_ in rows} == {name for name, _ in cells}
    for name, *shown in rows:
        for board, (answer, seconds) in zip(
            ("5x5", "5x5 torus"), (shown[:2], shown[2:]), strict=True
        ):
            result = cells[name, board]
            plies = result.data["plies"]
            said = f"Black, {plies} plies" if result.truth else "blocked"
            assert (answer, seconds) == (said, f"{result.seconds:.2f}"), (name, board)


def test_the_list_of_results_tells_files_runs_dates_and_machines() -> None:
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    row = r"^\| `(\S+)` \| ([\d,]+|see the page) \| (\S+)(?: to (\S+))? \| (.+?) \|"
    listed = re.findall(row, text, re.M)
    assert {name for name, *_ in listed} == {path.name for path in RESULTS.glob("*.json*")}
    for name, count, first, last, machine in listed:
        if ".jsonl" not in name or count == "see the page":  # not made by qsage bench
            continue
        found = read_runs(str(RESULTS / name))
        days = sorted(record.when[:10] for record in found.records)
        assert count == f"{len(found.records):,}", name
        assert (first, last or first) == (days[0], days[-1]), name
        assert {machine} == {facts["cpu"] for facts in found.machines.values()}, name


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.jsonl*")), ids=lambda path: path.name)
def test_kept_results_name_no_folder_of_a_machine(path: Path) -> None:
    if path.name == "discoveries.jsonl":  # made by a program of its own
        assert not re.search(r'"/\w', path.read_text(encoding="utf-8"))
        return
    sources = {source for r in read_runs(str(path)).records for source in r.run.source}
    assert not [source for source in sources if source.startswith("/")]


def _days(text: str) -> list[int]:
    """The days of a month that a cell names: of ``2026-11-22 and 25`` 22 and 25."""
    found = re.sub(r"`[^`]*`", "", text)
    return [int(day) for day in re.findall(r"(?:\d{4}-\d\d-)?\b(\d\d)\b", found)]


def test_the_index_has_the_dates_of_its_pages() -> None:
    index = (PAGES / "index.md").read_text()
    rows = re.findall(r"^\| \[.*?\]\(([\w-]+\.md)\) \| (.*?) \|", index, re.MULTILINE)
    assert len(rows) > 8
    heads = {
        name: head[1]
        for name, _ in rows
        if (head := re.search(r"^\| (20\d\d-.*?) \|", (PAGES / name).read_text(), re.MULTILINE))
    }
    assert len(heads) > 6
    for name, cell in rows:
        if name in heads:
            assert _days(cell) == _days(heads[name]), name
