"""One pile: take-away, subtraction sets, and Mark (classes 1.1 to 1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from qsage_validate.games.impartial.families.family import (
    Family,
    FamilyGame,
    Move,
    game,
    some,
)
from qsage_validate.games.impartial.model import ImpartialGame

_LEGAL = "v >= 0"


def take_away(most: int) -> ImpartialGame:
    """One to ``most`` tokens may be taken."""
    take = Move("take", "k", f"k >= 1 and k <= {most} and v >= k", ("v := v - k",))
    return game("v", _LEGAL, "v = 0", [take])


def subtraction(numbers: Sequence[int]) -> ImpartialGame:
    """A number of tokens out of a set may be taken; the numbers are sorted."""
    one_of = some(f"k = {number}" for number in numbers)
    take = Move("take", "k", f"v >= k and {one_of}", ("v := v - k",))
    return game("v", _LEGAL, f"v < {numbers[0]}", [take])


def mark(less: int, divisor: int) -> ImpartialGame:
    """Fewer than ``less`` tokens may be taken, or the pile divided where that leaves no rest."""
    moves = [
        Move("take", "k", f"k > 0 and k < {less} and v >= k", ("v := v - k",)),
        Move("divide", "k", f"v = {divisor}*k and v > k", ("v := k",)),
    ]
    return game("v", _LEGAL, "v = 0", moves)


def families() -> tuple[Family, ...]:
    """The families of category 1."""
    sets = [s for size in (1, 2, 3, 4) for s in combinations(range(1, 11), size)]
    marks = [(t, d) for t in range(2, 10) for d in range(2, 10)]
    return (
        Family(
            "1.1",
            "Take-away",
            tuple(
                FamilyGame(f"take-away-{m}", (("m", m),), partial(take_away, m))
                for m in range(1, 31)
            ),
        ),
        Family(
            "1.2",
            "Subtraction",
            tuple(
                FamilyGame(
                    f"subtraction-{'-'.join(map(str, s))}",
                    tuple(("S", number) for number in s),
                    partial(subtraction, s),
                )
                for s in sets
            ),
        ),
        Family(
            "1.3",
            "Mark",
            tuple(
                FamilyGame(f"mark-{t}-{d}", (("t", t), ("d", d)), partial(mark, t, d))
                for t, d in marks
            ),
        ),
    )
