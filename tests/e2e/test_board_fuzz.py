"""Keys, bytes, clicks, sizes and signals: ``research/benchmarks/board.py`` with one seed."""

from __future__ import annotations

import os

import pytest

from research.benchmarks import board

# Python 3.12 and later warn of forking while pytest-xdist's threads run.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning"),
    pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals"),
]


def test_five_thousand_events_end_no_board_and_lose_no_play(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Another seed is another attack: ``python -m research.benchmarks.board --seed N``."""
    attack = ["--events", "5000", "--seed", "2026", "--each", "500"]
    assert board.main(attack) == 0, capsys.readouterr().out
