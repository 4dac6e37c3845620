"""Certificates of Black's for COVER, and the game that they are planned on."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from qsage_validate.certificates.compiler import NotCompiledError
from qsage_validate.certificates.routes import PlainSearch
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.games.positional.cover_game import OUT_OF_COVER, CoverGame, Stone
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.qbf_solving import solve_formula
from qsage_validate.system.limits import Deadline, Limits
from tests.support.certificate_truth import falsifying_choice
from tests.support.certifying import certify_game
from tests.support.positional import random_game, winner
from tests.support.table_plays import lost_plays

BLACK, WHITE = Player.BLACK, Player.WHITE

BOTH = pytest.mark.parametrize("encoding", ["cover", "cover-played"])


def covers(model: PositionalModel, encoding: str) -> bool:
    """Whether Black wins the game of the cover."""
    game = CoverGame(model, played=encoding == "cover-played")
    return PlainSearch(game).winner(game.initial) is BLACK


@BOTH
def test_covers_of_random_games_are_certified_for_black(encoding: str) -> None:
    random = Random(5)
    seen = set()
    for _ in range(160):
        model = replace(random_game(random, 7), turns=alternating(random.choice((1, 3, 5, 5))))
        try:
            made = certify_game(model, encoding)
        except NotCompiledError:
            seen.add(f"none for {winner(model)}")
            assert winner(model) is WHITE or not covers(model, encoding)
            continue
        assert made.winner is winner(model) is BLACK
        assert falsifying_choice(made.encoding.qbf, made.certificate) is None
        if encoding == "cover-played":
            assert isinstance(made.encoding.model, PositionalModel)
            game = PositionalGame(made.encoding.model)
            assert lost_plays(made.encoding.layout, made.certificate, game) == []
        if made.decisions > 1:
            seen.add(f"Black, {bool(model.white_wins)}")
    assert seen >= {"none for White", "Black, True", "Black, False"}


@BOTH
def test_the_game_of_the_cover_is_what_the_formula_says(encoding: str) -> None:
    pytest.importorskip("pyqbf", reason="asks a QBF solver")
    qute = get_backend("qute")
    random = Random(2)
    found = []
    for _ in range(36):
        model = replace(random_game(random, 6), turns=alternating(random.choice((3, 5))))
        made = encode(model, encoding)
        assert isinstance(made.model, PositionalModel)
        truth = solve_formula(made.qbf, [qute], Limits(Deadline.after(60))).truth
        assert truth is covers(made.model, encoding), model
        found.append(truth)
    assert 5 < found.count(True) < len(found) - 5


@BOTH
@pytest.mark.parametrize("breaker", [True, False])
def test_covers_on_boards(encoding: str, breaker: bool) -> None:
    model = harary_model("tic", 4, 4, maker_breaker=breaker, plies=5)
    made = certify_game(model, encoding)
    assert made.winner is BLACK
    if encoding == "cover-played":
        assert isinstance(made.encoding, Encoding)
        game = PositionalGame(model)
        assert lost_plays(made.encoding.layout, made.certificate, game) == []


def test_a_win_that_leaves_the_cover_is_said_to_be_none_of_them() -> None:
    """Black has to answer White's threat with the first stone, and wins elsewhere."""
    model = PositionalModel(
        "elsewhere",
        tuple(f"p{k}" for k in range(7)),
        alternating(5),
        (0b0000110, 0b0001010, 0b0110000, 0b1010000),
        (0b0000001,),
    )
    assert winner(model) is BLACK
    with pytest.raises(NotCompiledError, match="a win of Black's that is none of those"):
        certify_game(model, "cover-played")


def test_moves_out_of_the_cover_are_counted() -> None:
    model = PositionalModel(
        "counted", tuple("abcdef"), alternating(5), (0b000011, 0b000101), (0b110000,)
    )
    for played, out in ((False, OUT_OF_COVER), (True, "d")):
        after = CoverGame(model, played=played).initial.after(Stone("a", 0))
        moves = [str(move) for move in after.legal_moves()]
        assert moves == (["b", "c", out] if played else ["b in the cover", "c in the cover", out])
        twice = after.play(Stone(out)).play(Stone("b", 1))
        assert twice.outcome is not None
        assert twice.outcome.winner is BLACK
        held = replace(after, out=2)
        assert held.outcome is not None
        assert held.outcome.winner is WHITE
