"""Keys, bytes, clicks, sizes and signals: ``research/benchmarks/board.py`` with one seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals"),
]


def test_five_thousand_events_end_no_board_and_lose_no_play() -> None:
    """Another seed is another attack: ``python -m research.benchmarks.board --seed N``.

    It has a process of its own, because it forks: a fork of this one would inherit what other
    tests have begun here, such as multiprocessing's resource tracker.
    """
    attack = ["--events", "5000", "--seed", "2026", "--each", "500"]
    done = subprocess.run(
        [sys.executable, "-m", "research.benchmarks.board", *attack],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout
