"""Transfer over moves: early wins, first moves that symmetry leaves out, formulas of others."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.compiler import compile_plan
from qsage_validate.certificates.plan import NoWinError, Planner
from qsage_validate.certificates.routes import RouteOptions, certify_encoding
from qsage_validate.comparing.compare import compared, encoding_for
from qsage_validate.comparing.exact import Loses, Wins
from qsage_validate.comparing.plays import ComparedSide, transfer_by_plays
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Position
from qsage_validate.games.registry import find_command
from qsage_validate.problems import load as problems
from qsage_validate.problems.load import BoardProblem, Files, Problem
from qsage_validate.solvers.search import search_for
from tests.support.faults import negated_gate
from tests.support.search import WinningStrategy

EL = "harary --size 3x3 --shape el --maker-breaker --depth"


def _encoded(words: str, encoding: str | None = None) -> Encoding:
    return encode(find_command(tuple(shlex.split(words))), encoding)


def _won(encoding: Encoding) -> Problem:
    return problems.of(encoding, certify_encoding(encoding).certificate, Files())


@pytest.mark.parametrize("names", [("httt", "harary"), ("harary", "httt")])
def test_a_win_before_the_last_ply_is_one_in_the_other_formula(names: tuple[str, str]) -> None:
    """A grid's strategy claims its goal with the move that reaches it."""
    first, second = (_encoded(f"{n} --size 3x3 --shape domino --depth 5") for n in names)
    assert isinstance(
        transfer_by_plays(_won(first).on_board, ComparedSide.of(second), RouteOptions()), Wins
    )


def test_a_reply_that_is_illegal_and_that_no_values_stand_for_loses() -> None:
    """The fourth row is no part of the smaller board."""
    first = _won(_encoded("httt --size 4x4 --shape tic --depth 5"))
    second = ComparedSide.of(_encoded("hex --size 3x3 --depth 5"))
    lost = transfer_by_plays(first.on_board, second, RouteOptions())
    assert isinstance(lost, Loses)
    assert "is illegal by the rules, and the second formula cannot say it" in lost.why
    position = second.game.initial
    for text in lost.play:
        position = position.play(second.game.parse_move(text, position.to_move))
    assert position.to_move is second.game.first_player


def _beginning_with(encoding: Encoding, first: str) -> Problem:
    """A strategy of the first player's who begins with this move."""
    game = load_game(encoding.model)
    solver = search_for(game)
    winner = solver.solve().winner
    assert winner is game.first_player
    wins = WinningStrategy(solver, winner).is_win
    begun = game.initial.play(game.parse_move(first, winner))

    def allowed(position: Position) -> bool:
        return wins(position) and (position.ply != begun.ply or position == begun)

    plan = Planner(game, winner, allowed).build()
    certificate = compile_plan(encoding, plan)
    assert isinstance(check(encoding.qbf, certificate), CertificateProved)
    return problems.of(encoding, certificate, Files())


def test_a_first_move_that_is_left_out_is_made_in_the_mirror() -> None:
    """EA has every first move, COR one of each class that symmetries exchange."""
    every, classes = (_encoded(f"{EL} 7", name) for name in ("ea", "cor-ladder"))
    left_out = [m for m in every.layout.moves[0].moves if m not in classes.layout.moves[0].moves]
    mirrored = 0
    game = load_game(every.model)
    images = {(str(a), str(b)) for s in game.symmetries() for a, b in s.moves.items()}
    for move in left_out:
        try:
            own = _beginning_with(every, move)
        except NoWinError:
            continue
        found = transfer_by_plays(own.on_board, ComparedSide.of(classes), RouteOptions())
        assert isinstance(found, Wins), found
        assert "in the mirror: " in found.reason
        said, _, seen = found.reason.partition("in the mirror: ")[2].partition(",")[0].split()
        assert (seen, move) == (move, move)
        assert (said, move) in images
        assert said in classes.layout.moves[0].moves
        mirrored += 1
    assert mirrored


def test_answers_to_first_moves_that_are_left_out_are_those_in_the_mirror() -> None:
    classes, every = (_encoded(f"{EL} 3", name) for name in ("cor-ladder", "ea"))
    found = transfer_by_plays(_won(classes).on_board, ComparedSide.of(every), RouteOptions())
    assert isinstance(found, Wins)
    asked = [m for m in every.layout.moves[0].moves if m not in classes.layout.moves[0].moves]
    assert all(f"{move} as " in found.reason for move in asked)
    back = transfer_by_plays(_won(every).on_board, ComparedSide.of(classes), RouteOptions())
    assert isinstance(back, Wins)
    assert "mirror" not in back.reason


def test_a_formula_whose_encoding_is_unknown_is_decided_by_solvers() -> None:
    own = _won(_encoded("harary --size 3x3 --shape domino --depth 3"))
    grid = _encoded("httt --size 3x3 --shape domino --depth 3")
    layout = replace(grid.layout, encoding="another")
    for qbf, expected in ((grid.qbf, Wins), (negated_gate(grid.qbf, "white 2 legal"), Loses)):
        other = BoardProblem(Files(), qbf, None, layout, None)
        assert encoding_for(other) is None
        found = compared(own, other, None, RouteOptions()).outcome
        assert isinstance(found, expected), found
        if isinstance(found, Wins):
            assert isinstance(check(qbf, found.certificate), CertificateProved)
            assert " replies, the rest by " in found.reason
        else:
            assert found.play
            assert len(found.asked) == len(found.replies)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("httt-3x3_3_domino", "harary --size 3x3 --shape domino --depth 3"),
        ("domineering-2x2_2", "domineering --size 2x2 --depth 2"),
    ],
)
def test_formulas_of_others_are_paired_by_their_layouts(
    shared_data: Path, name: str, words: str
) -> None:
    formula = shared_data / "certificates" / "quabs" / f"{name}.qcir"
    other = problems.load(Files(formula=str(formula)))
    own = _won(_encoded(words))
    assert isinstance(compared(own, other, None, RouteOptions()).outcome, Wins)
    theirs = problems.load(
        Files(formula=str(formula), certificate=str(formula.with_suffix(".aig")))
    )
    ours = replace(own, files=Files(), certificate=None)
    assert isinstance(compared(theirs, ours, None, RouteOptions()).outcome, Wins)


@pytest.mark.parametrize("depth", [4, 5])
def test_games_in_gdl_may_have_plies_that_formulas_leave_out(depth: int) -> None:
    first, second = (_encoded(f"trails --depth {depth}", name) for name in ("gdl", "gdl-gd"))
    assert load_game(first.model).plies > first.layout.plies
    for own, other in ((first, second), (second, first)):
        problem = _won(own)
        assert isinstance(
            transfer_by_plays(problem.on_board, ComparedSide.of(other), RouteOptions()), Wins
        )
        longer = ComparedSide.of(_encoded(f"trails --depth {depth + 1}", other.layout.encoding))
        with pytest.raises(UsageError, match="expected games of one length"):
            transfer_by_plays(problem.on_board, longer, RouteOptions())
