"""A board for notebooks: the script of the page, and moves that it and the play tell each other."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from qsage_validate.api.games import Board, game
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.errors import MissingExtraError, QsageError, UsageError
from qsage_validate.extensions.notebook import widget
from qsage_validate.formats.source import sample_path
from tests.support.places import REPOSITORY

PLAYS = REPOSITORY / "tests" / "support" / "widget_plays.mjs"


class _Trait:
    """A value of traitlets that tells nobody but its observers."""

    def __init__(self, *_: object) -> None:
        self.name = ""

    def tag(self, **_: object) -> _Trait:
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return instance.__dict__[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        before = instance.__dict__.get(self.name)
        instance.__dict__[self.name] = value
        if value != before:
            for heard in instance.__dict__.get("heard", ()):
                heard({"new": value})


class _AnyWidget:
    def __init__(self, **given: Any) -> None:
        for name, value in given.items():
            setattr(self, name, value)

    def observe(self, heard: Callable[[Any], None], names: str) -> None:
        assert names == "moves"
        self.__dict__.setdefault("heard", []).append(heard)


@pytest.fixture(autouse=True)
def libraries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The small part of anywidget and traitlets that is used: neither needs a notebook then."""
    anywidget, traitlets = ModuleType("anywidget"), ModuleType("traitlets")
    vars(anywidget).update(AnyWidget=_AnyWidget)
    vars(traitlets).update(Unicode=_Trait, List=_Trait)
    monkeypatch.setitem(sys.modules, "anywidget", anywidget)
    monkeypatch.setitem(sys.modules, "traitlets", traitlets)
    widget._widget_class.cache_clear()
    yield
    widget._widget_class.cache_clear()


@pytest.fixture(scope="module")
def hexes() -> Strategy:
    return load(sample_path("sample:hex"), sample_path("sample:hex.aig"))


def test_the_board_of_a_play_is_a_widget_that_stands_where_the_play_does(hexes: Strategy) -> None:
    match = hexes.play()
    match.push("a1")
    board = match.board
    assert board is not None
    made = board()
    assert made.moves == ["occupy(1,1)"]
    assert "You are White" in made.html
    assert 'id="board"' in made.html
    assert "Content-Security-Policy" not in made.html
    assert json.loads(made.table)["opponent"] == "White"
    # A board is what it was: a value, equal to another one that nobody clicks.
    assert board == Board.of(board)
    assert board["a1"].value == "W"


def test_what_is_clicked_is_in_the_play(hexes: Strategy) -> None:
    match = hexes.play()
    assert match.board is not None
    made = match.board()
    made.moves = ["occupy(1,1)"]
    assert [*match.pushed] == ["occupy(1,1)"]
    assert len(match.moves) == 3
    made.moves = ["occupy(1,1)", "occupy(3,2)"]
    assert [*match.pushed] == ["occupy(1,1)", "occupy(3,2)"]
    made.moves = ["occupy(3,3)"]
    assert [*match.pushed] == ["occupy(3,3)"]
    made.moves = []
    assert not match.pushed


def test_a_move_has_the_formulas_name_on_the_board(hexes: Strategy) -> None:
    match = hexes.play()
    assert match.board is not None
    made = match.board()
    made.moves = ["a1"]
    assert made.moves == [*match.pushed] == ["occupy(1,1)"]


@pytest.mark.parametrize("bad", [["zzz"], ["c3", "c3"], ["a1", "a1"]])
def test_a_bad_move_leaves_the_play_as_it_was(hexes: Strategy, bad: list[str]) -> None:
    match = hexes.play()
    match.push("a1")
    before = match.moves
    assert match.board is not None
    made = match.board()
    with pytest.raises(QsageError):
        made.moves = bad
    assert match.moves == before
    assert made.moves == ["occupy(1,1)"]


def test_what_has_no_board_to_click_says_so(
    hexes: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match=r"expected match\.board\(\)"):
        Board.of(game("httt", size=(3, 3)).initial.board)()
    with pytest.raises(UsageError, match="without a certificate and a layout"):
        widget.widget_of(hexes.play(blocks=True))
    monkeypatch.setitem(sys.modules, "anywidget", None)
    widget._widget_class.cache_clear()
    board = hexes.play().board
    assert board is not None
    with pytest.raises(MissingExtraError, match="notebook"):
        board()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_the_script_plays_in_a_notebook(hexes: Strategy, tmp_path: Path) -> None:
    """Clicks are told, an illegal move is explained, and moves of the program's own are shown."""
    match = hexes.play()
    trial = hexes.play()
    trial.push("c3")
    other = str(trial.legal_moves()[-1])
    told = _clicked(match, tmp_path, "a1", "b2", "undo", f"set:occupy(3,3) {other}", "again")
    moves = [each["moves"] for each in told]
    assert moves[:4] == [[], ["occupy(1,1)"], ["occupy(1,1)"], []]
    assert moves[4:] == [["occupy(3,3)", other], []]
    assert "b2 is illegal: Black already holds b2" in told[2]["status"]
    assert told[1]["history"][1] == "White: a1"
    for step in told:
        match.restart()
        for move in step["moves"]:
            match.push(move)
        assert len(step["history"]) == len(match.moves)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_the_script_tells_no_moves_back_that_it_cannot_read(
    hexes: Strategy, tmp_path: Path
) -> None:
    told = _clicked(hexes.play(), tmp_path, "set:a1", "c3")
    assert [each["moves"] for each in told] == [[], ["a1"], ["occupy(3,3)"]]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_the_script_shows_moves_as_far_as_they_are_legal(hexes: Strategy, tmp_path: Path) -> None:
    told = _clicked(hexes.play(), tmp_path, "set:occupy(1,1) occupy(2,2) occupy(3,3)")
    assert [line.partition(": ")[2] for line in told[1]["history"]][:2] == ["b2", "a1"]
    assert len(told[1]["history"]) == 3


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_so_does_a_certificate_of_whites(tmp_path: Path) -> None:
    strategy = certify(game("domineering", size=(4, 2), depth=5))
    match = strategy.play()
    first = str(match.legal_moves()[0])
    told = _clicked(match, tmp_path, f"set:{first}")
    assert told[1]["moves"] == [first]
    match.push(first)
    assert len(told[1]["history"]) == len(match.moves)


def _clicked(match: Any, folder: Path, *clicks: str) -> list[dict[str, Any]]:
    made = match.board()
    (folder / "widget.mjs").write_text(widget.script_text(), "utf-8")
    values = {"html": made.html, "table": made.table, "moves": made.moves}
    (folder / "model.json").write_text(json.dumps(values), "utf-8")
    words = ["node", str(PLAYS), str(folder / "widget.mjs"), str(folder / "model.json"), *clicks]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told
