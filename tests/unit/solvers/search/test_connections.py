"""Who wins games of connection in machine code, held against every play and other searches."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.fast import engine, engines
from qsage_validate.extensions.fast.declared import why_not_compiled
from qsage_validate.extensions.fast.engine import (
    MAX_POSITIONS,
    ConnectionSearch,
    networks_of,
)
from qsage_validate.extensions.fast.engines import Connections, Machine
from qsage_validate.games.languages import load_game
from qsage_validate.games.masks import members
from qsage_validate.games.positional.hex import hex_network, with_network, with_winning_sets
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.positional_search import PositionalEngine
from qsage_validate.solvers.search import EngineChoice, SearchSolver, search_for
from qsage_validate.system.limits import Deadline, Limits
from tests.support.positional import random_network_game

needs_numba = pytest.mark.skipif(bool(why_not_compiled()), reason=why_not_compiled())
pytestmark = pytest.mark.slow

BLACK, WHITE = Player.BLACK, Player.WHITE


def search_of(model: PositionalModel) -> ConnectionSearch:
    return ConnectionSearch(model, networks_of(model), lambda: None)


class EveryPlay:
    """Who wins, by all plays until the board is full."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.all = (1 << len(network.neighbours)) - 1
        self.shorts_turn_wins = cache(self._wins)

    def black_wins(self, black: int, white: int, player: Player) -> bool:
        short = self.network.short
        own, other = (black, white) if short is BLACK else (white, black)
        return self.shorts_turn_wins(own, other, player is short) is (short is BLACK)

    def _wins(self, own: int, other: int, shorts_turn: bool) -> bool:
        free = self.all & ~(own | other)
        if not free:
            return self.network.connects(own)
        plays = (
            self.shorts_turn_wins(own | 1 << v, other, False)
            if shorts_turn
            else self.shorts_turn_wins(own, other | 1 << v, True)
            for v in members(free)
        )
        return any(plays) if shorts_turn else all(plays)


def random_position(random: Random, size: int, stones: int) -> tuple[int, int]:
    cells = random.sample(range(size), stones)
    black = sum(1 << v for v in cells[: stones // 2])
    return black, sum(1 << v for v in cells[stones // 2 :])


@needs_numba
@pytest.mark.parametrize("size", [(1, 1), (2, 2), (3, 3), (4, 3), (2, 5)])
@pytest.mark.parametrize("transversal", [False, True], ids=["Black's", "White's"])
def test_positions_of_hex_have_the_winner_of_every_play(
    size: tuple[int, int], transversal: bool
) -> None:
    model = hex_network(*size, transversal=transversal)
    assert model.network is not None
    search, plays = search_of(model), EveryPlay(model.network)
    assert len(networks_of(model)) == 2
    random, count = Random(1), len(model.positions)
    seen = set()
    for _ in range(600):
        position = random_position(random, count, random.randint(0, count))
        for player in Player:
            found = search.black_wins(*position, player)
            assert found is plays.black_wins(*position, player), (position, player)
            assert search.known(*position, player) in (found, None)
            seen.add(found)
    assert seen == {True, False}


@needs_numba
def test_networks_have_the_winner_of_every_play() -> None:
    random = Random(2)
    winners = []
    for number in range(250):
        model = random_network_game(random, 9, short=(BLACK, WHITE)[number % 2])
        assert model.network is not None
        if model.network.joined:
            continue
        search, plays = search_of(model), EveryPlay(model.network)
        for _ in range(12):
            position = random_position(random, 9, random.randint(0, 6))
            for player in Player:
                found = search.black_wins(*position, player)
                assert found is plays.black_wins(*position, player), (model, position, player)
                winners.append(found)
    assert 0.2 * len(winners) < sum(winners) < 0.8 * len(winners)


@needs_numba
@pytest.mark.parametrize(
    ("size", "stones", "positions"), [((5, 5), (4, 12), 150), ((4, 5), (1, 4), 250)]
)
def test_larger_boards_have_the_winner_of_the_search_in_python(
    size: tuple[int, int], stones: tuple[int, int], positions: int
) -> None:
    """Boards with few stones are searched, those with more of them are mostly linked."""
    model = hex_network(*size)
    cells = len(model.positions)
    search, python = search_of(model), PositionalEngine(model)
    random = Random(3)
    seen = []
    for _ in range(positions):
        count = random.randrange(*stones) // 2 * 2
        black, white = random_position(random, cells, count)
        if model.won_by_black(black) or model.won_by_white(white):
            continue
        result = python.search(black | white << cells, BLACK, cells - count)
        assert search.black_wins(black, white, BLACK) is (result == 1), (black, white)
        seen.append(result == 1)
    assert 20 < sum(seen) < len(seen) - 20


@needs_numba
def test_first_moves_of_hex_on_six_by_six() -> None:
    """Half of the moves win, and a half turn of the board changes nothing."""
    model = hex_network(6, 6)
    search = search_of(model)
    quick = ("a1", "a2", "a6", "b1", "b3", "b5", "b6", "c1", "c3", "c4", "c6")
    wins = {}
    for name in quick:
        turned = model.positions[35 - model.number[name]]
        wins[name] = search.black_wins(1 << model.number[name], 0, WHITE)
        assert search.black_wins(1 << model.number[turned], 0, WHITE) is wins[name], name
    assert [name for name in quick if wins[name]] == ["a6", "b3", "b5", "c3", "c4"]


def test_winning_sets_that_are_those_of_hex_become_a_network() -> None:
    for width, height in ((2, 2), (3, 3), (3, 4)):
        listed = with_winning_sets(hex_network(width, height))
        found = with_network(listed)
        assert found is not None
        assert found.network == hex_network(width, height).network
        assert found.turns == listed.turns
        assert not found.black_wins


def test_other_winning_sets_become_no_network() -> None:
    listed = with_winning_sets(hex_network(3, 3))
    fewer = replace(listed, black_wins=listed.black_wins[:-1])
    more = replace(listed, black_wins=(*listed.black_wins, 0b11))
    stones = replace(listed, black=1)
    for model in (fewer, more, stones, hex_network(3, 3)):
        assert with_network(model) is None, model
    assert not networks_of(fewer)


def test_only_games_of_connection_that_fit_a_word_are_taken() -> None:
    joined = replace(hex_network(2, 2))
    assert joined.network is not None
    assert not networks_of(replace(joined, network=replace(joined.network, joined=True)))
    assert not networks_of(hex_network(1, MAX_POSITIONS + 1))
    assert set(networks_of(hex_network(2, 3))) == set(Player)
    line = PositionalGame(PositionalModel("line", ("a",), alternating(1), black_wins=(1,)))
    assert not search_for(line).engine.at_once
    assert search_for(PositionalGame(hex_network(2, 2))).engine.at_once


@needs_numba
@pytest.mark.parametrize("first", list(Player))
@pytest.mark.parametrize("plies", [5, 9, 12])
def test_critical_depths_are_those_of_the_search_in_python(first: Player, plies: int) -> None:
    model = replace(hex_network(4, 3), turns=alternating(plies, first))
    game = PositionalGame(model)
    found = search_for(game, engine=EngineChoice.FAST).solve()
    known = search_for(game, engine=EngineChoice.PURE).solve()
    assert (found.winner, found.critical_plies) == (known.winner, known.critical_plies)
    assert (found.engine, known.engine) == ("compiled", "pure")


@needs_numba
@pytest.mark.parametrize("words", ["hex --size 4x4", "hex --size 3x4 --second"])
def test_plays_with_the_full_boards_win(words: str) -> None:
    """The solver's moves after the change keep the win, in the game on a grid as well."""
    game = load_game(find_command(words.split()))
    random = Random(4)
    for _ in range(6):
        solver = search_for(game, engine=EngineChoice.FAST)
        winner = solver.winner(game.initial)
        position = game.initial
        while position.outcome is None:
            if position.to_move is winner:
                move = solver.keeping_move(position)
            else:
                move = random.choice(position.legal_moves())
            position = position.play(move)
        assert position.outcome.winner is winner
        assert solver.engine.name == "compiled"


@needs_numba
@pytest.mark.parametrize("words", ["hex --size 4x4 --second", "hex --size 4x4 --depth 9"])
def test_short_plays_of_hex_on_a_grid_are_known_for_hex(words: str) -> None:
    """Ways that Black has no stones for are no winning sets: who wins may still be asked."""
    game = load_game(find_command(words.split()))
    found = search_for(game, engine=EngineChoice.FAST).solve()
    known = search_for(game, engine=EngineChoice.PURE).solve()
    assert (found.winner, found.critical_plies) == (known.winner, known.critical_plies)
    assert (found.engine, known.engine) == ("compiled", "pure")


@needs_numba
def test_a_board_that_machine_code_does_not_take_says_so() -> None:
    model = hex_network(2, 2)
    assert model.network is not None
    joined = replace(model, network=replace(model.network, joined=True))
    with pytest.raises(UsageError, match=r"found the engine fast for .* expected auto or pure"):
        search_for(PositionalGame(joined), engine=EngineChoice.FAST)


@needs_numba
def test_boards_with_too_many_ways_are_searched() -> None:
    """7x7 has more than are listed; a position of it with the main diagonal for Black is short."""
    model = hex_network(7, 7)
    stones = model.mask(("d2", "d4", "d6"))
    model = replace(model, black=stones, turns=alternating(46, WHITE))
    result = search_for(PositionalGame(model)).solve(winner_only=True)
    assert (result.winner, result.engine) == (BLACK, "compiled")


@needs_numba
def test_the_change_comes_after_some_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "first_nodes", lambda _: 50)
    solver = search_for(PositionalGame(hex_network(4, 4)))
    result = solver.solve(winner_only=True)
    assert (result.winner, result.engine, result.critical_plies) == (BLACK, "compiled", None)
    monkeypatch.setattr(engines, "first_nodes", lambda _: sys.maxsize)
    assert search_for(PositionalGame(hex_network(3, 3))).solve().engine == "pure"


@needs_numba
def test_a_limit_ends_the_search_of_full_boards() -> None:
    game = PositionalGame(replace(hex_network(7, 7), turns=alternating(49)))
    solver = search_for(game, engine=EngineChoice.FAST, limits=Limits(Deadline.after(0.2)))
    result = solver.solve(winner_only=True)
    assert result.winner is None
    assert "0.2 seconds are over" in result.reason
    with pytest.raises(UndecidedError, match=r"0\.2 seconds are over"):
        solver.winner(game.initial)


@needs_numba
def test_a_small_table_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    model = hex_network(5, 5)
    large = search_of(model)
    monkeypatch.setattr(engine, "_most_slots", lambda words, memory_mb: 4)
    small = search_of(model)
    monkeypatch.undo()
    for v in range(25):
        answers = (one.black_wins(1 << v, 0, WHITE) for one in (small, large))
        assert len(set(answers)) == 1
    assert small.positions <= 4 < large.positions
    with pytest.raises(UsageError, match="the memory"):
        ConnectionSearch(model, networks_of(model), lambda: None, 10**9)


@needs_numba
def test_a_stage_that_never_begins_says_so() -> None:
    model = hex_network(3, 3)
    assert Connections(model, Machine.NEVER, None).after() == sys.maxsize
    assert Connections(model, Machine.AT_ONCE, None).after() == 0
    solver = SearchSolver(PositionalGame(model), PositionalEngine(model))
    assert solver.solve().engine == "pure"
