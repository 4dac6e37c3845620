"""Nim on two and three piles and its variants, first part (classes 2.1 to 2.9)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Final

from qsage_validate.extensions.impartial.families.family import (
    FamilyGame,
    FamilyMove,
    ImpartialFamily,
    all_are,
    at_least,
    bound_parameter,
    bound_suffix,
    bounded,
    closed,
    every,
    game,
    piles,
    take,
)
from qsage_validate.extensions.impartial.model import ImpartialGame

Rules = Callable[[int, int | None], ImpartialGame]
"""A game on so many piles, the last of which has at most so many tokens."""

LEAVES: Final = "moves leave the legal states"


def nim(count: int, bound: int | None = None, most: int | None = None) -> ImpartialGame:
    """Take from one pile, at most ``most`` tokens."""
    few = () if most is None else (f"k <= {most}",)
    return on_piles(count, bound, [take(i, *few) for i in range(1, count + 1)])


def on_piles(
    count: int, bound: int | None, moves: list[FamilyMove], legal: str = "", ending: str = ""
) -> ImpartialGame:
    """A game on piles that ends when all are empty, if ``ending`` says nothing else."""
    names = piles(count)
    constraint = every(filter(None, (at_least(names), legal)))
    return game(names, bounded(constraint, names[-1], bound), ending or all_are(names, 0), moves)


def _ordered(names: tuple[str, ...]) -> str:
    return every(f"{low} <= {high}" for low, high in pairwise(names))


def monotonic(count: int, bound: int | None = None) -> ImpartialGame:
    """Nim on piles in order of size, which stays; the bound is that of the smallest one."""
    names = piles(count)
    moves = [take(1)]
    moves += [take(i, f"v{i} - k >= v{i - 1}") for i in range(2, count + 1)]
    return on_piles(count, None, moves, bounded(_ordered(names), "v1", bound))


def transfer(count: int, bound: int | None = None, *, leave: int = 1) -> ImpartialGame:
    """Empty a pile and refill it from another one, in which ``leave`` tokens must stay."""
    names = piles(count)
    moves = [
        FamilyMove(
            f"empty_{empty}_from_{other}",
            "k",
            f"k > 0 and {other} - k >= {leave}",
            (f"{empty} := k", f"{other} := {other} - k"),
        )
        for empty in names
        for other in names
        if other != empty
    ]
    constraint = bounded(at_least(names, 1), names[-1], bound)
    return game(names, constraint, all_are(names, 1), moves)


def all_but_one(count: int, bound: int | None = None, *, sign: str = "<=") -> ImpartialGame:
    """Keep one pile and split it into as many as there were; ``<=``: tokens may be lost."""
    names, parts = piles(count), [f"k{i}" for i in range(1, count + 1)]
    moves = [
        FamilyMove(
            f"keep{i}",
            " ".join(parts),
            f"{at_least(parts, 1)} and {' + '.join(parts)} {sign} {name}",
            tuple(f"{v} := {k}" for v, k in zip(names, parts, strict=True)),
        )
        for i, name in enumerate(names, 1)
    ]
    return on_piles(count, bound, moves, ending=every(f"{name} < 3" for name in names))


def redistribute(count: int, bound: int | None = None) -> ImpartialGame:
    """Discard a pile and make as many as there were out of the others."""
    names, parts = piles(count), [f"k{i}" for i in range(1, count + 1)]
    moves = []
    for i, name in enumerate(names, 1):
        others = " + ".join(other for other in names if other != name)
        condition = f"{at_least(parts, 1)} and {others} = {' + '.join(parts)}"
        effects = tuple(f"{v} := {k}" for v, k in zip(names, parts, strict=True))
        moves.append(FamilyMove(f"discard{i}", " ".join(parts), condition, effects))
    constraint = bounded(at_least(names, 1), names[-1], bound)
    return game(names, constraint, f"{' + '.join(names)} < {count + 1}", moves)


def entropy(count: int, bound: int | None = None) -> ImpartialGame:
    """Move tokens from a pile to a smaller one: fewer than the difference of the two piles."""
    names = piles(count)
    pairs = [(a, b) for a in names for b in names if a != b]
    moves = [
        FamilyMove(
            f"move_{a}_to_{b}",
            "k",
            f"k > 0 and {a} - {b} > k",
            (f"{a} := {a} - k", f"{b} := {b} + k"),
        )
        for a, b in pairs
    ]
    constraint = bounded(at_least(names, 1), names[-1], bound)
    return game(names, constraint, every(f"{a} - {b} <= 1" for a, b in pairs), moves)


def minimum(bound: int | None = None) -> ImpartialGame:
    """Take from a pile that is not the smaller one, at most as much as the other one has."""
    moves = [
        FamilyMove(f"take{i}", "k", f"v{i} >= v{j} and k <= v{j} and k > 0", (f"v{i} := v{i} - k",))
        for i, j in ((1, 2), (2, 1))
    ]
    return on_piles(2, bound, moves, ending="v1 = 0 or v2 = 0")


def sharing(count: int, bound: int | None = None, *, ending: str = "") -> ImpartialGame:
    """Move tokens from a larger pile to a smaller one, which does not become the larger one."""
    names = piles(count)
    pairs = [(i, j) for j in range(2, count + 1) for i in range(1, j)]
    moves = [
        FamilyMove(
            f"move{j}to{i}",
            "k",
            f"v{j} >= k and k > 0 and v{j} - k >= v{i} + k",
            (f"v{j} := v{j} - k", f"v{i} := v{i} + k"),
        )
        for i, j in pairs
    ]
    close = every(f"v{i + 1} - v{i} <= 1" for i in range(1, count))
    return on_piles(count, bound, moves, _ordered(names), ending or close)


# --- Grids ----------------------------------------------------------------------------------


def two_and_three(
    slug: str,
    published: Rules,
    repaired: Callable[[int, int | None], tuple[Rules, str] | None] = lambda n, b: None,
    sizes: tuple[int, ...] = (2, 3),
    limited: str = "v3",
) -> tuple[FamilyGame, ...]:
    """Two piles, three piles, and three with at most 1 to 5 tokens in the one that is limited.

    ``repaired`` says for a size and a bound what the repaired rules are, and why.
    """
    games = []
    for count, bound in [(n, None) for n in sizes] + [(3, b) for b in range(1, 6)]:
        mended = repaired(count, bound)
        parameters = (("piles", count), *bound_parameter(limited, bound))
        build = None if mended is None else partial(mended[0], count, bound)
        games.append(
            FamilyGame(
                f"{slug}-{count}{bound_suffix(bound)}",
                parameters,
                partial(published, count, bound),
                build,
                "" if mended is None else mended[1],
            )
        )
    return tuple(games)


def _closed(rules: Rules) -> Rules:
    return lambda count, bound: closed(rules(count, bound))


def _bounded_only(rules: Rules) -> Callable[[int, int | None], tuple[Rules, str] | None]:
    """Only with a bound do moves leave the legal states."""
    return lambda count, bound: None if bound is None else (_closed(rules), LEAVES)


def _mend_transfer(count: int, bound: int | None) -> tuple[Rules, str] | None:
    why = "a pile may be emptied into another one, which leaves the legal states"
    return None if count == 2 else (_closed(transfer), why)


def _mend_sharing(count: int, bound: int | None) -> tuple[Rules, str] | None:
    def mended(count: int, bound: int | None) -> ImpartialGame:
        return closed(sharing(count, bound, ending=f"v{count} - v1 <= 1"))

    why = "moves may disturb the order, and not all ending states are without moves"
    return None if count == 2 else (mended, why)


def _mend_split(count: int, bound: int | None) -> tuple[Rules, str] | None:
    def exact(count: int, bound: int | None) -> ImpartialGame:
        return closed(all_but_one(count, bound, sign="="))

    return exact, "tokens may get lost when a pile is split, and " + LEAVES


def families() -> tuple[ImpartialFamily, ...]:
    """The families of category 2 up to class 2.9."""
    return (
        ImpartialFamily("2.1", "Nim", two_and_three("nim", nim)),
        ImpartialFamily(
            "2.2", "Monotonic Nim", two_and_three("monotonic-nim", monotonic, limited="v1")
        ),
        ImpartialFamily("2.3", "Empty and Transfer", _transfers()),
        ImpartialFamily(
            "2.4", "Empty All But One", two_and_three("all-but-one", all_but_one, _mend_split, (3,))
        ),
        ImpartialFamily(
            "2.5",
            "Empty and Redistribute",
            two_and_three("redistribute", redistribute, _bounded_only(redistribute), (3,)),
        ),
        ImpartialFamily("2.6", "Entropy Reduction", _entropies()),
        ImpartialFamily(
            "2.7",
            "Min Game",
            tuple(
                FamilyGame(
                    f"min-game{bound_suffix(b)}", bound_parameter("v2", b), partial(minimum, b)
                )
                for b in (None, *range(1, 6))
            ),
        ),
        ImpartialFamily("2.8", "l-Slow Nim", _slow()),
        ImpartialFamily("2.9", "Sharing Nim", two_and_three("sharing", sharing, _mend_sharing)),
    )


def _transfers() -> tuple[FamilyGame, ...]:
    def published(count: int, bound: int | None) -> ImpartialGame:
        return transfer(count, bound, leave=1 if count == 2 else 0)

    return two_and_three("transfer", published, _mend_transfer)


def _entropies() -> tuple[FamilyGame, ...]:
    first, *others = two_and_three("entropy", entropy, _bounded_only(entropy))
    why = "parentheses that do not match, and a third pile that is not declared"
    broken = FamilyGame(first.name, first.parameters, None, first.published, why)
    return (broken, *others)


def _slow() -> tuple[FamilyGame, ...]:
    return tuple(
        FamilyGame(
            f"slow-nim-{n}-l{most}{bound_suffix(b)}",
            (("piles", n), ("l", most), *bound_parameter("v3", b)),
            partial(nim, n, b, most),
        )
        for most in range(1, 31)
        for n, b in [(2, None), *((3, b) for b in range(1, 6))]
    )
