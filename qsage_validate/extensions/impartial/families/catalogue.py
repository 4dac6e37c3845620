"""All families by name, and those of one pile, of tokens and of Chomp (categories 1, 3 and 5)."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations

from qsage_validate.extensions.impartial.families import nim, nim_positions, wythoff
from qsage_validate.extensions.impartial.families.family import (
    FamilyGame,
    FamilyMove,
    ImpartialFamily,
    all_are,
    at_least,
    bound_parameter,
    bound_suffix,
    bounded,
    each,
    game,
    piles,
    some,
    take,
)
from qsage_validate.extensions.impartial.model import ImpartialGame


def take_away(most: int) -> ImpartialGame:
    """One to ``most`` tokens may be taken."""
    take = FamilyMove("take", "k", f"k >= 1 and k <= {most} and v >= k", ("v := v - k",))
    return game("v", "v >= 0", "v = 0", [take])


def subtraction(*numbers: int) -> ImpartialGame:
    """A number of tokens out of a set may be taken; the numbers are sorted."""
    one_of = some(f"k = {number}" for number in numbers)
    take = FamilyMove("take", "k", f"v >= k and {one_of}", ("v := v - k",))
    return game("v", "v >= 0", f"v < {numbers[0]}", [take])


def mark(less: int, divisor: int) -> ImpartialGame:
    """Fewer than ``less`` tokens may be taken, or the pile divided where that leaves no rest."""
    moves = [
        FamilyMove("take", "k", f"k > 0 and k < {less} and v >= k", ("v := v - k",)),
        FamilyMove("divide", "k", f"v = {divisor}*k and v > k", ("v := k",)),
    ]
    return game("v", "v >= 0", "v = 0", moves)


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
        moves.append(FamilyMove(f"eat{i + 1}", "k", condition, (f"{row} := k - 1", *below)))
    legal = f"v1 >= 1 and {at_least(names[1:])}"
    ending = f"v1 = 1 and {all_are(names[1:], 0)}"
    return game(names, bounded(legal, names[-1], bound), ending, moves)


def l_chomp() -> ImpartialGame:
    """Two arms that meet in a corner; each is bitten off somewhere beyond the corner."""
    moves = [
        FamilyMove(f"eat{i}", "k", f"k > 0 and v{i} - k >= 1", (f"v{i} := v{i} - k",))
        for i in (1, 2)
    ]
    return game(("v1", "v2"), "v1 >= 1 and v2 >= 1", "v1 = 1 and v2 = 1", moves)


_UNEQUAL = ("v1 - k != v2", "v2 - k != v1")
_APART = "v1 >= 0 and v2 >= 0 and v1 != v2"


def welter(most: int | None = None) -> ImpartialGame:
    """Two tokens on a strip, never on one square, move down, by at most ``most`` squares."""
    short = () if most is None else (f"k <= {most}",)
    moves = [take(i + 1, free, *short) for i, free in enumerate(_UNEQUAL)]
    return game(("v1", "v2"), _APART, "(v1 = 0 and v2 = 1) or (v1 = 1 and v2 = 0)", moves)


def max_welter() -> ImpartialGame:
    """Only the token that is farther up moves."""
    moves = [take(1, "v1 > v2", _UNEQUAL[0]), take(2, "v2 > v1", _UNEQUAL[1])]
    return game(("v1", "v2"), _APART, "v1 + v2 = 1", moves)


def _one_pile() -> tuple[ImpartialFamily, ...]:
    """Category 1."""
    sets = [s for size in (1, 2, 3, 4) for s in combinations(range(1, 11), size)]
    marks = [(("t", t), ("d", d)) for t in range(2, 10) for d in range(2, 10)]
    return (
        ImpartialFamily(
            "1.1", "Take-away", each("take-away", take_away, [(("m", m),) for m in range(1, 31)])
        ),
        ImpartialFamily(
            "1.2",
            "Subtraction",
            each("subtraction", subtraction, [tuple(("S", n) for n in s) for s in sets]),
        ),
        ImpartialFamily("1.3", "Mark", each("mark", mark, marks)),
    )


def _welter() -> tuple[ImpartialFamily, ...]:
    """Category 3."""
    slow = each("welter-l", welter, [(("l", most),) for most in range(1, 6)], "")
    return (
        ImpartialFamily("3.1", "Welter", each("welter", welter)),
        ImpartialFamily("3.2", "l-Welter", slow),
        ImpartialFamily("3.3", "Max-Welter", each("max-welter", max_welter)),
    )


def _chomp() -> tuple[ImpartialFamily, ...]:
    """Category 5."""
    sizes: list[tuple[int, int | None]] = [(2, None), (3, None), *((3, b) for b in range(1, 6))]
    rows = (
        FamilyGame(
            f"chomp-{n}{bound_suffix(b)}",
            (("rows", n), *bound_parameter("v3", b)),
            partial(chomp, n, b),
        )
        for n, b in sizes
    )
    return ImpartialFamily("5.1", "Chomp", tuple(rows)), ImpartialFamily(
        "5.2", "L-Chomp", each("l-chomp", l_chomp)
    )


@cache
def families() -> tuple[ImpartialFamily, ...]:
    """All families, in the order of their numbers; models are made when they are asked for."""
    nims = (*nim.families(), *nim_positions.families())
    return (*_one_pile(), *nims, *_welter(), *wythoff.families(), *_chomp())


@cache
def by_name() -> dict[str, FamilyGame]:
    """The games of all families by name."""
    return {game.name: game for family in families() for game in family.games}
