"""Games in GDL as bit masks: the rules', move by move, and the values of other searches."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.extensions.fast import declared, engines
from qsage_validate.extensions.fast.declared import why_not_compiled
from qsage_validate.extensions.gdl import masks as masks_module
from qsage_validate.extensions.gdl.masks import MaskKernel, Masks, holds
from qsage_validate.extensions.gdl.model import Description
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.extensions.gdl.rules import GdlGrid, NotTurnTakingError, RoundsGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.solvers.general_search import Bounds
from qsage_validate.solvers.search import EngineChoice, SearchSolver, search_for

BLACK, WHITE = Player.BLACK, Player.WHITE
ENGINES = [
    EngineChoice.PURE,
    pytest.param(
        EngineChoice.FAST,
        marks=pytest.mark.skipif(bool(why_not_compiled()), reason=why_not_compiled()),
    ),
]

# Files of the paper with rounds, the number of symmetries, and the same game in BDDL.
GAMES = {
    "break-through-2x5": (21, 1, "breakthrough --size 2x5"),
    "connect-3-4x4": (9, 1, "connect-c --size 4x4 --connect 3"),
    "connect-4-4x4": (15, 1, "connect-c --size 4x4 --connect 4"),
    "gttt-4x4-1-1-elly": (7, 7, "httt --size 4x4 --shape elly"),
    "gttt-4x4-1-1-tippy": (6, 7, "httt --size 4x4 --shape tippy"),
    "gttt-4x4-2-2-knobby": (6, 7, ""),
    "tic-tac-toe": (9, 7, ""),
    "dots-and-boxes-2x2": (12, 0, ""),
}

# Both may move in a round; who moves depends on what was played, and so may a draw.
TURNS = """
(role a) (role b) (init (step 0)) (init (control a))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r left) (true (control ?r)))
(<= (legal ?r right) (true (control ?r)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (control a)) (does ?r left))
(<= (next (control b)) (does ?r right))
(<= (next (seen ?r)) (does ?r right))
(<= (next (seen ?r)) (true (seen ?r)))
(<= terminal (true (step 4)))
(<= (goal a 100) (true (seen b)))
(<= (goal a 50) (not (true (seen b))))
(<= (goal b 0) (true (seen b)))
"""


@cache
def game_of(path: Path, rounds: int) -> RoundsGame:
    game = load_game(find_command((str(path), "--depth", str(rounds))))
    assert isinstance(game, RoundsGame)
    return game


def paper_game(shared_data: Path, name: str, rounds: int | None = None) -> RoundsGame:
    return game_of(
        shared_data / "gdl" / f"{name}.gdl", GAMES[name][0] if rounds is None else rounds
    )


def described(text: str) -> Description:
    return parse_description(text, "g.gdl")


def agree(game: RoundsGame, masks: Masks, plays: int) -> None:
    """Hold masks against the rules in random plays: legal moves, ends, wins, states."""
    rng = random.Random(1)
    numbers = {p: {m: n for n, m in enumerate(moves)} for p, moves in masks.moves.items()}
    for _ in range(plays):
        state = game.machine.initial
        for left in range(game.rounds, -1, -1):
            bits = masks.state(state)
            end = game.end(state)
            assert holds(masks.terminal, bits) == (end is not None)
            if end is not None:
                assert holds(masks.wins, bits) == (end.winner is BLACK)
                break
            if not left:
                break
            choices = game.choices(state)
            for player, moves in choices.items():
                legal = [n for n, cases in enumerate(masks.legal[player]) if holds(cases, bits)]
                assert sorted(legal) == sorted(numbers[player][m] for m in moves)
            black, white = (rng.choice(choices[player]) for player in (BLACK, WHITE))
            effect = masks.effect(numbers[BLACK][black], numbers[WHITE][white])
            state = game.after(state, black, white)
            assert effect.apply(bits) == masks.state(state)
            assert holds(effect.ends, masks.state(state)) == game.machine.terminal(state)


@pytest.mark.parametrize("name", GAMES)
def test_masks_are_the_rules_in_random_plays(shared_data: Path, name: str) -> None:
    game = paper_game(shared_data, name)
    masks = Masks(game)
    assert len(masks.symmetries) == GAMES[name][1]
    assert (masks.pairs is None) == (name == "dots-and-boxes-2x2")
    agree(game, masks, 12)


def test_what_is_only_drawn_is_left_out(shared_data: Path) -> None:
    """The boxes' owners and the scores' names: no rule asks for the first."""
    fluents = Masks(paper_game(shared_data, "dots-and-boxes-2x2")).fluents
    assert {str(fluent[0]) for fluent in fluents} == {"line", "box_count", "control"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [n for n in GAMES if n not in {"tic-tac-toe", "connect-4-4x4"}])
def test_the_values_of_all_depths_are_those_of_the_rules(
    shared_data: Path, name: str, engine: EngineChoice
) -> None:
    for rounds in range(1, min(GAMES[name][0], 4) + 1):
        game = paper_game(shared_data, name, rounds)
        plain = SearchSolver(game, Bounds(game)).solve()
        found = search_for(game, engine=engine).solve()
        assert (found.winner, found.critical_plies) == (plain.winner, plain.critical_plies)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [n for n, (_, _, words) in GAMES.items() if words])
def test_the_values_of_all_depths_are_those_in_bddl(
    shared_data: Path, name: str, engine: EngineChoice
) -> None:
    rounds, _, words = GAMES[name]
    for depth in range(1, rounds + 1):
        bddl = load_game(find_command((*words.split(), "--depth", str(depth))))
        game = paper_game(shared_data, name, depth)
        winner = search_for(game, engine=engine).solve(winner_only=True).winner
        assert winner is search_for(bddl).solve(winner_only=True).winner, depth


@pytest.mark.parametrize("engine", ENGINES)
def test_turns_that_depend_on_the_play(engine: EngineChoice) -> None:
    """Effects are learnt where they are met; all positions of two rounds have the rules' winner."""
    for black in ("a", "b"):
        game = RoundsGame(described(TURNS), 4, black=black)
        masks = Masks(game)
        assert masks.pairs is None
        assert masks.symmetries == ()
        agree(game, masks, 20)
        plain, solver = SearchSolver(game, Bounds(game)), search_for(game, engine=engine)
        assert solver.solve().critical_plies == plain.solve().critical_plies
        positions = [game.initial]
        for _ in range(4):
            positions = [p.play(m) for p in positions for m in p.legal_moves()]
            for position in positions:
                assert solver.winner(position) is plain.winner(position)
                winning = solver.best_move(position)
                assert (winning is None) == (plain.best_move(position) is None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_choice_of_both_roles_is_the_error_of_the_rules(engine: EngineChoice) -> None:
    text = """
    (role a) (role b) (init s) (<= (next s) (true s)) (<= (next t) (does a left))
    (legal a left) (legal a right) (<= (legal b noop) (not (true t)))
    (<= (legal b left) (true t)) (<= (legal b right) (true t))
    (<= (goal a 100) (true u)) (<= (next u) (true u)) (<= terminal (true u))
    """
    game = RoundsGame(described(text), 3)
    with pytest.raises(NotTurnTakingError, match="found a choice of both roles"):
        SearchSolver(game, Bounds(game)).solve()
    with pytest.raises(
        NotTurnTakingError, match=r"found a choice of both roles, a \(left, right\)"
    ):
        search_for(game, engine=engine).solve()


def test_rules_that_are_no_masks_are_searched_as_they_are(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = paper_game(shared_data, "connect-3-4x4", 5)
    monkeypatch.setattr(masks_module, "MAX_CASES", 20)
    with pytest.raises(TooLargeError, match="more than 20 cases"):
        Masks(game)
    assert isinstance(search_for(game).engine, Bounds)
    if not why_not_compiled():
        with pytest.raises(UsageError, match="a rule has more than 20 cases for the engine fast"):
            search_for(game, engine=EngineChoice.FAST)


def test_a_relation_that_depends_on_itself_in_a_position_is_no_mask() -> None:
    text = """
    (role a) (role b) (init (open 1)) (edge 1 2) (edge 2 3) (edge 3 1)
    (<= (reached 1) (true (open 1)))
    (<= (reached ?y) (reached ?x) (edge ?x ?y) (true (open ?x)))
    (<= (next (open ?x)) (true (open ?x))) (<= (next (open ?x)) (does a (push ?x)))
    (<= (legal a (push ?y)) (edge ?x ?y)) (legal b noop)
    (<= terminal (reached 3)) (<= (goal a 100) (reached 3))
    """
    game = RoundsGame(described(text), 3)
    with pytest.raises(TooLargeError, match="an atom depends on itself"):
        Masks(game)
    assert (
        search_for(game).solve().critical_plies
        == SearchSolver(game, Bounds(game)).solve().critical_plies
    )


def test_a_map_that_does_not_keep_the_rules_is_no_symmetry(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces fall down: of the seven maps one is left, and none when a win is taken away."""
    game = paper_game(shared_data, "connect-3-4x4")
    masks = Masks(game)
    grid = game.grid
    assert isinstance(grid, GdlGrid)
    assert len(set(masks_module._candidates(masks.fluents, grid))) == 8
    assert len(masks.symmetries) == 1
    broken = Masks(game)
    broken.wins = broken.wins[1:]
    assert broken.symmetries == ()


def test_symmetric_states_share_an_entry_and_their_value(shared_data: Path) -> None:
    game = paper_game(shared_data, "gttt-4x4-1-1-elly", 6)
    kernel = MaskKernel(Masks(game))
    bare = Masks(game)
    bare.__dict__["symmetries"] = ()
    with_maps, without = Bounds(game, kernel), Bounds(game, MaskKernel(bare))
    for plies in (7, 9, 11):
        assert with_maps.search(kernel.initial, BLACK, plies) == without.search(
            kernel.initial, BLACK, plies
        )
    assert with_maps.positions < without.positions


@pytest.mark.skipif(bool(why_not_compiled()), reason=why_not_compiled())
def test_a_long_search_changes_to_machine_code(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declared, "is_kept", lambda function: True)
    found = search_for(game_of(shared_data / "gdl/gttt-4x4-1-1-fatty.gdl", 13)).solve()
    assert (found.winner, found.engine) == (WHITE, "compiled")
    assert found.nodes > engines.SWITCH
