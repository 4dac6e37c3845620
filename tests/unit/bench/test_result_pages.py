"""Tables of the result pages are those of the results that are kept beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import qsage_validate as qs
from qsage_validate.extensions.bench.campaign import latest, read_results
from qsage_validate.extensions.bench.experiment import ResultTable, Tabulate
from qsage_validate.extensions.bench.papers.impartial import beside_table4, by_technique
from research.experiments.pages import commands, with_tables
from tests.support.places import REPOSITORY

RESULTS, PAGES = REPOSITORY / "research" / "experiments", REPOSITORY / "docs" / "results"


def printed(table: ResultTable) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in table.rows]


@pytest.mark.parametrize(
    ("file", "tabulate"),
    [
        ("impartial-families.jsonl.xz", beside_table4),
        ("impartial-families.jsonl.xz", by_technique),
        ("impartial-welter-chomp.jsonl", beside_table4),
    ],
)
def test_the_page_of_impartial_games_has_the_tables_of_its_results(
    file: str, tabulate: Tabulate
) -> None:
    table = tabulate(read_results(str(RESULTS / file)).records)
    page = (PAGES / "impartial-benchmark.md").read_text()
    # Of the smaller file the totals, and what the paper prints, are told once.
    rows = [line for line in printed(table) if file.endswith(".xz") or "| Total |" not in line]
    assert len(rows) > 1
    for line in rows:
        assert line in page, line


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
    found = latest(read_results(str(RESULTS / "httt-5x5.jsonl")).records)
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
        found = read_results(str(RESULTS / name))
        days = sorted(record.when[:10] for record in found.records)
        assert count == f"{len(found.records):,}", name
        assert (first, last or first) == (days[0], days[-1]), name
        assert {machine} == {facts["cpu"] for facts in found.machines.values()}, name


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.jsonl*")), ids=lambda path: path.name)
def test_kept_results_name_no_folder_of_a_machine(path: Path) -> None:
    if path.name == "discoveries.jsonl":  # made by a program of its own
        assert not re.search(r'"/\w', path.read_text(encoding="utf-8"))
        return
    sources = {source for r in read_results(str(path)).records for source in r.run.source}
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
