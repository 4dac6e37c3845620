"""``qsage-play FORMULA GAME``: a formula without a layout on the game's board."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.errors import Exit

from .conftest import Qsage

pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")

RULES = """
import sys
from qsage_validate.games.protocol import Player

class Line:
    name = "line"
    plies = 3
    def start(self): return ()
    def to_move(self, state): return Player.WHITE if len(state) % 2 else Player.BLACK
    def legal_moves(self, state): return [p for p in "abcd" if p not in state]
    def play(self, state, move): return (*state, move)
    def winner(self, state):
        own = set(state[::2])
        return Player.BLACK if {"a", "b"} <= own or {"a", "c"} <= own else None
    def board(self, state):
        signs = {p: "BW"[k % 2] for k, p in enumerate(state)}
        return "".join(signs.get(p, ".") for p in "abcd")

game = Line()
"""


@pytest.mark.parametrize("name", ["puzzle", "puzzle-wrong"])
def test_a_solver_plays_by_the_layout_that_is_found(qsage: Qsage, name: str) -> None:
    ran = qsage("play", f"sample:{name}", "sample:puzzle.pg", "--moves", "a2")
    assert ran.code == Exit.UNDECIDED, ran.err  # the moves end before the play does
    assert "layout found: moves as numbers in the game's order" in ran.out
    assert "1 \\ B W . \\" in ran.out
    assert " 2 \\ B " in ran.out


def test_a_wrong_formula_is_beaten_on_the_board(qsage: Qsage) -> None:
    """The solver of the false formula plays White, and gives the game away: Black's a1 counts.

    Which replies it gives is not determined; about one play in thirty is won by a random Black.
    """
    ran = qsage(
        *("play", "sample:puzzle-wrong", "sample:puzzle.pg", "--black", "random"),
        *("--games", "300", "--json"),
    )
    report = json.loads(ran.out)
    assert ran.code == Exit.REFUTED
    assert report["losses"] > 0
    right = qsage(
        *("play", "sample:puzzle", "sample:puzzle.pg", "--black", "random"),
        *("--games", "30", "--json"),
    )
    assert (right.code, json.loads(right.out)["losses"]) == (Exit.FINE, 0)


def test_a_certificate_plays_too(qsage: Qsage) -> None:
    assert qsage("certify", "sample:puzzle", "-o", "p.aig").code == Exit.FINE
    ran = qsage("play", "sample:puzzle", "p.aig", "sample:puzzle.pg", "--moves", "a2")
    assert "White claims a proof. You are Black" in ran.out
    assert "1 \\ B W . \\" in ran.out


def test_rules_in_python_and_games_by_name_stand_behind_a_formula(qsage: Qsage) -> None:
    Path("rules.py").write_text(RULES)
    prefix = "exists(1, 2)\nforall(3, 4)\nexists(5, 6)\noutput(30)\n"
    gates = []

    def says(name: int, bits: tuple[int, int], number: int) -> None:
        signs = [b if number >> (1 - k) & 1 else -b for k, b in enumerate(bits)]
        gates.append(f"{name} = and({signs[0]}, {signs[1]})")

    for first, bits in ((7, (1, 2)), (11, (3, 4)), (15, (5, 6))):
        for number in range(4):
            says(first + number, bits, number)
    # Black has a and another of b and c; taken positions are illegal.
    gates += [
        "19 = and(7, 16)", "20 = and(7, 17)", "21 = and(8, 15)", "22 = and(9, 15)",
        "23 = or(19, 20, 21, 22)",
        *(f"{24 + k} = and({7 + k}, {11 + k})" for k in range(4)),
        "28 = or(24, 25, 26, 27)",
        *(f"{31 + k} = and({15 + k}, {11 + k})" for k in range(4)),
        "35 = or(31, 32, 33, 34)",
        "29 = and(23, -35)",
        "30 = or(28, 29)",
    ]  # fmt: skip
    Path("f.qcir").write_text("#QCIR-G14\n" + prefix + "\n".join(gates) + "\n")
    done = qsage("validate", "f.qcir", "--model", "rules.py")
    assert done.code == Exit.FINE, (done.out, done.err)
    ran = qsage("play", "f.qcir", "rules.py", "--moves", "d c")
    assert "every step is compared with the rules of line" in ran.out
    by_name = qsage("play", "f.qcir", "hex", "--size", "5x5", "--depth", "9", "--moves", "a1")
    assert by_name.code == Exit.BAD_INPUT
    assert by_name.err.count("\n") == 1


def test_words_that_do_not_fit_are_told(qsage: Qsage) -> None:
    for words, found in (
        (("sample:puzzle.pg", "--model", "hex"), "with --game or --model, expected one game"),
        (("nothing", "--moves", "a1"), "nothing"),
    ):
        ran = qsage("play", "sample:puzzle", *words)
        assert ran.code == Exit.BAD_INPUT, ran.out
        assert found in ran.err
