"""Names of the cells of a grid: ``c4`` is column 3, row 4; behind column ``z`` comes ``aa``."""

from __future__ import annotations

import re
from typing import Final

Cell = tuple[int, int]

_NAME: Final = re.compile(r"([a-z]{1,3})([1-9][0-9]{0,3})")
_NUMBERS: Final = re.compile(r"\(?\s*([0-9]{1,6})\s*[, ]\s*([0-9]{1,6})\s*\)?")
_LETTERS: Final = 26
_SQUARE: Final = r"(?:[a-z]{1,3}[1-9][0-9]{0,3}|\(?\s*[0-9]{1,6}\s*,\s*[0-9]{1,6}\s*\)?)"
_SEVERAL: Final = rf"{_SQUARE}(?:\s*\+\s*{_SQUARE})*"
_STEP: Final = re.compile(rf"\s*(?:({_SEVERAL})\s*(?:-|–|x|×|to)\s*)?({_SEVERAL})\s*")


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


def step_named(text: str) -> tuple[tuple[Cell, ...], tuple[Cell, ...]] | None:
    """The squares that a move leaves and those that it takes, as people say them.

    ``b2-b3`` and ``b2xc3`` go from one square to another, ``a1+a2`` takes two, ``b2`` one.
    """
    match = _STEP.fullmatch(text.lower())
    if match is None:
        return None
    sides = [
        [square_named(part) for part in side.split("+")] if side else [] for side in match.groups()
    ]
    left, taken = (tuple(cell for cell in side if cell is not None) for side in sides)
    return left, taken


def column_named(text: str) -> int | None:
    """The number, from 1, of a column in a person's words: ``b``, ``2`` or ``column b``."""
    name = text.strip().lower().removeprefix("column").strip()
    if re.fullmatch("[1-9][0-9]{0,3}", name):
        return int(name)
    cell = named_cell(f"{name}1")
    return None if cell is None or not name.isalpha() else cell[0]


def column_names(width: int) -> tuple[str, ...]:
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
