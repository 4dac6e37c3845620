"""A proof from within a play, in a pseudo-terminal: it runs, and leaving does not wait for it."""

from __future__ import annotations

from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from tests.support.terminal import Terminal

# Python 3.12 and later warn of forking while pytest-xdist's threads run.
pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


def test_the_certificate_beside_the_formula_is_proved(repository: Path, tmp_path: Path) -> None:
    words = ["qsage-play", str(repository / "certificates" / "tic.qcir")]
    # Started anew: what is left running when it ends must not keep it.
    with Terminal(words, folder=tmp_path, anew=True) as terminal:
        terminal.wait_for("Your move")
        terminal.send("P")
        terminal.wait_for("The end.")
        terminal.send("q")
        terminal.wait_for("Your move")
        # Whatever the second proof is doing: nobody waits for it.
        terminal.send("P")
        terminal.wait_for("Proof of the certificate")
        terminal.send("\x03")
        assert terminal.exit_code() == Exit.INTERRUPTED


def test_a_fork_of_a_process_with_a_resource_tracker_starts_its_own(
    repository: Path, tmp_path: Path
) -> None:
    """Which the suite's process has as soon as one of its tests has run a job."""
    resource_tracker.ensure_running()
    words = ["qsage-play", str(repository / "certificates" / "tic.qcir")]
    with Terminal(words, folder=tmp_path) as terminal:
        terminal.wait_for("Your move")
        terminal.send("P")
        terminal.wait_for("The end.")
