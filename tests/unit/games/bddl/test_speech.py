"""Moves of grid games as people say them: every saying is read, and means what it says."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from qsage_validate.arena.board_engine import spoken
from qsage_validate.errors import AmbiguousMoveError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.strategies.reader import LayoutMove
from tests.support.by_name import find_template
from tests.support.playthrough import examples

EXAMPLES = {
    file: (name, options)
    for file, name, options in examples()
    if find_template(name).language == "bddl"
}


def game_of(file: str) -> TwoPlayerGame:
    name, options = EXAMPLES[file]
    return load_game(find_template(name).build(options))


def positions(game: TwoPlayerGame) -> Iterator[Position]:
    """The positions of three random plays that go on."""
    for seed in range(3):
        random, position = Random(seed), game.initial
        while position.outcome is None:
            yield position
            position = position.play(random.choice(position.legal_moves()))


@pytest.mark.parametrize("file", EXAMPLES)
def test_what_a_game_says_of_a_legal_move_is_read_as_this_move(file: str) -> None:
    game = game_of(file)
    for position in positions(game):
        mover, board = position.to_move, position.board
        legal = [LayoutMove(str(move)) for move in position.legal_moves()]
        for move in position.legal_moves():
            said = game.say(move, mover, board)
            after = position.after(move).board
            for text in (said, said.upper(), f" {said} "):
                assert position.play(text).board == after, (str(position), str(move), said)
                known = spoken(game, text, mover, legal)
                assert known is not None
                assert position.play(known).board == after
            assert position.play(str(move)).board == after


def said(name: str, moves: str, **options: str) -> list[str]:
    """The sayings of a play."""
    game = load_game(find_template(name).build(options))
    position, found = game.initial, []
    for text in moves.split():
        move = position.named(text)
        found.append(game.say(move, position.to_move, position.board))
        position = position.play(move)
    return found


def test_each_kind_of_move_has_its_words() -> None:
    connect = said("connect-c", "b b a", size="3x3", connect="3", depth="9")
    assert connect == ["column b", "column b", "column a"]
    assert said("domineering", "a1+a2 b1-c1", size="3x3", depth="5") == ["a1+a2", "b1+c1"]
    pawns = said("breakthrough", "b3-a2 c2-b3 a4-b3", size="3x4", depth="13")
    assert pawns == ["b3xa2", "c2-b3", "a4xb3"]
    chase = said("evader-pursuer", "d1-d3 b3-b2 stay(d3)", size="4x4", pursuer="2,3", depth="5")
    assert chase == ["d1-d3", "b3-b2", "stay(d3)"]
    assert said("httt", "(2,2) a1 occupy(3,3)", size="3x3", depth="9") == ["b2", "a1", "c3"]


def test_dominoes_are_pieces_of_the_board() -> None:
    position = load_game(find_template("domineering").build({"size": "3x3"})).initial
    assert position.board.pieces == ()
    board = position.play("a1+a2").play("b1+c1").play("b2+b3").board
    assert board.pieces == (((1, 1), (1, 2)), ((2, 1), (3, 1)), ((2, 2), (2, 3)))
    assert board.joints == {((1, 1), (1, 2)), ((2, 1), (3, 1)), ((2, 2), (2, 3))}
    plain = load_game(find_template("httt").build({"size": "3x3"})).initial.board
    assert plain.pieces is None
    assert plain.joints == frozenset()


def test_a_square_alone_is_the_only_legal_move_to_it_or_ambiguous() -> None:
    start = load_game(find_template("breakthrough").build({"size": "3x4"})).initial
    assert start.play("a2").board == start.play("b3xa2").board
    with pytest.raises(AmbiguousMoveError, match="found 'b2'"):
        start.play("b2")


def test_a_full_column_is_explained_by_its_top() -> None:
    game = load_game(find_template("connect-c").build({"size": "3x2", "connect": "3"}))
    position = game.initial.play("b").play("b")
    legal = [LayoutMove(str(move)) for move in position.legal_moves()]
    text = spoken(game, "column b", Player.BLACK, legal)
    assert text is not None
    found = position.illegality(game.parse_move(text, Player.BLACK))
    assert found is not None
    assert found.sentence == "White already holds b1"
