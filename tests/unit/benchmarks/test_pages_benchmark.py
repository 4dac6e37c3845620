"""The benchmark of pages, on one small page."""

from __future__ import annotations

from pathlib import Path

from research.benchmarks.pages import measure, strategies
from tests.support.chromium import chromium
from tests.support.opened import NEEDS_CHROMIUM


@NEEDS_CHROMIUM
def test_a_page_is_loaded_and_played(tmp_path: Path) -> None:
    name, strategy = next(strategies(None, 0, tmp_path))
    with chromium() as browser:
        row = measure(browser, name, strategy, tmp_path / "p.html", loads=2, moves=9)
    assert row.size == (tmp_path / "p.html").stat().st_size
    assert row.certificate < row.gates
    assert 0 < row.move <= row.longest
    assert row.load > 0
    # Two moves of White's a play, of which the last is not yet seen to be over.
    assert (row.plays, row.lost) == (4, 0)
