"""The rules say how a board is drawn, and how its squares are called, whatever encodes the game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qsage_validate as qs
from qsage_validate.api.matches import Match
from qsage_validate.arena.frame import told_once
from qsage_validate.arena.open import open_engine
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError
from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import Files, load
from tests.conftest import REPOSITORY
from tests.support.commands import run_play

DRAWN = """\
    a b c
    ----- Black
1 \\ W . . \\
 2 \\ . B . \\ White
  3 \\ B . . \\
      ----- Black"""


def hex_match(encoding: str) -> Match:
    return qs.certify("hex", size="3x3", encoding=encoding).play()


@pytest.mark.parametrize("encoding", ["lifted", "lifted-guarded", "ea", "en", "la", "sn"])
def test_hex_is_drawn_as_hexagons_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    match = hex_match(encoding)
    match.push("a1")
    for frame in match:
        assert frame.board is not None
        assert frame.board.shape is Shape.HEXAGONS
        assert frame.board.top is Player.BLACK
        assert frame.board.columns == ("a", "b", "c")
    board = match.board
    assert board is not None
    assert str(board).splitlines()[0] == "    a b c"
    assert board.svg().count("<polygon") == match.svg().count("<polygon") // len(match.frames) == 9
    match.save(tmp_path / "play.sgf")
    assert ";W[a1]" in (tmp_path / "play.sgf").read_text()


def test_the_board_of_a_play_is_printed_with_its_sides() -> None:
    match = hex_match("lifted")
    match.push("a1")
    assert match.moves[1] == "occupy(1,1)"
    assert str(match.board) == DRAWN


def test_squares_are_moves_of_the_rules() -> None:
    start = qs.game("hex", size="3x3").initial
    assert start.is_legal("a1")
    assert start.play("B3").board["b3"] is Square.BLACK
    for text in ("d1", "(4,1)", "a9"):
        with pytest.raises(MalformedMoveError, match=r"squares of the 3x3 board: a1 to c3$"):
            start.play(text)
    pieces = qs.game("breakthrough", size="3x4").initial
    assert pieces.play("a2").board["a2"] is Square.BLACK  # only one piece can go there
    with pytest.raises(AmbiguousMoveError, match="expected one of"):
        pieces.play("b2")


def test_a_game_on_squares_keeps_its_squares() -> None:
    board = qs.game("httt", size="3x3", shape="tic").initial.board
    assert (board.shape, board.top, board.columns) == (Shape.RECTANGLE, None, ("a", "b", "c"))


def test_a_board_of_another_size_stays_as_it_is() -> None:
    small, large = (qs.game("hex", size=f"{n}x{n}").initial.game for n in (2, 3))
    assert large.drawn(small.initial.board) == small.initial.board


@pytest.mark.parametrize("name", ["hex", "hex-network"])
def test_a_board_without_a_shape_gets_that_of_the_rules(name: str) -> None:
    """As a board that is read from a formula's variables has none, in grids and in lists."""
    game = qs.game(name, size="3x3").initial.game
    look = game.initial.board
    drawn = game.drawn(BoardPicture(3, 3, look.squares))
    assert (drawn.shape, drawn.columns, drawn.top) == (Shape.HEXAGONS, look.columns, Player.BLACK)


def test_a_play_of_a_grid_formula_is_written_as_sgf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "play.sgf"
    words = ("sample:hex", "--moves", "a1 a2", "--json", "--export", str(path))
    assert run_play(words) == 0
    assert json.loads(capsys.readouterr().out)["outcome"]["winner"] == "black"
    assert ";W[a1]" in path.read_text()


def test_the_first_lines_of_a_play_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    run_play(["sample:hex", "--moves", "a1 a2"])
    first, aim = capsys.readouterr().out.splitlines()[:2]
    assert first == "hex 3x3: Black claims a proof. You are White"
    assert aim == "  Black: a chain from top to bottom by ply 5. You stop it."
    assert hex_match("lifted").facts.title == "hex 3x3: Black has a proof"


def test_moves_that_do_the_same_are_one_move_to_people() -> None:
    """The model of Connect has a code for each square of a column, and a stone falls."""
    sample = REPOSITORY / "certificates" / "connect3"
    match = PlayMatch(open_engine(load(Files(f"{sample}.qcir", f"{sample}.aig"))))
    legal = match.legal_moves()
    told = [move.words for move in told_once(legal)]
    assert sorted(told) == ["column a", "column b", "column c", "column d"]
    assert len(legal) > len(told)


def test_a_number_before_a_move_is_read_at_the_prompt_too() -> None:
    sample = REPOSITORY / "certificates" / "hex"
    match = PlayMatch(open_engine(load(Files(f"{sample}.qcir", f"{sample}.aig"))))
    assert {str(match.parse_move(text)) for text in ("1.a1", "1. a1", "12... a1", "a1")} == {
        str(match.parse_move("a1"))
    }
    for text in ("1.", "1.#"):
        with pytest.raises(MalformedMoveError):
            match.parse_move(text)


def test_the_title_says_who_begins_in_words() -> None:
    sample = REPOSITORY / "certificates" / "domineering"
    problem = load(Files(f"{sample}.qcir", f"{sample}.aig"))
    assert problem.play_title == "domineering 4x4, White first: White claims a proof"


def test_the_tree_shows_moves_as_people_say_them() -> None:
    tree = qs.load(REPOSITORY / "certificates" / "hex.qcir").tree(depth=1)
    assert tree.label == "b2"
    assert str(tree).splitlines()[1].strip() == "a1 → a3"
    assert next(iter(tree)).answer == "occupy(1,3)"
    falling = qs.load(REPOSITORY / "certificates" / "connect3.qcir").tree(depth=1)
    assert "column" in str(falling).splitlines()[1]


@pytest.mark.parametrize("text", ["z9", "9,9", "(9,9)", "a1-z9", "a1+b9"])
def test_a_square_that_is_not_on_the_board_names_its_range(text: str) -> None:
    """``z9`` was the illegal move occupy(26,9) of a formula, and no move without one."""
    said = r"expected squares of the 3x3 board: a1 to c3$"
    with_certificate = [
        qs.certify("hex", size=3, depth=5).play(),
        qs.certify("harary", size=3, depth=5, shape="el").play(),
        qs.certify("httt", size=3, depth=5, shape="el").play(),
    ]
    for match in with_certificate:
        with pytest.raises(MalformedMoveError, match=said):
            match.push(text)
    with pytest.raises(MalformedMoveError, match=said):
        qs.game("hex", size=3).initial.play(text)


def test_a_move_beside_the_board_can_still_be_asked_about() -> None:
    match = qs.certify("httt", size=3, shape="el", depth=5).play()
    why = match.why_not("occupy(9,9)")
    assert why is not None
    assert "(9,9) is not on the 3x3 board" in str(why)
