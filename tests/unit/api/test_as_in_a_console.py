"""What a user of another library for games types first: moves as text, copies, boards, limits."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import qsage_validate as qs
from qsage_validate.games.protocol import Square


@pytest.fixture(scope="module")
def strategy() -> qs.Strategy:
    return qs.certify("httt", size=4, shape="tic", depth=5)


GAMES: tuple[tuple[str, dict[str, object], str, str], ...] = (
    ("hex", {"size": 3}, "occupy(1,1)", "occupy(9,9)"),
    ("harary", {"size": 3, "depth": 3}, "a1", "z9"),
    ("breakthrough", {"size": (2, 4)}, "", "left(9,9)"),
)


@pytest.mark.parametrize(("name", "parameters", "text", "wrong"), GAMES)
def test_a_position_takes_moves_as_text(
    name: str, parameters: dict[str, object], text: str, wrong: str
) -> None:
    start = qs.game(name, **parameters).initial
    move = next(m for m in start.legal_moves() if not text or str(m) == text)
    text = str(move)
    assert start.is_legal(text)
    assert start.illegality(text) is None
    assert start.play(text) == start.after(text) == start.after(move)
    with pytest.raises((qs.IllegalMoveError, qs.MalformedMoveError)):
        start.after(wrong)
    with pytest.raises(qs.MalformedMoveError):
        start.is_legal("no move at all")


def test_an_occupied_square_is_refused_as_text_too() -> None:
    after = qs.game("hex", size=3).initial.play("occupy(1,1)")
    assert not after.is_legal("occupy(1,1)")
    for play in (after.play, after.after):
        with pytest.raises(qs.IllegalMoveError):
            play("occupy(1,1)")


def test_a_position_of_a_game_in_gdl_takes_moves_as_text() -> None:
    start = qs.game("trails").initial
    text = str(start.legal_moves()[0])
    assert start.is_legal(text)
    assert start.after(text) == start.play(text)


@pytest.mark.parametrize("copied", [qs.Match.copy, copy.copy, copy.deepcopy])
def test_a_copied_play_shares_nothing_that_changes(
    copied: Callable[[qs.Match], qs.Match], strategy: qs.Strategy
) -> None:
    match = strategy.play()
    match.push("occupy(1,1)")
    match.undo()
    match.push("occupy(4,4)")
    before = str(match.transcript())
    other = copied(match)
    assert str(other.transcript()) == before
    assert other.moves == match.moves
    other.push(other.legal_moves()[0])
    other.undo()
    other.undo()
    assert other.push("occupy(1,1)")
    assert str(match.transcript()) == before
    match.undo()
    assert match.redo()
    assert other.moves != match.moves


def test_a_play_is_not_pickled_and_says_what_to_do(strategy: qs.Strategy) -> None:
    with pytest.raises(qs.UsageError, match=r"save\(PATH\) writes it"):
        pickle.dumps(strategy.play())


def test_iterating_a_play_gives_its_frames_with_boards_that_print(strategy: qs.Strategy) -> None:
    frames = list(strategy.play())
    assert [frame.ply for frame in frames] == [0, 1]
    assert str(frames[1].move) == "occupy(2,2)"
    assert str(frames[1].board).splitlines()[2] == "2 . B . ."


def test_a_board_prints_and_is_asked_by_names(strategy: qs.Strategy) -> None:
    board = strategy.play().board
    assert board is not None
    assert str(board).splitlines()[:3] == ["  a b c d", "1 . . . .", "2 . B . ."]
    assert board["b2"] is board["(2,2)"] is board["2,2"] is board[2, 2] is Square.BLACK
    assert board.square_at("c4") == (3, 4)
    for wrong in ("e5", "b0", "22", ""):
        with pytest.raises(qs.UsageError, match="expected one from a1 to d4"):
            board[wrong]
    with pytest.raises(qs.UsageError, match=r"found \(0,1\), expected a square of the 4x4 board"):
        board[0, 1]


def test_a_game_by_its_name_is_solved_encoded_and_certified() -> None:
    assert qs.solve("hex", size=3).winner is qs.Player.BLACK
    assert qs.game("hex", size=3) == qs.game("hex", size="3x3") == qs.game("hex", size=[3, 3])
    assert qs.encode("hex", size=2).stats["plies"] == 3
    with pytest.raises(qs.UsageError, match="found sise= for hex"):
        qs.solve("hex", sise=3)
    for call in (qs.solve, qs.certify, qs.encode):
        with pytest.raises(qs.UsageError, match="found size= with a game"):
            call(qs.game("hex", size=2), size=3)
    with pytest.raises(qs.UsageError, match="found size= with a formula"):
        qs.solve(qs.encode("hex", size=2), size=3)


def test_one_level_by_its_name(strategy: qs.Strategy) -> None:
    assert list(strategy.validate("rules").levels) == ["rules"]
    assert list(strategy.validate(levels="dependencies").levels) == ["dependencies"]


def test_a_random_move_needs_no_generator(strategy: qs.Strategy) -> None:
    match = strategy.play()
    assert match.random_move() in match.legal_moves()


def test_no_time_is_undecided_however_small_the_game() -> None:
    assert qs.solve("hex", size=2, timeout=0).winner is None
    with pytest.raises(qs.UndecidedError):
        qs.certify("hex", size=2, route="search", timeout=0)


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(qs.UsageError, match=r"found nan seconds for timeout=, expected 0 or more"):
        qs.solve("hex", size=2, timeout=float("nan"))


@pytest.mark.parametrize("seconds", [1e300, float("inf")])
def test_a_time_that_never_ends_is_no_limit(seconds: float) -> None:
    assert qs.solve("hex", size=2, timeout=seconds).winner is qs.Player.BLACK


def test_games_and_formulas_are_taken_by_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.qdimacs").write_text("p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n")
    assert qs.certify("f.qdimacs").values({"1": True}) == {"2": False}
    assert qs.certify("sample:hex").player is qs.Player.BLACK
    assert qs.solve("sample:puzzle.pg").winner is qs.Player.WHITE
    with pytest.raises(qs.InputError, match=r"no\.qcir: found no such file"):
        qs.certify("no.qcir")
    with pytest.raises(qs.InputError, match="found no such sample"):
        qs.solve("sample:no")
    with pytest.raises(qs.UsageError, match="found the unknown game 'hexx'"):
        qs.solve("hexx")
    with pytest.raises(qs.UsageError, match="found size= with a formula"):
        qs.solve("f.qdimacs", size=3)


def test_a_name_with_options_behind_it() -> None:
    assert qs.solve("hex --size 2 --depth 3").winner is qs.Player.BLACK
    assert repr(qs.game("hex --size 3", size=2)) == "<Game hex 2x2, depth 3>"
    with pytest.raises(qs.UsageError, match="found sise= for hex, expected one of size="):
        qs.solve("hex --sise 3")
    # What was given stands there as it was.
    with pytest.raises(qs.UsageError, match="found the unknown game 'hax --size 3'"):
        qs.solve("hax --size 3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(role a) (role b) (init x)", "<game>:1:27: found the end of the file, expected a rule"),
        ("nothing like it\n", "found '<game>' (a file of no known format), expected a file (PG"),
    ],
)
def test_a_text_that_is_no_game_is_told_at_once_and_by_no_file(text: str, message: str) -> None:
    with pytest.raises(qs.QsageError) as error:
        qs.game_from_text(text)
    assert str(error.value).startswith(message)


def test_a_role_that_there_is_not_is_told_when_the_game_is_read() -> None:
    text = "(role a) (role b) (legal a x) (legal b x) terminal (goal a 100) (goal b 0)"
    assert qs.game_from_text(text, role="b").plies
    with pytest.raises(qs.UsageError, match="found the role 'c', expected a or b"):
        qs.game_from_text(text, role="c")


@pytest.mark.parametrize(
    "call",
    [
        lambda: qs.game(None),  # type: ignore[arg-type]
        lambda: qs.game_from_text(None),  # type: ignore[arg-type]
        lambda: qs.game_from_text(b"#positions"),  # type: ignore[arg-type]
        lambda: qs.load_solution(None),  # type: ignore[arg-type]
        lambda: qs.compare_exactly("f.qcir", "g.qcir"),  # type: ignore[arg-type]
        lambda: qs.compare(qs.load("sample:tic", "sample:tic.aig"), "f.qcir"),  # type: ignore[arg-type]
    ],
)
def test_what_is_of_another_kind_is_an_error_of_the_library(call: Callable[[], object]) -> None:
    with pytest.raises(qs.UsageError, match=r"^found .*, expected (a|the) "):
        call()
