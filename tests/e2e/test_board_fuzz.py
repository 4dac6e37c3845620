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
    """Another seed is another attack: ``python -m research.benchmarks.board --seed N``.

    A fault that needs a busy machine may not come again; it is printed, and the attack is made
    once more.  Two attacks with a fault are a failure.
    """
    attack = ["--events", "5000", "--seed", "2026", "--each", "500"]
    if board.main(attack) == 0:
        return
    first = capsys.readouterr().out
    with capsys.disabled():
        print(f"\nthe first attack on the board found a fault:\n{first}")
    assert board.main(attack) == 0, first + capsys.readouterr().out
