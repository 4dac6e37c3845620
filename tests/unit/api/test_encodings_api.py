"""Somebody else's formula in the library: its layout, the verdict, the table of differences."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import qsage_validate as qs
from tests.support.places import REPOSITORY

SAMPLES = REPOSITORY / "certificates"
PUZZLE = str(SAMPLES / "puzzle.pg")


@pytest.fixture(scope="module")
def game() -> qs.Game:
    return qs.game_from_files(PUZZLE)


def test_the_right_formula_is_proved_without_a_layout(game: qs.Game) -> None:
    formula = qs.read_formula("sample:puzzle")
    assert formula.layout is None
    found = formula.find_layout(game)
    assert found.standing in ("fits", "proved")
    assert found.layout is not None
    assert [ply.variables for ply in found.layout.moves] == [
        (1, 2, 3, 4),
        (5, 6, 7, 8),
        (9, 10, 11, 12),
    ]
    assert "moves as numbers in the game's order" in found.readings[0]
    report = qs.validate_encoding(formula, game)
    assert (report.verdict, report.ok, len(report.differences)) == ("proved", True, 0)


def test_the_wrong_one_is_refuted_with_plays(game: qs.Game) -> None:
    report = qs.validate_encoding("sample:puzzle-wrong", game, differences=3)
    assert (report.verdict, report.ok, len(report.differences)) == ("refuted", False, 3)
    table = str(report.differences).splitlines()
    assert table[0].split() == ["moves", "position", "Black", "wins", "formula"]
    assert len(table) == 4
    for row in report.differences:
        # The stone of the start is left out: Black's wins by it are denied, and nothing else.
        assert (row.game, row.formula) == (True, False)
        position = game.initial
        for move in row.moves:
            position = position.play(game.rules.parse_move(move, position.to_move))
        assert str(position) == row.position
    assert report._repr_html_().count("<tr>") == 5
    assert len(report.differences[:2]) == 2


def test_a_layout_that_was_found_is_written_and_read(game: qs.Game, tmp_path: Path) -> None:
    found = qs.read_formula("sample:puzzle-wrong").find_layout(game)
    saved = found.formula.save(tmp_path / "wrong.qcir")
    assert saved.layout is not None
    assert found.layout is not None
    assert saved.layout.moves == found.layout.moves
    again = qs.validate_encoding(str(tmp_path / "wrong.qcir"), game)
    assert again.verdict == "refuted"


def test_errors_are_one_line(game: qs.Game) -> None:
    with pytest.raises(qs.UsageError, match="found no rules in the formula's file"):
        qs.validate_encoding("sample:puzzle")
    with pytest.raises(qs.UsageError, match="found differences=0"):
        qs.validate_encoding("sample:puzzle", game, differences=0)
    with pytest.raises(qs.UsageError, match="found rules without start"):
        qs.validate_encoding("sample:puzzle", object())  # type: ignore[arg-type]
    with pytest.raises(qs.UsageError, match=r"variables|plies|scopes"):
        qs.validate_encoding("sample:puzzle", qs.game("hex", size=(5, 5), depth=15))


def test_rules_in_python_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = runpy.run_path(str(REPOSITORY / "demos" / "nim.py"))
    printed = capsys.readouterr().out
    assert printed.count("proved\n") == printed.count("refuted\n") == 1
    nim, encode = names["Nim"](), names["encode"]
    simulator: qs.Simulator = nim
    right = qs.validate_encoding(encode(False), simulator)
    assert right.ok
    assert right.layout is not None
    assert right.layout.game == "python"
