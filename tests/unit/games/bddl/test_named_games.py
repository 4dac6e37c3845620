"""Gomoku, Konane and Cross Purposes against the games' rules, written here once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import SearchSolver
from tests.support.by_name import find_template

Board = tuple[tuple[str, ...], ...]
Moves = Callable[[Board, str], Iterator[Board]]

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def on(board: Board, x: int, y: int) -> str:
    """What stands on a square: ``b``, ``w`` or ``.``; ``#`` off the board."""
    return board[y][x] if 0 <= y < len(board) and 0 <= x < len(board[0]) else "#"


def put(board: Board, changes: dict[tuple[int, int], str]) -> Board:
    return tuple(
        tuple(changes.get((x, y), sign) for x, sign in enumerate(row))
        for y, row in enumerate(board)
    )


def jumps(board: Board, own: str) -> Iterator[Board]:
    """Konane: one jump after the other in one direction, as long as one is possible."""
    other = "w" if own == "b" else "b"
    for y, row in enumerate(board):
        for x, sign in enumerate(row):
            for dx, dy in STEPS if sign == own else ():
                after, at_x, at_y = board, x, y
                while (
                    on(after, at_x + dx, at_y + dy) == other
                    and on(after, at_x + 2 * dx, at_y + 2 * dy) == "."
                ):
                    changes = {(at_x, at_y): ".", (at_x + dx, at_y + dy): "."}
                    at_x, at_y = at_x + 2 * dx, at_y + 2 * dy
                    after = put(after, {**changes, (at_x, at_y): own})
                    yield after


def tips(board: Board, own: str) -> Iterator[Board]:
    """Cross Purposes: ``b`` tips stacks up or down, ``w`` to the sides."""
    for y, row in enumerate(board):
        for x, sign in enumerate(row):
            for dx, dy in STEPS if sign == "b" else ():
                lies = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if bool(dy) is (own == "b") and all(on(board, *square) == "." for square in lies):
                    yield put(board, {(x, y): ".", **dict.fromkeys(lies, "w")})


@cache
def moves_last(moves: Moves, board: Board, own: str) -> bool:
    """Whether the player to move makes the last move."""
    other = "w" if own == "b" else "b"
    return any(not moves_last(moves, after, other) for after in moves(board, own))


def black_wins(name: str, **options: str | bool) -> bool:
    game = load_game(find_template(name).build(options))
    winner = SearchSolver(game).solve().winner
    assert winner is not None
    return winner is Player.BLACK


def konane_board(width: int, height: int) -> Board:
    middle = (width + 1) // 2 - 1, (height + 1) // 2 - 1
    gone = {middle: ".", (middle[0] + 1, middle[1]): "."}
    full = tuple(tuple("bw"[(x + y) % 2] for x in range(width)) for y in range(height))
    return put(full, gone)


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("size", [(2, 2), (3, 3), (4, 3), (3, 4), (4, 4), (5, 4), (6, 2), (7, 1)])
def test_konane_is_won_by_who_jumps_last(size: tuple[int, int], second: bool) -> None:
    board = konane_board(*size)
    expected = moves_last(jumps, board, "w") is False if second else moves_last(jumps, board, "b")
    assert black_wins("konane", size="x".join(map(str, size)), second=second) is expected


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize(
    "stacks",
    [
        "X...X/...../..X../...../X...X",
        "X..X/..../..../X..X",
        ".X./X.X/...",
        "X.X./..../.X.X/....",
        "XX../..../..../..XX",
        "...",
        "X../.../...",
    ],
)
def test_cross_purposes_is_won_by_who_tips_last(stacks: str, second: bool) -> None:
    board = tuple(tuple("b" if s == "X" else "." for s in row) for row in stacks.split("/"))
    expected = moves_last(tips, board, "w") is False if second else moves_last(tips, board, "b")
    assert black_wins("cross-purposes", stacks=stacks, second=second) is expected


def test_konane_jumps_several_stones_in_one_move() -> None:
    game = load_game(find_template("konane").build({"size": "7x1"}))
    moves = {str(move) for move in game.moves(Player.WHITE)}
    assert {"right(1,1)", "right-2(1,1)", "right-3(1,1)"} <= moves
    assert "right-4(1,1)" not in moves


@pytest.mark.parametrize(
    ("size", "length", "wins"),
    [("3x3", "3", False), ("4x3", "3", True), ("4x4", "3", True), ("3x3", "2", True)],
)
def test_gomoku_is_won_by_a_line(size: str, length: str, wins: bool) -> None:
    assert black_wins("gomoku", size=size, connect=length) is wins


def test_longer_lines_win_too() -> None:
    """Freestyle: a line of four contains one of three."""
    game = load_game(find_template("gomoku").build({"size": "4x4", "connect": "3", "depth": "7"}))
    position = game.initial
    for square in ("1,1", "1,4", "2,1", "2,4", "4,1", "4,4", "3,1"):
        assert position.outcome is None
        position = position.play(game.parse_move(f"occupy({square})", position.to_move))
    assert position.outcome is not None
    assert position.outcome.winner is Player.BLACK


@pytest.mark.parametrize(
    ("stacks", "message"),
    [
        ("X.q", "found 'q' in --stacks X.q, expected X, . and / between rows"),
        ("X./X", "rows of the same length"),
        ("", "rows of the same length"),
        ("/", "rows of the same length"),
        ("X" * 2000, "expected at most"),
    ],
)
def test_bad_drawings_are_refused(stacks: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_template("cross-purposes").build({"stacks": stacks})
    assert message in str(caught.value)
