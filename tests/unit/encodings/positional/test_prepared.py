"""What ``prepare`` leaves of a game."""

from __future__ import annotations

from random import Random

import pytest

from qsage_validate.encodings.prepared import claims_in_time, prepare, prepared, said
from qsage_validate.errors import UsageError
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import Player
from tests.support.positional import random_game, random_network_game, winner

BLACK, WHITE = Player.BLACK, Player.WHITE


def test_the_winner_is_the_same() -> None:
    smaller = 0
    for seed in range(150):
        make = random_game if seed % 2 else random_network_game
        model = make(Random(seed))
        for encoding in (None, "cor", "sn"):
            left = prepare(model, encoding)
            assert winner(left) is winner(model), (seed, encoding)
            smaller += left.open.bit_count() < model.open.bit_count()
    assert smaller > 100


def test_positions_sets_and_first_moves_go() -> None:
    names = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
    rows = (0b000000111, 0b000111000, 0b111000000)
    model = PositionalModel("rows", names, alternating(5), (*rows, 0b1111), white=0b111)
    left = prepare(model)
    assert left.positions == ("a2", "b2", "c2", "a3", "b3", "c3")
    assert left.black_wins == (0b000111, 0b111000)
    # Mirrored at column b; the rows are not images of each other, for row 1 is White's.
    assert left.names(left.first_moves) == ("a2", "b2", "a3", "b3")
    line, facts = said(model, left)
    assert line == (
        "rows prepared: 6 open positions, 6 left; 4 winning sets, 2 left; 4 first moves left"
    )
    assert facts == {"open_positions": 6, "positions_left": 6}


def test_first_moves_of_the_game_stay() -> None:
    model = harary_model("el", 3, 3, maker_breaker=True, plies=5)
    assert model.first_moves
    assert prepare(model).names(prepare(model).first_moves) == model.names(model.first_moves)


def test_no_first_moves_where_white_begins() -> None:
    model = PositionalModel("w", ("a1", "b1"), (WHITE, BLACK), black_wins=(1, 2))
    assert prepare(model).first_moves == 0


def test_what_is_left_longest_is_claimed_first() -> None:
    """Black has no stone for b when White claims it: it is left out, but White has to claim it."""
    model = PositionalModel("time", ("a", "b"), (WHITE, BLACK), black_wins=(0b10,))
    assert prepare(model, "cor").positions == ()
    assert claims_in_time(model, "cor") == ("b", "a")


@pytest.mark.parametrize("encoding", ["cover", "cover-played", "sn-httt", "pairing"])
def test_encodings_of_whole_boards_are_refused(encoding: str) -> None:
    model = harary_model("el", 3, 3, maker_breaker=True, plies=5)
    with pytest.raises(UsageError, match=f"--prepare with the encoding {encoding}, which is about"):
        prepare(model, encoding)


def test_hex_is_prepared_as_the_encoding_needs_it() -> None:
    model = hex_network(3, 3, 5)
    assert prepare(model, "sn").network is not None
    assert prepare(model, "cor").black_wins
    network = prepare(model, "et").network
    assert network is not None
    assert network.short is WHITE
    assert prepared(model, "et").network == network
