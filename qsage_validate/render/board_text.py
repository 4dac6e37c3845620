"""Boards as lines of text, with coordinates, in colour where that is wanted."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rich.text import Text

from qsage_validate.arena.frame import SquareXY
from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square

_STYLES = {Square.OPEN: "dim", Square.BLACK: "bold blue", Square.WHITE: "bold yellow"}
_OWNER = {Player.BLACK: "blue", Player.WHITE: "yellow"}


def board_text(
    board: BoardPicture,
    changed: Collection[SquareXY] = (),
    letters: Mapping[SquareXY, str] | None = None,
) -> Text:
    """The board with coordinates; the squares ``changed`` are underlined.

    Open squares have their letter of ``letters``, where they have one.

    Columns are named at the top and rows at the side, the first square at the top left.  Each row
    of a board of hexagons stands half a cell to the right of the row above it, and the sides that
    players connect have their names.  Lines join the squares of a piece that covers several.
    Heaps are rows of tokens behind their names.
    """
    if not board.squares:
        return Text("no board", "dim")
    if board.shape is Shape.HEAPS:
        return _heaps_text(board, changed)
    margin = max(len(board.row_name(y)) for y in range(1, board.height + 1))
    width = max(len(board.column_name(x)) for x in range(1, board.width + 1))
    top = board.top if board.shape is Shape.HEXAGONS else None
    edge = 0 if top is None else 2
    text = Text(" " * (margin + 1 + edge), no_wrap=True)
    text.append(
        " ".join(board.column_name(x).rjust(width) for x in range(1, board.width + 1)), "dim"
    )
    side = "-" * (board.width * (width + 1) - 1)
    if top is not None:
        text.append("\n" + " " * (margin + 1 + edge))
        text.append(f"{side} {top}", _OWNER[top])
    for y in range(1, board.height + 1):
        text.append("\n")
        if board.shape is Shape.HEXAGONS:
            text.append(" " * ((y - 1) * (width + 1) // 2))
        text.append(board.row_name(y).rjust(margin), "dim")
        if top is not None:
            text.append(" \\", _OWNER[top.other])
        for x in range(1, board.width + 1):
            square = board[x, y]
            underline = " underline" if (x, y) in changed else ""
            joined = ((x - 1, y), (x, y)) in board.joints
            text.append(("-" if joined else " ") * width, _STYLES[square] if joined else "")
            letter = None if letters is None else letters.get((x, y))
            if square is Square.OPEN and letter is not None:
                text.append(letter, f"bold{underline}")
            else:
                text.append(_sign(board, square), _STYLES[square] + underline)
        if top is not None:
            name = f" {top.other}" if y == (board.height + 1) // 2 else ""
            text.append(f" \\{name}", _OWNER[top.other])
        if board.pieces is not None and y < board.height:
            text.append("\n")
            at = 0
            for x in range(1, board.width + 1):
                if ((x, y), (x, y + 1)) in board.joints:
                    column = margin + x * (width + 1) - 1
                    text.append(" " * (column - at))
                    text.append("|", _STYLES[board[x, y]])
                    at = column + 1
    if top is not None:
        below = (board.height - 1) * (width + 1) // 2
        text.append("\n" + " " * (margin + 1 + edge + below))
        text.append(f"{side} {top}", _OWNER[top])
    return text


def _sign(board: BoardPicture, content: Square) -> str:
    if board.pursuer is None:
        return content.value
    from qsage_validate.games.bddl.pursuit import piece_of

    return piece_of(board, content).value or content.value


def _heaps_text(board: BoardPicture, changed: Collection[SquareXY]) -> Text:
    margin = max(len(board.row_name(y)) for y in range(1, board.height + 1))
    text = Text(no_wrap=True)
    for y in range(1, board.height + 1):
        text.append("\n" if y > 1 else "")
        text.append(board.row_name(y).rjust(margin), "dim")
        text.append(" ")
        for x in range(1, board.width + 1):
            square = board[x, y]
            underline = " underline" if (x, y) in changed else ""
            sign = "·" if square is Square.OPEN else "●"
            text.append(sign, _STYLES[square] + underline)
    return text


def board_lines(board: BoardPicture) -> str:
    """The board with coordinates as plain text."""
    return board_text(board).plain
