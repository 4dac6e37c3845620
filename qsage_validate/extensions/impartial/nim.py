"""Families of impartial games; Nim and its kin, and the positions whose winner theory knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Final

from qsage_validate.extensions.impartial.model import (
    TRUE,
    ImpartialAction,
    ImpartialEffect,
    ImpartialGame,
    Linear,
    conjunction,
)
from qsage_validate.extensions.impartial.parser import parse_expression, parse_formula

# Families of impartial games, and the functions that build their games from words


CATEGORIES: Final = ("Sub", "Nim", "Welter", "Wythoff", "Chomp")
"""The categories of the published benchmark; a family's number begins with theirs."""

PUBLISHED: Final = "published"
REPAIRED: Final = "repaired"

Parameter = tuple[str, int | str]
Build = Callable[[], ImpartialGame]


@dataclass(frozen=True)
class FamilyGame:
    """One game of a family, in two variants: as it was published, and repaired.

    ``published`` is ``None`` when the published file is no game at all; ``repaired`` is ``None``
    when nothing had to be repaired.  ``defect`` says what had to be.
    """

    name: str
    parameters: tuple[Parameter, ...]
    published: Build | None
    repaired: Build | None = None
    defect: str = ""

    def make(self, variant: str = REPAIRED) -> ImpartialGame:
        """The game; raises ``ValueError`` for a published variant that is no game."""
        build = self.published if variant == PUBLISHED else self.repaired or self.published
        if build is None:
            raise ValueError(f"{self.name} was published as a file that is no game")
        return replace(build(), name=self.name)


@dataclass(frozen=True)
class ImpartialFamily:
    """Games of one kind: ``number`` is that of the benchmark's class, as in ``2.8``."""

    number: str
    title: str
    games: tuple[FamilyGame, ...]

    @property
    def category(self) -> str:
        """The category in the paper's Table 4."""
        return CATEGORIES[int(self.number.partition(".")[0]) - 1]


def each(
    slug: str,
    build: Callable[..., ImpartialGame],
    values: Iterable[tuple[tuple[str, int], ...]] = ((),),
    dash: str = "-",
) -> tuple[FamilyGame, ...]:
    """A game for each choice of its parameters' values, which stand in its name."""
    games = []
    for parameters in values:
        numbers = [number for _, number in parameters]
        name = dash.join(filter(None, (slug, "-".join(map(str, numbers)))))
        games.append(FamilyGame(name, parameters, partial(build, *numbers)))
    return tuple(games)


# --- Games in words -------------------------------------------------------------------------


@dataclass(frozen=True)
class FamilyMove:
    """An action in words: ``("take", "k", "k > 0 and v1 >= k", ("v1 := v1 - k",))``.

    An effect may have a condition: ``v2 := k - 1 if v2 >= k``.
    """

    name: str
    parameters: str
    condition: str
    effects: tuple[str, ...]


def game(
    variables: Iterable[str], constraint: str, ending: str, moves: Iterable[FamilyMove]
) -> ImpartialGame:
    """The model of a game in words; its name is still empty."""
    names = tuple(variables)
    actions = tuple(_action(names, move) for move in moves)
    legal, ends = parse_formula(constraint, names), parse_formula(ending, names)
    return ImpartialGame("", names, actions, legal, ends)


def _action(variables: tuple[str, ...], move: FamilyMove) -> ImpartialAction:
    parameters = tuple(move.parameters.split())
    known = (*variables, *parameters)
    effects = []
    for text in move.effects:
        variable, _, rest = text.partition(" := ")
        value, _, condition = rest.partition(" if ")
        when = parse_formula(condition, known) if condition else TRUE
        effects.append(ImpartialEffect(variable, parse_expression(value, known), when))
    return ImpartialAction(
        move.name, parameters, parse_formula(move.condition, known), tuple(effects)
    )


def closed(game: ImpartialGame) -> ImpartialGame:
    """The game without the moves that leave its legal states; no effect may have a condition."""
    actions = []
    for action in game.actions:
        assert all(effect.condition == TRUE for effect in action.effects)
        after: dict[str, Linear] = {e.variable: e.expression for e in action.effects}
        legal = game.constraint.substitute(after)
        actions.append(replace(action, precondition=conjunction((action.precondition, legal))))
    return replace(game, actions=tuple(actions))


def every(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def some(parts: Iterable[str]) -> str:
    """One of the conditions, in parentheses."""
    return f"({' or '.join(f'({part})' for part in parts)})"


def piles(count: int) -> tuple[str, ...]:
    """The names of so many piles: ``v1``, ``v2``, ..."""
    return tuple(f"v{i}" for i in range(1, count + 1))


def at_least(names: Iterable[str], least: int = 0) -> str:
    """Each of the variables is at least so large."""
    return every(f"{name} >= {least}" for name in names)


def all_are(names: Iterable[str], value: int) -> str:
    """Each of the variables has this value."""
    return every(f"{name} = {value}" for name in names)


def take(number: int, *conditions: str) -> FamilyMove:
    """Take ``k`` tokens, at least one, from the pile of that number, under further conditions."""
    pile = f"v{number}"
    condition = every((f"{pile} >= k", "k > 0", *conditions))
    return FamilyMove(f"take{number}", "k", condition, (f"{pile} := {pile} - k",))


def bounded(constraint: str, name: str, bound: int | None) -> str:
    """The constraint, and that the variable is at most ``bound`` if that is a number."""
    return constraint if bound is None else f"{constraint} and {name} <= {bound}"


def bound_parameter(name: str, bound: int | None) -> tuple[Parameter, ...]:
    return () if bound is None else ((f"{name} <=", bound),)


def bound_suffix(bound: int | None) -> str:
    """The suffix of a game's name that stands for a bound; empty without a bound."""
    return "" if bound is None else f"-le-{bound}"


# Nim on two and three piles and its variants, first part (classes 2.1 to 2.9)


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


def nim_families() -> tuple[ImpartialFamily, ...]:
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


# Nim where the place of a pile, or what was played before, matters (classes 2.10 to 2.18)


def small(count: int, bound: int | None = None) -> ImpartialGame:
    """Take from a smallest pile: with two piles one that is not empty, with three any."""
    if count == 2:
        moves = [take(1, "(v1 <= v2 or v2 = 0)"), take(2, "(v2 <= v1 or v1 = 0)")]
    else:
        moves = [take(i, *_compared(i, count, "<=")) for i in range(1, count + 1)]
    return on_piles(count, bound, moves)


def greedy(count: int, bound: int | None = None) -> ImpartialGame:
    """Take from a largest pile."""
    moves = [take(i, *_compared(i, count, ">=")) for i in range(1, count + 1)]
    return on_piles(count, bound, moves)


def _compared(number: int, count: int, relation: str) -> list[str]:
    return [f"v{number} {relation} v{j}" for j in range(1, count + 1) if j != number]


def odd_or_even(count: int, bound: int | None = None, *, left: str = "") -> ImpartialGame:
    """Nim in which the number taken has the parity ``p``; the mover chooses the next parity.

    A parity of 2 means that none has been chosen yet.

    ``left`` is the condition under which the first parity may be chosen.
    """
    names = piles(count)
    moves = [
        FamilyMove(
            "name", "k", every(filter(None, ("p = 2", "k >= 0", "k <= 1", left))), ("p := k",)
        )
    ]
    for name in names:
        for parity, word in enumerate(("even", "odd")):
            condition = f"p != 2 and k >= 1 and (k - p) % 2 = 0 and {name} >= k"
            effects = (f"{name} := {name} - k", f"p := {parity}")
            moves.append(FamilyMove(f"take_{name}_then_{word}", "k", condition, effects))
    constraint = f"{at_least((*names, 'p'))} and p <= 2"
    if bound is not None:
        constraint = every((constraint, *(f"{name} <= {bound}" for name in names)))
    few = "v1 = 1" if count == 1 else every(f"{name} <= 1" for name in names)
    ending = f"({all_are(names, 0)}) or (p = 0 and {few})"
    if count == 1:
        ending = "v1 = 0 or (v1 = 1 and p = 0)"
    return game(("p", *names), constraint, ending, moves)


def modular(count: int, blocked: int, *, slip: bool = False) -> ImpartialGame:
    """The number taken must not be ``blocked`` modulo the number of piles.

    With ``slip`` the last pile becomes what the second one would become.
    """
    residues = [r for r in range(count) if r != blocked]
    free = some(f"k % {count} = {r}" for r in residues)
    moves = [take(i, free) for i in range(1, count + 1)]
    if slip:
        moves[-1] = FamilyMove("take3", "k", moves[-1].condition, ("v3 := v2 - k",))
    most = 1 if count == 2 and blocked == 1 else 0
    ending = every(f"{name} <= {most}" for name in piles(count))
    return on_piles(count, None, moves, ending=ending)


def pointed(count: int, bound: int | None = None, *, slip: bool = False) -> ImpartialGame:
    """Take from the pile ``p``; of two piles the other one is next, of three the mover says.

    The game ends where the pile ``p`` is empty; with ``slip`` as in the published files: two
    piles end where any is empty, and taking from the third pile empties the second one.
    """
    names = piles(count)
    moves = []
    for i, name in enumerate(names, 1):
        condition = f"{name} >= k and p = {i} and k > 0"
        lost = "v2 := v2 - k" if slip and i == 3 else f"{name} := {name} - k"
        if count == 2:
            moves.append(FamilyMove(f"take{i}", "k", condition, (lost, f"p := {3 - i}")))
        else:
            named = f"{condition} and m >= 1 and m <= {count}"
            moves.append(FamilyMove(f"take{i}", "k m", named, (lost, "p := m")))
    constraint = bounded(f"{at_least(names)} and p >= 1 and p <= {count}", names[-1], bound)
    ending = some(f"p = {i} and v{i} = 0" for i in range(1, count + 1))
    if slip:
        ending = "v1 = 0 or v2 = 0" if count == 2 else all_are(names, 0)
    return game((*names, "p"), constraint, ending, moves)


def end_nim(count: int, bound: int | None = None, *, slip: bool = False) -> ImpartialGame:
    """Piles in a row, of which one at an end is taken from (``slip``: the smaller one of two)."""
    if count == 2:
        return on_piles(2, bound, [take(1, "v1 <= v2"), take(2, "v2 <= v1")]) if slip else nim(2)
    return on_piles(count, bound, [take(1), take(2, "(v1 = 0 or v3 = 0)"), take(3)])


def loop_end_nim(count: int, bound: int | None = None, *, slip: bool = False) -> ImpartialGame:
    """End Nim that ends when one pile is left; with ``slip`` moves go on all the same."""
    names = piles(count)
    base = end_nim(count, bound, slip=slip)
    alone = some(
        every((f"{name} > 0", all_are((n for n in names if n != name), 0))) for name in names
    )
    parsed = game(names, "v1 >= 0", alone, [])
    if slip:
        return ImpartialGame("", names, base.actions, base.constraint, parsed.ending)
    two_left = some(every((f"{a} > 0", f"{b} > 0")) for a, b in pairwise((*names, names[0])))
    moves = [take(i, two_left) for i in range(1, count + 1)]
    if count == 3:
        moves[1] = take(2, two_left, "(v1 = 0 or v3 = 0)")
    return on_piles(count, bound, moves, ending=alone)


def staircase(count: int, bound: int | None = None) -> ImpartialGame:
    """Move tokens one step down, from the first step off the stairs."""
    moves = [take(1)]
    for i in range(2, count + 1):
        effects = (f"v{i} := v{i} - k", f"v{i - 1} := v{i - 1} + k")
        moves.append(FamilyMove(f"take{i}", "k", f"v{i} >= k and k > 0", effects))
    return on_piles(count, bound, moves)


def circular(count: int, together: int, *, slip: bool = False) -> ImpartialGame:
    """Take from up to ``together`` piles that follow each other in a circle.

    With ``slip`` as in the published files of (5, 2) and (5, 5).
    """
    parameters = [f"k{i}" for i in range(1, together + 1)] if together > 1 else ["k"]
    moves = []
    for start in range(1 if together == count else count):
        chosen = [f"v{(start + i) % count + 1}" for i in range(together)]
        pairs = list(zip(chosen, parameters, strict=True))
        condition = every(
            (
                *(f"{pile} >= {k}" for pile, k in pairs),
                at_least(parameters),
                f"{' + '.join(parameters)} >= 1",
            )
        )
        effects = [f"{pile} := {pile} - {k}" for pile, k in pairs]
        if slip and together == 5:
            effects = effects[:3]
        elif slip and start == 4:
            effects[0] = "v5 := v1 - k1"
        moves.append(
            FamilyMove(f"take{start + 1}", " ".join(parameters), condition, tuple(effects))
        )
    return on_piles(count, None, moves)


# --- Grids ----------------------------------------------------------------------------------


def nim_position_families() -> tuple[ImpartialFamily, ...]:
    """The families of category 2 from class 2.10."""
    return (
        ImpartialFamily("2.10", "Small Nim", two_and_three("small-nim", small)),
        ImpartialFamily("2.11", "Greedy Nim", two_and_three("greedy-nim", greedy)),
        ImpartialFamily("2.12", "Odd-or-Even Nim", _odd_or_even()),
        ImpartialFamily("2.13", "Modular Nim", _modular()),
        ImpartialFamily(
            "2.14",
            "Pointed Nim",
            _slipped("pointed-nim", pointed, partial(pointed, slip=True), _POINTED),
        ),
        ImpartialFamily("2.15", "End Nim", _end_nim()),
        ImpartialFamily(
            "2.16",
            "Loop End Nim",
            _slipped("loop-end-nim", loop_end_nim, partial(loop_end_nim, slip=True), _LOOP),
        ),
        ImpartialFamily("2.17", "Staircase Nim", two_and_three("staircase", staircase)),
        ImpartialFamily("2.18", "Circular Nim", _circular()),
    )


_POINTED = {
    2: "states where any pile is empty end the game, although there are moves",
    3: "taking from the third pile takes from the second one",
}
_LOOP = {
    2: "only the smaller pile may be taken from, so that the game is Small Nim",
    3: "a single pile that is left ends the game, although there are moves",
}


def _slipped(
    slug: str, rules: Rules, published: Rules, why: dict[int, str]
) -> tuple[FamilyGame, ...]:
    """All games of a family as published and repaired, with the reason by number of piles."""
    return two_and_three(slug, published, lambda count, bound: (rules, why[count]))


def _end_nim() -> tuple[FamilyGame, ...]:
    def published(count: int, bound: int | None) -> ImpartialGame:
        return end_nim(count, bound, slip=True)

    return two_and_three("end-nim", published, lambda n, b: (end_nim, _LOOP[2]) if n == 2 else None)


def _odd_or_even() -> tuple[FamilyGame, ...]:
    sizes: list[tuple[int, int | None]] = [(1, None), (2, None), *((2, b) for b in range(1, 6))]
    why = "a parity may be said where no token is left, although these states end the game"
    return tuple(
        FamilyGame(
            f"odd-or-even-{n}{bound_suffix(b)}",
            (("piles", n), *bound_parameter("v1, v2" if n == 2 else "v1", b)),
            partial(odd_or_even, n, b),
            partial(odd_or_even, n, b, left=some(f"{v} > 0" for v in piles(n))),
            why,
        )
        for n, b in sizes
    )


def _modular() -> tuple[FamilyGame, ...]:
    why = "taking from the third pile makes it what the second one would become"
    two = tuple(
        FamilyGame(f"modular-nim-2-x{x}", (("piles", 2), ("x", x)), partial(modular, 2, x))
        for x in (0, 1)
    )
    three = tuple(
        FamilyGame(
            f"modular-nim-3-x{x}",
            (("piles", 3), ("x", x)),
            partial(modular, 3, x, slip=True),
            partial(modular, 3, x),
            why,
        )
        for x in (0, 1, 2)
    )
    return (*two, *three)


_CIRCULAR = {
    (5, 2): "an effect names the wrong pile",
    (5, 4): "a parameter that is not declared",
    (5, 5): "the effect leaves out the fourth and the fifth pile",
}


def _circular() -> tuple[FamilyGame, ...]:
    games = []
    for n in range(1, 6):
        for k in range(1, n + 1):
            why = _CIRCULAR.get((n, k), "")
            name, parameters = f"circular-nim-{n}-{k}", (("n", n), ("k", k))
            sound = partial(circular, n, k)
            slip = partial(circular, n, k, slip=True)
            published = {"": sound, _CIRCULAR[5, 4]: None}.get(why, slip)
            games.append(FamilyGame(name, parameters, published, sound if why else None, why))
    return tuple(games)
