"""``qsage`` and ``qsage-play`` in this process, with options that are put together once.

Typer makes the tree of commands anew on each call, which takes longer than most of them do here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from typer.main import get_command

from qsage_validate.cli.app import app, play_app, run

PROGRAMS = {"qsage": app, "qsage-play": play_app}


@cache
def program(name: str) -> Any:
    """The command of that name."""
    return get_command(PROGRAMS[name])


def run_qsage(words: Sequence[str]) -> int:
    """The exit code of ``qsage WORDS``."""
    return run(program("qsage"), words, "qsage")


def run_play(words: Sequence[str]) -> int:
    """The exit code of ``qsage-play WORDS``."""
    return run(program("qsage-play"), words, "qsage-play")
