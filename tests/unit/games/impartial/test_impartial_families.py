"""The families of the benchmark: how many there are, what they say, and that repairs repair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.impartial.families import by_name, families, load
from qsage_validate.extensions.impartial.model import ImpartialGame, game_text
from qsage_validate.extensions.impartial.nim import PUBLISHED, FamilyGame
from qsage_validate.extensions.impartial.parser import parse_game
from qsage_validate.extensions.impartial.rules import EndlessGameError, ImpartialRules
from tests.support.impartial_meaning import meaning

ALL = tuple(game for family in families() for game in family.games)
REPAIRED = tuple(game for game in ALL if game.repaired is not None)

# The last value of each variable, by the number of variables, where whole grids are labelled.
REACH = {1: 40, 2: 12, 3: 5, 4: 3, 5: 2}


def by_category(games: Iterable[FamilyGame]) -> Counter[str]:
    """How many of the games there are in each category."""
    chosen = set(map(id, games))
    return Counter(
        family.category for family in families() for game in family.games if id(game) in chosen
    )


def test_the_grids_have_the_published_sizes() -> None:
    assert by_category(ALL) == {
        "Sub": 479,
        "Nim": 302,
        "Welter": 7,
        "Wythoff": 2924,
        "Chomp": 8,
    }
    assert len(by_name()) == len(ALL) == 3720
    assert sum(game.published is not None for game in ALL) == 3718


def test_the_classes_have_the_published_sizes() -> None:
    sizes = Counter({family.number: len(family.games) for family in families()})
    nim = {f"2.{i}": 7 for i in range(1, 18)} | {
        "2.4": 6,
        "2.5": 6,
        "2.7": 6,
        "2.8": 180,
        "2.13": 5,
        "2.18": 15,
    }
    wythoff = dict(
        zip(
            (f"4.{i}" for i in range(1, 10)),
            (21, 140, 105, 315, 168, 315, 600, 700, 560),
            strict=True,
        )
    )
    rest = {"1.1": 30, "1.2": 385, "1.3": 64, "3.1": 1, "3.2": 5, "3.3": 1, "5.1": 7, "5.2": 1}
    assert sizes == nim | wythoff | rest


def test_a_defect_is_told_wherever_something_is_repaired() -> None:
    assert all(game.defect for game in REPAIRED)
    assert not any(game.defect for game in ALL if game.repaired is None)
    assert sorted(by_category(REPAIRED).values()) == [35, 57]


def flaw(game: ImpartialGame) -> str:
    """Why the game has no winning formula, as far as a small grid shows."""
    rules = ImpartialRules(game)
    for state in product(range(REACH[len(game.variables)] + 1), repeat=len(game.variables)):
        if not rules.is_legal(state):
            continue
        try:
            found = rules.flaw(state)
        except EndlessGameError as error:
            return str(error)
        if found is not None:
            return found.text(game)
    return ""


@pytest.mark.parametrize("game", REPAIRED, ids=lambda game: game.name)
def test_repaired_games_have_no_flaw(game: FamilyGame) -> None:
    assert flaw(game.make()) == ""


def test_games_that_were_not_repaired_have_no_flaw() -> None:
    sound = [game for game in ALL if game.repaired is None]
    # Every 17th: prime to the lengths of the grids, so that all of their rows are met.
    assert [game.name for game in sound[::17] if flaw(game.make())] == []


def test_most_published_defects_leave_no_winning_formula() -> None:
    flawed: Counter[str] = Counter()
    for family in families():
        for game in family.games:
            if game.repaired is not None and game.published is not None:
                flawed[family.number] += bool(flaw(game.make(PUBLISHED)))
    # At least what is known of the published files; the others are flawed beyond the grid or only
    # describe another game than they should.
    known = {"2.3": 6, "2.9": 5, "2.12": 7, "2.13": 3, "2.14": 7, "2.16": 6, "4.3": 29}
    assert {number: flawed[number] for number in known} == known


@pytest.mark.parametrize("game", ALL[::97], ids=lambda game: game.name)
def test_games_print_and_parse(game: FamilyGame) -> None:
    made = game.make()
    assert made.name == game.name
    again = parse_game(game_text(made))
    assert meaning(again, 5) == meaning(made, 5)
    assert again.name == game.name


def losing(name: str, most: int) -> set[tuple[int, ...]]:
    """The losing states of a game up to a bound."""
    rules = ImpartialRules(load(name))
    states = product(range(most + 1), repeat=len(rules.game.variables))
    return {s for s in states if rules.is_legal(s) and not rules.winning(s)}


def test_losing_sets_are_those_of_the_literature() -> None:
    assert losing("take-away-5", 40) == {(v,) for v in range(0, 41, 6)}
    assert losing("slow-nim-2-l3", 14) == {
        (a, b) for a in range(15) for b in range(15) if (a - b) % 4 == 0
    }
    assert losing("nim-3", 7) == {(a, b, a ^ b) for a in range(8) for b in range(8) if a ^ b <= 7}
    golden = [(0, 0), (1, 2), (3, 5), (4, 7), (6, 10), (8, 13)]
    assert losing("wythoff", 13) == {p for a, b in golden for p in ((a, b), (b, a))}
    assert losing("welter", 9) == {p for i in range(0, 9, 2) for p in ((i, i + 1), (i + 1, i))}
    assert losing("transfer-2", 9) == set(product(range(1, 10, 2), repeat=2))
    assert losing("staircase-3", 6) == {(a, b, a) for a in range(7) for b in range(7)}
    assert losing("circular-nim-3-2", 5) == {(a, a, a) for a in range(6)}
    assert losing("pointed-nim-2", 6) == {
        (a, b, p) for a in range(7) for b in range(7) for p in (1, 2) if (a - b) * (3 - 2 * p) <= 0
    }
    exact = {(a, b, c) for a, b, c in losing("all-but-one-3", 14)}
    assert exact == {
        s for s in product(range(15), repeat=3) if all(v <= 2 or v % 6 in (1, 2) for v in s)
    }


def test_names_are_found_and_unknown_ones_are_compared() -> None:
    assert load("Slow_Nim-2-l5") == by_name()["slow-nim-2-l5"].make()
    with pytest.raises(UsageError, match=r"did you mean 'slow-nim-2-l9'.*, a game of a family"):
        load("slow-nim-2-l99")
    with pytest.raises(UsageError, match="entropy-2 was published as a file that is no game"):
        load("entropy-2", PUBLISHED)
    with pytest.raises(ValueError, match="is no game"):
        by_name()["entropy-2"].make(PUBLISHED)
