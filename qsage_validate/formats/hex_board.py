"""``.hex`` files: a Hex board with stones on it.

The first word is the number of rows and columns; then come stones, ``b[c4]`` for a black one in
column c and row 4, ``w[a1]`` for a white one.  ``%`` begins a comment.  Black connects the first
row with the last, and is to move, unless the word ``white`` stands behind the size.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from qsage_validate.formats.grid_names import Cell, named_cell
from qsage_validate.formats.source import Source, quoted

MAX_SIDE: Final = 40
"""No larger board is read."""

_STONE: Final = re.compile(r"([bw])\[([^\[\]\s]*)\]")
_TURNS: Final = ("black", "white")
_COLOURS: Final = {"b": "Black", "w": "White"}


@dataclass(frozen=True)
class HexFile:
    """A board; stones by name (``c4``), in the order of the file, and who is to move."""

    columns: int
    rows: int
    black: tuple[str, ...]
    white: tuple[str, ...]
    white_moves: bool = False
    path: str | None = None


def parse_hex(text: str, path: str | None = None) -> HexFile:
    """The board in ``text``; raises :class:`InputError` at the first word that does not fit."""
    source = Source(text, path)
    source.check_not_empty("a Hex board: its size, then stones such as 'b[c4]'")
    words = [
        (offset + match.start(), match.group())
        for _, offset, line in source.lines()
        for match in re.finditer(r"\S+", line.split("%", 1)[0])
    ]
    if not words:
        raise source.end_error("the size of the board")
    at, word = words[0]
    if not re.fullmatch(r"[0-9]{1,4}", word) or not 1 <= int(word) <= MAX_SIDE:
        raise source.error(at, quoted(word), f"the size of the board, from 1 to {MAX_SIDE}")
    size = int(word)
    owner: dict[Cell, str] = {}
    stones: dict[str, list[str]] = {"b": [], "w": []}
    turn = [word for _, word in words[1:2] if word in _TURNS]
    for at, word in words[1 + len(turn) :]:
        match = _STONE.fullmatch(word)
        if match is None:
            raise source.error(at, quoted(word), "a stone such as 'b[c4]' or 'w[a1]'")
        colour, name = match.groups()
        cell = named_cell(name)
        if cell is None or max(cell) > size:
            raise source.error(at + 2, quoted(name), f"a cell of the {size}x{size} board")
        if cell in owner:
            expected = f"a cell that {owner[cell]} does not own already"
            raise source.error(at + 2, quoted(name), expected)
        owner[cell] = _COLOURS[colour]
        stones[colour].append(name)
    black, white = tuple(stones["b"]), tuple(stones["w"])
    return HexFile(size, size, black, white, turn == ["white"], path)
