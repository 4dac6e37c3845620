"""``qsage play GAME``: a game without a formula is played against a search."""

from __future__ import annotations

import io
import json
from importlib.resources import files
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.formats.pg import pg_text
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.registry import resolve_command
from tests.support.terminal import LEAVES_SCREEN, Terminal

from .conftest import Qsage

TIC = ("httt", "--size", "4x4", "--shape", "tic", "--depth", "5")
LONG = ("domineering", "--size", "8x8", "--depth", "33")


@pytest.mark.parametrize(
    ("words", "winner"),
    [
        (TIC, "black"),
        (("harary", "--size", "3x3", "--shape", "el", "--depth", "3"), "white"),
        (("domineering", "--size", "4x4", "--depth", "8"), "black"),
        (("trails", "--depth", "3", "--role", "blue"), "white"),
    ],
)
def test_games_by_name(qsage: Qsage, words: tuple[str, ...], winner: str) -> None:
    other = "white" if winner == "black" else "black"
    done = qsage("play", *words, f"--{other}", "random", "--games", 5, "--json")
    report = json.loads(done.out)
    assert (done.code, report["wins"], report["findings"]) == (Exit.FINE, 5, [])
    if winner == "white":
        done = qsage("play", *words, "--white", "random", "--games", 1)
        assert done.err == "the search plays White: the random player is Black\n"


def test_games_in_files(qsage: Qsage) -> None:
    Path("el.pg").write_text(pg_text(harary_model("el", 3, 3, plies=5).pg()), encoding="utf-8")
    model = resolve_command(["httt", "--size", "3x3", "--shape", "el", "--depth", "5"])
    Path("domain.ig").write_text(str(model.domain), encoding="utf-8")
    Path("problem.ig").write_text(str(model.problem), encoding="utf-8")
    trails = files("qsage_validate.extensions.gdl.library") / "trails.gdl"
    Path("trails.gdl").write_text(trails.read_text("utf-8"), encoding="utf-8")
    for words, moves in (
        (("el.pg",), "a1 c3"),
        (("domain.ig", "problem.ig"), "1,1 3,3"),
        (("--game", "domain.ig", "problem.ig"), "1,1 3,3"),
        (("--model", "el.pg"), "a1 c3"),
        (("trails.gdl", "--depth", "2"), None),
    ):
        script = ("--moves", moves) if moves else ("--black", "random", "--games", "2")
        done = qsage("play", *words, *script)
        assert (done.code, done.err) == (Exit.FINE, ""), words


def test_the_prompt_and_a_transcript(qsage: Qsage, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "1,1\nhint\nwhy 2,2\nsave play.txt\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    done = qsage("play", *TIC, "--plain")
    assert done.code == Exit.FINE
    assert "httt 4x4 tic: the search plays Black" in done.out
    assert "All moves lose within" in done.out
    replayed = qsage("play", *TIC, "--moves-file", "play.txt")
    assert replayed.code == Exit.UNDECIDED
    assert "ply 2, White: a1" in replayed.out


def test_the_loser_can_be_played_too(qsage: Qsage) -> None:
    done = qsage("play", *TIC, "--side", "white", "--black", "random", "--games", 10, "--json")
    report = json.loads(done.out)
    assert (report["wins"] > 0, report["losses"], report["findings"]) == (True, 0, [])


def test_what_is_not_decided_in_time(qsage: Qsage) -> None:
    done = qsage("play", *LONG, "--timeout", "0.2", "--moves", "1,1")
    assert done.code == Exit.UNDECIDED
    expected = "undecided: 0.2 seconds are over; --side black or --side white needs no answer"
    assert (done.out, done.err) == ("", f"qsage: {expected}\n")
    done = qsage("play", *LONG, "--timeout", "0.2", "--side", "black", "--moves", "1,1")
    assert done.code == Exit.UNDECIDED
    assert "no answer in time: undecided: 0.2 seconds are over" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("htt", "--size", "3x3"), "found the unknown game 'htt' (did you mean 'httt'?), expected"),
        ((*TIC, "--bare"), "found --bare with a game that is searched"),
        ((*TIC, "--status", "true"), "found --status with a game that is searched"),
        ((*TIC, "--assert", "x"), "found --assert with a game that is searched"),
        ((*TIC, "--certify", "--side", "white"), "found --side, which is for a search"),
        ((*TIC, "--certify", "--solver", "depqbf"), "found --certify with --solver"),
        ((*TIC, "--white", "random", "--illegal", "0.5"), "found --illegal, but there is no"),
        ((*TIC, "--let-happen"), "found --let-happen, but there is no formula"),
        (("sample:tic.qcir", "--solver", "search"), "found --solver search with a formula"),
        (("--side", "white"), "found --side with no game, expected a game"),
        (("take-away-3", "--side", "white"), "found --side with an impartial game"),
    ],
)
def test_what_does_not_fit(qsage: Qsage, words: tuple[str, ...], said: str) -> None:
    script = () if "--white" in words else ("--moves", "1,1")
    done = qsage("play", *words, *script)
    assert done.code == Exit.BAD_INPUT
    assert said in done.err
    assert (done.out, done.err.count("\n")) == ("", 1)


def test_a_game_that_no_search_takes(qsage: Qsage) -> None:
    """Both players choose at once."""
    Path("coins.gdl").write_text(
        "(role a) (role b) (init start) (side heads) (side tails)\n"
        "(<= (legal ?r (show ?s)) (role ?r) (side ?s))\n"
        "(<= (next (shown ?r ?s)) (does ?r (show ?s)))\n(<= terminal (not (true start)))\n"
        "(<= (goal a 100) (true (shown a ?s)) (true (shown b ?s)))\n(<= (goal ?r 0) (role ?r))\n",
        encoding="utf-8",
    )
    done = qsage("play", "coins.gdl", "--moves", "x")
    assert done.code == Exit.BAD_INPUT
    said = "expected a turn-taking game (bounds of others: --at-once maximin and minimax)\n"
    assert done.err.endswith(said)
    assert (done.out, done.err.count("\n")) == ("", 1)


@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_the_board_in_a_terminal(tmp_path: Path) -> None:
    command = ["qsage-play", "--side", "black", *LONG]
    with Terminal(command, folder=tmp_path) as terminal:
        terminal.wait_for("Working: Black's reply … searching depth")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
        assert terminal.output.count(LEAVES_SCREEN) == 1
