"""Impartial games by the protocol of all games: moves, positions, ends, what search makes of it."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.arena.frame import HeapMove
from qsage_validate.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.extensions.impartial import families, heap_game
from qsage_validate.extensions.impartial.heap_game import HeapGame, HeapPosition, parse_state
from qsage_validate.extensions.impartial.parser import parse_game
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialRules,
    State,
    box_states,
    reach,
)
from qsage_validate.extensions.impartial.strategy import search_check
from qsage_validate.games.protocol import Player, Shape
from qsage_validate.render.board_text import board_lines
from qsage_validate.system.limits import NEVER
from tests.support.heap_rules import GOLDEN, TRANSFER, examples, golden
from tests.support.position_text import parse_position
from tests.support.search import solve


def game(name: str, start: State, *, misere: bool = False) -> HeapGame:
    return HeapGame(ImpartialRules(families.load(name), misere=misere), start)


# -- moves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["take(2)", " take ( 2 ) ", "TAKE(2)", "2", "take(+2)"])
def test_moves_are_read_in_several_forms(text: str) -> None:
    assert game("take-away-3", (5,)).parse_move(text, Player.WHITE) == HeapMove("take", (2,))


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("eat(2)", MalformedMoveError, "unknown action 'eat', expected one of left, right"),
        ("left(x)", MalformedMoveError, "expected numbers as in left(1)"),
        ("left(1,2)", MalformedMoveError, "found 2 numbers in 'left(1,2)', expected 1"),
        ("left", MalformedMoveError, "found 0 numbers"),
        ("left(1))", MalformedMoveError, "expected a move like left(1)"),
        ("", MalformedMoveError, "expected a move like left(1)"),
        ("1 2 3", MalformedMoveError, "expected an action with its numbers"),
        ("2", AmbiguousMoveError, "expected one of left(2), right(2)"),
    ],
)
def test_what_is_no_move_is_told(text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        game("two-heap-nim", (5, 3)).parse_move(text, Player.WHITE)
    assert said in str(caught.value)


def test_an_action_without_parameters_is_a_move() -> None:
    heaps = HeapGame(ImpartialRules(TRANSFER), (2, 7))
    assert heaps.parse_move("stop", Player.BLACK) == HeapMove("stop", ())
    assert heaps.parse_move("stop()", Player.BLACK) == HeapMove("stop", ())
    assert str(heaps.initial.play(HeapMove("stop", ()))) == "a = 0, b = 7; White; 2"


@pytest.mark.parametrize("name", families.names())
def test_moves_and_positions_parse_back(name: str) -> None:
    rules = ImpartialRules(families.load(name))
    for start in box_states(rules.game, 40):
        heaps = HeapGame(rules, start)
        position = heaps.initial
        assert parse_position(heaps, str(position)) == position
        for move in position.legal_moves():
            assert heaps.parse_move(str(move), Player.BLACK) == move
            after = position.play(move)
            assert after.to_move is Player.WHITE
            assert parse_position(heaps, str(after)) == after


# -- legality -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "start", "move", "said"),
    [
        (
            "take-away-3",
            (9,),
            "take(4)",
            "take(4): (<= ?k 3) is false for k = 4 (take-away-3.ig, line 8)",
        ),
        ("take-away-3", (2,), "take(3)", "(>= ?v ?k) is false for v = 2, k = 3"),
        ("take-away-3", (0,), "take(1)", "take(1): the play is over"),
        ("odd-wythoff", (5, 5), "left(2)", "(%= ?k 2 1) is false for k = 2 (odd-wythoff.ig, line"),
    ],
)
def test_the_file_says_why_a_move_is_illegal(name: str, start: State, move: str, said: str) -> None:
    heaps = game(name, start)
    position = heaps.initial
    parsed = heaps.parse_move(move, Player.BLACK)
    why = position.illegality(parsed)
    assert why is not None
    assert said in why.text
    with pytest.raises(IllegalMoveError):
        position.play(parsed)


def test_a_move_out_of_the_legal_states_is_illegal() -> None:
    rules = ImpartialRules(
        parse_game(
            "(define (domain d) (:objects ?v) (:tercondition (= ?v 0)) (:constraint (>= ?v 0))\n"
            "(:action take :parameters (?k) :precondition (and (>= ?k 1) (<= ?k 2))"
            " :effect (assign ?v (- ?v ?k))))"
        )
    )
    position = HeapGame(rules, (1,)).initial
    why = position.illegality(HeapMove("take", (2,)))
    assert why is not None
    assert why.text == "take(2): leads to v = -1, where (>= ?v 0) is false"
    assert position.legal_moves() == (HeapMove("take", (1,)),)


@pytest.mark.parametrize("name", families.names())
@given(data=st.data())
def test_preconditions_and_listed_moves_agree(name: str, data: st.DataObject) -> None:
    rules = ImpartialRules(families.load(name))
    states = box_states(rules.game, 60)
    position = HeapGame(rules, data.draw(st.sampled_from(states))).initial
    action = data.draw(st.sampled_from(rules.game.actions))
    numbers = tuple(data.draw(st.integers(-2, 12)) for _ in action.parameters)
    move = HeapMove(action.name, numbers)
    assert (position.illegality(move) is None) == (move in position.legal_moves())


# -- ends, boards, reach --------------------------------------------------------------------


def test_who_cannot_move_loses_or_wins() -> None:
    for misere, winner in ((False, Player.WHITE), (True, Player.BLACK)):
        outcome = game("take-away-3", (0,), misere=misere).initial.outcome
        assert outcome is not None
        assert outcome.stuck
        assert outcome.winner is winner


def test_heaps_are_rows_of_tokens() -> None:
    heaps = game("two-heap-nim", (3, 1))
    board = heaps.initial.board
    assert board.shape is Shape.HEAPS
    assert (board.width, board.height, str(board)) == (3, 2, "BBB/B..")
    assert board_lines(board) == "v1 ●●●\nv2 ●··"
    assert heaps.drawable
    assert not game("two-heap-nim", (300, 1)).drawable


def test_rows_have_room_for_heaps_that_grow() -> None:
    heaps = HeapGame(ImpartialRules(TRANSFER), (2, 1))
    assert heaps.width == 3
    after = heaps.initial.play(HeapMove("move", (2,)))
    assert str(after.board) == ".../BBB"


def test_what_can_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ImpartialRules(families.load("take-away-3"))
    found = reach(rules, (9,))
    assert found is not None
    assert (found.longest, found.smallest, found.largest) == (9, 0, 9)
    assert sorted(found.states) == [(n,) for n in range(10)]
    assert reach(rules, (9,), max_moves=20) is None
    monkeypatch.setattr(heap_game, "reach", partial(reach, max_moves=20))
    assert game("take-away-3", (4,)).plies == 4
    assert game("take-away-3", (9,)).plies == 0


def test_an_endless_game_is_told() -> None:
    text = (
        "(define (domain d) (:objects ?v) (:tercondition (= ?v 9)) (:constraint (>= ?v 0))\n"
        "(:action flip :parameters () :precondition (<= ?v 1) :effect (assign ?v (- 1 ?v))))"
    )
    with pytest.raises(EndlessGameError, match="lead back to"):
        reach(ImpartialRules(parse_game(text)), (0,))


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("v1=3 v2=4", (3, 4)),
        ("v2 = 4, v1 = 3", (3, 4)),
        ("?v1=3,?v2=4", (3, 4)),
        ("3,4", (3, 4)),
        ("3 4", (3, 4)),
    ],
)
def test_states_are_read(text: str, state: State) -> None:
    assert parse_state(ImpartialRules(families.load("two-heap-nim")), text) == state


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v1=3", "found no value for v2, expected 'v1=3 v2=3'"),
        ("3", "expected 2 numbers"),
        ("v1=3 v1=4", "found v1 twice"),
        ("v1=3 w=4", "found 'w=4' in the state"),
        ("v1=3 v2=x", "found 'v2=x'"),
        ("", "found '' in the state"),
        ("-1 4", "expected a legal one of two-heap-nim: v1 >= 0 and v2 >= 0"),
    ],
)
def test_what_is_no_state_is_told(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_state(ImpartialRules(families.load("two-heap-nim")), text)
    assert said in str(caught.value)


# -- positions in words ---------------------------------------------------------------------


def test_a_state_is_told_by_its_heaps_and_drawn_from_them() -> None:
    heaps = game("take-away-3", (5,))
    assert heaps.atoms(heaps.initial) == {f"{heaps.rules.game.variables[0]} = 5"}
    assert heaps.board_of(heaps.atoms(heaps.initial)) == heaps.initial.board


def test_the_winner_has_a_witness_and_the_loser_none() -> None:
    heaps = game("take-away-3", (1,))
    end = heaps.initial.play(HeapMove("take", (1,)))
    assert heaps.witnesses(end, Player.BLACK) == {Player.BLACK}
    assert not heaps.witnesses(end, Player.WHITE)
    assert not heaps.witnesses(heaps.initial, Player.BLACK)


# -- search ---------------------------------------------------------------------------------


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("name", families.names())
def test_search_finds_the_winners_of_backward_induction(name: str, misere: bool) -> None:
    rules = ImpartialRules(families.load(name), misere=misere)
    said = [(state, rules.winning(state)) for state in box_states(rules.game, 40)]
    assert len({winning for _, winning in said}) == 2
    assert search_check(rules, said, NEVER) == (len(said), None)


def test_search_sees_a_wrong_winner() -> None:
    rules = ImpartialRules(families.load("take-away-3"))
    said = [((n,), n % 4 != 0) for n in range(8)]
    said[6] = ((6,), False)
    assert search_check(rules, said, NEVER) == (7, (6,))


@pytest.mark.parametrize("start", range(10))
def test_search_by_positions_agrees_with_search_by_states(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    heaps = game("take-away-3", (start,))
    by_states = solve(heaps)
    monkeypatch.setattr(HeapGame, "kernel", lambda self: None)
    by_positions = solve(heaps)
    expected = Player.BLACK if start % 4 else Player.WHITE
    assert by_states.winner is by_positions.winner is expected


def test_the_depth_bound_is_that_of_other_games() -> None:
    rules = ImpartialRules(families.load("take-away-3"))
    short = HeapGame(rules, (9,), plies=2)
    position = short.initial.play(HeapMove("take", (1,))).play(HeapMove("take", (1,)))
    assert position.outcome is not None
    assert position.outcome.winner is Player.WHITE
    assert solve(short).winner is Player.WHITE


# -- golden playthroughs --------------------------------------------------------------------


@pytest.mark.parametrize(("name", "misere"), examples())
def test_playthroughs_are_as_they_were(name: str, misere: bool) -> None:
    file, text = golden(name, misere)
    assert file.read_text(encoding="utf-8") == text


def test_there_are_no_other_playthroughs() -> None:
    assert set(GOLDEN.glob("*.txt")) == {golden(*example)[0] for example in examples()}


def test_positions_of_one_state_are_equal() -> None:
    one, other = game("take-away-3", (5,)), game("take-away-3", (5,))
    assert one.initial == other.initial
    assert hash(one.initial) == hash(other.initial)
    assert HeapPosition(one, (5,), Player.WHITE, 2) != one.initial
