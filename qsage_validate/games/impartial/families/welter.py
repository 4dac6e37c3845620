"""Welter's game on two tokens, and its variants (classes 3.1 to 3.3)."""

from __future__ import annotations

from functools import partial

from qsage_validate.games.impartial.families.family import Family, FamilyGame, game, take
from qsage_validate.games.impartial.model import ImpartialGame

_LEGAL = "v1 >= 0 and v2 >= 0 and v1 != v2"
_FREE = ("v1 - k != v2", "v2 - k != v1")


def welter(most: int | None = None) -> ImpartialGame:
    """Two tokens on a strip, never on one square, move down, by at most ``most`` squares."""
    short = () if most is None else (f"k <= {most}",)
    moves = [take(i + 1, free, *short) for i, free in enumerate(_FREE)]
    return game(("v1", "v2"), _LEGAL, "(v1 = 0 and v2 = 1) or (v1 = 1 and v2 = 0)", moves)


def max_welter() -> ImpartialGame:
    """Only the token that is farther up moves."""
    moves = [take(1, "v1 > v2", _FREE[0]), take(2, "v2 > v1", _FREE[1])]
    return game(("v1", "v2"), _LEGAL, "v1 + v2 = 1", moves)


def families() -> tuple[Family, ...]:
    """The families of category 3."""
    slow = tuple(
        FamilyGame(f"welter-l{most}", (("l", most),), partial(welter, most)) for most in range(1, 6)
    )
    return (
        Family("3.1", "Welter", (FamilyGame("welter", (), welter),)),
        Family("3.2", "l-Welter", slow),
        Family("3.3", "Max-Welter", (FamilyGame("max-welter", (), max_welter),)),
    )
