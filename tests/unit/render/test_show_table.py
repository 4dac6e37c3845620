"""Tables of levels: nothing of a word is lost, however narrow the terminal is."""

from __future__ import annotations

import pytest

from qsage_validate.errors import Exit
from qsage_validate.render.console import show_table
from tests.support.commands import run_qsage

NAMES = ("level", "verdict", "seconds", "evidence")
ROW = ("dependencies", "proved", "0.00", "each function reads only variables left of its own")


@pytest.mark.parametrize("width", [20, 40, 59, 60, 80, 200])
def test_no_word_is_cut(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_table(NAMES, [ROW])
    out = capsys.readouterr().out
    assert "…" not in out
    words = [*ROW[:3], *ROW[3].split()]
    assert [word for word in out.split() if word in words] == words
    assert all(len(line) <= width for line in out.splitlines())


def test_without_rows_there_is_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(NAMES, [])
    assert capsys.readouterr().out == ""


def test_levels_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    words = ("sample:tic", "sample:tic.aig", "--level", "dependencies")
    assert run_qsage(("validate", *words)) == Exit.FINE
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("dependencies  proved  0.0")
    assert lines[:2] == ["  each function reads only variables", "  left of its own"]
