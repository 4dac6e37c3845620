"""``qsage explain`` shows programs that are proved, and says what is wrong in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qsage_validate
from qsage_validate.errors import Exit

from .conftest import Qsage

TRAILS = Path(qsage_validate.__file__).parent / "extensions/gdl/library/trails.gdl"
DOMINO = ("httt", "--size", "3x3", "--shape", "domino", "--depth", "3")


def test_a_game_is_explained_and_its_certificate_is_valid(qsage: Qsage) -> None:
    done = qsage(
        "explain", *DOMINO, "--lookahead", "1", "--json", "--write-certificate", "e.aig",
        "--write-formula", "e.qcir",
    )  # fmt: skip
    assert done.code == Exit.FINE, done.err
    facts = json.loads(done.out)
    assert (facts["nodes"], facts["depth"], facts["proved"]) == (3, 1, True)
    assert facts["smallest"]
    assert set(facts["levels"].values()) == {"proved"}
    read = json.loads(qsage("validate", "e.qcir", "--cert", "e.aig", "--json").out)
    assert read["verdict"] == "valid"
    assert facts["gates"] > 0


def test_a_formula_is_explained_by_its_certificate(qsage: Qsage) -> None:
    assert qsage("certify", *DOMINO, "-o", "c.aig", "--formula", "f.qcir").code == 0
    done = qsage("explain", "f.qcir", "--cert", "c.aig", "--no-boards")
    assert done.code == Exit.FINE, done.err
    assert "Proved: Black wins httt 3x3 domino within 3 plies." in done.out
    assert "|" not in done.out
    qsage("explain", "f.qcir", "--cert", "c.aig", "--no-boards", "-o", "e.txt")
    assert done.out.startswith(Path("e.txt").read_text())


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        ("txt", "Black wins"),
        ("json", "{"),
        ("dot", "digraph"),
        ("html", "<!DOCTYPE html>"),
        ("py", '"""Black wins'),
        ("smt2", "; Black wins"),
    ],
)
def test_files_have_the_form_of_their_endings(qsage: Qsage, ending: str, begins: str) -> None:
    done = qsage("explain", *DOMINO, "-o", f"e.{ending}")
    assert done.code == Exit.FINE, done.err
    assert Path(f"e.{ending}").read_text().startswith(begins)


def test_the_page_folds_and_draws_every_answer(qsage: Qsage) -> None:
    assert qsage("explain", *DOMINO, "--lookahead", "1", "-o", "e.html").code == 0
    page = Path("e.html").read_text()
    assert (page.count("<details open>"), page.count("</details>")) == (1, 1)
    assert page.count("<svg") == page.count('class="leaf"') == 2
    assert "play the first move that wins at once" in page
    assert "<script" not in page
    assert "src=" not in page


def refuted(qsage: Qsage) -> tuple[str, ...]:
    """A certificate of another formula with the same variables: all functions are negated."""
    assert qsage("certify", *DOMINO, "-o", "c.aag", "--formula", "f.qcir").code == 0
    lines = Path("c.aag").read_text().splitlines()
    inputs, outputs = int(lines[0].split()[2]), int(lines[0].split()[4])
    for number in range(1 + inputs, inputs + outputs):  # the last one says which kind it is
        lines[number] = str(int(lines[number]) ^ 1)
    Path("c.aag").write_text("\n".join(lines) + "\n")
    return "f.qcir", "--cert", "c.aag"


def test_a_refuted_certificate_is_not_explained(qsage: Qsage) -> None:
    done = qsage("explain", *refuted(qsage))
    assert done.code == Exit.REFUTED, done.err
    assert "nothing to explain" in done.err
    assert done.err.count("\n") == 1
    assert not done.out


def test_a_part_of_a_certificate_is_not_explained(qsage: Qsage) -> None:
    words = ("certify", *DOMINO, "-o", "c.out", "--formula", "f.qcir", "--blocks", "1")
    assert qsage(*words, "--as", "outer").code == 0
    done = qsage("explain", "f.qcir", "--cert", "c.out")
    assert done.code == Exit.BAD_INPUT, done.err
    assert "part of a certificate" in done.err
    assert done.err.count("\n") == 1


def test_a_winner_without_a_turn_has_nothing_to_explain(qsage: Qsage) -> None:
    """Neither by the game nor by a certificate, which decides no variable and is no part."""
    game = ("httt", "--size", "3x3", "--shape", "tic", "--depth", "1")
    assert qsage("certify", *game, "-o", "c.aig", "--formula", "f.qcir").code == 0
    for words in (game, ("f.qcir", "--cert", "c.aig")):
        done = qsage("explain", *words, "--timeout", "20")
        assert done.code == Exit.BAD_INPUT, done.err
        assert "White wins without a turn, nothing is to explain" in done.err
        assert done.err.count("\n") == 1


def test_a_program_that_is_neither_walked_nor_made_gates_is_undecided(qsage: Qsage) -> None:
    done = qsage("explain", str(TRAILS), "--positions", "2")
    assert (done.code, done.out) == (Exit.UNDECIDED, "")
    assert done.err.startswith("qsage: undecided: the program meets more than 2 positions, and")
    assert done.err.endswith("; --positions raises the limit\n")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--timeout", "0"), Exit.UNDECIDED, "undecided"),
        (("-o", "e.py", "--max-nodes", "1", "--lookahead", "1"), Exit.BAD_INPUT, "whole program"),
        (("-o", "e.pdf"), Exit.BAD_INPUT, "expected one that ends in"),
        (("--cert", "no.aig"), Exit.BAD_INPUT, "expected a formula"),
        (("--write-formula", "e.qcir"), Exit.BAD_INPUT, "expected both"),
        (("--encoding", "LN"), Exit.BAD_INPUT, "encoding"),
        (("--lookahead", "4"), Exit.BAD_INPUT, "lookahead"),
    ],
)
def test_what_is_wrong_is_one_line(
    qsage: Qsage, words: tuple[str, ...], code: Exit, said: str
) -> None:
    done = qsage("explain", *DOMINO, *words)
    assert (done.code, done.err.count("\n"), done.out) == (code, 1, ""), done.err
    assert said in done.err
    assert not Path("e.pdf").exists()
    assert not Path("e.py").exists()


def test_a_formula_without_rules_has_no_board_to_explain(qsage: Qsage) -> None:
    Path("bare.qcir").write_text("#QCIR-G14\nforall(x)\nexists(y)\noutput(g)\ng = xor(x, y)\n")
    done = qsage("explain", "bare.qcir")
    assert done.code == Exit.BAD_INPUT
    assert "no rules for" in done.err


def test_a_play_can_follow_the_program(qsage: Qsage) -> None:
    done = qsage("play", *DOMINO, "--explain", "--moves", "occupy(3,3)")
    assert done.code == Exit.FINE, done.err + done.out
    assert "a program of 1 node for Black was found and proved" in done.err
    assert "Black wins" in done.out
    answer = "play the first move after which Black can win at the next turn"
    assert done.out.count(answer) == 2


def test_a_play_of_a_formula_follows_the_program_of_its_winner(qsage: Qsage) -> None:
    assert qsage("certify", *DOMINO, "-o", "c.aig", "--formula", "f.qcir").code == 0
    done = qsage(
        "play", "f.qcir", "--cert", "c.aig", "--explain", "--moves", "occupy(3,3)", "--json"
    )
    assert done.code == Exit.FINE, done.err
    plies = json.loads(done.out)["frames"]
    told = [(ply["player"], ply["remarks"][-1:]) for ply in plies]
    ahead = "play the first move after which Black can win at the next turn, whatever White plays"
    assert [remarks for player, remarks in told if player == "black"] == [[ahead], [ahead]]
    assert [remarks for player, remarks in told if player != "black"] == [[], []]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*DOMINO, "--explain", "--white", "random"), "found --explain with a random play"),
        ((*DOMINO, "--explain", "--drill", "black"), "found --explain with a drill play"),
        ((*DOMINO, "--explain", "--solver", "auto"), "found --explain with --solver"),
        (("take-away-3", "--explain", "--moves", "take(1)"), "found --explain with an impartial"),
        (("sample:tic", "--explain", "--bare", "--moves", "-"), "found --explain with --bare"),
        ((*DOMINO, "--explain", "--side", "white"), "found --side"),
        (("--solution", "s", "--explain"), "found --explain with --solution"),
    ],
)
def test_what_a_play_by_a_program_does_not_go_with(
    qsage: Qsage, words: tuple[str, ...], said: str
) -> None:
    done = qsage("play", *words)
    assert done.code == Exit.BAD_INPUT, done.out
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_a_program_that_is_found_and_not_proved_in_time_is_shown_as_that(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsage_validate.extensions.explain import certificate as explaining
    from qsage_validate.system.limits import Deadline

    validated = explaining.validated
    monkeypatch.setattr(
        explaining,
        "validated",
        lambda problem, levels, deadline, tell: validated(
            problem, levels, Deadline.after(0.0), tell
        ),
    )
    done = qsage("explain", *DOMINO, "--no-boards")
    assert done.code == Exit.UNDECIDED
    assert done.out.startswith("Black wins httt 3x3 domino")
    assert "Proved: Black wins" not in done.out
    (line,) = [line for line in done.out.splitlines() if line.startswith("Not proved: ")]
    assert "undecided" in line
    played = qsage("play", *DOMINO, "--explain", "--moves", "occupy(3,3)")
    assert played.code == Exit.UNDECIDED
    assert len(played.err.splitlines()) == 1
