"""Letters and digits of three rows, for names of squares that are read from afar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

HEIGHT: Final = 3
"""The rows of a glyph; each is as many columns wide."""

# The five rows of dots of each glyph, three bits in a digit.
_DOTS: Final[Mapping[str, str]] = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        re.findall(
            ".{5}",
            "7555726227717477171755711747177475771122757577571725755656563444365556746477464434553"
            "5575572227111525565544447577556555525552656442556365655342167222255557555225577555255"
            "5522271247"
            "0635746556034431355303563127223571246555202221015245665622270777506555025520656403531"
            "034440363627223055530557205777052250531207367",
        ),
        strict=True,
    )
)
_HALVES: Final = " ▄▀█"


def has_glyphs(text: str) -> bool:
    """Whether each character of a name has a glyph."""
    return all(character in _DOTS for character in text)


def glyph_row(text: str, row: int) -> str:
    """A row (from 0) of a name in large letters, with a column between two of them."""
    return " ".join(_row(_DOTS[character] + "0", row) for character in text)


def _row(dots: str, row: int) -> str:
    above, below = (int(dots[2 * row + half]) for half in (0, 1))
    return "".join(_HALVES[2 * (above >> bit & 1) + (below >> bit & 1)] for bit in (2, 1, 0))
