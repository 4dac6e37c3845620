"""``qsage`` and ``qsage-play`` in this process; each command is loaded and put together once."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.cli.app import PROGRAMS, run


def run_qsage(words: Sequence[str]) -> int:
    """The exit code of ``qsage WORDS``."""
    return run(PROGRAMS["qsage"], words, "qsage")


def run_play(words: Sequence[str]) -> int:
    """The exit code of ``qsage-play WORDS``."""
    return run(PROGRAMS["qsage-play"], words, "qsage-play")
