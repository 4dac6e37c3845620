"""``qsage solve --first-moves all``: by search and by solvers, in games and in formulas."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from qsage_validate.comparing.compare import first_moves
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import resolve_command
from qsage_validate.problems.load import BoardProblem, Files
from tests.support.qbf_truth import qbf_truth
from tests.support.quickest import Quickest
from tests.support.random_games import random_model

from .conftest import Qsage

EL = ("httt", "--size", "3x3", "--shape", "el", "--depth")
ALL = ("--first-moves", "all")


def test_games_by_search(qsage: Qsage) -> None:
    done = qsage("solve", *EL, 9, *ALL)
    assert done.code == Exit.TRUE
    assert done.out == (
        "Black wins within 5 plies; first moves that win within 9 plies: a2, b1, b2, b3, c2\n"
    )
    told = json.loads(qsage("solve", *EL, 3, *ALL, "--json").out)
    assert (told["first_moves"], told["all_first_moves"]) == ([], True)


@pytest.mark.parametrize("options", [(), ("--encoding", "lifted")])
def test_the_critical_depth_by_search_and_by_formulas(
    options: tuple[str, ...], qsage: Qsage
) -> None:
    if options:
        pytest.importorskip("pyqbf", reason="the extra 'solve' is not installed")
    done = qsage("solve", *EL, "auto", *options, *ALL)
    assert done.out == ("Black wins within 5 plies and not in fewer; first move that wins: b2\n")


def test_formulas_with_and_without_moves(qsage: Qsage) -> None:
    pytest.importorskip("pyqbf", reason="the extra 'solve' is not installed")
    assert qsage("encode", *EL, 5, "-o", "el.qcir").code == Exit.FINE
    done = qsage("solve", "el.qcir", *ALL)
    assert done.code == Exit.TRUE
    assert done.out.endswith("; first move that wins: b2\n")
    Path("f.qcir").write_text(
        "#QCIR-G14\nexists(a, b)\nforall(c)\noutput(g)\nh = or(a, b)\ng = or(h, c)\n"
    )
    told = json.loads(qsage("solve", "f.qcir", *ALL, "--json").out)
    assert (told["first_moves"], told["all_first_moves"]) == (["a b", "a -b", "-a b"], True)


def test_what_does_not_go_together(qsage: Qsage) -> None:
    for words in (("--depth", "auto", "--winner"), ("--depth", 5, "--prepare")):
        done = qsage("solve", "harary", "--size", "3x3", "--shape", "el", *words, *ALL)
        assert done.code == Exit.BAD_INPUT
        assert "found --first-moves all with " in done.err
    variables = ", ".join(f"x{k}" for k in range(20))
    Path("f.qcir").write_text(f"#QCIR-G14\nexists({variables})\noutput(x1)\n")
    done = qsage("solve", "f.qcir", *ALL)
    assert done.code == Exit.BAD_INPUT
    assert "found 20 variables in the first block" in done.err


def test_formulas_of_random_games_say_what_the_rules_say() -> None:
    compared = 0
    for seed in range(60):
        model, game = random_model(Random(seed), "bddl")
        assert isinstance(model, Model)
        model = model.at_plies(2)
        game = load_game(model)
        if game.initial.outcome is not None:
            continue
        own = Quickest(game)
        encoded = encode(model)
        if encoded.qbf.num_variables > 24:
            continue
        problem = BoardProblem(Files(), encoded.qbf, None, encoded.layout, game)
        truth = own.plies(game.initial) is not None
        found = first_moves(problem, truth, qbf_truth)
        expected = own.winning(game.initial) if truth is (found.player is Player.BLACK) else []
        assert found.winning == tuple(map(str, expected))
        compared += 1
    assert compared > 5


def test_a_solver_that_gives_up_leaves_moves_open() -> None:
    model = resolve_command([*EL, "3"])
    encoded = encode(model)
    problem = BoardProblem(Files(), encoded.qbf, None, encoded.layout, load_game(model))

    def gives_up(_: object) -> bool:
        raise UndecidedError("time is up")

    found = first_moves(problem, True, gives_up)
    assert (found.winning, found.why) == ((), "time is up")
    assert None in found.wins.values()
