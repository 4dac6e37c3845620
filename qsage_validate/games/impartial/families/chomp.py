"""Chomp with two and three rows, and with the shape of an L (classes 5.1 and 5.2)."""

from __future__ import annotations

from functools import partial

from qsage_validate.games.impartial.families.family import (
    Family,
    FamilyGame,
    Move,
    all_are,
    at_least,
    bound_parameter,
    bound_suffix,
    bounded,
    game,
    piles,
)
from qsage_validate.games.impartial.model import ImpartialGame


def chomp(rows: int, bound: int | None = None) -> ImpartialGame:
    """Eat the biscuit in column ``k`` of a row, all to its right, and all below those.

    The last biscuit, in the corner, is never eaten.  The states do not ask for rows that get
    shorter, as the published files do not.
    """
    names = piles(rows)
    moves = []
    for i, row in enumerate(names):
        below = [f"{lower} := k - 1 if {lower} >= k" for lower in names[i + 1 :]]
        first = 1 if i == 0 else 0
        condition = f"{row} >= k and k > {first}"
        moves.append(Move(f"eat{i + 1}", "k", condition, (f"{row} := k - 1", *below)))
    legal = f"v1 >= 1 and {at_least(names[1:])}"
    ending = f"v1 = 1 and {all_are(names[1:], 0)}"
    return game(names, bounded(legal, names[-1], bound), ending, moves)


def l_chomp() -> ImpartialGame:
    """Two arms that meet in a corner; each is bitten off somewhere beyond the corner."""
    moves = [
        Move(f"eat{i}", "k", f"k > 0 and v{i} - k >= 1", (f"v{i} := v{i} - k",)) for i in (1, 2)
    ]
    return game(("v1", "v2"), "v1 >= 1 and v2 >= 1", "v1 = 1 and v2 = 1", moves)


def families() -> tuple[Family, ...]:
    """The families of category 5."""
    sizes: list[tuple[int, int | None]] = [(2, None), (3, None), *((3, b) for b in range(1, 6))]
    rows = tuple(
        FamilyGame(
            f"chomp-{n}{bound_suffix(b)}",
            (("rows", n), *bound_parameter("v3", b)),
            partial(chomp, n, b),
        )
        for n, b in sizes
    )
    return (
        Family("5.1", "Chomp", rows),
        Family("5.2", "L-Chomp", (FamilyGame("l-chomp", (), l_chomp),)),
    )
