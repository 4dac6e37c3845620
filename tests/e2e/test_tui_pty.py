"""The board in a pseudo-terminal, as a person meets it: the command, its keys, its exit code."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit
from qsage_validate.games.protocol import Player
from qsage_validate.play.transcript import Transcript
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model import requests
from qsage_validate.play.tui.model.view import LEGAL_DOT
from qsage_validate.play.tui.terminal import TerminalDriver
from tests.support.terminal import (
    LEAVES_MOUSE,
    LEAVES_SCREEN,
    SHOWS_CURSOR,
    Terminal,
)

# Python 3.12 and later warn of forking while pytest-xdist's threads run.
pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


def play(folder: Path, arguments: Sequence[object], **options: Any) -> Terminal:
    return Terminal(["qsage-play", *map(str, arguments)], folder=folder, **options)


def pair(folder: Path, name: str) -> list[object]:
    formula, certificate = folder / f"{name}.qcir", folder / f"{name}.aig"
    if not formula.is_file():
        pytest.skip(f"no sample {formula}")
    return [formula, "--cert", certificate]


@pytest.fixture
def tic(repository: Path) -> list[object]:
    return pair(repository / "certificates", "tic")


def left_cleanly(terminal: Terminal) -> bool:
    last = terminal.output[-4000:]
    return all(code in last for code in (LEAVES_SCREEN, SHOWS_CURSOR, LEAVES_MOUSE))


@pytest.mark.parametrize(("term", "wood"), [("xterm-256color", b"48;5;137"), ("linux", b"43")])
def test_the_board_has_colours_of_the_terminals_own(
    tic: list[object], tmp_path: Path, term: str, wood: bytes
) -> None:
    with play(tmp_path, tic, variables={"TERM": term, "COLORTERM": ""}) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        assert wood + b"m" in terminal.output
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


@pytest.mark.parametrize(
    ("sample", "columns", "lines"), [("tic", 80, 24), ("hex", 120, 40), ("domineering", 200, 60)]
)
def test_an_arrow_key_sends_what_it_changes(
    sample: str, columns: int, lines: int, tmp_path: Path
) -> None:
    """Two squares, their coordinates and the name of the square; it was 4 to 18 kilobytes."""
    with play(tmp_path, [f"sample:{sample}"], columns=columns, lines=lines) as terminal:
        terminal.wait_for("Your move")
        terminal.settle(0.8)
        # What is found out in the background may come between: the best of three is the key's own.
        sizes = dict.fromkeys(("\x1b[C", "\x1b[D", "\x1b[B", "\x1b[A"), 1 << 20)
        for _ in range(3):
            for key in sizes:
                before = len(terminal.output)
                terminal.send(key)
                terminal.settle(0.2)
                sizes[key] = min(sizes[key], len(terminal.output) - before)
            if max(sizes.values()) < 2_000:
                break
        assert sum(sizes.values()) > 500
        assert max(sizes.values()) < 2_000
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_ctrl_z_gives_the_terminal_back_and_fg_paints_all(
    tic: list[object], tmp_path: Path
) -> None:
    with play(tmp_path, tic) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.settle()
        terminal.send("\x1a")
        terminal.settle()
        assert left_cleanly(terminal)
        before = len(terminal.output)
        terminal.child.kill(signal.SIGCONT)
        terminal.settle()
        painted = terminal.output[before:].decode()
        assert "Your move, White: ply 2 of 5" in painted
        assert "Black" in painted
        assert painted.count("│") > 20
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


@pytest.mark.parametrize("wait", [0.0, 0.1, 0.2, 0.3])
def test_a_terminal_that_is_gone_leaves_no_process(
    tic: list[object], tmp_path: Path, wait: float
) -> None:
    """Of three boards whose terminal was closed, one waited for room to write for ever."""
    with play(tmp_path, tic, anew=True) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        time.sleep(wait)
        with open(os.devnull, "rb+", buffering=0) as nothing:
            os.dup2(nothing.fileno(), terminal.child.child_fd)
        until = time.monotonic() + 20
        while terminal.child.isalive() and time.monotonic() < until:
            time.sleep(0.02)
        assert not terminal.child.isalive()


def test_a_pasted_escape_character_leaves_nothing(tic: list[object], tmp_path: Path) -> None:
    with play(tmp_path, tic) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send("\x1b[200~a\x1bq\x1b[201~")
        terminal.settle()
        assert LEAVES_SCREEN not in terminal.output
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


@pytest.mark.parametrize("where", ["screen", "worker"])
def test_after_an_internal_error_the_play_is_saved_and_the_file_is_said(
    tic: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """The fork in the terminal has the broken function of this process."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    if where == "screen":
        monkeypatch.setattr(PlayApp, "action_save", broken)
    else:
        monkeypatch.setattr(requests, "save", broken)
    with play(tmp_path, tic) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.send(":occupy(1,1)\r")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("s")
        if where == "worker":
            terminal.wait_for("Save the transcript")
            terminal.send("\r")
        assert terminal.exit_code() == Exit.INTERNAL
        before, _, after = terminal.output.rpartition(LEAVES_SCREEN)
        assert LEAVES_MOUSE in before + after
        assert SHOWS_CURSOR in before + after
        said = after.decode()
    assert "qsage: the play is saved: httt-4x4-tic.play" in said
    assert "qsage: internal error: ZeroDivisionError" in said
    assert "Traceback" not in said
    saved = Transcript.parse((tmp_path / "httt-4x4-tic.play").read_text("utf-8"))
    assert [str(ply.move) for ply in saved.plies][1] == "occupy(1,1)"


def test_a_whole_game_with_mouse_and_keys(tic: list[object], tmp_path: Path) -> None:
    with play(tmp_path, tic, anew=True) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 5")
        terminal.wait_for("rules compared")
        terminal.wait_for("● Black  b2")

        # An illegal move is typed: the square that Black has taken.
        terminal.send(":b2\r")
        terminal.wait_for("b2 is illegal: Black already holds b2")
        terminal.wait_for("formula  white 2 precondition 1")
        terminal.wait_for("ply 1/5")

        # Back to the board, and click squares until the play is over.
        terminal.send("\x1b")
        terminal.wait_for("Your move, White: ply 2 of 5")
        for ply in (2, 4):
            won = "Black wins: reached"
            if terminal.wait_for(f"ply {ply} of 5", won) == won:
                break
            terminal.settle()
            place = terminal.find(LEGAL_DOT)
            assert place is not None, terminal.text
            terminal.click(*place)
        terminal.wait_for("Black wins: reached its goal, as the certificate promised")
        terminal.wait_for("Verdict gate true, no findings.")

        # Take a round back and play it again.
        terminal.send("u")
        terminal.wait_for("Took the last round back.")
        terminal.send("y")
        terminal.wait_for("Black wins: reached")

        # Save it.
        terminal.send("s")
        terminal.wait_for("Save the transcript")
        terminal.send("\x15")
        terminal.wait_for("file name")
        terminal.send("whole.play\r")
        terminal.wait_for("5    ● Black")
        terminal.send("4")
        terminal.wait_for("Saved to whole.play")

        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
        assert left_cleanly(terminal)

    path = tmp_path / "whole.play"
    transcript = Transcript.parse(path.read_text(), str(path))
    assert transcript.person is Player.WHITE
    assert transcript.result is not None
    assert transcript.result.startswith("Black wins")
    assert [p.name for p in tmp_path.iterdir()] == ["whole.play"]


def test_control_c_leaves_a_clean_terminal(tic: list[object], tmp_path: Path) -> None:
    with play(tmp_path, tic) as terminal:
        terminal.wait_for("Your move")
        terminal.send("?")
        terminal.wait_for("The play")
        terminal.send("\x03")
        assert terminal.exit_code() == Exit.INTERRUPTED
        assert left_cleanly(terminal)


def test_a_terminal_that_shrinks_and_grows(tic: list[object], tmp_path: Path) -> None:
    with play(tmp_path, tic, columns=50, lines=10) as terminal:
        terminal.wait_for("Too small: 50x10, need 60x16 or 40x26")
        terminal.resize(120, 40)
        terminal.wait_for("Your move, White")
        for title in ("1 Moves", "2 Why not", "3 Values", "4 Messages"):
            terminal.wait_for(title)
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def run_to_the_end(terminal: Terminal, winner: str) -> None:
    """Let the random player play, and see the promise kept."""
    terminal.wait_for("Your move")
    terminal.send("X")
    # The screen comes in pieces: wait for each of them.
    terminal.wait_for(f"{winner} wins: ")
    terminal.wait_for("as the certificate promised")
    terminal.wait_for("no findings")
    terminal.send("q")
    assert terminal.exit_code() == Exit.FINE


def test_black_is_played_against_a_herbrand_certificate(repository: Path, tmp_path: Path) -> None:
    arguments = pair(repository / "certificates", "domineering")
    with play(tmp_path, [*arguments, "--seed", 3]) as terminal:
        terminal.wait_for("you ● Black")
        run_to_the_end(terminal, "White")


@pytest.mark.parametrize(
    ("name", "winner"),
    [
        ("httt-3x3_3_domino", "Black"),
        ("domineering__4x2_5", "White"),
    ],
)
def test_certificates_of_quabs_play_to_the_end(
    name: str, winner: str, shared_data: Path, tmp_path: Path
) -> None:
    arguments = pair(shared_data / "certificates" / "quabs", name)
    with play(tmp_path, [*arguments, "--seed", 5], columns=100, lines=30) as terminal:
        run_to_the_end(terminal, winner)


def test_a_formula_without_a_layout_is_played_block_by_block(
    shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "certificates" / "quabs"
    for suffix in (".qcir", ".aig"):
        copy = tmp_path / f"bare{suffix}"
        copy.write_bytes((source / f"connect-c-3x3_3_connect2{suffix}").read_bytes())
    with play(tmp_path, ["bare.qcir", "--cert", "bare.aig"]) as terminal:
        terminal.wait_for("Your move, White")
        terminal.wait_for("Play (p)")
        for ply in (2, 4, 6):
            terminal.wait_for(f"Your move, White: ply {ply} of 7")
            terminal.send("1p")
        terminal.wait_for("Black wins: the matrix is true")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE


def test_names_from_files_never_command_the_terminal(tmp_path: Path) -> None:
    """A title of the terminal, a C1 command, a turn of direction: in names of squares and files."""
    evil = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202egpj.\u2066b"
    model = tmp_path / f"{evil}.pg"
    model.write_text(
        f"#blackinitials\n#whiteinitials\n#times\nt1 t2 t3\n#blackturns\nt1 t3\n#positions\n"
        f"{evil} b c d\n#blackwins\n{evil} b\n{evil} c\n{evil} d\n#whitewins\n"
    )
    with play(tmp_path, [model.name], columns=160, lines=40) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 3")
        # The file's name is a label: shown in quotes, and not obeyed.
        terminal.wait_for(r"a\\x1b]0;owned\\x07")
        terminal.wait_for("a]0;owned[2J31mgpj.b threatens")  # the square's, without the commands
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
    for command in ("\x1b]0;owned", "\x9b31m", "\u202e", "\u2066"):
        assert command.encode() not in terminal.output


def modes(terminal: Terminal) -> list[Any]:
    """The modes of the terminal, such as whether it echoes."""
    return termios.tcgetattr(terminal.child.child_fd)


def moved(terminal: Terminal) -> None:
    """Play a move, and wait for the reply."""
    terminal.wait_for("Your move, White: ply 2 of 5")
    terminal.send(":occupy(1,1)\r")
    terminal.wait_for("Your move, White: ply 4 of 5")
    terminal.send("\x1b")
    terminal.settle()


@pytest.mark.parametrize(
    ("sent", "number"),
    [
        (b"\xe9", signal.SIGTERM),
        (b"\x1b[M \xa0\xff", signal.SIGHUP),
        (b"\x1b[999999999999B", signal.SIGINT),
        (b"\x1b]11;rgb:0/0/0\x07", signal.SIGTERM),
        (b"\x10\x1b[<0;2;2M\x1b[<0;2;2m\x1b[<0;2;2M\x1b[<0;2;2m", signal.SIGHUP),
        (b"\x10\x1b[B?\x1b\x10\x10ab\x1b\x1b", signal.SIGINT),
    ],
    ids=["latin-1", "old mouse", "oversized", "answer", "two clicks", "while mounting"],
)
def test_odd_bytes_end_nothing_and_a_signal_ends_it_well(
    tic: list[object], tmp_path: Path, sent: bytes, number: signal.Signals
) -> None:
    """The board died of each of these, or left the terminal without echo behind the signal."""
    with play(tmp_path, tic) as terminal:
        before = modes(terminal)
        moved(terminal)
        terminal.send_bytes(sent)
        terminal.settle()
        terminal.send_bytes(sent)
        terminal.settle(0.2)
        terminal.child.kill(number)
        until = time.monotonic() + 30
        while terminal.child.isalive() and time.monotonic() < until:
            terminal.settle(0.05)
        assert modes(terminal) == before
        assert terminal.exit_code() == 128 + number
        assert left_cleanly(terminal)
    saved = Transcript.parse((tmp_path / "httt-4x4-tic.play").read_text("utf-8"))
    assert [str(ply.move) for ply in saved.plies][1] == "occupy(1,1)"


def test_after_stop_and_continue_keys_are_read_and_the_terminal_is_left_as_it_was(
    tic: list[object], tmp_path: Path
) -> None:
    with play(tmp_path, tic) as terminal:
        before = modes(terminal)
        moved(terminal)
        for _ in range(2):
            terminal.child.kill(signal.SIGSTOP)
            # A shell takes its terminal back.
            termios.tcsetattr(terminal.child.child_fd, termios.TCSANOW, before)
            terminal.child.kill(signal.SIGCONT)
            terminal.settle()
        terminal.send("4")
        terminal.wait_for("· 1. Black b2")
        terminal.send("u")
        terminal.wait_for("Your move, White: ply 2 of 5")
        # One that comes at once wakes nobody who is not asleep yet.
        terminal.child.kill(signal.SIGTSTP)
        terminal.child.kill(signal.SIGCONT)
        terminal.settle()
        terminal.send("y")
        terminal.wait_for("Your move, White: ply 4 of 5")
        terminal.send("q")
        until = time.monotonic() + 30
        while terminal.child.isalive() and time.monotonic() < until:
            terminal.settle(0.05)
        assert modes(terminal) == before
        assert terminal.exit_code() == Exit.FINE


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGTERM])
def test_a_board_that_is_to_go_on_while_it_stops_is_not_stopped(
    tic: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """It gave its terminal back first, and then stopped all the same: nobody woke it."""
    original = TerminalDriver.suspend_application_mode

    def suspended(driver: TerminalDriver) -> None:
        original(driver)
        os.kill(os.getpid(), number)

    monkeypatch.setattr(TerminalDriver, "suspend_application_mode", suspended)
    with play(tmp_path, tic) as terminal:
        before = modes(terminal)
        moved(terminal)
        terminal.child.kill(signal.SIGTSTP)
        if number == signal.SIGCONT:
            terminal.wait_for("Your move, White: ply 4 of 5")
            terminal.settle()
            terminal.send("u")
            terminal.wait_for("Your move, White: ply 2 of 5", seconds=20)
            terminal.send("q")
        until = time.monotonic() + 30
        while terminal.child.isalive() and time.monotonic() < until:
            terminal.settle(0.05)
        assert modes(terminal) == before
        assert terminal.exit_code() == (Exit.FINE if number == signal.SIGCONT else 128 + number)


@pytest.mark.parametrize("wait", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_screen_opens_ends_it_well(
    tic: list[object], tmp_path: Path, wait: float, number: signal.Signals
) -> None:
    """Ctrl-C from outside was an internal error."""
    with play(tmp_path, tic) as terminal:
        before = modes(terminal)
        until = time.monotonic() + 30
        while b"\x1b[?1049h" not in terminal.output and time.monotonic() < until:
            terminal.settle(0.001, 0.001)
        terminal.settle(0.001, wait)
        terminal.child.kill(number)
        while terminal.child.isalive() and time.monotonic() < until:
            terminal.settle(0.05)
        assert modes(terminal) == before
        assert terminal.exit_code() == 128 + number
        assert left_cleanly(terminal)


def test_a_play_whose_folder_is_not_there_is_saved_where_plays_are_kept(
    tic: list[object], tmp_path: Path
) -> None:
    """The file's name was tried twice, and then the play was lost."""
    here, state = tmp_path / "here", tmp_path / "state"
    here.mkdir()
    with play(here, tic, variables={"QSAGE_STATE": str(state)}) as terminal:
        moved(terminal)
        terminal.send("s")
        terminal.wait_for("Save the transcript")
        terminal.send("\x15")
        terminal.wait_for("file name")
        terminal.send("nowhere/a.play\r")
        terminal.wait_for("nowhere/a.play: found")
        shutil.rmtree(here)  # Nor can it be saved here.
        terminal.child.kill(signal.SIGHUP)
        assert terminal.exit_code() == 128 + signal.SIGHUP
        assert f"qsage: the play is saved: {state}/plays/a.play" in terminal.output.decode()
    saved = Transcript.parse((state / "plays" / "a.play").read_text("utf-8"))
    assert [str(ply.move) for ply in saved.plies][1] == "occupy(1,1)"


def test_a_terminal_that_nobody_reads_keeps_no_board(tic: list[object], tmp_path: Path) -> None:
    """A megabyte of keys kept one alive for 25 seconds, and took 700 MB."""
    with play(tmp_path, tic, anew=True) as terminal:
        moved(terminal)
        os.set_blocking(terminal.child.child_fd, False)
        sent, until = 0, time.monotonic() + 2
        while time.monotonic() < until:
            with contextlib.suppress(BlockingIOError):
                sent += os.write(terminal.child.child_fd, b"34" * 1000)
        assert sent < 200_000, "what is not answered yet stays in the terminal"
        status = Path(f"/proc/{terminal.child.pid}/statm").read_text().split()
        assert int(status[1]) * os.sysconf("SC_PAGE_SIZE") < 300e6
        terminal.child.kill(signal.SIGHUP)
        until = time.monotonic() + 10
        while terminal.child.isalive() and time.monotonic() < until:
            time.sleep(0.05)
        assert not terminal.child.isalive()
    assert [path.name for path in tmp_path.iterdir()] == ["httt-4x4-tic.play"]
