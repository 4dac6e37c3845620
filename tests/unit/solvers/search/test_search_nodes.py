"""Searches look at as many positions as ever: what is known of each is used, and nothing twice."""

from __future__ import annotations

import pytest

from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.heap_game import HeapGame
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.search import search_for

# For each game the nodes and positions of a solve; the nodes of all winning first moves behind it,
# and of the winner and a best move after each first move.
NODES: dict[str, tuple[int, int, int, int]] = {
    "httt --size 3x3 --shape el --depth 5": (9, 2, 23, 73),
    "httt --size 3x3 --shape tic": (68, 3, 73, 244),
    "breakthrough --size 2x4": (80, 34, 84, 92),
    "breakthrough --size 3x4": (627, 203, 631, 647),
    "connect-c --size 3x3": (177, 91, 186, 258),
    "evader-pursuer --size 4x4": (9, 4, 18, 33),
    "domineering --size 3x3": (23, 13, 48, 59),
    "hex --size 3x3": (14, 3, 115, 161),
    "httt --size 4x4 --shape elly": (28, 8, 2182, 2402),
    "harary --size 4x4 --shape el": (16, 2, 314, 469),
    "harary --size 4x4 --shape tic": (14, 2, 3861, 4053),
    "harary --size 4x4 --shape knobby": (255, 45, 262, 414),
    "harary --size 4x4 --shape skinny --maker-breaker": (4, 1, 8, 158),
    "harary --size 3x3 --shape tic --stones 2": (60, 18, 66, 111),
    "hex-network --size 3x3": (14, 3, 113, 159),
    "hex-network --size 3x3 --transversal": (14, 3, 113, 159),
    "harary --size 4x4 --shape elly --torus": (31, 8, 118, 278),
    "trails --depth 3 --role blue": (55, 13, 62, 74),
    "take-away-3 from 40": (1533, 72, 1535, 1541),
}

HEAPS = "take-away-3 from 40"


def game_of(words: str) -> TwoPlayerGame:
    if words == HEAPS:
        return HeapGame(ImpartialRules(families.load("take-away-3")), (40,))
    return load_game(find_command(words.split()))


@pytest.mark.parametrize("words", NODES)
def test_nodes_are_as_they_were(words: str) -> None:
    game = game_of(words)
    solver = search_for(game)
    solved = solver.solve()
    assert solved.winner is not None
    solver.solve(all_first_moves=True)
    first_moves = solver.nodes
    for move in game.initial.legal_moves():
        after = game.initial.play(move)
        solver.winner(after)
        solver.best_move(after)
    found = solved.nodes, solved.positions, first_moves, solver.nodes
    assert found == NODES[words]
