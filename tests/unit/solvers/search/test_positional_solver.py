"""The search for positional games, held against the general one and against the bare rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from qsage_validate.certificates.plan import Plan, Planner
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.masks import mask_of, members, minimal
from qsage_validate.games.positional.cover_game import Pairing
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import (
    CanonicalKeys,
    PositionalModel,
    alternating,
    key_symmetries,
)
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Player, Position
from qsage_validate.solvers.general_search import Bounds
from qsage_validate.solvers.maker_breaker import (
    BoardPairingFinder,
    MakerBreaker,
    ThreatSearch,
    WinningSets,
    alive,
)
from qsage_validate.solvers.positional_search import PositionalEngine
from qsage_validate.solvers.search import SearchSolver, search_for
from qsage_validate.system.limits import Deadline, Limits
from tests.support.position_text import parse_position
from tests.support.positional import random_game, random_network_game, random_sets, winner
from tests.support.search import WinningStrategy, winning_moves

pytestmark = pytest.mark.slow

BLACK, WHITE = Player.BLACK, Player.WHITE

Make = Callable[[Random], PositionalModel]


def random_sets_game(random: Random) -> PositionalModel:
    model = random_game(random)
    first = random.choice((BLACK, WHITE))
    return replace(model, turns=alternating(random.randint(1, 7), first))


def threes(random: Random, size: int, count: int) -> tuple[int, ...]:
    """Sets of three positions mostly, else four."""
    sets = (random.sample(range(size), random.choice((3, 3, 4))) for _ in range(count))
    return tuple(dict.fromkeys(mask_of(cells) for cells in sets))


def random_large_game(random: Random) -> PositionalModel:
    """Sets of three and four of nine positions: without a win at sight."""
    size = 9
    return PositionalModel(
        name="random",
        positions=tuple(f"p{k}" for k in range(size)),
        turns=alternating(random.randint(5, size), random.choice((BLACK, BLACK, WHITE))),
        black_wins=threes(random, size, random.randint(6, 20)),
        white_wins=threes(random, size, 8) if random.random() < 0.6 else (),
    )


def random_way(random: Random) -> PositionalModel:
    short = random.choice((BLACK, WHITE))
    model = random_network_game(random, short=short)
    return replace(model, turns=alternating(random.randint(1, 7), random.choice((BLACK, WHITE))))


GAMES: list[tuple[str, Make, int]] = [
    ("sets", random_sets_game, 250),
    ("large", random_large_game, 500),
    ("network", random_way, 150),
]
EVERY_GAME = pytest.mark.parametrize(
    ("make", "count"), [pytest.param(m, n, id=name) for name, m, n in GAMES]
)


@EVERY_GAME
def test_it_finds_what_the_general_search_finds(make: Make, count: int) -> None:
    random = Random(11)
    winners = []
    for _ in range(count):
        model = make(random)
        game = PositionalGame(model)
        found = SearchSolver(game, PositionalEngine(game.model)).solve()
        known = SearchSolver(game).solve()
        assert (found.winner, found.critical_plies) == (known.winner, known.critical_plies), model
        winners.append(found.winner)
    assert 0.1 * count < winners.count(BLACK) < 0.9 * count


@EVERY_GAME
def test_along_a_play_it_knows_the_moves_that_win(make: Make, count: int) -> None:
    random = Random(12)
    for _ in range(count // 8):
        game = PositionalGame(make(random))
        solver, known = SearchSolver(game, PositionalEngine(game.model)), SearchSolver(game)
        position = game.initial
        while position.outcome is None:
            assert solver.winner(position) is known.winner(position), position
            moves = winning_moves(known, position)
            assert winning_moves(solver, position) == moves, position
            best = solver.best_move(position)
            assert best in moves if moves else best is None, position
            position = position.play(random.choice(position.legal_moves()))


def test_never_means_with_any_number_of_plies() -> None:
    random = Random(13)
    seen = 0
    for _ in range(200):
        model = random_large_game(random)
        sets = threes(random, 9, random.randint(2, 6))
        model = replace(model, black_wins=sets, turns=model.turns[: random.randint(3, 7)])
        found = search_for(PositionalGame(model)).solve()
        if found.never:
            seen += 1
            longer = model.at_depth(len(model.positions))
            assert winner(longer) is WHITE, model
    assert seen > 20


SHAPES = ("domino", "tic", "el", "skinny", "fatty", "elly", "knobby", "tippy")


@pytest.mark.parametrize("torus", [False, True], ids=["edges", "torus"])
@pytest.mark.parametrize("maker_breaker", [False, True], ids=["maker-maker", "maker-breaker"])
def test_polyominoes_on_small_boards(torus: bool, maker_breaker: bool) -> None:
    for width, height in ((3, 3), (4, 3)):
        for shape in SHAPES:
            if (shape == "skinny" and width < 4) or (width, shape) == (4, "domino"):
                continue
            model = harary_model(shape, width, height, torus=torus, maker_breaker=maker_breaker)
            game = PositionalGame(model)
            found, known = search_for(game).solve(), SearchSolver(game).solve()
            assert found.winner is known.winner, model.name
            assert found.critical_plies == known.critical_plies, model.name


@pytest.mark.parametrize(
    ("shape", "torus", "plies"),
    [
        ("elly", False, 7),
        ("tippy", True, 7),
        ("n", False, 11),
        ("n", True, 11),
        ("fatty", True, None),
        ("l", False, None),
        ("p", True, None),
        ("6-33", False, None),
        ("6-26", True, None),
    ],
)
def test_polyominoes_on_five_by_five(shape: str, torus: bool, plies: int | None) -> None:
    found = search_for(PositionalGame(harary_model(shape, 5, 5, torus=torus))).solve()
    assert (found.winner, found.critical_plies) == (BLACK if plies else WHITE, plies)


def test_a_won_hex_board_has_the_same_answer_in_both_forms() -> None:
    for size, plies in ((3, 5), (4, 7), (4, 9)):
        game = PositionalGame(hex_network(size, size, plies=plies))
        assert search_for(game).solve().winner is SearchSolver(game).solve().winner


# -- Strategies against all replies, by the rules alone ------------------------------------------


def holds_against_everything(game: PositionalGame, solver: SearchSolver, player: Player) -> int:
    """Plays the player's best moves against all replies; how many positions that were."""
    seen: set[Position] = set()
    stack: list[Position] = [game.initial]
    while stack:
        position = stack.pop()
        if position in seen:
            continue
        seen.add(position)
        if position.outcome is not None:
            assert position.outcome.winner is player, position
        elif position.to_move is player:
            move = solver.best_move(position)
            assert move is not None, position
            stack.append(position.play(move))
        else:
            stack += [position.play(move) for move in position.legal_moves()]
    return len(seen)


@pytest.mark.parametrize(
    ("shape", "size", "torus", "player"),
    [
        ("knobby", (5, 5), False, BLACK),
        ("elly", (4, 4), False, BLACK),
        ("knobby", (3, 4), False, WHITE),
        ("fatty", (3, 3), True, WHITE),
    ],
)
def test_the_winner_wins_against_every_reply(
    shape: str, size: tuple[int, int], torus: bool, player: Player
) -> None:
    game = PositionalGame(harary_model(shape, *size, torus=torus))
    solver = SearchSolver(game, PositionalEngine(game.model))
    assert solver.solve().winner is player
    assert holds_against_everything(game, solver, player) > 20


def test_plans_are_made_of_its_answers() -> None:
    game = PositionalGame(harary_model("tic", 4, 4))
    solver = SearchSolver(game, PositionalEngine(game.model))
    plan = Planner(game, BLACK, WinningStrategy(solver, BLACK).is_win).build()
    assert plan_wins(game.initial, plan) > 20


def plan_wins(initial: PositionalPosition, plan: Plan) -> int:
    """How many plays a plan of Black's has, all of which end with Black's win."""
    plays = 0
    assert plan.root is not None
    stack = [(initial, plan.root)]
    while stack:
        position, node = stack.pop()
        after = position.play(node.move)
        if node.stop:
            assert after.outcome is not None
            assert after.outcome.winner is BLACK
            plays += 1
            continue
        stack += [(after.play(move), node.table[move]) for move in after.legal_moves()]
    return plays


def test_pairs_hold_against_every_reply() -> None:
    game = PositionalGame(harary_model("fatty", 4, 4))
    pairing = pairing_of(game)
    assert pairing is not None
    assert pairs_hold(game, pairing) > 1000
    game = PositionalGame(harary_model("tic", 4, 4))
    assert pairing_of(game) is None


def pairing_of(game: PositionalGame) -> Pairing | None:
    """What the search finds on the empty board."""
    sets = WinningSets(minimal(game.model.black_wins), len(game.model.positions))
    layers = sets.layers(0, 0)
    found = BoardPairingFinder(sets).find(0, alive(layers, len(layers)))
    return None if found is None else Pairing(found)


def pairs_hold(game: PositionalGame, pairing: Pairing) -> int:
    """Answers in the pair, else with the first open position that is in none."""
    seen: set[tuple[int, int]] = set()
    stack = [(0, 0)]
    model = game.model
    while stack:
        black, white = stack.pop()
        if (black, white) in seen:
            continue
        seen.add((black, white))
        assert not model.won_by_black(black)
        for v in members(model.all & ~(black | white)):
            claimed = black | 1 << v
            other = pairing.partner(v)
            free = model.all & ~(claimed | white)
            answer = 0
            if other is not None and free >> other & 1:
                answer = 1 << other
            stack.append((claimed, white | answer))
    return len(seen)


# -- The parts -----------------------------------------------------------------------------------


def lone_sets(random: Random, size: int = 8) -> PositionalModel:
    return PositionalModel(
        name="random",
        positions=tuple(f"p{k}" for k in range(size)),
        turns=alternating(size, WHITE),
        black_wins=tuple(w for w in random_sets(random, size, 16) if w.bit_count() > 1),
    )


def test_white_loses_outside_of_a_zone() -> None:
    random = Random(14)
    wins = small = 0
    for _ in range(100):
        model = lone_sets(random)
        size = len(model.positions)
        sets = WinningSets(model.black_wins, size)
        engine = MakerBreaker(sets, CanonicalKeys(size, ()), lambda: None)
        zone = engine.white(0, 0, sets.layers(0, 0), model.moves_of(BLACK))
        assert (zone > 0) is (winner(model) is BLACK)
        # Not even two stones at once, outside of the zone, help White.
        outside = [v for v in range(size) if not zone >> v & 1]
        if zone > 0 and len(outside) > 1:
            wins += 1
            stones = sum(1 << v for v in outside[:2])
            turns = alternating(size - 2, WHITE)
            assert winner(replace(model, white=stones, turns=turns)) is BLACK, model
        small += zone > 0 and bool(outside)
    assert wins > 5
    assert small > 10


def test_a_stone_outside_of_a_zone_of_threats_changes_nothing() -> None:
    random = Random(15)
    tried = with_danger = 0
    for _ in range(150):
        size = 9
        model = PositionalModel(
            name="random",
            positions=tuple(f"p{k}" for k in range(size)),
            turns=alternating(size - 2),
            black_wins=threes(random, size, 14),
            white_wins=threes(random, size, 4),
            black=1,
            white=2,
        )
        blacks, whites = WinningSets(model.black_wins, size), WinningSets(model.white_wins, size)
        own, other = blacks.layers(1, 2), whites.layers(2, 1)
        if own[1]:
            continue
        search = ThreatSearch(blacks, whites, lambda: None)
        zone = search.zone(1, 2, own, other, 4)
        if not zone:
            continue
        assert winner(model) is BLACK
        # The first threat of the win is one.
        after = replace(model, black=1 | search.first, turns=alternating(size - 3, WHITE))
        assert winner(after) is BLACK
        for v in members(model.all & ~zone & ~3):
            tried += 1
            with_danger += any(w >> v & 1 for w in model.white_wins)
            stone = replace(model, white=2 | 1 << v, turns=alternating(size - 3))
            assert winner(stone) is BLACK, (model, v)
    assert tried > 30
    assert with_danger > 5


def test_pairs_are_disjoint_open_and_in_every_set() -> None:
    random = Random(16)
    found = 0
    for _ in range(150):
        sets = WinningSets([w for w in random_sets(random, 9, 8) if w.bit_count() > 1], 9)
        finder = BoardPairingFinder(sets)
        for _ in range(3):
            claimed = random.getrandbits(9) & random.getrandbits(9)
            chosen = random.getrandbits(len(sets.sets)) if sets.sets else 0
            pairs = finder.find(claimed, chosen) if sets.sets else None
            if pairs is None:
                continue
            found += 1
            cells = [v for pair in pairs for v in pair]
            assert len(set(cells)) == len(cells)
            assert not any(claimed >> v & 1 for v in cells)
            for number in members(chosen):
                assert any(sets.sets[number] >> a & sets.sets[number] >> b & 1 for a, b in pairs)
    assert found > 50


@pytest.mark.parametrize(
    ("size", "torus", "known"), [(4, False, 7), (4, True, 127), (6, False, 7), (6, True, 7)]
)
def test_symmetric_positions_have_one_key(size: int, torus: bool, known: int) -> None:
    """With 16 positions both players fit into a word, with 36 they do not: no translations."""
    game = PositionalGame(harary_model("tic", size, size, torus=torus))
    symmetries = key_symmetries(game.model, game.arrangement)
    keys = CanonicalKeys(size * size, symmetries)
    random = Random(17)
    assert len(symmetries) == len(game.symmetries()) == known
    kernel = game.kernel()
    for _ in range(50):
        black = random.getrandbits(size * size)
        white = random.getrandbits(size * size) & ~black
        key, number = keys.key(black | white << size * size)
        assert keys.there(black, number) | keys.there(white, number) << size * size == key
        assert keys.back(keys.there(black, number), number) == black
        for symmetry in symmetries:
            image = symmetry.mask(black) | symmetry.mask(white) << size * size
            assert keys.key(image)[0] == kernel.key(image) == key


# -- Limits, and what it does not take -----------------------------------------------------------


def test_limits_leave_it_undecided() -> None:
    game = PositionalGame(harary_model("v", 5, 5, torus=True))
    solver = SearchSolver(game, PositionalEngine(game.model), limits=Limits(positions=300))
    found = solver.solve()
    assert found.winner is None
    assert found.reason.startswith("undecided: 300 positions are in the table (Black does not win")
    with pytest.raises(UndecidedError, match="300 positions"):
        solver.winner(game.initial)
    soon = Limits(Deadline.after(0.05))
    found = SearchSolver(game, PositionalEngine(game.model), limits=soon).solve()
    assert found.winner is None
    assert "seconds are over" in found.reason


def test_progress_is_told() -> None:
    depths: list[int | None] = []
    game = PositionalGame(harary_model("n", 5, 5))
    SearchSolver(game, PositionalEngine(game.model), tell=lambda p: depths.append(p.done)).solve()
    assert list(dict.fromkeys(depths[:6])) == [1, 3, 5, 7, 9, 11]


def test_several_stones_a_turn_are_for_the_general_search() -> None:
    game = PositionalGame(harary_model("tic", 3, 3, stones=2))
    with pytest.raises(UsageError, match="turns of several stones"):
        PositionalEngine(game.model)
    assert isinstance(search_for(game).engine, Bounds)
    engine = search_for(PositionalGame(harary_model("tic", 3, 3))).engine
    assert isinstance(engine, PositionalEngine)


def test_networks_with_too_many_ways_are_for_the_general_search() -> None:
    assert isinstance(search_for(PositionalGame(hex_network(9, 9))).engine, Bounds)


def test_positions_that_no_play_leads_to_have_answers() -> None:
    model = replace(hex_network(3, 3, plies=5), black=1, white=2)
    game = PositionalGame(model)
    solver, known = SearchSolver(game, PositionalEngine(game.model)), SearchSolver(game)
    texts = ("WB./.../... ply 1", ".../.B./... ply 2", "B../W../..W ply 3")
    for text in texts:
        position = parse_position(game, text)
        assert solver.winner(position) is known.winner(position)
