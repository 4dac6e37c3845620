"""The drill on a terminal: from the board and back, from the command line, and resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit
from tests.support.terminal import LEAVES_SCREEN, Terminal

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


def start(folder: Path, *words: str, **options: Any) -> Terminal:
    return Terminal(["qsage-play", *words], folder=folder, **options)


def test_from_the_board_to_the_puzzles_and_back(tmp_path: Path, state_folder: Path) -> None:
    with start(tmp_path, "sample:tic") as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("D")
        terminal.wait_for("0 of 211 done")
        terminal.wait_for("1. Black to move. What does the strategy answer?")
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("a1 is wrong")
        terminal.send(":occupy(2,2)\r")
        terminal.wait_for("b2 is right")
        terminal.send("q")
        # The play goes on where it was.
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
    (kept,) = (state_folder / "drills").iterdir()
    assert json.loads(kept.read_text())["wrong"] == 1
    with start(tmp_path, "sample:tic", "--drill", "black") as terminal:
        terminal.wait_for("Resumed: 1 done, 0 right at the first try, 1 wrong answer")
        terminal.wait_for("2. Black to move after a1")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_a_drill_keeps_its_progress_in_a_file(tmp_path: Path, state_folder: Path) -> None:
    words = ("sample:breakthrough", "--drill", "white", "--resume", "drill.json", "--no-state")
    for done in range(2):
        with start(tmp_path, *words) as terminal:
            terminal.wait_for(f"{done} done, 0 right", f"{done} done, 0 right at the first try")
            terminal.wait_for(f"{done + 1}. White to move")
            terminal.send("h")
            terminal.wait_for("The answer ")
            terminal.wait_for(f"{done + 1} done")
            terminal.send("q")
            assert terminal.exit_code() == Exit.FINE
    assert json.loads((tmp_path / "drill.json").read_text())["done"] == 2
    assert not state_folder.exists()
    (tmp_path / "other.json").write_text('{"drill": 1, "key": "another"}')
    with start(tmp_path, *words[:-2], "other.json") as terminal:
        assert terminal.exit_code() == Exit.BAD_INPUT
        said = " ".join(terminal.output.rpartition(LEAVES_SCREEN)[2].decode().split())
    assert "other.json:1:21: found the drill of 'another', expected that of" in said


def test_a_prompt_asks_where_that_is_wanted(tmp_path: Path) -> None:
    with start(tmp_path, "sample:tic", "--drill", "black", "--plain") as terminal:
        terminal.wait_for("type a move; 'show' tells the answer, 'quit' leaves")
        terminal.send("quit\r")
        terminal.wait_for("0 done, 0 right at the first try")
        assert terminal.exit_code() == Exit.FINE
