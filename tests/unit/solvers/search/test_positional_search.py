from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import (
    STEPS,
    contracted,
    hex_network,
    preprocess,
    transversal_of,
    transversals,
    useless_positions,
    with_useless_white,
    with_winning_sets,
    without_detours,
    without_larger_sets,
)
from qsage_validate.games.positional.model import (
    PositionalModel,
    without_dead_sets,
    without_long_sets,
)
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Move, Player
from qsage_validate.solvers.search import SearchSolver
from tests.support.by_name import find_template
from tests.support.position_text import parse_position
from tests.support.positional import random_game, random_network_game, random_sets, winner
from tests.support.search import winning_moves, winning_strategy

BLACK, WHITE = Player.BLACK, Player.WHITE

Make = Callable[[Random], PositionalModel]
GAMES: list[tuple[str, Make]] = [
    ("sets", random_game),
    ("connect", random_network_game),
    ("cut", lambda random: random_network_game(random, short=WHITE)),
    ("connect or sets", lambda random: _with_white_wins(random, BLACK)),
    ("cut or sets", lambda random: _with_white_wins(random, WHITE)),
]


def _with_white_wins(random: Random, short: Player) -> PositionalModel:
    model = random_network_game(random, short=short)
    return replace(model, white_wins=random_sets(random, len(model.positions), 3))


EVERY_GAME = pytest.mark.parametrize("make", [pytest.param(m, id=name) for name, m in GAMES])


def searched(model: PositionalModel) -> Player:
    winner = SearchSolver(PositionalGame(model)).solve().winner
    assert winner is not None
    return winner


@EVERY_GAME
def test_search_agrees_with_trying_everything(make: Make) -> None:
    random = Random(5)
    winners = []
    for _ in range(150):
        model = make(random)
        winners.append(winner(model))
        assert searched(model) is winners[-1], model
    assert 30 < winners.count(BLACK) < 120


@EVERY_GAME
def test_winning_moves_are_those_that_win(make: Make) -> None:
    random = Random(6)
    for _ in range(25):
        game = PositionalGame(make(random))
        solver = SearchSolver(game)
        position = game.initial
        while position.outcome is None:
            best = solver.winner(position)
            moves = winning_moves(solver, position)
            if best is position.to_move:
                assert solver.best_move(position) in moves
            else:
                assert moves == []
            position = position.play(random.choice(position.legal_moves()))


@EVERY_GAME
@pytest.mark.parametrize("step", [*STEPS, preprocess], ids=lambda step: step.__name__)
def test_a_transformation_keeps_the_answer(
    make: Make, step: Callable[[PositionalModel], PositionalModel]
) -> None:
    random = Random(7)
    changed = 0
    for _ in range(60):
        model = make(random)
        after = step(model)
        changed += after != model
        assert winner(after) is winner(model), (model, after)
    about_sets = step in (without_dead_sets, without_long_sets, without_larger_sets)
    has_sets = model.network is None or bool(model.white_wins)
    applies = model.network is not None if step is without_detours else has_sets or not about_sets
    assert (changed > 5) is applies


def test_a_network_and_its_winning_sets_have_the_same_winner() -> None:
    random = Random(8)
    for _ in range(60):
        for short in Player:
            model = random_network_game(random, short=short)
            sets = with_winning_sets(model)
            assert sets.network is None
            assert winner(sets) is winner(model), model


def test_hex_and_its_transversal_have_the_same_winner() -> None:
    random = Random(9)
    winners = []
    for _ in range(25):
        model = hex_network(3, 3, random.choice((5, 7)))
        stones = random.sample(range(9), 2)
        model = replace(model, black=1 << stones[0], white=1 << stones[1])
        winners.append(searched(model))
        assert searched(transversal_of(model)) is winners[-1]
        assert transversal_of(transversal_of(model)).network == model.network
        assert searched(preprocess(transversal_of(model))) is winners[-1]
    assert set(winners) == {BLACK, WHITE}


def test_transversals_are_the_sets_that_meet_all() -> None:
    random = Random(10)
    for _ in range(40):
        sets = [random.randrange(1, 1 << 6) for _ in range(random.randint(1, 6))]
        meeting = [m for m in range(1 << 6) if all(m & s for s in sets)]
        least = {m for m in meeting if not any(o != m and o & m == o for o in meeting)}
        assert set(transversals(sets)) == least
    with pytest.raises(UsageError, match="more than 3 transversals"):
        transversals([3, 12, 48], 3)


def hein_9(plies: int) -> PositionalModel:
    """Hein's puzzle 9, the example of section 4.1."""
    model = hex_network(4, 4, plies)
    black, white = model.mask(["c4", "d2"]), model.mask(["a1", "b4", "d1"])
    return replace(model, black=black, white=white)


def test_the_example_of_section_4_1() -> None:
    """Black wins in 7 plies, not in 5; and at depth 5 four open positions are left (Figure 1)."""
    result = SearchSolver(PositionalGame(hein_9(7))).solve()
    assert (result.winner, result.critical_plies) == (BLACK, 7)
    model = hein_9(5)
    assert searched(model) is searched(transversal_of(model)) is WHITE
    # Figure 1(b) looks once at the ways that three black stones can complete.
    useless = useless_positions(model)
    assert set(model.names(model.open & ~useless)) == {"c1", "c2", "c3", "d3"}
    assert searched(replace(model, white=model.white | useless)) is WHITE
    # With four open positions Black has two stones, which are not enough.
    assert contracted(with_useless_white(model)).positions == ()
    assert contracted(with_useless_white(hein_9(7))).plies == 7


def test_the_empty_hex_boards() -> None:
    """Black, who begins, wins on every full board (Nash), and in as many plies as in BDDL."""
    for size in (1, 2, 3, 4):
        result = SearchSolver(PositionalGame(hex_network(size, size))).solve()
        model = find_template("hex").build({"size": f"{size}x{size}"})
        other = SearchSolver(load_game(model)).solve()
        assert result.winner is other.winner is BLACK
        assert result.critical_plies == other.critical_plies


@pytest.mark.parametrize(
    "model",
    [
        hein_9(7),
        preprocess(hein_9(7)),
        harary_model("el", 3, 3, stones=2, first_stones=1),
        harary_model("tippy", 4, 4, torus=True),
        harary_model("fatty", 4, 4, torus=True),
        transversal_of(hex_network(3, 3)),
    ],
    ids=lambda model: model.name,
)
def test_the_strategy_of_the_winner_beats_random_play(model: PositionalModel) -> None:
    game, random = PositionalGame(model), Random(11)
    strategy = winning_strategy(game)
    for _ in range(15):
        position = game.initial
        history: list[Move] = []
        while position.outcome is None:
            if position.to_move is strategy.player:
                move = strategy.reply(history)
            else:
                move = random.choice(position.legal_moves())
            history.append(move)
            position = position.play(game.parse_move(str(move), position.to_move))
        assert position.outcome.winner is strategy.player


def test_positions_that_a_search_cannot_answer() -> None:
    model = hex_network(2, 2)
    game = PositionalGame(model)
    with pytest.raises(UsageError, match="an open position for each ply"):
        SearchSolver(game).winner(parse_position(game, "WB/W. ply 1"))
    game = PositionalGame(replace(model, turns=(BLACK, BLACK, WHITE, WHITE)))
    with pytest.raises(UsageError, match="expected 1 as the ply"):
        SearchSolver(game).winner(parse_position(game, "../.. ply 2"))
