"""Games in GDL by the protocol: turns, texts, ends, pictures, reasons, and search by rounds."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from qsage_validate.errors import (
    IllegalMoveError,
    MalformedMoveError,
    QsageError,
    UsageError,
)
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.machine import State, StateMachine, horizon, turn_order
from qsage_validate.extensions.gdl.model import GdlModel, Ground
from qsage_validate.extensions.gdl.parser import parse_description, read_description
from qsage_validate.extensions.gdl.rules import (
    GdlMove,
    NotTurnTakingError,
    RoundsGame,
    rounds_of,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import BoardPicture, Player, Position, Square
from qsage_validate.solvers.deepening import deepen_by_search
from qsage_validate.solvers.search import SearchSolver
from tests.support.by_name import find_template
from tests.support.perft import perft
from tests.support.position_text import parse_position
from tests.support.search import solve

BLACK, WHITE = Player.BLACK, Player.WHITE

BOTH = """(role a) (role b) (init s)
(legal a left) (legal a right) (<= (legal b ?m) (legal a ?m))
(<= (next t) (does a ?m) (does b ?m))
(<= terminal (not (true s)))
(<= (goal ?r 100) (role ?r) (true t))
"""


def game_of(shared_data: Path, name: str, rounds: int, black: str | None = None) -> RoundsGame:
    return RoundsGame(read_description(shared_data / "gdl" / f"{name}.gdl"), rounds, black=black)


def trails(rounds: int = 12, black: str | None = None) -> RoundsGame:
    return RoundsGame(library.load("trails"), rounds, black=black)


def test_the_library_is_valid_and_prints() -> None:
    assert library.names() == ("trails",)
    for name in library.names():
        description = library.load(name)
        StateMachine(description)
        assert parse_description(description.text()) == description
    with pytest.raises(UsageError, match="expected a file or one of trails"):
        library.load("chess")


def test_positions_and_moves_parse_back() -> None:
    game, rng = trails(), random.Random(1)
    position = game.initial
    while position.outcome is None:
        assert parse_position(game, str(position)) == position
        for move in position.legal_moves():
            assert game.parse_move(str(move), position.to_move) == move
            assert position.is_legal(move)
            assert position.illegality(move) is None
            assert move in game.moves(position.to_move)
        position = position.play(rng.choice(position.legal_moves()))
    assert parse_position(game, str(position)).outcome == position.outcome
    assert position.legal_moves() == ()


@pytest.mark.parametrize("text", ["(go 1 2)", "go(1,2)", "GO 1 2", "  go ( 1 , 2 ) "])
def test_moves_are_read_in_several_forms(text: str) -> None:
    assert str(trails().parse_move(text, BLACK)) == "(go 1 2)"


@pytest.mark.parametrize("text", ["", "(go 1", "go ?x", "(go 1 2) x", "jump", "go 1"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(MalformedMoveError, match=r"expected a move like \(go 1 2\)|like wait"):
        trails().parse_move(text, BLACK)


def test_the_position_inside_a_round_is_read_back() -> None:
    game = trails()
    inside = game.initial.play(game.initial.legal_moves()[0])
    assert str(inside).endswith(" ply 1 after (go 1 2)")
    assert parse_position(game, f" {inside} ") == inside
    assert parse_position(game, str(inside).replace(" ply 1", "")) == inside


def test_an_illegal_move_is_explained_by_the_rule_that_fails() -> None:
    position = trails().initial
    move = position.game.parse_move("go 2 2", BLACK)
    reason = position.illegality(move)
    assert reason is not None
    assert reason.rule == "(open_to ?player ?x ?y)"
    assert reason.index == 1
    assert reason.text.startswith("(go 2 2): (open_to blue 2 2) is false (rule for (legal ?player")
    with pytest.raises(IllegalMoveError, match=r"\(open_to blue 2 2\) is false"):
        position.play(move)
    jump = position.illegality(GdlMove("jump"))
    assert jump is not None
    assert jump.text == "jump: no rule makes jump legal for blue"


def test_ends_are_told_in_words() -> None:
    after: Position = trails(1).initial
    for _ in range(2):
        assert after.outcome is None
        after = after.play(after.legal_moves()[0])
    assert after.outcome is not None
    assert (after.outcome.winner, after.outcome.reason) == (WHITE, "held out for 1 round")
    stuck = parse_position(
        trails(), "{(control red) (end red 1 1) (cell 1 2 blue) (cell 2 1 blue)}"
    )
    assert stuck.outcome is not None
    assert stuck.outcome.winner is BLACK
    assert stuck.outcome.reason == "the game has ended with goal 100 for blue"
    other = parse_position(
        trails(black="red"), "{(control red) (end red 1 1) (cell 1 2 blue) (cell 2 1 blue)}"
    )
    assert other.outcome is not None
    assert other.outcome.reason == "the game has ended with goal 0 for red, less than 100"


def test_a_grid_is_found_and_shown() -> None:
    position = trails().initial
    assert str(position.board) == "..W/.../.../B.."
    assert position.board.row_name(1) == "4"


def test_a_game_without_a_grid_has_a_table() -> None:
    game = RoundsGame(parse_description(BOTH.replace("(legal a right)", "")), 2)
    assert game.grid is None
    assert game.board(game.initial.state) == BoardPicture(
        1, 2, (Square.BLACK, Square.OPEN), names=("s", "t")
    )


def test_a_game_that_is_not_turn_taking_names_state_and_moves() -> None:
    game = RoundsGame(parse_description(BOTH), 2)
    with pytest.raises(
        NotTurnTakingError,
        match=r"found a choice of both roles, a \(left, right\) and b \(left, right\), in \{s\}",
    ):
        game.initial.legal_moves()
    with pytest.raises(NotTurnTakingError):
        solve(game)


def test_a_role_without_a_move_is_an_error_unless_the_play_has_ended() -> None:
    text = BOTH.replace("(<= (legal b ?m) (legal a ?m))", "(<= (legal b ?m) (legal a ?m) (true t))")
    with pytest.raises(QsageError, match=r"found no legal move of b in \{s\}"):
        RoundsGame(parse_description(text), 2).initial.legal_moves()


def test_roles_depth_and_goal_are_checked() -> None:
    description = parse_description(BOTH)
    with pytest.raises(UsageError, match="found the role 'c', expected a or b"):
        RoundsGame(description, 2, black="c")
    with pytest.raises(UsageError, match="found -1 rounds"):
        RoundsGame(description, -1)
    with pytest.raises(UsageError, match="found 0 as the goal that wins"):
        RoundsGame(description, 2, win=0)
    with pytest.raises(UsageError, match=r"found 3 roles in game \(a, b, c\), expected two"):
        RoundsGame(parse_description(BOTH + "(role c)"), 2)


def winnable(game: RoundsGame, state: State, rounds: int) -> bool:
    """Definition 5, as it stands."""
    machine, x, o = game.machine, game.roles[BLACK], game.roles[WHITE]

    @cache
    def wins(state: State, rounds: int) -> bool:
        if machine.terminal(state):
            return 100 in machine.goals(state, x)
        return rounds > 0 and any(
            all(
                wins(machine.successor(state, {x: a, o: b}), rounds - 1)
                for b in machine.legal(state, o)
            )
            for a in machine.legal(state, x)
        )

    return wins(state, rounds)


@pytest.mark.parametrize("black", ["blue", "red"])
def test_search_by_rounds_agrees_with_the_definition(black: str) -> None:
    values = []
    for rounds in range(13):
        game = trails(rounds, black)
        value = winnable(game, game.machine.initial, rounds)
        assert (solve(game).winner is BLACK) is value
        values.append(value)
    assert values == [black == "red" and rounds >= 10 for rounds in range(13)]


def test_search_answers_for_any_position_of_a_play() -> None:
    game = trails(12, "red")
    solver = SearchSolver(game)
    position, rng = game.initial, random.Random(5)
    while position.outcome is None:
        if position.chosen is None:
            left = game.rounds - rounds_of(position.ply)
            assert (solver.winner(position) is BLACK) is winnable(game, position.state, left)
        position = position.play(rng.choice(position.legal_moves()))


@pytest.mark.parametrize(
    ("name", "depth"),
    [("connect-3-4x4", 9), ("dots-and-boxes-2x2", 12)],
)
def test_published_winning_depths(shared_data: Path, name: str, depth: int) -> None:
    # Table 2 of He, Saffidine and Thielscher 2024: x wins at this depth and not before.
    result = solve(game_of(shared_data, name, depth))
    assert result.winner is BLACK
    assert result.critical_plies is not None
    assert rounds_of(result.critical_plies) == depth


def order_of(description_steps: StateMachine, steps: int) -> str | None:
    order = turn_order(list(horizon(description_steps, steps)))
    return None if order is None else "".join("-" if r is None else str(r)[0] for r in order)


def test_the_order_of_play_is_found(shared_data: Path) -> None:
    def order(name: str) -> str | None:
        file = shared_data / "gdl" / f"{name}.gdl"
        return order_of(StateMachine(read_description(file)), 8)

    assert order("tic-tac-toe") == "xoxoxoxo"
    assert order("gttt-4x4-2-2-elly") == "xxooxxoo"
    assert order("multiplayer/connect-3-3player-4x4") == "xozxozxo"
    assert order("dots-and-boxes-2x2") is None


def test_bounds_hold_in_random_plays_of_all_games(shared_data: Path) -> None:
    for file in sorted((shared_data / "gdl").rglob("*.gdl")):
        machine = StateMachine(read_description(file))
        steps = list(horizon(machine, 12))
        rng = random.Random(file.name)
        state = machine.initial
        for step in steps:
            assert step.certain <= state <= step.possible
            if machine.terminal(state):
                break
            assert not step.ended
            moves: dict[Ground, Ground] = {}
            for role in machine.roles:
                legal = machine.legal(state, role)
                assert set(legal) <= set(step.moves[role])
                moves[role] = rng.choice(legal)
            state = machine.successor(state, moves)


def test_turns_of_all_two_player_games(shared_data: Path) -> None:
    files = sorted((shared_data / "gdl").glob("*.gdl"))
    assert len(files) == 26
    for file in files:
        game = RoundsGame(read_description(file), 40)
        rng = random.Random(file.name)
        position = game.initial
        while position.outcome is None:
            moves = position.legal_moves()
            assert position.to_move is game.player_at(position.ply)
            if position.chosen is None:
                assert min(map(len, game.choices(position.state).values())) == 1
            position = position.play(rng.choice(moves))
        assert position.ply <= game.plies


def test_connect_has_as_many_positions_as_the_other_rules_say(shared_data: Path) -> None:
    options = {"size": "4x4", "depth": 9, "connect": 3}
    other = load_game(find_template("connect-c").build(options))
    # Another description of the game, in another language, executed by other code.
    rows = perft(game_of(shared_data, "connect-3-4x4", 9), 12)[::2]
    # Its moves have a second number that means nothing at the bottom, so plays are not compared.
    assert [row.positions for row in rows] == [row.positions for row in perft(other, 6)]
    assert [row.plays for row in rows[:5]] == [4**k for k in range(5)]


def test_the_fewest_rounds_are_found_by_deepening() -> None:
    model = GdlModel(library.load("trails"), 1, "red")
    found = deepen_by_search(model, last=14)
    assert (found.critical, found.refuted) == (10, 9)
    short = deepen_by_search(model, last=9)
    assert (short.critical, short.refuted) == (None, 9)
    assert deepen_by_search(GdlModel(library.load("trails"), 1, "blue"), last=14).critical is None
