"""Positions of Hex as boards and as SGF.

The first word is the number of rows and columns; then come stones, ``b[c4]`` for a black one in
column c and row 4, ``w[a1]`` for a white one.  ``%`` begins a comment.  Black connects the first
row with the last, and is to move, unless the word ``white`` stands behind the size.

The position is the one behind the last move of the main line, the first variation of each node.
Black connects the first row with the last (https://www.red-bean.com/sgf/hex.html).  Little Golem
writes no ``GM``, two letters for a cell (``mf``: column, row), and ``W`` for the player who begins
and connects the rows: there ``W`` becomes Black.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.formats.grid_names import Cell, cell_name, named_cell
from qsage_validate.formats.source import Source, quoted

# ``.hex`` files: a Hex board with stones on it


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


# Positions of Hex out of SGF files (FF[4], GM[11]) of HexGui, HexWorld and Little Golem


_HEX: Final = "11"
_SIZE: Final = re.compile(r"\s*([0-9]{1,4})\s*(?::\s*([0-9]{1,4})\s*)?")
_TOKEN: Final = re.compile(r"\s*(?:([();])|([A-Za-z]+)|(\[(?:[^\]\\]|\\.)*\]))", re.DOTALL)
_LETTERS: Final = re.compile(r"[a-z]{2}")
_DEFAULT_SIDE: Final = 11
_OTHER: Final = {"B": "W", "W": "B"}
_WITHOUT_STONE: Final = ("", "resign", "forfeit", "pass")


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a property in the main line, with the place of its text."""

    name: str
    text: str
    offset: int


def parse_hex_sgf(source: Source) -> HexFile:
    """The position in ``source``; raises :class:`InputError` with line and column."""
    values = list(_main_line(source))
    properties = {value.name: value for value in values}
    golem = "littlegolem" in properties.get("SO", _Value("SO", "", 0)).text.lower()
    game = properties.get("GM")
    if game is None and not golem:
        raise source.error(0, "an SGF file without GM[11]", "one of Hex")
    if game is not None and game.text.strip() != _HEX:
        raise source.error(game.offset, f"the game GM[{game.text}]", "Hex, GM[11]")
    position = _Position(source, *_size(source, properties.get("SZ")), golem=golem)
    for value in values:
        position.take(value)
    return position.board()


def _size(source: Source, value: _Value | None) -> tuple[int, int]:
    """Columns and rows."""
    if value is None:
        return _DEFAULT_SIDE, _DEFAULT_SIDE
    match = _SIZE.fullmatch(value.text)
    sides = (0, 0) if match is None else (int(match[1]), int(match[2] or match[1]))
    if not all(1 <= side <= MAX_SIDE for side in sides):
        found = quoted(value.text)
        raise source.error(value.offset, found, f"the size of the board, from 1 to {MAX_SIDE}")
    return sides


def _main_line(source: Source) -> Iterator[_Value]:
    """The values of the properties of all nodes but those of later variations."""
    text, at, depth, over = source.text, 0, 0, False
    name, end = "", len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            while text[at].isspace():
                at += 1
            raise source.error(at, quoted(text[at]), "a property such as B[c4]")
        at = match.end()
        sign, word, value = match.groups()
        if sign == "(":
            depth += 1
        elif sign == ")":
            # The first end of a variation ends the main line: no node is behind its children.
            depth, over = depth - 1, True
            if depth <= 0:
                return
        elif word is not None:
            # Older files have small letters in names, which do not count.
            name = re.sub(r"[a-z]", "", word)
        elif value is not None and not over:
            if depth == 0 or not name:
                raise source.error(
                    match.start(3), quoted(value), "the name of a property before it"
                )
            yield _Value(name, value[1:-1], match.start(3) + 1)
    raise source.end_error("')' for the first '('")


@dataclass
class _Position:
    """The stones by their cells, and who is to move: the other player than the one who moved."""

    source: Source
    columns: int
    rows: int
    golem: bool
    stones: dict[Cell, str] = field(default_factory=dict)
    turn: str | None = None

    def take(self, value: _Value) -> None:
        """Move, place or remove a stone, or say who is to move, if the property does that."""
        name = value.name
        if name == "PL":
            self._play(value)
        elif name in ("AB", "AW", "AE"):
            cell = self._cell(value)
            self.stones.pop(cell, None)
            if name != "AE":
                self.stones[cell] = self._colour(name[1])
        elif name in _OTHER:
            self._move(value)

    def _colour(self, letter: str) -> str:
        return _OTHER[letter] if self.golem else letter

    def _play(self, value: _Value) -> None:
        letter = value.text.strip()[:1].upper()
        if letter not in _OTHER:
            raise self.source.error(value.offset, quoted(value.text), "B or W, who is to move")
        self.turn = self._colour(letter)

    def _move(self, value: _Value) -> None:
        colour, word = self._colour(value.name), value.text.strip().lower()
        self.turn = _OTHER[colour]
        if word in ("swap-pieces", "swap"):
            if len(self.stones) != 1:
                found = f"a swap with {len(self.stones)} stones on the board"
                raise self.source.error(value.offset, found, "one behind the first move")
            ((x, y),) = self.stones
            if max(x, y) > min(self.columns, self.rows):
                raise self.source.error(value.offset, quoted(word), "a stone that can be mirrored")
            self.stones = {(y, x): colour}
        elif word == "swap-sides" or word in _WITHOUT_STONE:
            return
        else:
            cell = self._cell(value)
            if cell in self.stones:
                raise self.source.error(value.offset, quoted(value.text), "an open cell")
            self.stones[cell] = colour

    def _cell(self, value: _Value) -> Cell:
        word = value.text.strip().lower()
        cell = named_cell(word)
        if self.golem and _LETTERS.fullmatch(word):
            cell = ord(word[0]) - ord("a") + 1, ord(word[1]) - ord("a") + 1
        if cell is None or cell[0] > self.columns or cell[1] > self.rows:
            expected = f"a cell of the {self.columns}x{self.rows} board"
            raise self.source.error(value.offset, quoted(value.text), expected)
        return cell

    def board(self) -> HexFile:
        colours: dict[str, list[str]] = {"B": [], "W": []}
        for cell, colour in self.stones.items():
            colours[colour].append(cell_name(*cell))
        return HexFile(
            self.columns,
            self.rows,
            tuple(colours["B"]),
            tuple(colours["W"]),
            self.turn == "W",
            self.source.path,
        )
