"""The rules are section 3.3 of the paper."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.games.bddl.ground import BddlMove
from qsage_validate.games.bddl.model import Action, BddlProblem, Domain, Model, SubCondition
from qsage_validate.games.bddl.parser import parse_domain, parse_problem
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition, GoalInstance
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import BoardPicture, Player, Square
from tests.support import naive_rules as naive
from tests.support.by_name import resolve_model
from tests.support.minimax import minimax
from tests.support.perft import perft
from tests.support.position_text import parse_position
from tests.support.wild_models import wild_models


def board_of(state: naive.State, model: Model) -> BoardPicture:
    width, height = model.problem.width, model.problem.height
    squares = [state[x, y] for y in range(1, height + 1) for x in range(1, width + 1)]
    return BoardPicture(width, height, tuple(squares))


@settings(max_examples=100)
@given(wild_models(), st.randoms(use_true_random=False))
def test_moves_and_goals_are_those_of_the_definitions(model: Model, random: Random) -> None:
    """Along a random play, legal moves, boards and ends agree with a naive reading."""
    game = BddlGame(model)
    position, state = game.initial, naive.initial(model)
    for ply in range(1, game.plies + 2):
        assert position.board == board_of(state, model)
        mover = game.player_at(ply)
        moves = naive.transitions(model, state, mover)
        last_won = ply > 1 and naive.won(model, state, mover.other)
        if last_won or ply > game.plies or not moves:
            outcome = position.outcome
            assert outcome is not None
            held_out = ply > game.plies and not last_won
            assert outcome.winner is (Player.WHITE if held_out else mover.other)
            assert position.legal_moves() == ()
            return
        assert position.outcome is None
        assert {(m.action, m.x, m.y) for m in position.legal_moves()} == set(moves)
        move = random.choice(position.legal_moves())
        position = position.play(move)
        state = moves[move.action, move.x, move.y]
    pytest.fail("the play went on after its last ply")


@settings(max_examples=60)
@given(wild_models(max_side=2, max_depth=4))
def test_winner_is_that_of_definition_10(model: Model) -> None:
    """Whoever wins the game: Black exactly when the initial state is in W_d."""
    expected = naive.black_wins(
        model, naive.initial(model), model.problem.first_player, model.problem.plies
    )
    assert (minimax(BddlGame(model)) is Player.BLACK) == expected


@settings(max_examples=60)
@given(wild_models())
def test_an_illegality_says_what_fails(model: Model) -> None:
    """``None`` exactly for legal moves, else the first precondition that is false."""
    game = BddlGame(model)
    position = game.initial
    if position.outcome is not None:
        return
    state = naive.initial(model)
    legal = set(position.legal_moves())
    for move in game.moves(position.to_move):
        illegality = position.illegality(move)
        assert (illegality is None) == (move in legal)
        if illegality is None:
            continue
        assert illegality.text.startswith(f"{move}: ")
        action = next(a for a in model.domain.actions(position.to_move) if a.name == move.action)
        inside = naive.bounds(model, action.precondition + action.effect)
        if (move.x, move.y) not in inside:
            assert illegality.index is None
            assert "leaves the board" in illegality.text
            assert illegality.square == (move.x, move.y)
        elif illegality.index is not None:
            false = [
                not naive.holds(model, state, move.x, move.y, (part,))
                for part in action.precondition
            ]
            assert false.index(True) == illegality.index
            part = action.precondition[illegality.index]
            assert illegality.rule == str(part)
            assert illegality.square == naive.square(model, part, move.x, move.y)
        else:
            assert "contradict" in illegality.text


def test_classical_tic_tac_toe_has_its_known_number_of_plays() -> None:
    """255,168 plays: 131,184 won by the first player, 77,904 by the second, 46,080 drawn.

    Source: H. Schaefer, "How many games of Tic-Tac-Toe are there?" (2002); the 5,478 reachable
    positions are as well known.
    """
    model = resolve_model(["httt"], {"size": "3x3", "shape": "tic"})
    diagonals = ["(black(?x,?y)black(?x+1,?y+1)black(?x+2,?y+2))"]
    diagonals += ["(black(?x,?y)black(?x+1,?y-1)black(?x+2,?y-2))"]
    text = "#boardsize 3 3\n#init\n#depth 9\n#blackgoals\n" + "\n".join(diagonals)
    text += "\n#whitegoals\n" + "\n".join(diagonals).replace("black", "white")
    more = parse_problem(text)
    problem = replace(
        model.problem,
        black_goals=model.problem.black_goals + more.black_goals,
        white_goals=model.problem.white_goals + more.white_goals,
    )
    rows = perft(BddlGame(replace(model, problem=problem)))
    assert sum(row.positions for row in rows) == 5478
    assert sum(row.black for row in rows) == 131_184
    assert sum(row.white for row in rows[:9]) == 77_904
    assert rows[9].white == 46_080
    assert sum(row.black + row.white for row in rows) == 255_168


# -- positions in words ---------------------------------------------------------------------


@given(model=wild_models())
def test_a_position_is_told_by_its_pieces_and_drawn_from_them(model: Model) -> None:
    game = BddlGame(model)
    position = game.initial
    while True:
        board, atoms = position.board, game.atoms(position)
        pieces = {Square.BLACK: "black", Square.WHITE: "white"}
        squares = [(x, y) for y in range(1, board.height + 1) for x in range(1, board.width + 1)]
        assert atoms == {
            f"{pieces[board[x, y]]} ({x},{y})" for x, y in squares if board[x, y] in pieces
        }
        assert game.board_of(atoms) == board
        if not position.legal_moves():
            return
        position = position.play(position.legal_moves()[-1])


def test_moves_and_places_are_drawn_on_their_squares() -> None:
    game = load_game(resolve_model(["httt"], {"size": "3x2", "shape": "domino"}))
    assert game.square_of("occupy(3,2)") == game.square_of("(3,2)") == (3, 2)
    assert game.square_of("occupy(2,3)") is None
    assert game.square_of("occupy") is None


def test_witnesses_are_the_goals_that_hold() -> None:
    game = load_game(resolve_model(["httt"], {"size": "3x3", "shape": "domino", "depth": 5}))
    position = parse_position(game, "BB./B../WW. ply 6")
    assert game.witnesses(position, Player.BLACK) == {
        GoalInstance(0, 1, 1),
        GoalInstance(1, 1, 1),
    }
    assert game.witnesses(game.initial, Player.BLACK) == frozenset()


# -- ends of plays --------------------------------------------------------------------------


def test_reasons_of_all_ends() -> None:
    game = load_game(resolve_model(["httt"], {"size": "2x2", "shape": "domino", "depth": 1}))
    end = game.initial.play(BddlMove("occupy", 1, 1)).outcome
    assert end is not None
    assert (end.winner, end.reason) == (Player.WHITE, "held out for 1 ply")
    game = load_game(resolve_model(["httt"], {"size": "2x2", "shape": "domino", "depth": 3}))
    position: BddlPosition = game.initial
    for text in ("occupy(1,1)", "occupy(2,2)", "occupy(1,2)"):
        position = position.play(game.parse_move(text, position.to_move))
    assert position.outcome is not None
    assert (position.outcome.winner, position.outcome.reason) == (
        Player.BLACK,
        "reached its goal",
    )
    assert str(position) == "B./BW ply 4"
    assert game.witnesses(position, Player.BLACK) == {GoalInstance(0, 1, 1)}
    assert not game.witnesses(position, Player.WHITE)
    with pytest.raises(IllegalMoveError, match="the play has ended: Black has won"):
        position.play(BddlMove("occupy", 2, 1))


@pytest.mark.parametrize(
    ("depth", "winner", "reason"),
    [
        (1, Player.WHITE, "held out for 1 ply"),
        (2, Player.BLACK, "White has no legal move"),
        (3, Player.BLACK, "White has no legal move"),
    ],
)
def test_even_depth_ends_with_a_ply_that_white_may_be_unable_to_make(
    depth: int, winner: Player, reason: str
) -> None:
    """Domineering on 2x2: White is stuck at ply 2, if there is a ply 2."""
    game = load_game(resolve_model(["domineering"], {"size": "2x2", "depth": depth}))
    end = game.initial.play(BddlMove("vertical", 1, 1)).outcome
    assert end is not None
    assert (end.winner, end.reason) == (winner, reason)


def test_white_holds_out_when_its_move_is_the_last_ply() -> None:
    game = load_game(resolve_model(["domineering"], {"size": "3x3", "depth": 2}))
    position = game.initial.play(BddlMove("vertical", 2, 1)).play(BddlMove("horizontal", 1, 3))
    assert position.outcome is not None
    assert position.outcome.winner is Player.WHITE
    assert position.outcome.reason == "held out for 2 plies"


def test_second_player_white_begins_and_one_ply_is_dropped() -> None:
    game = load_game(resolve_model(["breakthrough"], {"size": "2x4", "second": True, "depth": 9}))
    assert (game.plies, game.first_player, game.initial.to_move) == (8, Player.WHITE, Player.WHITE)
    assert game.player_at(8) is Player.BLACK


_PASS = Action("pass", (), ())


def _model(black_goal: str, white_goal: str, initial: str, **more: object) -> Model:
    domain = parse_domain(
        """
        #blackactions
        :action pass :parameters (?x,?y) :precondition () :effect ()
        :action give :parameters (?x,?y) :precondition (open(?x,?y)) :effect (white(?x,?y))
        #whiteactions
        :action pass :parameters (?x,?y) :precondition () :effect ()
        """
    )
    text = f"#boardsize 1 1\n#init\n{initial}\n#depth 3\n#blackgoals\n{black_goal}\n#whitegoals\n"
    problem = parse_problem(text + white_goal)
    return Model(domain, replace(problem, **more))  # type: ignore[arg-type]


def test_goals_count_after_their_players_own_move_only() -> None:
    """Definition 10 on models that break Definition 9."""
    game = BddlGame(_model("black(1,1)", "", "black(1,1)"))
    assert game.initial.outcome is None, "a goal that holds initially does not end the play"
    after = game.initial.play(BddlMove("pass", 1, 1))
    assert after.outcome is not None
    assert after.outcome.winner is Player.BLACK
    game = BddlGame(_model("", "white(1,1)", ""))
    given_away = game.initial.play(BddlMove("give", 1, 1))
    assert given_away.outcome is None, "White's goal by Black's move does not end the play"
    end = given_away.play(BddlMove("pass", 1, 1)).outcome
    assert end is not None
    assert end.winner is Player.WHITE


# -- single moves ---------------------------------------------------------------------------


@pytest.fixture
def connect() -> BddlGame:
    return load_game(resolve_model(["connect-c"], {"size": "3x3", "connect": 3}))


def test_moves_to_the_same_board_are_different_moves(connect: BddlGame) -> None:
    moves = connect.initial.legal_moves()
    assert len(moves) == 9
    assert len({connect.initial.play(move) for move in moves}) == 3


def test_effects_overwrite_what_stands_on_the_square() -> None:
    game = load_game(resolve_model(["evader-pursuer"], {"size": "4x4", "depth": 3}))
    captured = parse_position(game, "..../..WB/..../.... ply 2").play(BddlMove("right", 3, 2))
    assert str(captured) == "..../...W/..../.... ply 3"
    assert captured.outcome is not None
    assert captured.outcome.reason == "Black has no legal move"


def test_staying_leaves_the_board_as_it_is() -> None:
    game = load_game(resolve_model(["evader-pursuer"], {"size": "4x4"}))
    after = game.initial.play(BddlMove("stay", 4, 1))
    assert after.board == game.initial.board
    assert after != game.initial


def test_conflicting_effects_are_no_move() -> None:
    """``?x`` and ``xmin`` are one square at x = 1."""
    domain = parse_domain(
        """
        #blackactions
        :action swap :parameters (?x,?y) :precondition (open(?x,?y))
        :effect (black(?x,?y) white(xmin,?y))
        #whiteactions
        """
    )
    problem = parse_problem("#boardsize 2 1\n#init\n#depth 1\n#blackgoals\n#whitegoals\n")
    game = BddlGame(Model(domain, problem))
    assert [str(move) for move in game.initial.legal_moves()] == ["swap(2,1)"]
    illegality = game.initial.illegality(BddlMove("swap", 1, 1))
    assert illegality is not None
    assert illegality.text == (
        "swap(1,1): the effects black(?x,?y) and white(xmin,?y) contradict each other at (1,1)"
    )


@pytest.mark.parametrize(
    ("move", "text"),
    [
        ("left-diagonal(1,3)", "left-diagonal(1,3): ?x-1 leaves the board"),
        ("forward(1,4)", "forward(1,4): open(?x,?y-1) is false at (1,3)"),
        ("forward(1,2)", "forward(1,2): black(?x,?y) is false at (1,2)"),
        (
            "left-diagonal(2,4)",
            "left-diagonal(2,4): NOT(black(?x-1,?y-1)) is false at (1,3)",
        ),
        ("forward(3,3)", "forward(3,3): (3,3) is not on the 2x4 board"),
        ("forward(0,3)", "forward(0,3): (0,3) is not on the 2x4 board"),
    ],
)
def test_why_a_move_is_illegal(move: str, text: str) -> None:
    game = load_game(resolve_model(["breakthrough"], {"size": "2x4"}))
    parsed = game.parse_move(move, Player.BLACK)
    illegality = game.initial.illegality(parsed)
    assert illegality is not None
    assert illegality.text == text
    with pytest.raises(IllegalMoveError) as caught:
        game.initial.play(parsed)
    # Plain words come first.
    assert str(caught.value) == illegality.reason
    assert illegality.reason.endswith(text)


def test_moves_of_nobody_are_illegal_and_not_an_error() -> None:
    game = load_game(resolve_model(["domineering"], {}))
    illegality = game.initial.illegality(BddlMove("horizontal", 1, 1))
    assert illegality is not None
    assert illegality.text == "horizontal(1,1): Black has no action 'horizontal'"
    other = game.initial.illegality(7)
    assert other is not None
    assert other.rule == "unknown action"


# -- text forms -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["occupyOnTop(2,3)", " occupyontop ( 2 , 3 ) ", "OCCUPYONTOP(02,3)"]
)
def test_moves_are_read_tolerantly(connect: BddlGame, text: str) -> None:
    assert connect.parse_move(text, Player.WHITE) == BddlMove("occupyOnTop", 2, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected a move like column a or occupyBottom(1,1)"),
        ("occupyOnTop", "expected a move like"),
        ("occupyOnTop(1)", "expected a move like"),
        ("occupyOnTop(1,2", "expected a move like"),
        ("occupyOnTop(a,2)", "expected a move like"),
        ("occupyOnTop(-1,2)", "expected a move like"),
        ("occupyOnTop(1,2) x", "expected a move like"),
        ("occupyOnTop(٣,2)", "expected a move like"),
        ("drop(1,2)", "found the unknown action 'drop', expected one of Black: occupyOnTop, "),
        ("occupyOnTop(1,9999999)", "expected coordinates on the 3x3 board"),
    ],
)
def test_text_that_is_no_move(connect: BddlGame, text: str, expected: str) -> None:
    with pytest.raises(MalformedMoveError) as caught:
        connect.parse_move(text, Player.BLACK)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_names_that_differ_in_case_only_are_ambiguous_in_a_third_case() -> None:
    problem = parse_problem("#boardsize 1 1\n#init\n#depth 1\n#blackgoals\n#whitegoals\n")
    domain = Domain((replace(_PASS, name="go"), replace(_PASS, name="Go")), ())
    game = BddlGame(Model(domain, problem))
    assert game.parse_move("Go(1,1)", Player.BLACK).action == "Go"
    with pytest.raises(AmbiguousMoveError, match="'GO' fits go and Go"):
        game.parse_move("GO(1,1)", Player.BLACK)


def test_positions_of_both_text_forms(connect: BddlGame) -> None:
    position = parse_position(connect, "..B/.WB/W.B ply 4")
    assert str(position) == "..B/.WB/W.B ply 4"
    assert parse_position(connect, str(connect.initial.board)) == connect.initial


# -- positions as values --------------------------------------------------------------------


def test_positions_are_frozen_values(connect: BddlGame) -> None:
    position = connect.initial
    with pytest.raises(FrozenInstanceError):
        position.state = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del position.state
    again = BddlGame(connect.model).initial
    assert again == position
    assert hash(again) == hash(position)
    assert position != object()
    other = replace(connect.model, problem=replace(connect.model.problem, depth=3))
    assert BddlGame(other).initial != position
    assert repr(position) == "<connect-c 3x3 connect 3: .../.../... ply 1>"


def test_positions_survive_copying_and_pickling(connect: BddlGame) -> None:
    position = connect.initial.play(connect.initial.legal_moves()[4])
    assert position.outcome is None
    assert copy.deepcopy(position) == position
    assert copy.copy(position) == position
    assert pickle.loads(pickle.dumps(position)) == position


def test_models_whose_rules_cannot_be_executed() -> None:
    problem = parse_problem("#boardsize 1 1\n#init\n#depth 1\n#blackgoals\n#whitegoals\n")
    zero = parse_domain(
        "#blackactions\n:action a :parameters (?x,?y) :precondition () "
        ":effect (NOT(open(?x,?y)))\n#whiteactions\n"
    )
    with pytest.raises(UsageError, match="does not say what stands on the square"):
        BddlGame(Model(zero, problem))
    with pytest.raises(UsageError, match="Black has two actions called pass"):
        BddlGame(Model(Domain((_PASS, _PASS), ()), problem))
    with pytest.raises(UsageError, match="at most 1600"):
        BddlGame(Model(Domain((_PASS,), ()), replace(problem, width=41, height=40)))
    piece = replace(problem, initial=((Square.BLACK, 2, 1),))
    with pytest.raises(UsageError, match=r"black\(2,1\) is not on the 1x1 board"):
        BddlGame(Model(Domain((_PASS,), ()), piece))


# -- symmetries -----------------------------------------------------------------------------


@settings(max_examples=80)
@given(wild_models(), st.randoms(use_true_random=False))
def test_symmetries_keep_moves_and_ends(model: Model, random: Random) -> None:
    """The image of a play is a play: same legality, and the boards stay images."""
    game = BddlGame(model)
    for symmetry in game.symmetries():
        squares = [
            [Square.OPEN, Square.BLACK, Square.WHITE][int(random.random() * 3)]
            for _ in range(model.problem.width * model.problem.height)
        ]
        board = BoardPicture(model.problem.width, model.problem.height, tuple(squares))
        ply = random.choice(range(1, game.plies + 1))
        position = parse_position(game, f"{board} ply {ply}")
        image = parse_position(game, f"{symmetry.board(board)} ply {ply}")
        assert (position.outcome is None) == (image.outcome is None)
        if position.outcome and image.outcome:
            assert position.outcome.winner is image.outcome.winner
        mapped = {symmetry.moves[move] for move in position.legal_moves()}
        assert mapped == set(image.legal_moves())
        assert len(mapped) == len(position.legal_moves())
        for move in position.legal_moves():
            after = image.play(symmetry.moves[move])
            assert after.board == symmetry.board(position.play(move).board)
        kept = symmetry.board(game.initial.board) == game.initial.board
        assert symmetry.keeps_initial == kept


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("httt", {"size": "3x3"}, 7),
        ("httt", {"size": "4x3"}, 3),
        ("domineering", {"size": "4x4"}, 3),
        ("breakthrough", {"size": "3x4"}, 1),
        ("connect-c", {"size": "4x4"}, 1),
        ("knightthrough", {"size": "4x4"}, 1),
        ("evader-pursuer", {"size": "4x4"}, 1),
        ("hex", {"size": "3x3"}, 1),
    ],
)
def test_symmetries_of_the_games(name: str, options: dict[str, str], expected: int) -> None:
    assert len(load_game(resolve_model([name], options)).symmetries()) == expected


def test_a_symmetry_may_rename_actions() -> None:
    game = load_game(resolve_model(["breakthrough"], {"size": "3x4"}))
    [mirror] = game.symmetries()
    assert mirror.moves[BddlMove("left-diagonal", 3, 3)] == BddlMove("right-diagonal", 1, 3)
    assert mirror.keeps_initial
    game = load_game(resolve_model(["evader-pursuer"], {"size": "4x4"}))
    [diagonal] = game.symmetries()
    assert not diagonal.keeps_initial


def test_a_symmetry_keeps_the_number_of_moves_to_a_board() -> None:
    """At the left edge there are more ways to do the same: no mirror image of the right one."""
    domain = parse_domain(
        """
        #blackactions
        :action here :parameters (?x,?y) :precondition (open(?x,?y)) :effect (black(?x,?y))
        :action left :parameters (?x,?y) :precondition (open(xmin,?y)) :effect (black(xmin,?y))
        #whiteactions
        """
    )
    problem = parse_problem("#boardsize 2 2\n#init\n#depth 1\n#blackgoals\n#whitegoals\n")
    game = BddlGame(Model(domain, problem))
    assert [symmetry.name for symmetry in game.symmetries()] == ["up-down"]


def test_sub_conditions_print_as_they_are_written() -> None:
    parts: tuple[SubCondition, ...] = (
        parse_domain(
            "#blackactions\n:action a :parameters (?x,?y) "
            ":precondition (NOT(open(?x+1,ymax)) white(xmin,?y-2)) :effect (black(3,?y))\n"
            "#whiteactions\n"
        )
        .black_actions[0]
        .precondition
    )
    assert [str(part) for part in parts] == ["NOT(open(?x+1,ymax))", "white(xmin,?y-2)"]


def test_a_problem_without_plies_is_won_by_white() -> None:
    problem = BddlProblem(1, 1, (), 1, (), (), Player.WHITE)
    game = BddlGame(Model(Domain((_PASS,), (_PASS,)), problem))
    assert game.plies == 0
    assert game.initial.outcome is not None
    assert game.initial.outcome.winner is Player.WHITE
