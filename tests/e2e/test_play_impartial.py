"""``qsage play`` on impartial games: scripts, prompt, opponents, bad input, a real terminal."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.play.transcript import Transcript
from tests.support.heap_rules import MISERE, RULES, WRONG
from tests.support.terminal import LEAVES_SCREEN, Terminal

from .conftest import Qsage, Ran

Play = Callable[..., Ran]


@pytest.fixture
def play(qsage: Qsage, tmp_path: Path) -> Play:
    """Runs ``qsage play`` in this process, in a folder with files of rules."""
    for name, text in {**RULES, "wrong": WRONG, "misere": MISERE}.items():
        (tmp_path / f"{name}.rules").write_text(text, encoding="utf-8")
    return lambda *arguments: qsage("play", *arguments)


TAKE = ("take-away-3", "--rules", "take-away-3.rules")


# -- scripts --------------------------------------------------------------------------------


def test_a_script_is_played_to_its_end(play: Play) -> None:
    done = play(*TAKE, "--state", "v=6", "--moves", "take(1)")
    assert done.code == Exit.FINE
    assert done.err == ""
    assert "ply 1, Black: take(2)\nv ●●●●··\nv = 4\nrule 2: v % 4 = 2 -> take(2)" in done.out
    assert done.out.endswith("Black wins: White cannot move; as promised\n")


def test_a_game_of_a_family_is_played_by_its_name(play: Play) -> None:
    rules = "".join(f"v % 6 = {k} -> take({k})\n" for k in range(1, 6))
    Path("five.rules").write_text(rules, encoding="utf-8")
    done = play("take-away-5", "--rules", "five.rules", "--state", "v=8", "--moves", "take(4)")
    assert done.code == Exit.FINE, done.err
    assert "rule 2: v % 6 = 2 -> take(2)" in done.out


def test_a_script_as_json(play: Play) -> None:
    done = play(*TAKE, "--state", "6", "--moves", "take(1)", "--json")
    data = json.loads(done.out)
    assert (done.code, data["outcome"]["winner"], data["findings"]) == (Exit.FINE, "black", [])
    assert [f["state"] for f in data["frames"]] == ["v = 6", "v = 4", "v = 3", "v = 0"]
    assert data["frames"][1]["remarks"][0].startswith("rule 2: v % 4 = 2 -> take(2)")


def test_a_transcript_is_replayed_and_compared(play: Play, tmp_path: Path) -> None:
    done = play(*TAKE, "--state", "v=6", "--moves", "take(1)", "--json")
    transcript = json.dumps(json.loads(done.out)["transcript"])
    (tmp_path / "whole.json").write_text(transcript, encoding="utf-8")
    assert play(*TAKE, "--state", "v=6", "--moves-file", "whole.json").code == Exit.FINE
    done = play(*TAKE, "--state", "v=7", "--moves-file", "whole.json")
    assert done.code == Exit.BAD_INPUT
    assert "which is how this strategy answers" in done.err


def test_an_illegal_move_ends_the_script(play: Play) -> None:
    done = play(*TAKE, "--state", "v=13", "--moves", "take(4)")
    assert done.code == Exit.BAD_INPUT
    said = "take(4) is illegal:\n  k is 4, and it has to be at most 3\n"
    said += "  take(4): (<= ?k 3) is false for k = 4 (take-away-3.ig, line 8)\n"
    assert done.out.endswith(said)
    done = play(*TAKE, "--state", "v=13", "--moves", "take(4)!")
    assert "let happen: take(4) is illegal" in done.out


def test_a_game_of_ones_own_is_recognised_by_its_content(play: Play, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(
        "; mine\n(define (domain mine) (:objects ?n) (:tercondition (= ?n 0))\n"
        "(:constraint (>= ?n 0))\n(:action eat :parameters (?k)\n"
        "  :precondition (and (>= ?k 1)\n    (<= ?k 2) (>= ?n ?k))\n"
        "  :effect (assign ?n (- ?n ?k))))\n",
        encoding="utf-8",
    )
    rules = tmp_path / "mine.rules"
    rules.write_text("n % 3 = 1 -> eat(1)\nn % 3 = 2 -> eat(2)\n", encoding="utf-8")
    done = play("mine.txt", "--rules", "mine.rules", "--state", "n=5", "--moves", "eat(3)")
    assert "(<= ?k 2) is false for k = 3 (mine.txt, line 6)" in done.out
    done = play("mine.txt", "--rules", "mine.rules", "--white", "all", "--bound", "30")
    assert done.code == Exit.FINE


def test_a_state_is_drawn_by_the_seed(play: Play) -> None:
    starts = [play(*TAKE, "--seed", str(n), "--moves", "").out.splitlines()[0] for n in (1, 1, 2)]
    assert starts[0] == starts[1] != starts[2]
    assert play(*TAKE, "--moves", "").out == play(*TAKE, "--seed", "0", "--moves", "").out


# -- opponents ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_a_drawn_start_leaves_the_person_a_move(play: Play, seed: int) -> None:
    done = play(*TAKE, "--bound", "4", "--seed", str(seed), "--moves", "", "--json")
    assert done.code == Exit.UNDECIDED
    assert json.loads(done.out)["outcome"] is None


def test_random_opponents(play: Play) -> None:
    done = play(*TAKE, "--white", "random", "--games", "30", "--seed", "4", "--illegal", "0.2")
    assert done.code == Exit.FINE
    assert "30 games against a random White (seed 4): Black won 30, lost 0\n" in done.out
    assert "flagged by the preconditions\nfindings: none\n" in done.out
    done = play("take-away-3", "--rules", "wrong.rules", "--white", "random", "--json")
    data = json.loads(done.out)
    assert done.code == Exit.REFUTED
    assert data["lost"] > 0
    assert data["findings"][0]["kind"] == "reply does not win"


def test_all_states(play: Play) -> None:
    done = play(*TAKE, "--white", "all", "--bound", "50", "--json")
    data = json.loads(done.out)
    assert (done.code, data["states"], data["winning"]) == (Exit.FINE, 51, 38)
    assert data["labelled"] == data["searched"] == 51
    done = play("take-away-3", "--rules", "wrong.rules", "--white", "all", "--bound", "9")
    assert done.code == Exit.REFUTED
    assert "    qsage-play take-away-3 --rules wrong.rules --state v=6 --begins black" in done.out


def test_misere_play(play: Play) -> None:
    words = ("take-away-3", "--misere", "--rules", "misere.rules")
    assert play(*words, "--white", "all", "--bound", "40").code == Exit.FINE
    assert play(*TAKE, "--misere", "--white", "all", "--bound", "40").code == Exit.REFUTED


def test_synthesised_rules_are_played_and_read_back(qsage: Qsage, tmp_path: Path) -> None:
    pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")
    done = qsage("play", "take-away-3", "--state", "v=6", "--moves", "take(1)")
    assert done.code == Exit.FINE
    assert "3 rules synthesised and proved; normal play" in done.out
    assert "winning formula: v % 4 != 0" in done.out
    assert qsage("synthesize", "take-away-3", "--strategy", "-q", "-o", "found").code == 0
    for rules in ("found", "found/report.json", "found/strategy.txt"):
        done = qsage("play", "take-away-3", "--rules", rules, "--white", "all", "--bound", "30")
        assert done.code == Exit.FINE, done


def test_a_game_without_a_winning_formula_is_not_played(qsage: Qsage, tmp_path: Path) -> None:
    pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")
    (tmp_path / "flawed.ig").write_text(
        "(define (domain d) (:objects ?v) (:tercondition (<= ?v 1)) (:constraint (>= ?v 0))"
        "(:action take :parameters () :precondition (> ?v 0) :effect (assign ?v (- ?v 1))))",
        encoding="utf-8",
    )
    done = qsage("play", "flawed.ig", "--moves", "")
    assert done.code == Exit.BAD_INPUT
    assert "d: found no winning formula" in done.err


# -- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*TAKE, "--state", "v=-1"), "expected a legal one of take-away-3: v >= 0"),
        ((*TAKE, "--state", "w=1"), "found 'w=1' in the state, expected 'v=3'"),
        ((*TAKE, "--begins", "me"), "found --begins me, expected black or white"),
        ((*TAKE, "--black", "random"), "found --black: the rules play Black"),
        ((*TAKE, "--white", "clever"), "found --white clever"),
        ((*TAKE, "--white", "all", "--games", "3"), "found --games with --white all"),
        ((*TAKE, "--white", "all", "--bound", "9999999"), "expected at most 1,000,000"),
        ((*TAKE, "--state", "3", "--bound", "9"), "found --bound with --state"),
        ((*TAKE, "--cert", "x.aig"), "found --cert with an impartial game"),
        ((*TAKE, "--sat"), "found --sat with an impartial game"),
        ((*TAKE, "--moves", "eat(1)"), "--moves:1:1: found the unknown action 'eat', expected"),
        ((*TAKE, "--state", "5", "--moves", "take(1) take(1)"), "no more moves: the play is over"),
        (("take-away-3", "--rules", "missing"), "missing: found no such file"),
        (
            ("take-away-3", "--rules", "two-heap-nim.rules"),
            "two-heap-nim.rules:1:12: found the action",
        ),
        (("no-such-game",), "found the unknown game 'no-such-game'"),
        (("no-such-game", "--state", "3"), "found --state, but no-such-game is no impartial game"),
    ],
)
def test_what_does_not_fit_is_one_line(play: Play, words: tuple[str, ...], said: str) -> None:
    done = play(*words)
    assert done.code == Exit.BAD_INPUT
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_wrong_state_is_told_before_rules_are_looked_for(qsage: Qsage) -> None:
    done = qsage("play", "take-away-3", "--state", "w=1", "--moves", "")
    assert done.code == Exit.BAD_INPUT
    assert done.err == "qsage: error: found 'w=1' in the state, expected 'v=3'\n"


# -- prompt and terminal --------------------------------------------------------------------


def test_the_prompt(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("nim.rules").write_text(RULES["two-heap-nim"], encoding="utf-8")
    words = ["two-heap-nim", "--rules", "nim.rules", "--state", "3,3", "--plain"]
    lines = "why left(4)\nhint\nmoves\n2\nleft(2)\ngates\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    done = play(*words)
    assert done.code == Exit.FINE, done.err
    assert "left(4): (>= ?v1 ?k) is false for v1 = 3, k = 4" in done.out
    assert "left(1): no move wins against the strategy" in done.out
    assert "left(1)  left(2)  left(3)  right(1)  right(2)  right(3)" in done.out
    assert "found '2', expected one of left(2), right(2)" in done.out
    assert "rule 1: v1 < v2 -> right(v2 - v1); leaves v1 = 1, v2 = 1" in done.out
    assert "winning " in done.out


@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_whole_game_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "take.rules").write_text(RULES["take-away-3"], encoding="utf-8")
    words = ["take-away-3", "--rules", "take.rules", "--state", "v=13"]
    with Terminal(["qsage-play", *words], folder=tmp_path, columns=110, lines=30) as terminal:
        terminal.wait_for("Your move, White: ply 2 of 13")
        terminal.wait_for("Black: rule 1: v % 4 = 1 -> take(1); leaves v = 12, losing for White")
        terminal.send(":take(4)\r")
        terminal.wait_for("take(4) is illegal: k is 4, and it has to be at most 3")
        terminal.send("\x1b")
        terminal.wait_for("Black: rule 1")
        terminal.send(":take(2)\r")
        terminal.wait_for("Black: rule 2: v % 4 = 2 -> take(2); leaves v = 8, losing for White")
        terminal.wait_for("ply 4 of 13")
        terminal.send("X")
        terminal.wait_for("Black wins: White cannot move, as the strategy promised")
        terminal.wait_for("No findings.")
        terminal.send("s")
        terminal.wait_for("Save the transcript")
        terminal.send("\x15")
        terminal.wait_for("file name")
        terminal.send("whole.play\r")
        terminal.send("4")
        terminal.wait_for("Saved to whole.play")
        terminal.send("q")
        assert terminal.exit_code() == Exit.FINE
        assert LEAVES_SCREEN in terminal.output[-4000:]
    path = tmp_path / "whole.play"
    transcript = Transcript.parse(path.read_text(encoding="utf-8"), str(path))
    assert [ply.move for ply in transcript.plies][:3] == ["take(1)", "take(2)", "take(2)"]
    assert transcript.result == "Black wins: White cannot move"
