"""A certificate behind the strategy protocol wins on the rules alone."""

from __future__ import annotations

import random

import pytest

from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Move, Outcome, TwoPlayerGame
from qsage_validate.strategies.reader import LayoutMove
from tests.support.certificate_strategy import CertificateStrategy, NoMoveError
from tests.support.plays import (
    BREAKTHROUGH,
    DOMINEERING,
    DOMINO,
    EL,
    HELD,
    certified,
    reader_for,
    with_function,
)


def strategy_for(words: tuple[str, ...], game: TwoPlayerGame | None) -> CertificateStrategy:
    made = certified(words)
    return CertificateStrategy(reader_for(made.encoding, made.certificate), game)


def play(game: TwoPlayerGame, strategy: CertificateStrategy, seed: int) -> Outcome:
    generator = random.Random(seed)
    position = game.initial
    history: list[Move] = []
    while position.outcome is None:
        if position.to_move is strategy.player:
            move = strategy.reply(history)
        else:
            move = generator.choice(position.legal_moves())
        position = position.play(move)
        history.append(move)
    return position.outcome


@pytest.mark.parametrize("words", [DOMINO, EL, BREAKTHROUGH, HELD, DOMINEERING], ids=" ".join)
def test_it_wins_on_the_rules(words: tuple[str, ...]) -> None:
    game = load_game(certified(words).encoding.model)
    strategy = strategy_for(words, game)
    for seed in range(5):
        assert play(game, strategy, seed).winner is strategy.player


def test_without_a_game_moves_are_those_of_the_layout() -> None:
    strategy = strategy_for(DOMINO, None)
    first = strategy.reply([])
    assert isinstance(first, LayoutMove)
    with pytest.raises(ValueError, match="it is the turn of White"):
        strategy.reply([first])
    second = strategy.reply([first, LayoutMove.on_grid("occupy", 3, 3)])
    with pytest.raises(ValueError, match="all plies are played"):
        strategy.reply([first, LayoutMove.on_grid("occupy", 3, 3), second])


def test_a_reply_off_the_board_is_no_move() -> None:
    made = certified(DOMINO)
    damaged = made.certificate
    for literal in made.encoding.layout.moves[0].variables:
        damaged = with_function(damaged, literal, 1)
    strategy = CertificateStrategy(reader_for(made.encoding, damaged))
    with pytest.raises(NoMoveError, match=r"the reply at ply 1 is no move: occupy\(4,4\) is off"):
        strategy.reply([])
