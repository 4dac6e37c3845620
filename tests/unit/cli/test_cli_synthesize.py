"""``qsage synthesize``: what it prints, writes and refuses, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.cli.app import run
from qsage_validate.errors import Exit
from qsage_validate.extensions.impartial import cli

pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")

FLAWED = (
    "(define (domain d) (:objects ?v) (:tercondition (<= ?v 1)) (:constraint (>= ?v 0))"
    "(:action take :parameters () :precondition (> ?v 0) :effect (assign ?v (- ?v 1))))"
)


def qsage(*words: str) -> int:
    """Run ``qsage synthesize`` with these words; returns the exit code."""
    return run(cli.command, words, "qsage")


def test_the_answer_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert qsage("take-away-3", "--strategy") == Exit.FINE
    captured = capsys.readouterr()
    assert "winning formula (size 4): v % 4 != 0\n" in captured.out
    assert "  v % 4 = 2 -> take(2)\n" in captured.out
    assert "round 1: v % 4 != 0\n" in captured.err


def test_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python, smt = tmp_path / "nim.py", tmp_path / "nim.smt2"
    words = ["two-heap-nim", "--json", "-q", "--python", str(python), "--smtlib", str(smt)]
    assert qsage(*words, "-o", str(tmp_path / "out")) == Exit.FINE
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["formula"]) == ("proved", "v1 != v2")
    assert python.read_text().endswith("return v1 != v2\n")
    assert "(define-fun winning ((v1 Int) (v2 Int)) Bool" in smt.read_text()
    assert (tmp_path / "out" / "proof-01.smt2").exists()


@pytest.mark.parametrize(
    ("formula", "code", "begin"),
    [
        ("v % 4 != 0", Exit.FINE, "formula proved: "),
        ("v % 5 != 0", Exit.REFUTED, "formula refuted: (v = "),
    ],
)
def test_formulas_are_checked(
    formula: str, code: Exit, begin: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert qsage("take-away-3", "--check", formula) == code
    assert capsys.readouterr().out.startswith(begin)


ROUND = (
    "(define (domain round) (:objects ?v) (:tercondition (= ?v 5))"
    "(:constraint (and (>= ?v 0) (<= ?v 5)))"
    "(:action f :parameters () :precondition (= ?v 0) :effect (assign ?v 1))"
    "(:action g :parameters () :precondition (= ?v 1) :effect (assign ?v 0))"
    "(:action h :parameters () :precondition (= ?v 2) :effect (assign ?v 5)))"
)


def test_formulas_that_contradict_each_other_are_not_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, rules = tmp_path / "round.ig", tmp_path / "round.rules"
    path.write_text(ROUND)
    for formula in ("v = 0 or v = 2", "v = 1 or v = 2"):
        assert qsage(str(path), "--check", formula) == Exit.UNDECIDED
        captured = capsys.readouterr()
        assert captured.out == (
            "formula undecided: it holds if plays end; the three constraints of a winning formula "
            "are valid\nplay need not end: (v = 0) f() (v = 1) g() (v = 0), and so on for ever\n"
        )
        rules.write_text(
            "v = 0 -> f()\nv = 2 -> h()\n" if "0" in formula else "v = 1 -> g()\nv = 2 -> h()\n"
        )
        words = [str(path), "--check", formula, "--check-strategy", str(rules), "--json"]
        assert qsage(*words) == Exit.UNDECIDED
        found = json.loads(capsys.readouterr().out)
        assert found["termination"]["status"] == "endless"
        for what in ("formula", "strategy"):
            assert found[what]["status"] == "undecided"
            assert found[what]["if_plays_end"] is True
            assert found[what]["reason"].startswith("it holds if plays end; ")
    assert qsage(str(path), "--check", "v = 2") == Exit.REFUTED


def test_a_synthesis_of_a_game_without_end_is_undecided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "round.ig"
    path.write_text(ROUND)
    words = [str(path), "--strategy", "-q", "--python", str(tmp_path / "x.py")]
    assert qsage(*words, "-o", str(tmp_path / "out")) == Exit.UNDECIDED
    captured = capsys.readouterr()
    assert (
        "play need not end: (v = 0) f() (v = 1) g() (v = 0), and so on for ever\n" in captured.out
    )
    assert "proved:" not in captured.out
    assert not (tmp_path / "x.py").exists()
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["report.json", "report.txt"]


def test_strategies_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("v1 > v2 -> left(v1 - v2)\nv1 < v2 -> right(v2 - v1)\n")
    words = ["two-heap-nim", "--check", "v1 != v2", "--check-strategy", str(rules)]
    assert qsage(*words) == Exit.FINE
    rules.write_text("v1 > v2 -> left(v1 - v2)\n")
    assert qsage(*words, "--json") == Exit.REFUTED
    verdict = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert verdict["termination"]["measures"] == ["v1 + v2"]
    assert verdict["formula"]["status"] == "proved"
    assert verdict["strategy"]["state"]["v1"] < verdict["strategy"]["state"]["v2"]


def test_misere_play_is_another_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert qsage("take-away-3", "--misere", "-q") == Exit.FINE
    assert "v % 4 != 1" in capsys.readouterr().out


def test_that_there_is_no_formula_is_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "flawed.ig"
    path.write_text(FLAWED)
    assert qsage(str(path), "-q", "--python", str(tmp_path / "x.py")) == Exit.REFUTED
    captured = capsys.readouterr()
    assert captured.out.startswith("impossible: d, normal play: no winning formula exists: ")
    assert captured.err == "no formula was proved: no file was written for it\n"
    assert not (tmp_path / "x.py").exists()


def test_without_time_the_answer_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    assert qsage("wythoff-3", "-q", "--timeout", "0") == Exit.UNDECIDED
    assert capsys.readouterr().out.startswith("undecided: wythoff-3, normal play: ")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("chess",), "qsage: error: found the unknown game 'chess', expected a file or one of "),
        (("no.ig",), "no.ig: found no such file, expected a readable file"),
        (
            ("take-away-3", "--method", "x"),
            "qsage: error: found 'x' for --method, expected one of ",
        ),
        (("take-away-3", "--check", "w"), "--check:1:1: found the undeclared variable w, "),
        (("take-away-3", "--check", "v*v=1"), "--check:1:2: found '*', expected a linear term"),
        (("take-away-3", "--check", "v%0=1"), "--check:1:2: found division by zero, expected"),
        (("take-away-3", "--check-strategy", "x"), "qsage: error: found --check-strategy without"),
        (("take-away-3", "--check", "v=1", "--strategy"), "qsage: error: found --check with"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert qsage(*words) == Exit.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.err.startswith(line)
    assert captured.err.count("\n") == 1
    assert captured.out == ""
