"""Impartial games by name: files of the language, and families; Wythoff's game and its kin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from itertools import combinations
from typing import Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.impartial import nim
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.nim import (
    REPAIRED,
    FamilyGame,
    FamilyMove,
    ImpartialFamily,
    Parameter,
    all_are,
    at_least,
    bound_parameter,
    bound_suffix,
    bounded,
    each,
    every,
    game,
    piles,
    some,
    take,
)
from qsage_validate.extensions.impartial.parser import is_impartial, parse_game
from qsage_validate.formats.source import SEMICOLON, Source, quoted
from qsage_validate.games.family import ListedGame

# Wythoff's game and its variants: two piles, and moves on both at once (classes 4.1 to 4.9)


BOUNDS: Final = (None, 0, 1, 2, 3, 4, 5)

# The residues modulo 2 of what is taken from the first and the second pile; None: any.
PARITIES: Final[dict[str, tuple[int | None, int | None]]] = {
    "": (None, None),
    "even": (0, 0),
    "odd": (1, 1),
    "odd-even": (1, 0),
}
_SAME: Final = ("", "even", "odd")


def _parity(name: str, residue: int | None) -> tuple[str, ...]:
    return () if residue is None else (f"{name} % 2 = {residue}",)


def wythoff(parity: str, bound: int | None, both: FamilyMove, *, legal: str = "") -> ImpartialGame:
    """Take from one pile, with a parity for each, or from both as the move ``both`` says."""
    first, second = PARITIES[parity]
    moves = [take(1, *_parity("k", first)), take(2, *_parity("k", second)), both]
    return _game(bound, moves, legal)


def _game(bound: int | None, moves: Iterable[FamilyMove], legal: str = "") -> ImpartialGame:
    constraint = every(filter(None, ("v1 >= 0", "v2 >= 0", legal)))
    return game(("v1", "v2"), bounded(constraint, "v2", bound), "v1 = 0 and v2 = 0", moves)


def equal(*conditions: str) -> FamilyMove:
    """Take ``k`` tokens from each pile."""
    condition = every(("v1 >= k", "v2 >= k", "k > 0", *conditions))
    return FamilyMove("both", "k", condition, ("v1 := v1 - k", "v2 := v2 - k"))


def unequal(*conditions: str) -> FamilyMove:
    """Take ``k`` tokens from the first pile and ``l`` from the second."""
    condition = every(("v1 >= k", "k > 0", "v2 >= l", "l > 0", *conditions))
    return FamilyMove("both", "k l", condition, ("v1 := v1 - k", "v2 := v2 - l"))


def plain(parity: str, bound: int | None) -> ImpartialGame:
    """Wythoff's game; the parity holds for the move on both piles too."""
    return wythoff(parity, bound, equal(*_parity("k", PARITIES[parity][0])))


def near(parity: str, bound: int | None, less: int) -> ImpartialGame:
    """The numbers taken from the two piles differ by less than ``less`` (Fraenkel's a-Wythoff)."""
    return wythoff(parity, bound, unequal(f"k - l < {less}", f"l - k < {less}"))


def diet(
    parity: str, bound: int | None, most: int, larger: int, kept: int | None = None
) -> ImpartialGame:
    """At most ``most`` tokens a pile, and the order of the piles is kept.

    ``larger`` is the number of the pile that is the larger one in legal states, ``kept`` the one
    that the moves keep so (in some published files another one).
    """
    keep = larger if kept is None else kept
    residue = PARITIES[parity][0]
    small = (f"k <= {most}", *_parity("k", residue))
    order = {1: "v1 >= v2 + k", 2: "v2 >= v1 + k"}
    moves = [take(i, *small, *((order[i],) if i == keep else ())) for i in (1, 2)]
    legal = "v1 >= v2" if larger == 1 else "v2 >= v1"
    return _game(bound, [*moves, equal(*small)], legal)


def with_set(parity: str, bound: int | None, numbers: tuple[int, ...]) -> ImpartialGame:
    """From both piles only one of these numbers is taken.

    The parity holds for that too, but not for two numbers without a bound, as it was published.
    """
    one_of = some(f"k = {number}" for number in numbers)
    free = bound is None and len(numbers) > 1
    parities = () if free else _parity("k", PARITIES[parity][0])
    return wythoff(parity, bound, equal(one_of, *parities))


def with_function(parity: str, bound: int | None, more: int) -> ImpartialGame:
    """From the second pile at least as much is taken, but less than ``more`` above."""
    return wythoff(parity, bound, unequal("l >= k", f"l < k + {more}"))


def leaving(parity: str, bound: int | None, smaller: int, larger: int) -> ImpartialGame:
    """Moves on both piles leave at least so much in the smaller and in the larger pile.

    The parity holds for them too, but not without a bound, as it was published.
    """
    cases = (
        f"{big} >= {small} and {big} - k >= {larger} and {small} - k >= {smaller}"
        for big, small in (("v1", "v2"), ("v2", "v1"))
    )
    parities = () if bound is None else _parity("k", PARITIES[parity][0])
    return wythoff(parity, bound, equal(some(cases), *parities))


def one_action(parity: str, bound: int | None, few: int, less: int) -> ImpartialGame:
    """Less than ``few`` from one pile, or different numbers that differ by less than ``less``."""
    first, second = PARITIES[parity]
    cases = (f"k > l and k - l < {less}", f"l > k and l - k < {less}", f"k < {few}", f"l < {few}")
    conditions = ("v1 >= k", "k >= 0", "v2 >= l", "l >= 0", "k + l > 0")
    parities = (*_parity("k", first), *_parity("l", second))
    condition = every((*conditions, *parities, some(cases)))
    move = FamilyMove("take", "k l", condition, ("v1 := v1 - k", "v2 := v2 - l"))
    return _game(bound, [move])


def linear(parity: str, bound: int | None, factor: int, constant: int) -> ImpartialGame:
    """The larger number is less than ``factor`` times the smaller one plus ``constant``."""
    cases = (f"k >= l and k < {factor}*l + {constant}", f"l >= k and l < {factor}*k + {constant}")
    return wythoff(parity, bound, unequal(some(cases)))


def ratio(parity: str, bound: int | None, first: int, second: int) -> ImpartialGame:
    """``first`` times what the first pile loses is ``second`` times what the second one does."""
    return wythoff(parity, bound, unequal(f"{first}*k = {second}*l"))


# --- Grids ----------------------------------------------------------------------------------

Build = Callable[..., ImpartialGame]


def _grid(
    number: str,
    title: str,
    slug: str,
    build: Build,
    parities: Iterable[str],
    values: Iterable[tuple[Parameter, ...]],
    bounds: Iterable[int | None] = BOUNDS,
) -> ImpartialFamily:
    """All combinations; the numbers of ``values`` are the arguments behind parity and bound."""
    values, bounds = list(values), list(bounds)
    games = tuple(
        _one(slug, build, parity, bound, parameters)
        for parity in parities
        for parameters in values
        for bound in bounds
    )
    return ImpartialFamily(number, title, games)


def _one(
    slug: str, build: Build, parity: str, bound: int | None, parameters: tuple[Parameter, ...]
) -> FamilyGame:
    numbers = [value for _, value in parameters]
    name = "-".join(filter(None, (slug, parity, *map(str, numbers)))) + bound_suffix(bound)
    told = (("parity", parity or "any"), *parameters, *bound_parameter("v2", bound))
    return FamilyGame(name, told, lambda: build(parity, bound, *numbers))


def _with_set(parity: str, bound: int | None, *numbers: int) -> ImpartialGame:
    return with_set(parity, bound, numbers)


_ORDER_DEFECT: Final = (
    "in legal states the first pile is the larger one, but the moves keep it the smaller one"
)


def _diets() -> ImpartialFamily:
    """The published files bound the smaller pile, and the plain ones confuse the two."""
    games = []
    for parity in _SAME:
        for most in range(1, 6):
            for bound in BOUNDS:
                larger = 2 if bound is None else 1
                sound = _one("diet", diet, parity, bound, (("l", most), ("larger pile", larger)))
                if parity:
                    games.append(sound)
                    continue
                wrong = _one("diet", diet, parity, bound, (("l", most), ("", 1), ("", 2)))
                games.append(
                    replace(
                        sound,
                        published=wrong.published,
                        repaired=sound.published,
                        defect=_ORDER_DEFECT,
                    )
                )
    named = (replace(g, name=_diet_name(g)) for g in games)
    return ImpartialFamily("4.3", "Monotonic l-Diet Wythoff", tuple(named))


def _diet_name(diet_game: FamilyGame) -> str:
    told = dict(diet_game.parameters)
    parity = "" if told["parity"] == "any" else str(told["parity"])
    bound = told.get("v2 <=")
    parts = ("diet", parity, str(told["l"]))
    return "-".join(filter(None, parts)) + bound_suffix(None if bound is None else int(bound))


def wythoff_families() -> tuple[ImpartialFamily, ...]:
    """Category 4: Wythoff's game and its kin."""
    all_four = tuple(PARITIES)
    up_to_5 = range(1, 6)
    small_sets = [*combinations(up_to_5, 1), *combinations(up_to_5, 2)]
    pairs = [(a, b) for a in up_to_5 for b in up_to_5]
    below = [(a, b) for a in range(6) for b in range(6) if a < b]
    leave = "Wythoff leaving (l, m)", "wythoff-leaving", leaving
    first = _grid("4.6", *leave, _SAME, [_pair("l", "m", p) for p in below], BOUNDS[1:])
    second = _grid("4.6", *leave, _SAME, [_pair("l", "m", (b, a)) for a, b in below], [None])
    return (
        _grid("4.1", "Wythoff", "wythoff", plain, _SAME, [()]),
        _grid("4.2", "l-Wythoff", "l-wythoff", near, all_four, [(("l", v),) for v in up_to_5]),
        _diets(),
        _grid(
            "4.4",
            "Wythoff with a set",
            "wythoff-set",
            _with_set,
            _SAME,
            [tuple(("S", number) for number in s) for s in small_sets],
        ),
        _grid(
            "4.5",
            "Wythoff with a function",
            "wythoff-function",
            with_function,
            all_four,
            [(("c", c),) for c in range(6)],
        ),
        ImpartialFamily("4.6", "1st (l, m)-Wythoff", (*first.games, *second.games)),
        _grid(
            "4.7",
            "2nd (l, m)-Wythoff",
            "wythoff-one-action",
            one_action,
            all_four,
            [_pair("l", "m", p) for p in pairs],
            BOUNDS[1:],
        ),
        _grid(
            "4.8",
            "3rd (l, m)-Wythoff",
            "wythoff-linear",
            linear,
            all_four,
            [_pair("factor", "constant", p) for p in pairs],
        ),
        _grid(
            "4.9",
            "4th (l, m)-Wythoff",
            "wythoff-ratio",
            ratio,
            all_four,
            [_pair("l", "m", p) for p in pairs if p[0] != p[1]],
        ),
    )


def _pair(first: str, second: str, values: tuple[int, int]) -> tuple[Parameter, ...]:
    return (first, values[0]), (second, values[1])


# All families by name, and those of one pile, of tokens and of Chomp (categories 1, 3 and 5)


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
    nims = (*nim.nim_families(), *nim.nim_position_families())
    return (*_one_pile(), *nims, *_welter(), *wythoff_families(), *_chomp())


@cache
def by_name() -> dict[str, FamilyGame]:
    return {game.name: game for family in families() for game in family.games}


# The games that come with the project: as files of the language, and families


_FOLDER: Final = files("qsage_validate.extensions.impartial") / "library"


def names() -> tuple[str, ...]:
    """The names of the games that are files, sorted."""
    found = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".ig") for name in found if name.endswith(".ig")))


def knows(name: str) -> bool:
    """True if there is a game of that name, as a file or in a family."""
    wanted = _plain(name)
    return wanted in names() or wanted in by_name()


def every_name() -> tuple[str, ...]:
    """The names of all games, those of families last."""
    return (*names(), *by_name())


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")


def load(name: str, variant: str = REPAIRED) -> ImpartialGame:
    """The game called ``name``, of a file or else of a family, there in that variant.

    Raises ``UsageError`` with names for one that is not known, or that was no game as published.
    """
    wanted = _plain(name)
    if wanted in names():
        path = _FOLDER / f"{wanted}.ig"
        return parse_game(path.read_text(encoding="utf-8"), f"{wanted}.ig")
    game = by_name().get(wanted)
    if game is None:
        near = did_you_mean(wanted, every_name())
        raise UsageError(
            f"found the unknown game {quoted(name)}{near}, expected a file or "
            f"one of {', '.join(names())}, a game of a family (qsage synthesize --list)"
        )
    if variant != REPAIRED and game.published is None:
        raise UsageError(f"{wanted} was published as a file that is no game: {game.defect}")
    return game.make(variant)


# The impartial games as lists, the start screen and errors have them


class _Impartial:
    """The family (a ``GameFamily``): those that are files are shown."""

    def listed(self) -> Sequence[ListedGame]:
        return tuple(self._listed())

    def _listed(self) -> Iterator[ListedGame]:
        for name in names():
            game = load(name)
            moves = ", ".join(action.name for action in game.actions)
            state = ", ".join(game.variables)
            rules = f"heaps {state}; moves {moves}; who cannot move has lost"
            yield ListedGame(name, f"state {state}; moves {moves}", rules)

    def every_name(self) -> Sequence[str]:
        return every_name()

    def recognises(self, begin: str) -> bool:
        return is_impartial(begin)

    def facts(self, data: bytes, name: str) -> Mapping[str, object]:
        game = parse_game(Source.decode(data, name, SEMICOLON).text, name)
        moves = [action.name for action in game.actions]
        return {"game": game.name, "state": list(game.variables), "moves": moves}

    def off_board(self, name: str, word: str) -> UsageError:
        return UsageError(
            f"found {quoted(name)}, an impartial game, expected one on a board or in GDL: "
            f"'qsage synthesize {word}' solves it, 'qsage explain {word}' explains it, "
            f"'qsage play {word}' plays it"
        )


FAMILY: Final = _Impartial()
