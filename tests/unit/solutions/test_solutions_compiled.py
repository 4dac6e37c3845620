"""Solutions whose replies come from the table of the search in machine code."""

from __future__ import annotations

import pytest

from qsage_validate.extensions.fast.declared import why_not_compiled
from qsage_validate.games.bddl.kernel import BddlKernel, find_symmetries
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.solutions.check import GridRules, check, rules_for
from qsage_validate.solvers.search import SearchSolver
from qsage_validate.solvers.search_solution import solution_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why_not_compiled()), reason=why_not_compiled()),
]

GAMES = (
    "domineering --size 4x4 --depth 9",
    "domineering --size 5x4 --depth 11",
    "domineering --size 4x4 --second --depth 10",
    "domineering --size 4x4 --depth 7",
    "httt --size 3x3 --shape el --depth 5",
    "httt --size 3x3 --shape tic --depth 9",
    "connect-c --size 4x4 --connect 3 --depth 9",
    "connect-c --size 4x4 --connect 4 --depth 16",
    "breakthrough --size 2x5 --depth 17",
    "breakthrough --size 2x5 --second --depth 10",
    "breakthrough --size 3x4 --depth 13",
    "knightthrough --size 3x4 --depth 9",
    "evader-pursuer --size 4x4 --depth 9",
    "konane --size 4x4 --depth 8",
    "cross-purposes --stacks X..X/..../.X..",
)


@pytest.mark.parametrize("words", GAMES)
def test_the_tables_replies_are_proved(words: str) -> None:
    from qsage_validate.extensions.fast.engine import CompiledEngine

    model = find_command(words.split())
    game = load_game(model)
    assert isinstance(game, BddlGame)
    symmetries = find_symmetries(game.grounding, game.move_table)
    engine = CompiledEngine(BddlKernel(game.grounding, game.move_table, list(symmetries)))
    solver = SearchSolver(game, engine)
    winner = solver.solve(winner_only=True).winner
    assert winner is not None
    checked = check(solution_of(model, solver, winner))
    assert checked.proved, checked.text


def test_replies_keep_the_win_wherever_the_winner_comes() -> None:
    """Each reply that the table tells is a move after which the winner still wins."""
    from qsage_validate.extensions.fast.engine import CompiledEngine

    for words in ("domineering --size 4x4 --depth 9", "breakthrough --size 2x4 --depth 13"):
        game = load_game(find_command(words.split()))
        assert isinstance(game, BddlGame)
        engine = CompiledEngine(BddlKernel(game.grounding, game.move_table, []))
        winner = SearchSolver(game, engine).solve(winner_only=True).winner
        assert winner is not None
        judge, rules = SearchSolver(game), GridRules(game)
        told = 0
        layer = rules.layer(game.initial)
        for ply in range(1, game.plies + 1):
            if not len(layer):
                break
            if game.player_at(ply) is winner:
                numbers = engine.many(*rules.planes(layer), winner, game.plies - ply + 1)
                for index, number in enumerate(numbers):
                    position = rules.position(layer, index, ply)
                    if position.outcome is not None:
                        continue  # a layer behind an end that the walk would report
                    if judge.winner(position) is not winner:
                        assert number == -1
                        continue
                    if number >= 0:
                        told += 1
                        after = position.play(engine.kernel.move(number, winner))
                        assert judge.winner(after) is winner
            # All moves of both players, whoever wins.
            layer = rules.all_moves(layer, ply).layer
        assert told


@pytest.mark.parametrize("words", ["domineering --size 3x4", "breakthrough --size 2x5"])
def test_the_texts_of_a_layer_are_those_of_its_positions(words: str) -> None:
    game = load_game(find_command(words.split()))
    rules = rules_for(game)
    layer = rules.layer(game.initial)
    for ply in range(1, 4):
        layer = rules.all_moves(layer, ply).layer
        positions = [rules.position(layer, index, ply + 1) for index in range(len(layer))]
        assert rules.texts(layer, ply + 1) == [rules.text(position) for position in positions]
    assert game.player_at(1) is Player.BLACK
