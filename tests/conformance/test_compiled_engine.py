"""The compiled engine looks at what the search in Python looks at, and finds the same."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import UsageError
from qsage_validate.extensions.fast import declared, engines
from qsage_validate.extensions.fast.arrays import Arrays, mask_of, words_of
from qsage_validate.extensions.fast.declared import why_not_compiled
from qsage_validate.games.bddl.kernel import BddlKernel, find_symmetries
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.solvers.general_search import Bounds
from qsage_validate.solvers.search import EngineChoice, SearchSolver, search_for
from qsage_validate.system.limits import Deadline, Limits
from tests.support.minimax import minimax
from tests.support.wild_models import filling_models, moving_models

needs_numba = pytest.mark.skipif(bool(why_not_compiled()), reason=why_not_compiled())

WORDS = (
    "httt --size 3x3 --shape tic --depth 9",
    "gomoku --size 4x4 --connect 4 --depth 5",
    "connect-c --size 4x4 --connect 3 --depth 9",
    "connect-c --size 4x4 --connect 4 --depth 16",
    "breakthrough --size 3x4 --depth 9",
    "breakthrough --size 2x5 --second --depth 10",
    "knightthrough --size 3x4 --depth 9",
    "evader-pursuer --size 4x4 --depth 9",
    "evader-pursuer-dual --size 3x3 --pursuer 2,3 --depth 8",
    "domineering --size 4x4 --depth 9",
    "domineering --size 5x4 --depth 11",
    "domineering --size 4x4 --second --depth 10",
    "konane --size 4x4 --depth 8",
    "cross-purposes --stacks X..X/..../.X..",
    "hex --size 3x3 --depth 9",
    "breakthrough --size 3x8 --depth 5",  # two words
)


def game_of(words: str) -> BddlGame:
    game = load_game(find_command(words.split()))
    assert isinstance(game, BddlGame)
    return game


def kernel_of(game: BddlGame) -> BddlKernel:
    """The general kernel, of positional games too."""
    symmetries = find_symmetries(game.grounding, game.move_table)
    return BddlKernel(game.grounding, game.move_table, list(symmetries))


def test_every_grid_game_of_the_catalogue_is_here() -> None:
    names = {game.name for game in library_games() if game.name != "trails"}
    assert {words.split()[0] for words in WORDS} == names


@needs_numba
@pytest.mark.parametrize("words", WORDS)
def test_verdict_depth_and_nodes_are_those_of_the_search_in_python(words: str) -> None:
    from qsage_validate.extensions.fast.engine import CompiledEngine

    game = game_of(words)
    kernel = kernel_of(game)
    pure = SearchSolver(game, Bounds(game, kernel, with_bounds=False)).solve()
    fast = SearchSolver(game, CompiledEngine(kernel, with_bounds=False, slots=1 << 20)).solve()
    assert (fast.winner, fast.critical_plies) == (pure.winner, pure.critical_plies)
    assert (fast.nodes, fast.first_moves) == (pure.nodes, pure.first_moves)
    assert fast.engine == "compiled"
    assert pure.engine == "pure"
    bounded = SearchSolver(game, CompiledEngine(kernel)).solve()
    assert (bounded.winner, bounded.critical_plies) == (pure.winner, pure.critical_plies)
    once = SearchSolver(game, CompiledEngine(kernel)).solve(winner_only=True)
    assert once.winner is pure.winner


@needs_numba
@settings(max_examples=60, deadline=None)
@given(
    filling_models(with_goals=False) | filling_models(with_goals=True) | moving_models(),
    st.sampled_from([1 << 2, 1 << 14]),
)
def test_random_games_have_the_same_values(model: Model, slots: int) -> None:
    """Also with a table of four entries, from which nearly everything is lost."""
    from qsage_validate.extensions.fast.engine import CompiledEngine

    game = BddlGame(model.at_plies(min(model.problem.plies, 6)))
    kernel = kernel_of(game)
    memory = None if slots > 4 else 1
    pure = SearchSolver(game, Bounds(game, kernel, bounds_from=0)).solve()
    fast = SearchSolver(game, CompiledEngine(kernel, slots=slots, memory_mb=memory)).solve()
    assert fast.winner is pure.winner is minimax(game)
    assert fast.critical_plies == pure.critical_plies


@needs_numba
def test_a_small_table_grows_to_its_limit_and_then_forgets() -> None:
    from qsage_validate.extensions.fast.engine import CompiledEngine

    game = game_of("connect-c --size 5x5 --connect 4 --depth 25")
    found = []
    for memory in (1, 200):
        engine = CompiledEngine(game.kernel(), memory_mb=memory, slots=16)
        solved = SearchSolver(game, engine).solve(winner_only=True)
        found.append((solved.winner, solved.nodes, solved.positions))
    assert [winner for winner, _, _ in found] == [Player.WHITE] * 2
    assert found[0][2] <= 1 << 15 < found[1][2]
    assert found[0][1] > found[1][1]


@needs_numba
def test_limits_end_it_and_it_goes_on_afterwards() -> None:
    from qsage_validate.extensions.fast.engine import CompiledEngine

    game = game_of("domineering --size 6x6 --depth 37")
    solver = SearchSolver(game, CompiledEngine(game.kernel()), limits=Limits(Deadline.after(0)))
    kernel = game.kernel()
    assert isinstance(kernel, BddlKernel)
    solver.engine = engine = CompiledEngine(kernel, with_bounds=False)
    engine.watch = solver._watch
    stopped = solver.solve(winner_only=True)
    assert stopped.winner is None
    assert "seconds are over" in stopped.reason
    assert 0 < stopped.nodes <= 200_000


@needs_numba
@pytest.mark.parametrize("words", ["breakthrough --size 3x4", "trails --depth 3"])
def test_a_table_that_does_not_fit_is_one_line(words: str) -> None:
    game = load_game(find_command(words.split()))
    with pytest.raises(UsageError, match=r"table of 999,999,999 MB, expected at most"):
        search_for(game, limits=Limits(memory_mb=999_999_999), engine=EngineChoice.FAST)


@needs_numba
def test_a_long_search_changes_to_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "connect-c --size 5x4 --connect 4 --depth 20"
    monkeypatch.setattr(declared, "is_kept", lambda function: True)
    long = search_for(game_of(words)).solve(winner_only=True)
    assert long.engine == "compiled"
    assert long.nodes > engines.SWITCH
    short = search_for(game_of("breakthrough --size 3x4")).solve()
    assert short.engine == "pure"
    pure = search_for(game_of(words), engine=EngineChoice.PURE).solve(winner_only=True)
    assert pure.engine == "pure"
    assert pure.winner is long.winner


def test_without_numba_the_search_is_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.extensions.fast.declared.util.find_spec", lambda name: None)
    declared.why_not_compiled.cache_clear()
    try:
        monkeypatch.setattr(engines, "SWITCH", 0)
        game = game_of("breakthrough --size 2x6 --depth 15")
        solved = search_for(game).solve()
        assert solved.engine == "pure"
        assert solved.nodes > 4096, "the search asked whether to change"
        with pytest.raises(UsageError, match="numba is not installed"):
            search_for(game, engine=EngineChoice.FAST)
    finally:
        declared.why_not_compiled.cache_clear()


def test_numba_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "qsage_validate.extensions.fast.declared.util.find_spec", lambda name: object()
    )
    monkeypatch.setattr(
        "qsage_validate.extensions.fast.declared.metadata.version", lambda name: "0.60.1"
    )
    declared.why_not_compiled.cache_clear()
    try:
        game = game_of("breakthrough --size 3x4")
        with pytest.raises(UsageError, match=r"numba 0\.60\.1 is installed, expected 0\.61"):
            search_for(game, engine=EngineChoice.FAST)
        assert search_for(game).engine.name == "pure"
    finally:
        declared.why_not_compiled.cache_clear()


def test_games_with_a_search_of_their_own_say_so() -> None:
    game = load_game(find_command(["httt", "--size", "3x3", "--shape", "el"]))
    with pytest.raises(UsageError, match="has a search of its own"):
        search_for(game, engine=EngineChoice.FAST)


def test_boards_of_more_than_four_words_are_refused() -> None:
    game = game_of("breakthrough --size 10x10")
    with pytest.raises(TooLargeError, match="100 squares"):
        Arrays(game.kernel())


@given(st.integers(0, (1 << 256) - 1))
def test_words_are_a_mask(mask: int) -> None:
    words = np.array(words_of(mask, 4), dtype=np.int64)
    assert mask_of(words) == mask


@needs_numba
def test_ctrl_c_while_the_machine_code_is_made_waits_until_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """numba answers an interrupt in the middle of its work by an error of its own."""
    from qsage_validate.extensions.fast.engine import CompiledEngine

    game = load_game(find_command(["domineering", "--size", "3x3"]))
    assert isinstance(game, BddlGame)
    engine = CompiledEngine(game.kernel())
    run, ended = engine._machine.run, []

    def interrupted(*arguments: object) -> object:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        value = run(*arguments)
        ended.append(value)
        return value

    monkeypatch.setattr(engine._machine, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.search(engine.kernel.initial, Player.BLACK, 9)
    assert len(ended) == 1, "the call came to its end"
    assert capsys.readouterr().err.count("the search ends when its machine code is made") == 1
