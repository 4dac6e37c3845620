"""Opening a large certificate on a terminal: something is there at once, and it can be left."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.formats.source import sample_path
from research.benchmarks.circuits import padded
from tests.support.terminal import LEAVES_SCREEN, Terminal

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    certificate = tmp_path_factory.mktemp("large") / "large.aig"
    certificate.write_bytes(padded(1_000_000, "wide"))
    return ["qsage-play", sample_path("sample:tic"), "--cert", str(certificate)]


def test_a_screen_says_what_is_done_until_the_board_is_there(
    words: list[str], tmp_path: Path
) -> None:
    with Terminal(words, folder=tmp_path) as terminal:
        terminal.wait_for("Opening")
        terminal.wait_for(" s  ")
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


@pytest.mark.parametrize(
    ("key", "code", "said"),
    [
        ("k", Exit.UNDECIDED, b"large.aig was cancelled"),
        ("\x03", Exit.INTERRUPTED, b"qsage: interrupted"),
    ],
)
def test_opening_can_be_left(
    words: list[str], tmp_path: Path, key: str, code: Exit, said: bytes
) -> None:
    with Terminal(words, folder=tmp_path) as terminal:
        terminal.wait_for("Cancel")
        terminal.send(key)
        assert terminal.exit_code() == code
        assert LEAVES_SCREEN in terminal.output
        assert said in terminal.output.rpartition(LEAVES_SCREEN)[2]
        assert b"Traceback" not in terminal.output


def test_an_interrupted_proof_leaves_a_board_to_play_on(tmp_path: Path) -> None:
    game = ("hex", "--size", "4x4", "--depth", "15", "--encoding", "lifted", "--certify")
    with Terminal(["qsage-play", *game], folder=tmp_path) as terminal:
        terminal.wait_for("compiling", "checking", "check", "compile")
        terminal.send("\x03")
        terminal.wait_for("hex 4x4: the search plays Black")
        terminal.wait_for("Your move, White: ply 2 of 15")
        terminal.send("\x03")
        assert terminal.exit_code() == Exit.INTERRUPTED
        said = terminal.output.rpartition(LEAVES_SCREEN)[0]
        assert b"the certificate was not finished: the search plays" in said
