"""Names of the cells of a grid: ``c4`` is column 3, row 4; behind column ``z`` comes ``aa``."""

from __future__ import annotations

import re
from typing import Final

Cell = tuple[int, int]

_NAME: Final = re.compile(r"([a-z]{1,3})([1-9][0-9]{0,3})")
_NUMBERS: Final = re.compile(r"\(?\s*([0-9]{1,6})\s*[, ]\s*([0-9]{1,6})\s*\)?")
_LETTERS: Final = 26


def cell_name(x: int, y: int) -> str:
    """The name of the cell in column ``x`` and row ``y``, from 1."""
    return f"{column_letters(x)}{y}"


def column_letters(x: int) -> str:
    """The name of column ``x``, from 1."""
    letters = ""
    while x:
        x, digit = divmod(x - 1, _LETTERS)
        letters = chr(ord("a") + digit) + letters
    return letters


def square_named(text: str) -> Cell | None:
    """Column and row of a square in a person's words: ``b2``, ``(2,3)``, ``2,3`` or ``2 3``."""
    numbers = _NUMBERS.fullmatch(text.strip())
    if numbers is not None:
        return int(numbers[1]), int(numbers[2])
    return named_cell(text.strip().lower())


def column_names(width: int) -> tuple[str, ...]:
    """The names of the columns of a board."""
    return tuple(column_letters(x) for x in range(1, width + 1))


def named_cell(name: str) -> Cell | None:
    """Column and row, from 1, of a name; ``None`` when it is not of this form."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    x = 0
    for letter in match[1]:
        x = x * _LETTERS + ord(letter) - ord("a") + 1
    return x, int(match[2])
