"""All families, their games by name, and how many there are."""

from __future__ import annotations

from functools import cache

from qsage_validate.games.impartial.families import (
    chomp,
    nim,
    nim_positions,
    subtraction,
    welter,
    wythoff,
)
from qsage_validate.games.impartial.families.family import Family, FamilyGame


@cache
def families() -> tuple[Family, ...]:
    """All families, in the order of their numbers; models are made when they are asked for."""
    modules = (subtraction, nim, nim_positions, welter, wythoff, chomp)
    return tuple(family for module in modules for family in module.families())


@cache
def by_name() -> dict[str, FamilyGame]:
    """The games of all families by name."""
    return {game.name: game for family in families() for game in family.games}


def counts() -> dict[str, tuple[int, int, int]]:
    """By category: games, those whose published file is a game, those that are repaired."""
    found: dict[str, tuple[int, int, int]] = {}
    for family in families():
        all_games, published, repaired = found.get(family.category, (0, 0, 0))
        found[family.category] = (
            all_games + len(family.games),
            published + sum(game.published is not None for game in family.games),
            repaired + sum(game.repaired is not None for game in family.games),
        )
    return found
