"""``qsage play`` and ``qsage-play``: scripts, random opponents, the plain prompt, bad input."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect
import pytest

import qsage_validate as qs
from qsage_validate.errors import Exit
from tests.support.commands import run_play, run_qsage
from tests.support.terminal import spawn

from .conftest import Qsage, Ran

Play = Callable[..., Ran]


@pytest.fixture
def tic(repository: Path) -> str:
    """The sample that the project made."""
    return str(repository / "certificates" / "tic.qcir")


@pytest.fixture
def play(qsage: Qsage) -> Play:
    """Runs ``qsage play`` in this process."""
    return lambda *arguments: qsage("play", *arguments)


# -- scripts ---------------------------------------------------------------------------------


def test_a_script_is_played_to_its_end(play: Play, tic: str) -> None:
    done = play(tic, "--moves", "occupy(3,3) occupy(1,1)")
    assert done.code == Exit.FINE
    assert done.err == ""
    assert "ply 2, White: c3" in done.out
    assert done.out.rstrip().endswith("as promised")
    assert "  a b c d\n1 . . . .\n2 . B . .\n3 . . W .\n4 . . . ." in done.out


def test_a_script_as_json(play: Play, tic: str) -> None:
    done = play(tic, "--moves", "occupy(3,3) occupy(1,1)", "--json")
    assert done.code == Exit.FINE
    data = json.loads(done.out)
    assert data["over"] is True
    assert data["outcome"]["winner"] == "black"
    assert data["findings"] == []
    assert [f["move"] for f in data["frames"]][2] == "occupy(3,3)"


def test_moves_that_end_too_early_decide_nothing(play: Play, tic: str) -> None:
    done = play(tic, "--moves", "occupy(3,3)")
    assert done.code == Exit.UNDECIDED
    assert "the moves end before the play does: White is to move" in done.err


def test_an_illegal_move_is_explained_and_ends_the_script(play: Play, tic: str) -> None:
    done = play(tic, "--moves", "occupy(2,2)")
    assert done.code == Exit.BAD_INPUT
    said = "b2 is illegal:\n  Black already holds b2\n"
    assert said + "  occupy(2,2): open(?x,?y) is false at (2,2)\n" in done.out
    assert re.search(r"formula: white 2 precondition 1 \[\d+\]: false", done.out)
    assert done.err.count("\n") == 1
    data = json.loads(play(tic, "--moves", "occupy(2,2)", "--json").out)
    assert data["refused"]["rule"] == "open(?x,?y)"


def test_an_illegal_move_can_be_let_happen(play: Play, tic: str) -> None:
    done = play(tic, "--moves", "occupy(3,3) occupy(3,3)!")
    assert done.code == Exit.FINE
    assert "let happen: c3 is illegal" in done.out


def test_a_file_of_moves_and_a_transcript(play: Play, tic: str) -> None:
    Path("moves.txt").write_text("# my play\noccupy(3,3)\noccupy(1,1)\n")
    done = play(tic, "--moves-file", "moves.txt", "--json")
    assert done.code == Exit.FINE
    data = json.loads(done.out)
    Path("play.json").write_text(json.dumps(data["transcript"]))
    again = play(tic, "--moves-file", "play.json", "--json")
    assert json.loads(again.out)["transcript"] == data["transcript"]
    data["transcript"]["plies"][0]["move"] = "occupy(1,1)"
    Path("play.json").write_text(json.dumps(data["transcript"]))
    refused = play(tic, "--moves-file", "play.json")
    assert refused.code == Exit.BAD_INPUT
    assert "which is how this certificate answers" in refused.err


def test_qsage_play_is_the_same_command(tic: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [tic, "--moves", "occupy(3,3)", "--json"]
    run_qsage(["play", *arguments])
    one = json.loads(capsys.readouterr().out)
    run_play(arguments)
    other = json.loads(capsys.readouterr().out)
    assert one["transcript"] == other["transcript"]


# -- random opponents ------------------------------------------------------------------------


@pytest.mark.parametrize("sample", ["tic", "breakthrough", "connect3", "domineering", "hex"])
def test_the_samples_withstand_random_opponents(play: Play, repository: Path, sample: str) -> None:
    formula = repository / "certificates" / f"{sample}.qcir"
    done = play(
        formula, "--white", "random", "--games", 40, "--seed", 3, "--illegal", 0.2, "--json"
    )
    assert done.code == Exit.FINE
    data = json.loads(done.out)
    assert list(data)[:4] == ["schema", "games", "wins", "losses"]
    assert (data["games"], data["wins"], data["losses"], data["findings"]) == (40, 40, 0, [])
    assert data["illegal_flagged"] == data["illegal_tried"]
    assert data["seed"] == 3
    assert data["plays_per_second"] > 0


def test_the_required_command_on_a_foreign_pair(play: Play, shared_data: Path) -> None:
    folder = shared_data / "certificates" / "quabs"
    done = play(
        folder / "httt-4x4_5_tic.qcir",
        "--cert",
        folder / "httt-4x4_5_tic.aig",
        *("--white", "random", "--games", 1000, "--seed", 1, "--json"),
    )
    assert done.code == Exit.FINE
    assert done.err == ""
    data = json.loads(done.out)
    assert (data["wins"], data["losses"], data["findings"]) == (1000, 0, [])


def test_a_summary_for_people(play: Play, tic: str) -> None:
    done = play(tic, "--white", "random", "--games", 30, "--illegal", 1)
    assert done.code == Exit.FINE
    assert "30 games against a random White (seed 0): Black won 30, lost 0" in done.out
    assert "illegal moves: 60 tried, 60 flagged by the formula" in done.out
    assert "findings: none" in done.out


def test_against_a_herbrand_certificate_the_random_player_is_black(
    play: Play, repository: Path
) -> None:
    formula = repository / "certificates" / "domineering.qcir"
    told = play(formula, "--white", "random", "--games", 10)
    assert told.code == Exit.FINE
    assert "the certificate plays White: the random player is Black" in told.err
    assert (
        play(formula, "--black", "random", "--games", 10).out.splitlines()[0]
        == (told.out.splitlines()[0])
    )


def damage(play: Play, qsage: Qsage) -> Ran:
    """Certify Domino, let Black's last move always be the corner, and attack that."""
    model = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")
    assert qsage("certify", *model, "-o", "domino.aag", "--formula", "domino.qcir").code == 0
    lines = Path("domino.aag").read_text().split("\n")
    header = [int(n) for n in lines[0].split()[1:]]
    first = 1 + header[1]
    outputs = lines[first : first + header[3]]
    names = {s.split()[1]: int(s.split()[0][1:]) for s in lines if re.match(r"o\d+ ", s)}
    for variable in ("13", "14", "15", "16"):
        outputs[names[variable]] = "0"
    lines[first : first + header[3]] = outputs
    Path("damaged.aag").write_text("\n".join(lines))
    arguments = ("domino.qcir", "--cert", "damaged.aag")
    return play(*arguments, "--white", "random", "--games", 100)


def test_a_damaged_certificate_is_refuted_with_a_command_that_replays_it(
    play: Play, qsage: Qsage
) -> None:
    done = damage(play, qsage)
    assert done.code == Exit.REFUTED
    finding, command = done.out.split("findings: ")[1].split("\n")[1:3]
    assert command.strip().startswith("qsage-play domino.qcir --cert damaged.aag --moves ")
    replayed = play(*shlex.split(command)[1:])
    assert replayed.code == Exit.REFUTED
    assert f"FINDING {finding.strip()}" in replayed.out


# -- the plain prompt ------------------------------------------------------------------------


@pytest.fixture
def prompt(play: Play, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs ``qsage play`` with these lines as standard input."""

    def run(lines: str, *arguments: str) -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return play(*arguments)

    return run


def test_lines_of_standard_input_are_played(prompt: Play, tic: str) -> None:
    lines = "moves\nwhy 2,2\n?b2\noccupy(2,2)\noccupy(3,3)\nhint\nundo\nredo\ngates\nrandom\nquit\n"
    done = prompt(lines, tic, "--plain")
    assert done.code == Exit.FINE
    assert done.err == ""
    assert "occupy(2,2): open(?x,?y) is false at (2,2)" in done.out
    assert "'force b2' lets it happen" in done.out
    # A question is asked as on the board.
    assert done.out.count("Black already holds b2") == 3
    assert "as promised" in done.out
    assert "\x1b[" not in done.out


def test_every_command_answers(prompt: Play, tic: str, tmp_path: Path) -> None:
    saved, other = tmp_path / "my play.txt", tmp_path / "formula.qcir"
    other.write_text("#QCIR-G14\n")
    lines = [
        "help",
        "notes",
        "board",
        "let maybe",
        "let on",
        "occupy(2,2)",
        "undo",
        "undo",
        "redo",
        "redo",
        "restart",
        "let off",
        "why occupy(3,3)",
        "claim occupy(3,3)",
        f"save {saved}",
        "why occupy(1,1)",
        "restart",
        f"load {saved}",
        "load nowhere.txt",
        f"save {tmp_path}/no/such/folder/x",
        f"save {other}",
        f"save {saved}",
        "force",
        "undo again",
        "hop(1,1)",
        "hint",
        "random",
        "quit",
    ]
    done = prompt("\n".join(lines) + "\n", tic, "--plain")
    assert done.code == Exit.FINE, done.err
    assert done.err == ""
    for told in (
        "found 'maybe', expected let on or let off",
        "illegal moves are let happen",
        "this is the start",
        "nothing was taken back",
        "c3 is legal",
        "and claims the goal",
        f"written to {saved}",
        "the play is over",
        "found no such file",
        f"{other}: found another file there, expected a new name",
        "expected force MOVE",
        "found 'again' behind undo, expected nothing",
        "no hint",
        "there is no legal move",
    ):
        assert told in done.out, told
    assert "2 white occupy(3,3) !stop" in saved.read_text()
    assert other.read_text() == "#QCIR-G14\n"


def test_input_that_ends_before_the_play(prompt: Play, tic: str) -> None:
    for arguments in ((tic, "--plain"), (tic,)):
        done = prompt("occupy(3,3)\n", *arguments)
        assert done.code == Exit.UNDECIDED
        assert done.err == "the moves end before the play does: White is to move\n"
    # As with --moves, a byte-order mark and moves with numbers are read.
    done = prompt("\ufeffoccupy(3,3)\n", tic, "--plain")
    assert "ply 2, White: c3" in done.out
    done = prompt("occupy(3,3)\noccupy(1,1)\n", tic, "--plain")
    assert done.code == Exit.FINE


def test_closed_standard_input(repository: Path, tic: str) -> None:
    command = shlex.join([sys.executable, "-m", "qsage_validate", "play", tic, "--plain"])
    done = subprocess.run(
        ["sh", "-c", f"exec {command} <&-"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(repository)},
        check=False,
    )
    assert done.returncode == Exit.BAD_INPUT
    assert done.stderr.count("\n") == 1
    assert "standard input is closed" in done.stderr


def at_a_terminal(folder: Path, *arguments: str) -> Any:
    variables = {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    words = ["qsage-play", *arguments]
    return spawn(words, folder=folder, lines=40, columns=100, variables=variables, encoding="utf-8")


def test_the_prompt_completes_moves_and_remembers_lines(tmp_path: Path, tic: str) -> None:
    child = at_a_terminal(tmp_path, tic, "--plain")
    child.expect("White>")
    child.send("occupy(3,3\t")
    # The completion, however the terminal's escape sequences cut the line.
    child.expect(r"\)")
    child.send("\r")
    child.expect(r"ply 3, Black: ")
    child.expect("White>")
    child.send("hin\t")
    child.expect("t")
    child.send("\r")
    child.expect("All moves lose within")
    child.expect("White>")
    child.send("\x1b[A\x1b[A\r")
    child.expect("c3 is illegal")
    child.send("\x04")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == Exit.FINE


def test_ctrl_c_at_the_prompt_leaves_a_clean_terminal(tmp_path: Path, tic: str) -> None:
    child = at_a_terminal(tmp_path, tic, "--plain")
    child.expect("White>")
    child.send("\x03")
    child.expect("qsage: interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == Exit.INTERRUPTED


def test_ctrl_c_during_random_games(tmp_path: Path, tic: str) -> None:
    child = at_a_terminal(tmp_path, tic, "--white", "random", "--games", "100000000")
    child.expect("/100000000")
    child.kill(signal.SIGINT)
    child.expect("qsage: interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == Exit.INTERRUPTED


LONG_PROOF = ("hex", "--size", "4x4", "--depth", "15", "--encoding", "lifted", "--certify")


def test_ctrl_c_while_certifying_goes_on_with_the_search(tmp_path: Path) -> None:
    child = at_a_terminal(tmp_path, *LONG_PROOF, "--plain")
    child.expect("compil|check")  # the winner has been found
    child.kill(signal.SIGINT)
    child.expect("the certificate was not finished: the search plays, and nothing is proved")
    child.expect("hex 4x4: the search plays Black. You are White")
    child.expect("White>")
    child.send("a1\r")
    child.expect("ply 3, Black: ")
    child.expect("White>")
    child.send("\x03")
    child.expect("qsage: interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == Exit.INTERRUPTED
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_certifying_ends_a_script(tmp_path: Path) -> None:
    child = at_a_terminal(tmp_path, *LONG_PROOF, "--moves", "a1")
    child.expect("compil|check")
    child.kill(signal.SIGINT)
    child.expect("the certificate was not finished: without --certify the search plays")
    child.expect("qsage: interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == Exit.INTERRUPTED


def test_forks_do_not_count_garbage_for_the_suite(tmp_path: Path, tic: str) -> None:
    """One Ctrl-C in six was lost in the callback by which Hypothesis times collections."""
    us = os.getpid()

    def counts(*_: object) -> None:
        if os.getpid() != us:
            (tmp_path / "counted").touch()

    gc.callbacks.append(counts)
    try:
        child = at_a_terminal(tmp_path, tic, "--white", "random", "--games", "5000")
        child.expect(pexpect.EOF)
        child.close()
    finally:
        gc.callbacks.remove(counts)
    assert child.exitstatus == Exit.FINE
    assert not (tmp_path / "counted").exists()


# -- samples ---------------------------------------------------------------------------------


def test_a_sample_is_played_and_validated_by_its_name(qsage: Qsage, play: Play) -> None:
    done = play("sample:tic", "--moves", "occupy(1,1)", "--json")
    assert done.err == "the moves end before the play does: White is to move\n"
    unnamed = play("--moves", "occupy(1,1)", "--json")
    seconds = r'"seconds": [0-9.e-]+'
    assert re.sub(seconds, "", unnamed.out) == re.sub(seconds, "", done.out)
    assert unnamed.err.startswith("this is sample:tic; qsage-play --help says")
    proved = qsage("validate", "sample:hex", "--cert", "sample:hex.aig", "--level", "formula")
    assert proved.code == Exit.FINE
    assert "\nsample:hex.qcir with sample:hex.aig: proved: " in proved.out
    loaded = qs.load("sample:tic")
    assert loaded.problem.files.command() == "qsage-play sample:tic --cert sample:tic.aig --peeking"


# -- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--meta", "TIC"), "expected a formula and its certificate: FORMULA --cert FILE"),
        (("tic",), "found the unknown game 'tic' (did you mean 'sample:tic'?)"),
        (("sample:tac",), "sample:tac: found no such sample, expected one of sample:breakthrough"),
        (("nowhere.qcir",), "nowhere.qcir: found no such file"),
        (("TIC", "--cert", "nowhere.aig"), "nowhere.aig: found no such file"),
        (("TIC", "--cert", "TIC"), "expected"),
        (("TIC", "--meta", "TIC"), "expected"),
        (("TIC", "--moves", "x", "--plain"), "found --plain and --moves, expected one of them"),
        (("TIC", "--white", "wild"), "found --white wild, expected --white random"),
        (("TIC", "--sat", "--simulation"), "found --sat with --simulation"),
        (("TIC", "--json"), "--json goes with --moves, --moves-file or a random opponent"),
        (("TIC", "--white", "random", "--games", "0"), "--games"),
        (("TIC", "--white", "random", "--illegal", "2"), "--illegal"),
        (("TIC", "--dialect", "french"), "found 'french' for --dialect"),
        (("TIC", "--game", "TIC", "TIC"), "expected"),
        (("TIC", "--moves", "hop(1,1)"), "--moves:1:1: found the unknown action 'hop'"),
        (("TIC", "--moves-file", "nowhere"), "nowhere: found no such file"),
        (("-", "--cert", "TIC"), "a play needs its files by name"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_one_line(
    play: Play, tic: str, arguments: tuple[str, ...], message: str
) -> None:
    done = play(*(tic if word == "TIC" else word for word in arguments))
    assert done.code == Exit.BAD_INPUT
    assert message in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_a_certificate_of_another_formula(play: Play, repository: Path, tic: str) -> None:
    other = repository / "certificates" / "hex.aig"
    done = play(tic, "--cert", other, "--moves", "")
    assert done.code == Exit.BAD_INPUT
    assert done.err.startswith("sample:hex.aig: found ")


def test_truncated_files(play: Play, repository: Path, tic: str) -> None:
    certificate = (repository / "certificates" / "tic.aig").read_bytes()
    formula = Path(tic).read_bytes()
    for cut in (0, 1, 10, len(certificate) // 2):
        Path("cut.aig").write_bytes(certificate[:cut])
        done = play(tic, "--cert", "cut.aig", "--moves", "")
        assert (done.code, done.err.count("\n")) == (Exit.BAD_INPUT, 1), cut
    for cut in (0, 1, len(formula) // 2):
        Path("cut.qcir").write_bytes(formula[:cut])
        done = play("cut.qcir", "--cert", "cut.aig", "--moves", "")
        assert (done.code, done.err.count("\n")) == (Exit.BAD_INPUT, 1), cut
