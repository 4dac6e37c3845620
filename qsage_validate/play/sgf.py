"""Plays of Hex as SGF (FF[4], GM[11]), with all that was tried as variations.

In this format Black connects top and bottom and cells are ``a1``, column first
(https://www.red-bean.com/sgf/hex.html).  A board on which Black connects left and right is written
mirrored, columns for rows; a comment says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qsage_validate.arena.engines.engine import Facts
from qsage_validate.arena.frame import Frame, SquareXY
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square
from qsage_validate.play.history import Round
from qsage_validate.play.match import PlayMatch

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SIGNS = {Player.BLACK: "B", Player.WHITE: "W"}
_SETUP = {Square.BLACK: "AB", Square.WHITE: "AW"}


def is_hex(facts: Facts, start: BoardPicture | None) -> bool:
    """True if plays can be written as SGF: a board of hexagons whose sides have owners."""
    return facts.top_owner is not None and start is not None and start.shape is Shape.HEXAGONS


def export_sgf(match: PlayMatch) -> str:
    """All rounds of the play's history as one game tree; what redo plays is the main line.

    Raises ``UsageError`` for a play of another game than Hex.
    """
    start = match.frames[0].board
    if start is None or not is_hex(match.facts, start):
        raise UsageError("found a play of another game, expected one of Hex for an SGF")
    mirrored = match.facts.top_owner is Player.WHITE

    def cell(square: SquareXY) -> str:
        x, y = reversed(square) if mirrored else square
        return f"{_column(x)}{y}"

    root = match.history.root
    about = (match.facts.title, *match.facts.notes)
    if mirrored:
        about = (*about, "mirrored: Black connects left and right on the board that was played on")
    head = f"(;{_root(match, start, mirrored, cell)}C[{_text(chr(10).join(about))}]\n"
    parts = [head]
    # A stack, not calls: a long play would nest too deep.
    waiting: list[Round | str] = [")\n", root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts += [_node(frame, cell) for frame in item.frames if frame.player is not None]
        if len(item.children) > 1:
            beside = [child for child in item.children if child is not item.onward]
            for child in reversed([item.onward or beside[0], *beside]):
                waiting += [")\n", child, "("]
        else:
            waiting += item.children
    return "".join(parts)


def _root(
    match: PlayMatch, board: BoardPicture, mirrored: bool, cell: Callable[[SquareXY], str]
) -> str:
    wide, high = board.width, board.height
    if mirrored:
        wide, high = high, wide
    size = f"{wide}" if wide == high else f"{wide}:{high}"
    first = next((f.player for f in match.frames if f.player is not None), match.person)
    names = {match.person: "person", match.person.other: match.facts.answers}
    line = match.history.line[-1].frames[-1].outcome
    fields = [
        "FF[4]GM[11]CA[UTF-8]AP[qsage-validate]",
        f"SZ[{size}]",
        f"PB[{_text(names[Player.BLACK])}]PW[{_text(names[Player.WHITE])}]",
        "" if line is None or line.winner is None else f"RE[{_SIGNS[line.winner]}+]",
        f"PL[{_SIGNS[first]}]",
        *_stones(board, cell),
    ]
    return "".join(fields)


def _stones(board: BoardPicture, cell: Callable[[SquareXY], str]) -> Iterator[str]:
    """The stones on the board before the first ply."""
    squares = [(x, y) for y in range(1, board.height + 1) for x in range(1, board.width + 1)]
    for content, name in _SETUP.items():
        placed = [cell(square) for square in squares if board[square] is content]
        if placed:
            yield name + "".join(f"[{each}]" for each in placed)


def _node(frame: Frame, cell: Callable[[SquareXY], str]) -> str:
    """The node of a ply; a ply on no cell, or one that was let happen, has a comment."""
    assert frame.player is not None, "the start is the root"
    square = getattr(frame.move, "square", None)
    said = [] if frame.illegal is None else [f"let happen: {frame.illegal}"]
    said += [f"finding: {finding.text}" for finding in frame.findings]
    if square is None:
        said.insert(0, f"{frame.player} {frame.move or 'unreadable'}")
    if frame.outcome is not None:
        said.append(frame.outcome.text)
    move = "" if square is None else f"{_SIGNS[frame.player]}[{cell(square)}]"
    comment = f"C[{_text(chr(10).join(said))}]" if said else ""
    return f";{move}{comment}\n"


def _column(x: int) -> str:
    """The letters of a column, from 1: ``a`` to ``z``, then ``aa``."""
    letters = ""
    while x > 0:
        x, digit = divmod(x - 1, len(_LETTERS))
        letters = _LETTERS[digit] + letters
    return letters


def _text(text: str) -> str:
    """A text as a value: with the signs escaped that end it."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
