"""The searches behind the page of discoveries, beside others that know the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.extensions.fast.declared import why_not_compiled
from research.experiments.discoveries import openings
from research.experiments.splits import parts

FOLDER = Path(__file__).resolve().parents[3] / "research" / "experiments"


@pytest.mark.skipif(bool(why_not_compiled()), reason=why_not_compiled())
def test_lines_on_a_torus_are_blocked_as_the_product_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from research.experiments import torus_lines

    monkeypatch.setattr(torus_lines, "POSITIONS", 60)
    wrong, blocked = torus_lines.compare(6)
    assert wrong == 0
    assert 10 < blocked < 50
    # That five are too few is a count: no positions are looked at.
    assert torus_lines.fewest(6, 5) == (None, 0)
    row = json.loads((FOLDER / "torus-lines.json").read_text("utf-8"))[0]["rows"][0]
    assert torus_lines.fewest(6, 6) == (6, row["positions"])
    assert row["answer"] == "White blocks within 12 plies"


def test_parts_share_no_possible_action() -> None:
    # A row of seven squares, of which the fourth is taken: dominoes lie left and right of it.
    dominoes = [0b11 << k for k in range(6)]
    assert sorted(parts(0b1110111, dominoes)) == [0b0000111, 0b1110000]
    assert parts(0b1111111, dominoes) == [0b1111111]
    assert parts(0b1010101, dominoes) == [], "no domino has a place"


def test_openings_that_a_half_turn_exchanges_are_one() -> None:
    cells = openings("7x7")
    assert len(cells) == len(set(cells)) == 25
    assert cells[0] == "d4"
    turned = {f"{'gfedcba'['abcdefg'.index(cell[0])]}{8 - int(cell[1])}" for cell in cells}
    assert {*cells} & turned == {"d4"}
