"""Certificates of White's pairings, and the game that they are planned on."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.compiler import NotCompiledError
from qsage_validate.certificates.routes import PlainSearch
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import IllegalMoveError, UndecidedError
from qsage_validate.games.positional.cover_game import SAYS, PairingGame, Stone
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.system.limits import Deadline
from tests.support.certificate_truth import falsifying_choice
from tests.support.certifying import certify_game
from tests.support.positional import random_game, winner
from tests.support.table_plays import lost_plays

BLACK, WHITE = Player.BLACK, Player.WHITE


def has_pairing(model: PositionalModel) -> bool:
    """Whether White wins the game of pairings."""
    game = PairingGame(model)
    return PlainSearch(game).winner(game.initial) is WHITE


def test_pairings_of_random_games_are_certified_for_white() -> None:
    """At all depths: wins by pairs, by sets of White's own, and what is neither."""
    random = Random(5)
    seen = set()
    for _ in range(100):
        model = replace(random_game(random, 7), turns=alternating(random.randint(0, 5)))
        try:
            made = certify_game(model, "pairing")
        except NotCompiledError:
            assert winner(model) is WHITE
            assert not has_pairing(model)
            seen.add("none")
            continue
        assert made.winner is winner(model)
        assert (made.certificate.kind is CertificateKind.HERBRAND) is has_pairing(model)
        assert falsifying_choice(made.encoding.qbf, made.certificate) is None
        game = PositionalGame(model)
        assert lost_plays(made.encoding.layout, made.certificate, game) == []
        if made.winner is WHITE and made.decisions > 1:
            seen.add(f"White, {'odd' if model.plies % 2 else 'even'}, {bool(model.white_wins)}")
    assert seen == {
        "none",
        *(f"White, {depth}, {own}" for depth in ("odd", "even") for own in (True, False)),
    }


def test_the_game_of_pairings_is_what_the_formula_and_the_search_say() -> None:
    random = Random(31)
    found = []
    for _ in range(20):
        plies = random.randint(0, 4)
        model = replace(random_game(random, 5), turns=alternating(plies))
        if model.won_by_white(model.white):
            continue  # The search counts White's first stones as well.
        has = has_pairing(model)
        truth = expand(encode(model, "pairing").qbf).kind is CertificateKind.SKOLEM
        assert truth is not has
        if plies % 2 == 0:
            assert BlockingSearch(model).blocks(model.plies // 2 * 2) is has
        found.append(has)
    assert 2 < sum(found) < len(found) - 2


@pytest.mark.parametrize(
    ("shape", "size", "plies"), [("fatty", 4, 0), ("elly", 3, 2), ("knobby", 4, 4)]
)
def test_whites_pairs_on_boards(shape: str, size: int, plies: int) -> None:
    model = harary_model(shape, size, size, maker_breaker=True, plies=plies)
    if not has_pairing(model):
        with pytest.raises(NotCompiledError, match="a win of White's that is none of those"):
            certify_game(model, "pairing")
        return
    made = certify_game(model, "pairing")
    assert made.winner is WHITE
    assert lost_plays(made.encoding.layout, made.certificate, PositionalGame(model)) == []


def test_the_pairs_are_said_behind_blacks_last_stone() -> None:
    model = harary_model("el", 3, 3, maker_breaker=True, plies=1)
    game = PairingGame(model)
    assert game.plies == 2
    assert (game.initial.to_move, game.initial.outcome) == (BLACK, None)
    with pytest.raises(IllegalMoveError, match="the pairs: not a move of this position"):
        game.initial.play(SAYS)
    blocked = PairingGame(harary_model("fatty", 4, 4, maker_breaker=True, plies=1))
    after = blocked.initial.play(Stone("a1", 0))
    assert after.legal_moves() == (SAYS,)
    ended = after.play(SAYS)
    assert ended.outcome is not None
    assert ended.outcome.winner is WHITE
    assert blocked.witnesses(ended, WHITE)


def test_the_search_of_a_planning_game_keeps_to_its_time() -> None:
    game = PairingGame(harary_model("tippy", 4, 4, maker_breaker=True, plies=9))
    with pytest.raises(UndecidedError, match="time is up"):
        PlainSearch(game, deadline=Deadline.after(0)).winner(game.initial)
