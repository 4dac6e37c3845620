"""The start screen on a terminal: games, samples, files, plays that were left; back and forth."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit
from qsage_validate.formats.source import sample_path
from tests.support.terminal import LEAVES_SCREEN, Terminal

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")

F5 = "\x1b[15~"
DOWN = "\x1b[B"
SAMPLES = tuple(
    f"$ qsage-play sample:{name} "
    for name in ("tic", "connect3", "breakthrough", "evader", "hex", "domineering")
)


def start(folder: Path, *words: str, **options: Any) -> Terminal:
    return Terminal(["qsage-play", *words], folder=folder, **options)


def last_lines(terminal: Terminal) -> str:
    return str(terminal.output.rpartition(LEAVES_SCREEN)[2].decode())


def test_without_arguments_a_sample_is_chosen_played_and_kept(
    tmp_path: Path, state_folder: Path
) -> None:
    with start(tmp_path) as terminal:
        terminal.wait_for("choose what to play")
        terminal.wait_for("$ qsage-play sample:tic")
        terminal.send("\r")
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
        said = " ".join(last_lines(terminal).split())
    kept = state_folder / "plays" / "httt-4x4-tic.play"
    assert f"the play is kept: {kept}" in said
    assert "2 white occupy(1,1)" in kept.read_text()
    state = json.loads((state_folder / "state.json").read_text())
    assert state["recent"][0]["play"] == str(kept)
    with start(tmp_path) as terminal:
        terminal.wait_for("Recent and saved plays")
        terminal.wait_for("goes on from")
        terminal.send("\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
        # Nothing was added, so nothing is said.
        assert "kept" not in last_lines(terminal)
    # It is one play still, at the ply where it was left: not a new one beside it.
    recent = json.loads((state_folder / "state.json").read_text())["recent"]
    assert [(entry["play"], entry["ply"]) for entry in recent] == [(str(kept), 3)]
    with start(tmp_path) as terminal:
        terminal.wait_for("ply 3 ")
        terminal.send("\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send(":occupy(1,2)\r")
        terminal.wait_for("Black wins")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
    recent = json.loads((state_folder / "state.json").read_text())["recent"]
    assert [(entry["play"], entry["ply"]) for entry in recent] == [(str(kept), 5)]
    assert "4 white occupy(1,2)" in kept.read_text()


def test_a_saved_play_is_found_again(tmp_path: Path, state_folder: Path) -> None:
    with start(tmp_path, "sample:tic") as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("s")
        terminal.wait_for("Save the transcript")
        terminal.send("\r")
        terminal.wait_for("Saved to httt-4x4-tic.play")
        # It is kept at once, whatever becomes of the board.
        entry, *_ = json.loads((state_folder / "state.json").read_text())["recent"]
        assert entry["words"] == ["sample:tic.qcir", "--cert", "sample:tic.aig"]
        assert entry["play"] == str(tmp_path / "httt-4x4-tic.play")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
        assert "kept" not in last_lines(terminal)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with start(elsewhere) as terminal:
        terminal.wait_for("goes on from")
        terminal.send("\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_a_game_is_searched_by_its_fields_and_a_mistake_is_shown(tmp_path: Path) -> None:
    with start(tmp_path) as terminal:
        terminal.wait_for("choose what to play")
        for game in (*SAMPLES, "Harary's Tic-Tac-Toe: occupy"):
            terminal.wait_for(game)
            if game in SAMPLES:
                terminal.send(DOWN)
        terminal.send("\r")
        terminal.settle(0.3)
        terminal.send("3y3")
        terminal.wait_for("found --size '3y3', expected")
        for key in ("\x7f", "\x7f", "x", "3"):
            terminal.send(key)
            terminal.settle(0.2)
        terminal.wait_for("$ qsage-play httt --size 3x3")
        terminal.send(F5)
        terminal.wait_for("Your move, Black")
        # Another one, and back again.
        terminal.send("n")
        terminal.wait_for("Esc back to the play")
        terminal.send("\x1b")
        terminal.wait_for("Your move, Black")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_from_a_board_that_a_command_began_one_comes_to_another(tmp_path: Path) -> None:
    for end in ("qcir", "aig"):
        shutil.copy(sample_path(f"sample:hex.{end}"), tmp_path / f"mine.{end}")
    with start(tmp_path, "sample:tic") as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send("n")
        terminal.wait_for("Certificates in this folder")
        # The play that was left is the first of the recent ones.
        for _ in ("", *SAMPLES):
            terminal.settle(0.3)
            terminal.send(DOWN)
        terminal.wait_for("$ qsage-play mine.qcir --cert mine.aig")
        terminal.send("\r")
        terminal.wait_for("hex 3x3")
        terminal.wait_for("Your move, White")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_what_cannot_be_played_is_said_on_the_start_screen(
    tmp_path: Path, state_folder: Path
) -> None:
    state_folder.mkdir(parents=True)
    gone = {"words": [str(tmp_path / "gone.qcir")], "title": "gone", "play": None}
    state = {"state": 1, "theme": "light", "recent": [gone]}
    (state_folder / "state.json").write_text(json.dumps(state))
    # Wide: on 80 columns the name of the folder decides where the line is wrapped.
    with start(tmp_path, columns=160) as terminal:
        terminal.wait_for("gone")
        terminal.send("\r")
        terminal.wait_for("found no such file, expected")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_a_broken_state_is_one_line_and_put_aside(tmp_path: Path, state_folder: Path) -> None:
    state_folder.mkdir(parents=True)
    (state_folder / "state.json").write_text('{"state": 1,\n "recent": 7}')
    with start(tmp_path) as terminal:
        # The line is wrapped, where depends on the name of the folder.
        terminal.wait_for("state.json.u")
        assert "2:12: found a number for 'recent', expected a list" in " ".join(
            terminal.text.split()
        )
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
    assert (state_folder / "state.json.unreadable").is_file()


def test_without_a_state_nothing_is_kept_and_leaving_asks(
    tmp_path: Path, state_folder: Path
) -> None:
    with start(tmp_path, "sample:tic", "--no-state") as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("\x1b")
        terminal.settle()
        # Nor is it forgotten by a look at other games.
        terminal.send("n")
        terminal.wait_for("Esc back to the play")
        terminal.send("\x1b")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.settle()
        terminal.send("q")
        terminal.wait_for("Leave a play that is not saved?")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("q")
        terminal.wait_for("Leave a play that is not saved?")
        terminal.send("\x1b[D\r")
        assert terminal.exit_code() == Exit.FINE
    assert not state_folder.exists()
