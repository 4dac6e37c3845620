"""Rules in Python as games: what they say, and what is said of rules that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import qsage_validate as qs
from qsage_validate.errors import InputError, MalformedMoveError, UsageError
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import BoardPicture, Player
from qsage_validate.judging.python_rules import (
    SimulatedGame,
    names_python_rules,
    python_game,
    simulator_of,
)
from qsage_validate.solvers.search import search_for
from qsage_validate.validation.proofs import rules_of
from tests.support.places import REPOSITORY

NIM = REPOSITORY / "demos" / "nim.py"


class Heap:
    """One heap of three: take one or two; who takes the last wins."""

    plies = 3

    def start(self) -> Any:
        return 3, Player.BLACK

    def to_move(self, state: Any) -> Player:
        return Player(state[1])

    def legal_moves(self, state: Any) -> list[str]:
        return [str(n) for n in (1, 2) if n <= state[0]]

    def play(self, state: Any, move: str) -> Any:
        return state[0] - int(move), state[1].other

    def winner(self, state: Any) -> Player | None:
        return None if state[0] else Player(state[1]).other


def test_a_simulator_is_a_game_that_is_searched_and_played() -> None:
    game = SimulatedGame(Heap())
    assert (game.name, game.plies, game.first_player) == ("Heap", 3, Player.BLACK)
    assert game.moves(Player.BLACK) == ("1", "2")
    assert search_for(game).solve().winner is Player.WHITE
    position = game.initial.play("1").play("2")
    assert position.outcome is not None
    assert position.outcome.winner is Player.WHITE
    assert not position.legal_moves()
    illegality = game.initial.illegality("3")
    assert illegality is not None
    assert illegality.text == "3: the rules do not list 3 here"
    with pytest.raises(MalformedMoveError):
        game.parse_move(" ", Player.BLACK)
    # What needs a circuit of the rules finds none.
    assert rules_of(game) is None


def test_a_game_of_our_own_as_a_simulator_is_the_same_game() -> None:
    own = PositionalGame(hex_network(2, 2, 3))
    again = SimulatedGame(simulator_of(own))
    assert again.plies == own.plies
    assert [again.player_at(k) for k in (1, 2, 3)] == [own.player_at(k) for k in (1, 2, 3)]
    # A move that is not legal at once stands where it would be.
    for player in Player:
        assert list(again.moves(player)) == [str(move) for move in own.moves(player)]
    assert search_for(again).solve().winner is search_for(own).solve().winner


def test_a_picture_is_the_simulators() -> None:
    class Drawn(Heap):
        def board(self, state: Any) -> str:
            return "B.W/..."

    board = SimulatedGame(Drawn()).initial.board
    assert (board.width, board.height, str(board)) == (3, 2, "B.W/...")

    class Wrong(Heap):
        def board(self, state: Any) -> str:
            return "B/.."

    with pytest.raises(UsageError, match=r"board returned 'B/\.\.'"):
        _ = SimulatedGame(Wrong()).initial.board
    assert isinstance(SimulatedGame(Heap()).initial.board, BoardPicture)


def _with(**methods: Any) -> Any:
    return type("Rules", (Heap,), methods)()


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        (object(), "found rules without start and to_move"),
        (_with(plies="3"), "found plies = '3'"),
        (_with(plies=-1), "found plies = -1"),
        (_with(start=lambda _: [3]), "Rules: found a state of list, expected hashable states"),
        (_with(to_move=lambda *_: 1), "Rules: to_move returned 1, expected Player.BLACK"),
        (_with(winner=lambda *_: "nobody"), "Rules: winner returned 'nobody'"),
        (_with(legal_moves=lambda *_: [1]), "Rules: legal_moves has 1, expected texts"),
        (_with(legal_moves=lambda *_: ["a", "a"]), "Rules: legal_moves has 'a' twice"),
        (_with(legal_moves=lambda *_: 1 / 0), "Rules: legal_moves raised ZeroDivisionError"),
    ],
)
def test_rules_that_are_none_are_told_in_one_line(rules: Any, found: str) -> None:
    with pytest.raises(UsageError) as caught:
        SimulatedGame(rules)
    assert str(caught.value).startswith(found)
    assert "\n" not in str(caught.value)


def test_players_may_be_words() -> None:
    rules = _with(to_move=lambda _, state: state[1].value)
    assert SimulatedGame(rules).first_player is Player.BLACK


def test_rules_are_named_by_file(tmp_path: Path) -> None:
    file = tmp_path / "heap.py"
    file.write_text(
        "from tests.unit.judging.test_simulated import Heap\ngame = Heap()\nmake = Heap\nx = 7\n"
        "def fails():\n    return 1 / 0\n"
    )
    assert names_python_rules([str(file)])
    assert names_python_rules(["openspiel:hex"])
    assert not names_python_rules(["hex", "--size", "3x3"])
    assert not names_python_rules([])
    assert python_game([str(file)]).name == "heap"
    assert python_game([f"{file}:make", "--depth", "2"]).plies == 2
    for words, text in (
        ([f"{file}:none"], "found no 'none'"),
        ([f"{file}:x"], "found rules without start"),
        ([f"{file}:fails"], "fails raised ZeroDivisionError"),
        ([str(file), "--size", "3"], "found '--size 3', expected '--depth N'"),
    ):
        with pytest.raises(UsageError, match=text):
            python_game(words)
    broken = tmp_path / "broken.py"
    for content, text in (
        ("def (", r"broken\.py:1:5: found invalid syntax"),
        ("1 / 0", "found ZeroDivisionError: division by zero"),
    ):
        broken.write_text(content)
        with pytest.raises(InputError, match=text):
            python_game([str(broken)])
    with pytest.raises(InputError, match="found no such file"):
        python_game([str(tmp_path / "no.py")])


class TestOpenSpiel:
    """Games of OpenSpiel; it is no package that is always there."""

    @pytest.fixture(autouse=True)
    def _there(self) -> None:
        pytest.importorskip("pyspiel", reason="OpenSpiel, of the extra 'openspiel', is not there")

    def test_a_game_by_name_is_searched(self) -> None:
        game = python_game(["openspiel:tic_tac_toe", "--depth", "5"])
        assert (game.plies, len(game.initial.legal_moves())) == (5, 9)
        assert search_for(game).solve().winner is Player.WHITE
        after = game.initial.play("x(1,1)")
        assert after.to_move is Player.WHITE
        assert "x" in str(after)

    def test_their_hex_is_ours(self) -> None:
        theirs, ours = python_game(["openspiel:hex(board_size=2)"]), hex_network(2, 2, 4)
        assert search_for(theirs).solve().winner is search_for(PositionalGame(ours)).solve().winner

    @pytest.mark.parametrize(
        ("name", "found"),
        [
            ("no_such_game", "OpenSpiel: "),
            ("kuhn_poker", "expected one with no chance"),
            ("catch", "expected one with two players"),
        ],
    )
    def test_other_games_are_refused(self, name: str, found: str) -> None:
        with pytest.raises(UsageError, match=found):
            python_game([f"openspiel:{name}"])


def test_without_openspiel_its_games_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    with pytest.raises(qs.MissingExtraError, match="openspiel"):
        python_game(["openspiel:hex"])
