"""Replies of a search: winning moves, Black's on a shortest way; a loser holds out longest."""

from __future__ import annotations

from functools import cache
from itertools import count

import pytest

from qsage_validate.errors import CancelledError, UndecidedError
from qsage_validate.games.kernel import State
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, Position
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.positional_search import PositionalEngine
from qsage_validate.solvers.search import SearchSolver
from qsage_validate.solvers.search_solution import SearchReplies

B, W = Player.BLACK, Player.WHITE


@cache
def fewest(position: Position) -> int | None:
    """In how few plies Black wins, by trying everything; ``None`` where Black does not."""
    if position.outcome is not None:
        return int(position.outcome.stuck) if position.outcome.winner is B else None
    after = [fewest(position.play(move)) for move in position.legal_moves()]
    wins = [1 + plies for plies in after if plies is not None]
    if position.to_move is B:
        return min(wins, default=None)
    return max(wins) if len(wins) == len(after) else None


def replies_of(words: str, seconds: float | None = None) -> SearchReplies:
    return SearchReplies(load_game(find_command(words.split())), seconds)


@pytest.mark.parametrize(
    ("words", "player"),
    [
        ("httt --size 3x3 --shape el --depth 5", B),
        ("httt --size 3x3 --shape el --depth 5", W),
        ("harary --size 3x3 --shape el --depth 3", B),
        ("harary --size 3x3 --shape el --depth 3", W),
        ("domineering --size 3x3", W),
        ("trails --depth 3 --role blue", W),
    ],
)
def test_replies_to_whatever_is_played(words: str, player: Player) -> None:
    replies = replies_of(words)
    seen: set[Position] = set()

    def visit(position: Position) -> None:
        if position.outcome is not None or position in seen:
            return
        seen.add(position)
        if position.to_move is not player:
            for move in position.legal_moves():
                visit(position.play(move))
            return
        before, reply = fewest(position), replies.reply(position)
        after = fewest(position.play(reply.move))
        assert (reply.plies, reply.player) == (before, player)
        assert reply.winner is (W if before is None else B)
        if before is None:
            assert after is None
        else:
            assert after == before - 1, "a shortest way to the win, or the longest to the loss"
        visit(position.play(reply.move))

    visit(replies.game.initial)
    assert replies.winner() is (W if fewest(replies.game.initial) is None else B)


def test_a_loser_plays_what_is_hardest_to_beat() -> None:
    """White holds out longest; Black leaves the fewest winning answers."""
    replies = replies_of("breakthrough --size 2x4 --depth 9")
    pending, seen = [replies.game.initial], set[Position]()
    differs = dict.fromkeys(Player, 0)

    def strength(after: Position, player: Player) -> int:
        if player is W:
            return fewest(after) or 0
        if after.outcome is not None:
            return -100
        return -sum(fewest(after.play(move)) is None for move in after.legal_moves())

    while pending and len(seen) < 400:
        position = pending.pop()
        if position in seen or position.outcome is not None:
            continue
        seen.add(position)
        player, moves = position.to_move, position.legal_moves()
        if moves and (fewest(position) is None) is (player is B):
            strengths = {move: strength(position.play(move), player) for move in moves}
            assert strengths[replies.reply(position).move] == max(strengths.values())
            differs[player] += len(set(strengths.values())) > 1
        pending += map(position.play, moves)
    assert min(differs.values()) > 10


def test_limits() -> None:
    replies = replies_of("hex --size 5x5 --depth 15", seconds=0.01)
    with pytest.raises(UndecidedError, match=r"0\.01 seconds are over"):
        replies.winner()
    replies = replies_of("hex --size 5x5 --depth 15")
    replies.task.close()
    with pytest.raises(CancelledError):
        replies.reply(replies.game.initial)


@pytest.mark.parametrize("forgets", [True, False])
def test_a_best_move_does_not_rest_on_what_the_table_suggests(forgets: bool) -> None:
    """A table that forgets all, or suggests each move in turn, costs time alone."""
    game = load_game(find_command(["harary", "--size", "3x3", "--shape", "el", "--depth", "7"]))
    assert isinstance(game, PositionalGame)
    suggested = count()

    class Suggests(PositionalEngine):
        def known(self, state: State, player: Player, plies: int) -> bool | None:
            return None if forgets else super().known(state, player, plies)

        def hint(self, state: State, player: Player, plies: int) -> int | None:
            moves = [number for number, _, _ in self.kernel.successors(state, player)]
            return None if forgets else moves[next(suggested) % len(moves)]

    pending, seen = [game.initial], 0
    solver = SearchSolver(game, Suggests(game.model))
    while pending and seen < 60:
        position = pending.pop(0)
        if position.outcome is not None:
            continue
        seen += 1
        before = fewest(position)
        move = solver.best_move(position)
        assert (move is None) is ((before is None) is (position.to_move is B))
        if move is not None:
            after = fewest(position.play(move))
            if before is None or position.to_move is W:
                assert after is None
            else:
                assert after == before - 1
        pending += map(position.play, position.legal_moves())
