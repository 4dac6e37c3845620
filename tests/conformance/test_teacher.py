"""Threats and reasons in every game of the catalogue, against the rules tried move by move."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from qsage_validate.arena.frame import LayoutMove, Pairs
from qsage_validate.arena.lesson import Purpose, letters_of_threats, sentence, threats_text
from qsage_validate.arena.program import blocking_pairs
from qsage_validate.extensions.teaching.drill import Threats, reasons
from qsage_validate.games.kernel import kernel_of
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.protocol import Move, Player, Position, Square, TwoPlayerGame
from tests.support.by_name import find_template
from tests.support.playthrough import examples
from tests.support.position_text import parse_position

EXAMPLES = list(examples())
# Moves of positions in which every pair of moves is tried.
_FEW = 9


@cache
def _load(file: str) -> TwoPlayerGame:
    _, name, options = next(example for example in EXAMPLES if example[0] == file)
    return load_game(find_template(name).build(options))


def plays(game: TwoPlayerGame, count: int) -> Iterator[list[Position]]:
    """Random plays, which win at once where they can in every other ply."""
    for seed in range(count):
        random = Random(seed)
        positions: list[Position] = [game.initial]
        while positions[-1].outcome is None:
            moves = positions[-1].legal_moves()
            won = [m for m in moves if wins(positions[-1], m)]
            positions.append(positions[-1].play(random.choice((seed % 2 and won) or moves)))
        yield positions


def passed(game: TwoPlayerGame, position: Position) -> Position:
    """The position with the number of the next ply, as its text says it."""
    text = re.sub(r"ply (\d+)$", lambda found: f"ply {int(found[1]) + 1}", str(position))
    return parse_position(game, text)


def wins(position: Position, move: Move) -> bool:
    """Whether the player to move reaches the goal by ``move``."""
    outcome = position.play(move).outcome
    if outcome is None or outcome.winner is not position.to_move or outcome.stuck:
        return False
    return not outcome.reason.startswith("held out")


def turn(game: TwoPlayerGame, position: Position, player: Player) -> Position:
    return position if position.to_move is player else passed(game, position)


def at_once(game: TwoPlayerGame, position: Position, player: Player) -> dict[str, Position]:
    """The moves by which ``player`` would win now, with what they lead to."""
    own = turn(game, position, player)
    return {str(m): own.play(m) for m in own.legal_moves() if wins(own, m)}


def unstoppable(position: Position) -> bool:
    """Whether each move of the player to move leaves the other one a win at once."""
    if position.outcome is not None:
        return False
    after = [position.play(move) for move in position.legal_moves()]
    return all(p.outcome is None and any(wins(p, m) for m in p.legal_moves()) for p in after)


@pytest.fixture(params=[file for file, _, _ in EXAMPLES])
def game(request: pytest.FixtureRequest) -> TwoPlayerGame:
    return _load(request.param)


def has_threats(game: TwoPlayerGame) -> bool:
    kernel = kernel_of(game)
    alternates = all(game.player_at(k) is not game.player_at(k + 1) for k in range(1, game.plies))
    known = kernel is not None and kernel.alternates and alternates
    return known and game.skipped(game.initial) is not None


def test_threats_are_the_moves_that_would_win(game: TwoPlayerGame) -> None:
    threats = Threats(game)
    for positions in plays(game, 4):
        for position in positions[:-1]:
            for player in Player:
                found = threats.of(position, player)
                if not has_threats(game):
                    assert found == () or position.to_move is player
                    continue
                expected = at_once(game, position, player)
                known = [t for t in found if t.moves == 1]
                assert {t.move for t in known} <= set(expected)
                # One move stands for all that lead to one position.
                reached = {str(expected[t.move]) for t in known}
                assert reached == {str(after) for after in expected.values()}
                own = turn(game, position, player)
                for threat in found:
                    move = game.parse_move(threat.move, player)
                    changed = own.board.differences(own.play(move).board)
                    assert set(threat.squares) <= set(changed)
                    assert bool(threat.squares) is bool(changed)
                slow = [t for t in found if t.moves == 2]
                assert not (known and slow)
                for threat in slow:
                    assert unstoppable(own.play(game.parse_move(threat.move, player)))
                if not known and own.outcome is None and len(own.legal_moves()) <= _FEW:
                    assert len({own.play(game.parse_move(t.move, player)) for t in slow}) == len(
                        {p for m in own.legal_moves() if unstoppable(p := own.play(m))}
                    )


def test_every_reason_is_true(game: TwoPlayerGame) -> None:
    threats = Threats(game)
    for positions in plays(game, 6):
        for before, after in pairwise(positions):
            found = reasons(threats, before, after)
            for reason in found:
                assert reason.player is before.to_move
                check(game, before, after, reason.purpose, reason.moves)
            ends = after.outcome is not None and after.outcome.winner is before.to_move
            assert any(r.purpose in ENDS for r in found) is ends
            text = sentence("it", found)
            assert bool(text) is bool(found)
            assert "\n" not in text


@pytest.mark.parametrize(
    ("file", "purposes"),
    [
        ("httt-1", {Purpose.BLOCKS, Purpose.THREATENS}),
        ("breakthrough-1", {Purpose.BLOCKS, Purpose.FORKS, Purpose.COMPLETES}),
        ("domineering-1", {Purpose.STUCK}),
    ],
)
def test_reasons_are_found(file: str, purposes: set[Purpose]) -> None:
    game, seen = _load(file), set()
    for positions in plays(game, 30):
        for before, after in pairwise(positions):
            seen |= {reason.purpose for reason in reasons(Threats(game), before, after)}
    assert purposes <= seen


ENDS = {Purpose.COMPLETES, Purpose.STUCK, Purpose.ENDS}


def check(
    game: TwoPlayerGame, before: Position, after: Position, purpose: Purpose, moves: tuple[str, ...]
) -> None:
    """Whether a reason is true, by the rules tried move by move."""
    player, other = before.to_move, before.to_move.other
    outcome = after.outcome
    if purpose in ENDS:
        assert outcome is not None
        assert outcome.winner is player
        assert outcome.stuck is (purpose is Purpose.STUCK)
        assert (outcome.reason == "reached its goal") is (purpose is Purpose.COMPLETES) or (
            purpose is Purpose.ENDS and moves == (outcome.reason,)
        )
        return
    assert outcome is None
    if purpose is Purpose.BLOCKS:
        assert set(moves) <= set(at_once(game, before, other))
        assert not set(moves) & set(at_once(game, after, other))
    elif purpose in (Purpose.THREATENS, Purpose.TWO_THREATS, Purpose.FORKS):
        assert set(moves) <= set(at_once(game, after, player))
        assert (purpose is Purpose.TWO_THREATS) <= (len(moves) > 1)
        assert unstoppable(after) is (purpose is Purpose.FORKS)
    elif purpose is Purpose.PREPARES:
        own = passed(game, after)
        assert all(unstoppable(own.play(game.parse_move(m, player))) for m in moves)
    elif purpose is Purpose.ONLY:
        assert len(before.legal_moves()) == 1
    else:
        assert purpose is Purpose.WAITS
        assert before.board.squares == after.board.squares


def test_answers_in_a_pairing_are_named() -> None:
    game = load_game(harary_model("fatty", 4, 4, maker_breaker=True, plies=5))
    pairs = blocking_pairs(game, Player.WHITE)
    assert pairs is not None
    known = pairs.of(game.initial)
    assert known
    threats, seen = Threats(game), 0
    for move in game.initial.legal_moves():
        position = game.initial.play(move)
        for reply in position.legal_moves():
            after = position.play(reply)
            found = reasons(threats, position, after, last=str(move), pairs=known)
            said = {r.moves for r in found if r.purpose is Purpose.PAIRS}
            both = {str(move), str(reply)}
            paired = any({str(one), str(other)} == both for one, other in known)
            assert said == ({(str(move), str(reply))} if paired else set())
            seen += paired
    assert seen


def test_threats_in_words_and_letters() -> None:
    game = load_game(find_template("httt").build({"size": (3, 3), "shape": "tic", "depth": 9}))
    start = parse_position(game, "BB./.../.WW ply 5")
    threats = Threats(game)
    found = threats.of(start, Player.BLACK)
    assert threats_text(found) == "Black threatens to win by c1"
    assert letters_of_threats(found) == {(3, 1): "A"}
    assert threats.of(start, Player.WHITE)[0].text == "a3 would win"
    assert start.board[3, 1] is Square.OPEN
    no_pairs: Pairs = ((LayoutMove("a"), LayoutMove("b")),)
    assert reasons(threats, start, start.play(start.legal_moves()[0]), last="c", pairs=no_pairs)
