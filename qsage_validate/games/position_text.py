"""Positions of board games as text: the rows of the board, and which ply comes next."""

from __future__ import annotations

import re
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Board

_POSITION: Final = re.compile(r"\s*([.BW/]*)(?:\s+ply\s+([0-9]{1,6}))?\s*", re.ASCII)


def read_board_text(text: str, width: int, height: int, plies: int) -> tuple[Board, int]:
    """Board and ply of ``"B../.W./... ply 3"``; ply 1 where none is said.

    Any board is taken, whether or not it can arise in a play; its size is left to the caller,
    who raises :func:`wrong_size`.  Raises ``UsageError`` for other text and for plies that a game
    of so many ``plies`` does not have.
    """
    size = f"{width}x{height}"
    match = _POSITION.fullmatch(text)
    if match is None:
        raise UsageError(
            f"found {quoted(text)}, expected the rows of a {size} board of '.', 'B' and 'W' "
            "joined by '/', then 'ply' and a number"
        )
    try:
        board = Board.parse(match[1])
    except ValueError as error:
        raise UsageError(f"{error}, expected a {size} board") from None
    ply = int(match[2] or 1)
    if not 1 <= ply <= plies + 1:
        raise UsageError(f"found ply {ply}, expected 1 to {plies + 1}")
    return board, ply


def wrong_size(board: Board, width: int, height: int) -> UsageError:
    """The error for a board that is not of a game's size."""
    return UsageError(f"found a {board.width}x{board.height} board, expected {width}x{height}")
