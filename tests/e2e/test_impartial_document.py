"""The page on impartial games: its example is a game, and it lists those that come along."""

from __future__ import annotations

import re

from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.parser import parse_game
from tests.conftest import REPOSITORY

TEXT = (REPOSITORY / "docs" / "reference" / "impartial.md").read_text("utf-8")


def test_the_example_is_a_game_of_the_library() -> None:
    (block,) = re.findall(r"^```impartial game\n(.*?)^```$", TEXT, re.M | re.S)
    assert parse_game(block) == families.load("take-away-3")


def test_the_games_that_come_along_are_listed() -> None:
    for name in families.names():
        assert f"`{name}`" in TEXT
