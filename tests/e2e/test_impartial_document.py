"""The page on impartial games: its example is a game, its commands print what it says."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from qsage_validate.games.impartial import library
from qsage_validate.games.impartial.parser import parse_game
from tests.conftest import REPOSITORY
from tests.support.console import run_step, sandbox, steps

TEXT = (REPOSITORY / "docs" / "impartial.md").read_text("utf-8")


def test_the_example_is_a_game_of_the_library() -> None:
    (block,) = re.findall(r"^```impartial game\n(.*?)^```$", TEXT, re.M | re.S)
    assert parse_game(block) == library.load("take-away-3")


def test_the_games_that_come_along_are_listed() -> None:
    for name in library.names():
        assert f"`{name}`" in TEXT


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
def test_the_commands_print_what_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")
    variables = sandbox(tmp_path, REPOSITORY)
    found = list(steps(TEXT.replace("```console impartial\n", "```console\n")))
    assert len(found) >= 3
    for step in found:
        wrong = run_step(step, tmp_path, variables)
        assert wrong is None, f"docs/impartial.md, {wrong}"
