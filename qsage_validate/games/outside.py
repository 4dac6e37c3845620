"""Squares in a person's words that a board does not have; loaded when a move is not understood."""

from __future__ import annotations

from qsage_validate.errors import MalformedMoveError
from qsage_validate.formats.grid_names import step_named
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import BoardPicture


def check_squares(board: BoardPicture | None, text: str) -> None:
    """Raise ``MalformedMoveError`` if ``text`` names a square that is not on the board.

    A list and heaps have names that are no squares.
    """
    if board is None or board.names:
        return
    step = step_named(text)
    squares = () if step is None else (*step[0], *step[1])
    if all(1 <= x <= board.width and 1 <= y <= board.height for x, y in squares):
        return
    first, last = (board.square_name(square) for square in ((1, 1), (board.width, board.height)))
    raise MalformedMoveError(
        f"found {quoted(text.strip())}, expected squares of the {board.width}x{board.height} "
        f"board: {first} to {last}"
    )
