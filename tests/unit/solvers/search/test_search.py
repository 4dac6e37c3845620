"""The search says who wins, in how few plies, and how; limits and interrupts leave it usable."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.bddl.ground import BddlMove
from qsage_validate.games.bddl.kernel import BddlKernel, PositionalKernel
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.kernel import Kernel
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.solvers.general_search import Bounds
from qsage_validate.solvers.search import SearchResult, SearchSolver
from qsage_validate.solvers.search_engine import MAX_PLIES
from qsage_validate.system.limits import Deadline, Limits, Progress
from tests.support import naive_rules as naive
from tests.support.by_name import resolve_model
from tests.support.minimax import minimax
from tests.support.places import REPOSITORY
from tests.support.position_text import parse_position
from tests.support.search import solve, winning_strategy
from tests.support.wild_models import positional_models, wild_models

pytestmark = pytest.mark.slow

Options = dict[str, object]


class WithoutKernel(BddlGame):
    """The same game, searched through the protocol's positions."""

    def kernel(self) -> Kernel | None:  # type: ignore[override]
        return None


def with_depth(model: Model, plies: int) -> Model:
    dropped = model.problem.depth - model.problem.plies
    return replace(model, problem=replace(model.problem, depth=plies + dropped))


def check_result(game: TwoPlayerGame, result: SearchResult) -> None:
    """What holds of every decided result."""
    assert result.winner is not None
    assert result.reason
    assert result.nodes >= 0
    assert result.seconds >= 0
    assert (result.critical_plies is not None) == (result.winner is Player.BLACK)
    if result.critical_plies is not None:
        assert 0 <= result.critical_plies <= game.plies
    begins = result.winner is game.first_player and game.initial.outcome is None
    assert bool(result.first_moves) == begins


# -- against minimax ------------------------------------------------------------------------


@settings(max_examples=60)
@given(wild_models(max_depth=5))
def test_search_is_minimax(model: Model) -> None:
    """Winner, critical depth and first moves, with the kernel and without."""
    game = BddlGame(model)
    expected = minimax(game)
    critical = next(
        (
            plies
            for plies in range(model.problem.plies + 1)
            if minimax(BddlGame(with_depth(model, plies))) is Player.BLACK
        ),
        None,
    )
    first_moves: list[object] = []
    if game.initial.outcome is None and game.initial.to_move is expected:
        # After a first move the rest is decided by a minimax of its own.
        for move in game.initial.legal_moves():
            if minimax(_From(game, game.initial.play(move))) is expected:
                first_moves.append(move)
    for searched in (game, WithoutKernel(model)):
        result = SearchSolver(searched).solve(all_first_moves=True)
        check_result(game, result)
        assert result.winner is expected
        if expected is Player.BLACK and game.initial.outcome is None:
            assert critical is not None
            # Positions say one ply earlier that White cannot move.
            early = searched.kernel() is None
            assert result.critical_plies in (critical, critical - early)
        assert list(result.first_moves) == first_moves


@settings(max_examples=80)
@given(positional_models())
def test_search_is_minimax_on_positional_games(model: Model) -> None:
    """What is left out of the moves of positional games makes no difference."""
    game = BddlGame(model)
    assert isinstance(game.kernel(), PositionalKernel)
    result = solve(game)
    assert result.winner is minimax(game)
    plain = Bounds(game, BddlKernel(game.grounding, game.move_table, ()))
    same = SearchSolver(game, plain).solve()
    assert (same.winner, same.critical_plies) == (result.winner, result.critical_plies)


@settings(max_examples=60)
@given(positional_models(), st.randoms(use_true_random=False))
def test_candidates_of_positional_games_suffice(model: Model, random: Random) -> None:
    """In each position, and for each number of plies, one of them is as good as any move."""
    game = BddlGame(model)
    kernel = game.kernel()
    plain = Bounds(game, BddlKernel(game.grounding, game.move_table, ()))
    position = game.initial
    while position.outcome is None:
        state, player = position.state, position.to_move
        black = player is Player.BLACK
        for plies in range(2, game.plies - position.ply + 2):
            if kernel.wins_at_once(state, player):
                break
            candidates = kernel.candidates(state, player, plies)
            if candidates is None:
                continue
            wins = [plain.search(after, player.other, plies - 1) for _, after, _ in candidates]
            successors = plain.kernel.successors(state, player)
            expected = [
                (won and black) or plain.search(after, player.other, plies - 1) == 1
                for _, after, won in successors
            ]
            found = [win == 1 for win in wins]
            assert any(found) == any(expected) if black else all(found) == all(expected)
            assert set(candidates) <= set(successors)
        position = position.play(random.choice(position.legal_moves()))


@settings(max_examples=50)
@given(wild_models(max_side=2, max_depth=6), st.randoms(use_true_random=False))
def test_the_table_answers_for_any_number_of_plies(model: Model, random: Random) -> None:
    """After a search, positions of a random play are asked with fewer and more plies left."""
    game = BddlGame(model)
    solver = SearchSolver(game)
    solver.solve()
    position, state = game.initial, naive.initial(model)
    while True:
        player = position.to_move
        for plies in random.sample(range(1, 5), 4):
            wins = solver.engine.search(position.state, player, plies) == 1
            assert wins == naive.black_wins(model, state, player, plies)
        moves = naive.transitions(model, state, player)
        if position.outcome is not None:
            return
        move = random.choice(position.legal_moves())
        position = position.play(move)
        state = moves[move.action, move.x, move.y]


class _From(BddlGame):
    """A game from another position on."""

    def __init__(self, game: BddlGame, start: BddlPosition) -> None:
        super().__init__(game.model)
        self._start = start

    @property
    def initial(self) -> BddlPosition:
        return self._start


@settings(max_examples=50)
@given(wild_models(max_depth=5))
def test_the_strategy_wins_against_every_reply(model: Model) -> None:
    """And it knows all winning moves of all positions, on its way or not."""
    game = BddlGame(model)
    strategy = winning_strategy(game)
    hero = strategy.player
    histories: list[tuple[BddlMove, ...]] = [()]
    while histories:
        history = histories.pop()
        position = game.initial
        for move in history:
            position = position.play(move)
        assert strategy.is_win(position)
        if position.outcome is not None:
            assert position.outcome.winner is hero
        elif position.to_move is hero:
            reply = strategy.reply(history)
            winning = strategy.winning_moves(position)
            assert reply in winning
            assert isinstance(reply, BddlMove)
            for move in position.legal_moves():
                wins = minimax(_From(game, position.play(move))) is hero
                assert (move in winning) == wins
            histories.append((*history, reply))
        else:
            histories += [(*history, move) for move in position.legal_moves()]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("httt", {"size": "3x3", "shape": "tippy", "depth": 9}),
        ("connect-c", {"size": "4x4", "connect": 3, "depth": 9}),
        ("breakthrough", {"size": "2x4"}),
        ("domineering", {"size": "4x4", "depth": 8}),
        ("evader-pursuer-dual", {"size": "4x4", "pursuer": "2,3", "depth": 11}),
    ],
)
def test_the_strategy_wins_random_plays(name: str, options: Options) -> None:
    """Black on a shortest way: never later than the critical ply."""
    game = load_game(resolve_model([name], options))
    result = solve(game)
    strategy = winning_strategy(game)
    random = Random(11)
    for _ in range(20):
        history: list[BddlMove] = []
        position = game.initial
        while position.outcome is None:
            if position.to_move is strategy.player:
                move = strategy.reply(history)
                assert isinstance(move, BddlMove)
            else:
                move = random.choice(position.legal_moves())
            history.append(move)
            position = position.play(move)
        assert position.outcome.winner is strategy.player
        if result.critical_plies is not None:
            assert len(history) <= result.critical_plies


# -- known results --------------------------------------------------------------------------


def critical_depths() -> list[tuple[str, Options, int, str]]:
    path = REPOSITORY / "tests" / "data" / "critical_depths.csv"
    rows = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, options, depth, status, source = line.split(";")
            assert source.startswith("Table 2")
            words = (word.partition("=") for word in options.split())
            given: Options = {key: value or True for key, _, value in words}
            rows.append((name, given, int(depth), status))
    return rows


@pytest.mark.parametrize(("name", "options", "depth", "status"), critical_depths())
def test_critical_depths_of_the_paper(name: str, options: Options, depth: int, status: str) -> None:
    game = load_game(resolve_model([name], {**options, "depth": depth}))
    solver = SearchSolver(game)
    result = solver.solve()
    check_result(game, result)
    if status != "open":
        assert (result.winner is Player.BLACK) == (status == "win")
    if result.winner is Player.BLACK:
        assert result.critical_plies == game.plies
    # The table does not claim more than was found.
    for plies in range(game.plies + 1):
        wins = solver.engine.search(game.initial.state, game.first_player, plies) == 1
        assert wins == (plies == result.critical_plies)


# These take longer than a second; the benchmark decides them too.
LONG = {"hein_02_5x5-11", "hein_02_5x5-13", "hein_10_5x5-11", "hein_10_5x5-13"}
LONG |= {"hein_16_5x5-11", "hein_16_5x5-13", "hein_15_5x5-13", "hein_15_5x5-15"}
LONG |= {"hein_11_5x5-11", "hein_08_5x5-11", "hein_19_5x5-11"}
LONG |= {"6x6_11", "4x4_15_fatty"}


def test_results_of_the_baseline(shared_data: Path) -> None:
    """Where the QBF solvers have an answer, it is the search's."""
    compared = 0
    with (shared_data / "baselines.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            problem = shared_data / "bddl" / row["family"] / row["model"]
            if problem.stem in LONG or row["result"] not in ("true", "false"):
                continue
            game = load_game(read_model(problem.with_name("domain.ig"), problem))
            assert (solve(game).winner is Player.BLACK) == (row["result"] == "true"), problem
            compared += 1
    assert compared == 58


@pytest.mark.parametrize(("side", "first_wins"), [(2, True), (3, True), (4, True), (5, False)])
def test_domineering_on_square_boards(side: int, first_wins: bool) -> None:
    """Known since Berlekamp (1988): the first player wins on 2, 3, 4, the second on 5."""
    for second in (False, True):
        game = load_game(
            resolve_model(["domineering"], {"size": f"{side}x{side}", "second": second})
        )
        assert (solve(game).winner is game.first_player) == first_wins


@pytest.mark.parametrize("side", [1, 2, 3])
def test_the_first_player_wins_hex(side: int) -> None:
    """Nash: there are no draws, and the second player cannot win."""
    for second in (False, True):
        options = {"size": f"{side}x{side}", "second": second}
        if side == 1 and second:
            continue
        game = load_game(resolve_model(["hex"], options))
        assert solve(game).winner is game.first_player


def test_more_depth_never_hurts_black() -> None:
    """And after a win that no depth could prevent, the answer does not depend on it."""
    model = resolve_model(["breakthrough"], {"size": "2x6"})
    winners = [
        solve(BddlGame(with_depth(model, plies))).winner is Player.BLACK for plies in range(11, 20)
    ]
    assert winners == sorted(winners)
    assert winners[4:] == [True] * 5
    result = solve(load_game(resolve_model(["breakthrough"], {"size": "2x4", "depth": 9999})))
    assert result.winner is Player.WHITE
    assert result.reason == "Black does not win within any number of plies"


def test_reasons() -> None:
    tic = {"size": "4x4", "shape": "tic"}
    assert solve(load_game(resolve_model(["httt"], {**tic, "depth": 5}))).reason == (
        "Black wins within 5 plies"
    )
    assert solve(load_game(resolve_model(["httt"], {**tic, "depth": 3}))).reason == (
        "Black does not win within 3 plies"
    )
    knight = solve(load_game(resolve_model(["knightthrough"], {})))
    assert knight.reason == "Black wins within 1 ply"
    assert len(knight.first_moves) == 1


# -- limits, progress, interrupts -----------------------------------------------------------


@pytest.fixture
def hard() -> BddlGame:
    """Takes a second or more."""
    return load_game(resolve_model(["httt"], {"size": "5x5", "shape": "skinny", "depth": 25}))


def test_a_time_limit_leaves_it_undecided(hard: BddlGame) -> None:
    result = solve(hard, limits=Limits(Deadline.after(0.1)))
    assert result.winner is None
    assert result.critical_plies is None
    assert result.first_moves == ()
    assert result.reason.startswith("undecided: 0.1 seconds are over (Black does not win within ")
    with pytest.raises(UndecidedError, match=r"undecided: 0\.1 seconds are over"):
        winning_strategy(hard, limits=Limits(Deadline.after(0.1)))


def test_a_limit_of_positions_leaves_it_undecided(hard: BddlGame) -> None:
    result = solve(hard, limits=Limits(positions=1000))
    assert result.winner is None
    assert "1,000 positions are in the table" in result.reason
    assert result.positions < 10_000


def test_a_solver_goes_on_where_it_stopped() -> None:
    game = load_game(resolve_model(["breakthrough"], {"size": "3x5", "second": True, "depth": 31}))
    solver = SearchSolver(game, limits=Limits(positions=500))
    assert solver.solve().winner is None
    solver.limits = Limits()
    assert solver.solve().winner is Player.BLACK
    # What is in the table is not searched again.
    nodes = solver.nodes
    assert solver.winner(game.initial) is Player.BLACK
    assert solver.nodes == nodes


def test_questions_at_a_limit_are_undecided(hard: BddlGame) -> None:
    solver = SearchSolver(hard, limits=Limits(positions=100))
    for question in (solver.winner, solver.best_move):
        with pytest.raises(UndecidedError, match="undecided: 100 positions are in the table"):
            question(hard.initial)


def test_progress_is_reported(hard: BddlGame) -> None:
    seen: list[Progress] = []
    SearchSolver(hard, limits=Limits(positions=5000), tell=seen.append).solve()
    plies = [p.done for p in seen if p.done is not None]
    assert len(plies) == len(seen)
    assert plies == sorted(plies)
    assert {p.of for p in seen} == {hard.plies}
    assert re.fullmatch(rf"searching depth {plies[-1]}: [\d,]+ positions, \d+ s", str(seen[-1]))


def test_an_interrupt_leaves_the_solver_usable() -> None:
    game = load_game(resolve_model(["httt"], {"size": "4x4", "shape": "tippy", "depth": 9}))

    pressed: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        if progress.done == 7 and not pressed:
            pressed.append(progress)
            raise KeyboardInterrupt

    solver = SearchSolver(game, tell=interrupt)
    with pytest.raises(KeyboardInterrupt):
        solver.solve()
    result = solver.solve()
    assert (result.winner, result.critical_plies) == (Player.BLACK, 9)


def test_a_depth_beyond_the_search_is_undecided_and_no_crash() -> None:
    """Both can go to and fro for ever: no depth brings a win, and none excludes it."""
    options: Options = {"size": "4x4", "pursuer": "4,4", "depth": 9999}
    game = load_game(resolve_model(["evader-pursuer-dual"], options))
    result = solve(game)
    assert result.winner is None
    assert result.reason == (
        f"undecided: the search goes {MAX_PLIES} plies deep "
        f"(Black does not win within {MAX_PLIES} plies)"
    )


def test_strategies_refuse_what_they_are_not_asked_for() -> None:
    game = load_game(resolve_model(["httt"], {"size": "3x3", "shape": "domino", "depth": 3}))
    strategy = winning_strategy(game)
    first = strategy.reply([])
    with pytest.raises(UsageError, match="White is to move, expected Black"):
        strategy.reply([first])
    position = game.initial.play(first)
    with pytest.raises(UsageError, match="White is to move"):
        strategy.winning_moves(position)
    reply = position.legal_moves()[0]
    last = strategy.reply([first, reply])
    with pytest.raises(UsageError, match="the play has ended"):
        strategy.reply([first, reply, last])
    corner = [BddlMove("occupy", 1, 1), BddlMove("occupy", 2, 1), BddlMove("occupy", 3, 3)]
    lost = game.initial
    for move in corner:
        lost = lost.play(move)
    assert not strategy.is_win(lost)
    assert strategy.solver.best_move(parse_position(game, "B.W/W../... ply 3")) is not None
    assert strategy.solver.best_move(parse_position(game, "BW./W../... ply 3")) is None
    with pytest.raises(UsageError, match="another game"):
        SearchSolver(load_game(resolve_model(["hex"], {}))).winner(game.initial)
