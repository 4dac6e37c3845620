"""Every search names the winner, the fewest plies and the quickest moves, in all languages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest

from qsage_validate.extensions.fast.declared import why_not_compiled
from qsage_validate.extensions.impartial.heap_game import HeapGame
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.solvers.search import EngineChoice, SearchSolver, engine_for, search_for
from tests.support.quickest import check_search
from tests.support.random_games import MODELS, random_model
from tests.support.wild_heaps import all_states, finite_game

# QSAGE_QUICKEST=10 tries ten times as many games.
GAMES = 120 * int(os.environ.get("QSAGE_QUICKEST", "1"))


def searches(game: TwoPlayerGame, *, compiled: bool) -> Iterator[SearchSolver]:
    """Each engine that takes the game."""
    yield SearchSolver(game)
    yield search_for(game)
    if compiled and not why_not_compiled() and game.language != "positional":
        own = engine_for(game)
        if own is None or own.at_once:
            yield search_for(game, engine=EngineChoice.FAST)


@pytest.mark.parametrize("language", MODELS)
def test_moves_are_the_quickest(language: str) -> None:
    for seed in range(GAMES):
        random = Random(seed)
        _, game = random_model(random, language)
        check_search(game, searches(game, compiled=seed % 4 == 0), random)


def test_moves_with_heaps_are_the_quickest() -> None:
    """A move that leaves the opponent without one has won at once, but in misère play."""
    for seed in range(GAMES):
        random = Random(seed)
        rules = ImpartialRules(finite_game(random), misere=random.random() < 0.5)
        states = [state for state in all_states(rules.game, 0, 6) if rules.is_legal(state)]
        start = random.choice(states)
        reached = HeapGame(rules, start).reach
        if reached is not None:
            game = HeapGame(rules, start, plies=reached.longest + 1)
            check_search(game, searches(game, compiled=False), random)
