"""A limit of time while a layout is looked for ends with the readings that are left."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.formats.writing import qcir_text
from qsage_validate.judging import readings as find
from tests.support.commands import run_qsage
from tests.support.scrambled import Claiming, numbered

GAME = Claiming(("a1", "a2", "b1", "b2"), (frozenset({"a1", "a2"}),), 3)


def test_the_readings_that_are_left_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.pg").write_text(GAME.pg())
    (tmp_path / "formula.qcir").write_text(qcir_text(numbered(GAME)))

    def endless(search: find._ReadingSearch) -> None:
        while not search.deadline.over:
            time.sleep(0.05)

    for name in ("_fitting", "_beyond_codes"):
        monkeypatch.setattr(find._ReadingSearch, name, endless)
    monkeypatch.setattr(find._ReadingSearch, "_judged", lambda *_, **__: None)
    monkeypatch.chdir(tmp_path)
    words = ["validate", "formula.qcir", "--model", "game.pg", "--timeout", "8"]
    assert run_qsage(words) == Exit.UNDECIDED
    told = capsys.readouterr()
    assert "no reading of the variables stands out" in told.err
    assert "plays agree with moves as numbers in the game's order" in told.err
