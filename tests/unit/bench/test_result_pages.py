"""Tables of the result pages are those of the results that are kept beside them."""

from __future__ import annotations

import pytest

import qsage_validate as qs
from qsage_validate.bench.experiment import Tabulate
from qsage_validate.bench.papers.impartial_tables import beside_table4, by_technique
from qsage_validate.bench.results import read_results
from qsage_validate.bench.table import Table
from tests.support.places import REPOSITORY

RESULTS = REPOSITORY / "docs" / "results"


def printed(table: Table) -> list[str]:
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
    page = (RESULTS / "impartial-benchmark.md").read_text()
    # Of the smaller file the totals, and what the paper prints, are told once.
    rows = [line for line in printed(table) if file.endswith(".xz") or "| Total |" not in line]
    assert len(rows) > 1
    for line in rows:
        assert line in page, line


def test_the_kept_results_are_a_fifth_of_the_families_by_two_methods() -> None:
    found = qs.read_results(RESULTS / "impartial-families.jsonl.xz")
    assert len(found) == 2 * 744
