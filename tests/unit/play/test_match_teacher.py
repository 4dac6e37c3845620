"""Lessons in a play: in the library, at the prompt, in scripts and as JSON."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from qsage_validate.errors import UsageError
from qsage_validate.play.console import PlainPlay
from qsage_validate.play.match import PlayMatch
from tests.support.plays import EL, match_for
from tests.support.toy_match import toy_match
from tests.unit.arena.test_teacher_distance import teacher_for


def taught(words: tuple[str, ...] = EL) -> PlayMatch:
    """A play with a teacher."""
    return PlayMatch(match_for(words)._engine, teacher=lambda: teacher_for(words))


def talk(match: PlayMatch, *lines: str, teach: bool = False) -> str:
    console = Console(file=StringIO(), width=120)
    play = PlainPlay(match, console, teach=teach)
    play.begin()
    for line in lines:
        play.do(line)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_play_without_a_teacher_says_so() -> None:
    match = toy_match()
    assert not match.may_teach
    with pytest.raises(UsageError, match="expected one to learn from"):
        match.lesson()
    assert "expected one to learn from" in talk(match, "teach")


def test_the_prompt_teaches() -> None:
    said = talk(taught(), "teach", "hint", "other occupy(1,1)", "other occupy(9,9)")
    assert "Black wins within 4 more plies" in said
    assert said.count("All moves lose within 4 more plies") == 2
    assert "a2: Black wins within 4 more plies" in said
    assert "a1 loses the win: White wins; b2, which was played, wins" in said
    assert "found 'occupy(9,9)', expected one of" in said
    assert "more plies" not in talk(taught(), "occupy(1,1)")
    assert "Black wins within 2 more plies" in talk(taught(), "occupy(1,1)", teach=True)
