"""The families as published mean what the published files of the same numbers mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from qsage_validate.errors import InputError
from qsage_validate.extensions.impartial.families import families
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.nim import (
    PUBLISHED,
    FamilyGame,
    ImpartialFamily,
)
from qsage_validate.extensions.impartial.parser import read_game
from tests.support.impartial_meaning import meaning

EVERY = 40
WORDS = {"One-piled": "1", "Two": "2", "Three": "3", "divide": "2"}
UNREADABLE = ["CircularNim(5,4).pddl", "Entropy-Reduction-Game(n=2).pddl"]


def files(data: Path) -> Iterator[tuple[ImpartialFamily, Path]]:
    """The published files with their families, which stand in the names of their folders."""
    by_number = {family.number: family for family in families()}
    for folder in sorted((data / "impartial").glob("*/*/")):
        family = by_number[folder.name.split(" ")[0]]
        for path in sorted(folder.iterdir()):
            yield family, path


def numbers(name: str) -> list[int]:
    """The numbers in the name of a file or a game, without those of piles and of ``1st``."""
    for word, number in WORDS.items():
        name = name.replace(word, number)
    name = re.sub(r"1st|2nd|v_?\d", "", name)
    return sorted(map(int, re.findall(r"\d+", name)))


def candidates(family: ImpartialFamily, path: Path) -> list[FamilyGame]:
    """The games whose numbers are those of the file; all of the family if there is none."""
    wanted = numbers(path.stem)
    return [g for g in family.games if numbers(g.name) == wanted] or list(family.games)


def reach(path: Path) -> int | None:
    """How far a grid goes: moves on two piles are many, and tell the parameters apart soon."""
    return 14 if "4.Wythoff" in path.parts else None


def small_reach(game: ImpartialGame) -> int:
    """As far as the bounds of these families go, but not where a state has many moves."""
    return 3 if len(game.variables) > 4 else 6


def test_published_files_are_the_generated_games(shared_data: Path) -> None:
    seen: Counter[str] = Counter()
    different = []
    for family, path in list(files(shared_data))[::EVERY]:
        seen[family.category] += 1
        try:
            published = read_game(path)
        except InputError:
            assert path.name in UNREADABLE
            continue
        wanted = meaning(published, reach(path))
        ours = (g for g in candidates(family, path) if g.published is not None)
        if not any(meaning(g.make(PUBLISHED), reach(path)) == wanted for g in ours):
            different.append(path.name)
    assert different == []
    assert set(seen) >= {"Sub", "Nim", "Wythoff"}


def test_every_nim_variant_is_generated(shared_data: Path) -> None:
    """Of each family the first and the last file; each one is read."""
    different, unreadable = [], []
    known: dict[str, list[tuple[ImpartialFamily, Path, ImpartialGame]]] = {}
    for family, path in files(shared_data):
        if family.category in ("Nim", "Welter", "Chomp") and family.number != "2.8":
            try:
                game = read_game(path)
            except InputError:
                unreadable.append(path.name)
            else:
                known.setdefault(family.number, []).append((family, path, game))
    for first, *_, last in (own if len(own) > 1 else own * 2 for own in known.values()):
        for family, path, published in (first, last):
            wanted = meaning(published, small_reach(published))
            games = (g for g in candidates(family, path) if g.published is not None)
            if not any(meaning(g.make(PUBLISHED), small_reach(published)) == wanted for g in games):
                different.append(path.name)
    assert different == []
    assert unreadable == UNREADABLE
