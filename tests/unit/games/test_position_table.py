"""The table of all positions beside searches, and what is written of it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import qsage_validate as qs
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.games.position_table import COLUMNS, csv_text, valued_positions
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Deadline, Limits
from tests.support.commands import run_qsage

GAMES: tuple[tuple[str, dict[str, object]], ...] = (
    ("hex", {"size": 2}),
    ("httt", {"size": 3, "shape": "el", "depth": 5}),
    ("domineering", {"size": 3, "depth": 8}),
    ("breakthrough", {"size": (2, 4)}),
    ("trails", {}),
)


@pytest.mark.parametrize(("name", "parameters"), GAMES, ids=[name for name, _ in GAMES])
def test_the_values_are_those_of_the_search(name: str, parameters: dict[str, object]) -> None:
    rules = qs.game(name, **parameters).rules
    search, table = search_for(rules), valued_positions(rules)
    assert len({each.position for each in table}) == len(table)
    by_position = {each.position: each for each in table}
    for each in table[:400]:
        assert each.winner is search.winner(each.position)
        if each.winner is qs.Player.BLACK:
            assert each.distance == search.critical_plies(each.position)
        outcome = each.position.outcome
        assert bool(each.best_moves) is (outcome is None)
        for move in each.best_moves:
            after = by_position[each.position.after(move)]
            assert (after.winner, after.distance) == (each.winner, each.distance - 1)


def test_no_other_move_is_as_good() -> None:
    table = valued_positions(qs.game("httt", size=3, shape="el", depth=5).rules)
    by_position = {each.position: each for each in table}
    for each in table:
        for move in each.position.legal_moves():
            after = by_position[each.position.after(move)]
            as_good = (after.winner, after.distance) == (each.winner, each.distance - 1)
            assert as_good is (str(move) in each.best_moves)


def test_both_files_say_the_same(tmp_path: Path) -> None:
    for ending in ("csv", "npz"):
        path = str(tmp_path / f"t.{ending}")
        assert run_qsage(["export", "positions", "hex", "--size", "2", "-o", path]) == Exit.FINE
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    arrays = np.load(tmp_path / "t.npz")
    assert tuple(rows[0]) == COLUMNS
    assert [row["position"] for row in rows] == list(arrays["position"])
    assert [{"black": 1, "white": -1}[row["winner"]] for row in rows] == list(arrays["winner"])
    assert [int(row["distance"]) for row in rows] == list(arrays["distance"])
    for row, best in zip(rows, arrays["best"], strict=True):
        assert sorted(filter(None, row["best_moves"].split(";"))) == sorted(arrays["moves"][best])
    assert arrays["board"].shape == (len(rows), 2, 2)
    stones = {".": 0, "B": 1, "W": -1}
    text = "".join(rows[-1]["position"].split()[0].split("/"))
    assert [stones[sign] for sign in text] == list(arrays["board"][-1].ravel())


def test_limits_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    words = ["export", "positions", "hex", "--size", "3", "-o", str(path)]
    assert run_qsage([*words, "--positions", "9"]) == Exit.UNDECIDED
    assert capsys.readouterr().err == "qsage: undecided: there are more than 9 positions\n"
    assert run_qsage([*words, "--timeout", "0"]) == Exit.UNDECIDED
    assert not path.exists()
    with pytest.raises(UndecidedError, match="time is up"):
        valued_positions(qs.game("hex", size=2).rules, Limits(Deadline.after(0)))


def test_the_library_has_it_as_a_table(tmp_path: Path) -> None:
    game = qs.game("hex", size=2)
    table = game.positions()
    assert repr(table) == "<ValueTable of 29 positions>"
    assert table.rows[0]["best_moves"] == "occupy(1,2);occupy(2,1)"
    table.save(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == csv_text(valued_positions(game.rules))
    with pytest.raises(qs.UndecidedError, match="more than 5 positions"):
        game.positions(positions=5)
