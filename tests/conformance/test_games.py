"""What holds of every registered game, whatever its rules are."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from qsage_validate.errors import IllegalMoveError, MalformedMoveError
from qsage_validate.games.kernel import kernel_of
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Outcome, Player, Position, TwoPlayerGame
from qsage_validate.games.registry import find_model
from tests.support.by_name import TEMPLATES, find_template
from tests.support.playthrough import COMMAND, GOLDEN, examples, playthrough, words
from tests.support.position_text import parse_position

EXAMPLES = list(examples())


@cache
def _load(file: str) -> TwoPlayerGame:
    _, name, options = next(example for example in EXAMPLES if example[0] == file)
    return load_game(find_template(name).build(options))


@pytest.fixture(params=[file for file, _, _ in EXAMPLES])
def game(request: pytest.FixtureRequest) -> TwoPlayerGame:
    return _load(request.param)


def random_play(game: TwoPlayerGame, seed: int) -> list[Position]:
    random = Random(seed)
    positions: list[Position] = [game.initial]
    while positions[-1].outcome is None:
        assert len(positions) <= game.plies, "the play goes on after its last ply"
        positions.append(positions[-1].play(random.choice(positions[-1].legal_moves())))
    return positions


@cache
def _plays(file: str) -> list[list[Position]]:
    return [random_play(_load(file), seed) for seed in range(8)]


@pytest.fixture
def plays(request: pytest.FixtureRequest, game: TwoPlayerGame) -> list[list[Position]]:
    """Some random plays, the same for each test."""
    return _plays(request.node.callspec.params["game"])


def test_plays_end_within_the_plies(game: TwoPlayerGame, plays: list[list[Position]]) -> None:
    for positions in plays:
        assert len(positions) - 1 <= game.plies
        for number, position in enumerate(positions, start=1):
            assert position.ply == number
            assert position.to_move is game.player_at(number)


def test_outcomes_are_consistent(game: TwoPlayerGame, plays: list[list[Position]]) -> None:
    for positions in plays:
        for position in positions[:-1]:
            assert position.outcome is None
            assert position.legal_moves()
        end = positions[-1]
        assert isinstance(end.outcome, Outcome)
        assert end.outcome.reason
        assert end.legal_moves() == ()
        if end.ply <= game.plies:
            # Nobody loses by an own move before the depth is reached.
            assert end.outcome.winner is game.player_at(end.ply - 1)
        for move in game.moves(end.to_move)[:5]:
            assert end.illegality(move) is not None
            with pytest.raises(IllegalMoveError):
                end.play(move)


def test_positions_are_values(game: TwoPlayerGame, plays: list[list[Position]]) -> None:
    again = [random_play(game, seed) for seed in range(len(plays))]
    assert again == plays
    for one, other in zip(plays, again, strict=True):
        for position, same in zip(one, other, strict=True):
            assert hash(position) == hash(same)
        assert len(set(one)) == len(one), "the ply tells positions of a play apart"
    last = plays[0][-1]
    assert copy.deepcopy(last) == last
    assert pickle.loads(pickle.dumps(last)) == last


def test_playing_does_not_change_a_position(game: TwoPlayerGame) -> None:
    position = game.initial
    before = (str(position), position.board, tuple(position.legal_moves()))
    for move in position.legal_moves():
        assert position.play(move) != position
    assert (str(position), position.board, tuple(position.legal_moves())) == before


def test_texts_of_positions_are_read_back(game: TwoPlayerGame, plays: list[list[Position]]) -> None:
    for positions in plays:
        for position in positions:
            assert parse_position(game, str(position)) == position


def test_texts_of_moves_are_read_back(game: TwoPlayerGame) -> None:
    for player in Player:
        moves = game.moves(player)
        assert len({str(move) for move in moves}) == len(moves), "names are unique"
        assert len(set(moves)) == len(moves)
        for move in moves:
            assert game.parse_move(str(move), player) == move
            assert game.parse_move(f"  {str(move).upper().replace('(', ' ( ')} ", player) == move
        for text in ("", "?", "nothing(1,1)", str(moves[0])[:-1]):
            with pytest.raises(MalformedMoveError):
                game.parse_move(text, player)


def test_legal_moves_are_sorted_and_exactly_those_without_an_illegality(
    game: TwoPlayerGame, plays: list[list[Position]]
) -> None:
    for positions in plays[:4]:
        for position in positions[:-1]:
            legal = position.legal_moves()
            possible = game.moves(position.to_move)
            assert [move for move in possible if position.illegality(move) is None] == list(legal)
            for move in possible:
                reason = position.illegality(move)
                assert position.is_legal(move) == (reason is None)
                if reason is None:
                    position.play(move)
                    continue
                assert str(move) in reason.text
                assert "\n" not in reason.text
                with pytest.raises(IllegalMoveError, match=r".") as caught:
                    position.play(move)
                assert str(caught.value) == reason.reason


def test_the_opponents_moves_are_illegal(game: TwoPlayerGame) -> None:
    player = game.initial.to_move
    own = set(game.moves(player))
    for move in game.moves(player.other):
        if move not in own:
            assert game.initial.illegality(move) is not None


def test_the_kernel_plays_the_same_game(game: TwoPlayerGame, plays: list[list[Position]]) -> None:
    kernel = kernel_of(game)
    assert kernel is not None
    assert kernel.initial == kernel.state(game.initial)
    for positions in plays:
        for position in positions[:-1]:
            player = position.to_move
            state = kernel.state(position)
            expected = {}
            for move in position.legal_moves():
                after = position.play(move)
                won = after.outcome is not None and after.outcome.reason == "reached its goal"
                expected[kernel.state(after)] = won
            successors = kernel.successors(state, player)
            assert {after: won for _, after, won in successors} == expected
            for number, state_after, _ in successors:
                played = position.play(kernel.move(number, player))
                assert kernel.state(played) == state_after
            assert kernel.wins_at_once(state, player) == any(expected.values())


def test_symmetries_map_plays_to_plays(game: TwoPlayerGame, plays: list[list[Position]]) -> None:
    kernel = kernel_of(game)
    assert kernel is not None
    for symmetry in game.symmetries():
        assert sorted(symmetry.squares) == sorted(symmetry.squares.values())
        for positions in plays[:4]:
            image = parse_position(game, f"{symmetry.board(positions[0].board)} ply 1")
            assert symmetry.keeps_initial == (image == game.initial)
            for before, after in pairwise(positions):
                assert kernel.key(kernel.state(before)) == kernel.key(kernel.state(image))
                move = next(m for m in before.legal_moves() if before.play(m) == after)
                image = image.play(symmetry.moves[move])
                assert image.board == symmetry.board(after.board)
                assert (image.outcome is None) == (after.outcome is None)


# -- golden playthroughs --------------------------------------------------------------------


@pytest.mark.parametrize(("file", "name", "options"), EXAMPLES)
def test_playthroughs_are_as_they_were(
    file: str, name: str, options: Mapping[str, str | bool]
) -> None:
    path = GOLDEN / f"{file}.txt"
    assert path.exists(), f"no playthrough of {words(name, options)}: write it with {COMMAND}"
    command = words(name, options)
    expected = path.read_text(encoding="utf-8")
    assert playthrough(command, load_game(find_model([name], options))) == expected


def test_there_are_no_other_playthroughs() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {file for file, _, _ in EXAMPLES}


def test_every_template_has_examples() -> None:
    for template in TEMPLATES:
        assert template.examples
