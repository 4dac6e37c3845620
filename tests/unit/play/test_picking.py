"""How clicked squares become moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.arena.frame import LayoutMove, SquareXY
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.picking import Choose, NoMove, Picks, Select
from tests.support.position_text import board_of
from tests.support.toy_match import DOMINOES, PAWNS, TIC, toy_match


def picks_of(match: PlayMatch) -> Picks:
    return Picks.of(match.legal_moves(), match.touched)


def test_one_click_places_a_stone() -> None:
    picks = picks_of(toy_match(TIC))
    assert picks.pick((3, 2)) == Choose((LayoutMove.on_grid("occupy", 3, 2),))


def test_an_occupied_square_is_no_move() -> None:
    picks = picks_of(toy_match(TIC))
    assert picks.pick((1, 1)) == NoMove((1, 1), (1, 1))


def test_a_piece_is_picked_first_and_then_its_target() -> None:
    picks = picks_of(toy_match(PAWNS))
    assert picks.pick((1, 1)) == Select((1, 1))
    assert picks.pick((1, 2), (1, 1)) == Choose((LayoutMove.on_grid("down", 1, 1),))


def test_the_target_may_be_picked_before_the_piece() -> None:
    picks = picks_of(toy_match(PAWNS))
    assert picks.pick((1, 2)) == Select((1, 2))
    assert picks.pick((1, 1), (1, 2)) == Choose((LayoutMove.on_grid("down", 1, 1),))


def test_both_halves_of_a_domino_in_either_order() -> None:
    picks = picks_of(toy_match(DOMINOES))
    move = Choose((LayoutMove.on_grid("horizontal", 2, 3),))
    assert picks.pick((3, 3), (2, 3)) == move
    assert picks.pick((2, 3), (3, 3)) == move


def test_picking_the_selected_square_again_drops_it() -> None:
    assert picks_of(toy_match(PAWNS)).pick((1, 1), (1, 1)) == Select(None)


def test_another_piece_takes_over_the_selection() -> None:
    assert picks_of(toy_match(PAWNS)).pick((3, 1), (1, 1)) == Select((3, 1))


def test_two_actions_with_the_same_squares_ask() -> None:
    picks = picks_of(toy_match(PAWNS))
    asked = picks.pick((2, 2), (1, 1))
    assert asked == Choose((LayoutMove.on_grid("right", 1, 1), LayoutMove.on_grid("kick", 1, 1)))


def test_a_square_out_of_reach_is_no_move_from_the_selected_one() -> None:
    assert picks_of(toy_match(PAWNS)).pick((2, 4), (1, 1)) == NoMove((1, 1), (2, 4))


def test_parameters_that_an_action_ignores_do_not_ask() -> None:
    # "occupy-bottom" drops a stone to the last row, whatever y says.
    moves = [LayoutMove.on_grid("occupy-bottom", 2, y) for y in (1, 2, 3)]
    picks = Picks.of(moves, lambda move: ((2, 3),))
    assert picks.pick((2, 3)) == Choose((LayoutMove.on_grid("occupy-bottom", 2, 3),))


def test_a_move_that_changes_nothing_belongs_to_its_own_square() -> None:
    stay, step = LayoutMove.on_grid("stay", 2, 2), LayoutMove.on_grid("left", 2, 2)
    picks = Picks.of([stay, step], lambda m: () if m is stay else ((2, 2), (1, 2)))
    assert picks.pick((2, 2)) == Select((2, 2))
    assert picks.pick((2, 2), (2, 2)) == Choose((stay,))
    assert picks.pick((1, 2), (2, 2)) == Choose((step,))


def test_pieces_are_marked_and_not_where_they_may_go() -> None:
    match = toy_match(PAWNS)
    board = match.board
    assert board is not None
    assert picks_of(match).starts(board) == {(1, 1), (2, 1), (3, 1)}
    assert picks_of(match).targets((1, 1)) == {(1, 2), (2, 2)}


SQUARES = st.tuples(st.integers(1, 4), st.integers(1, 4))
AREAS = st.dictionaries(
    st.builds(LayoutMove, st.sampled_from(["a", "b"]), st.integers(1, 4), st.integers(1, 4)),
    st.sets(SQUARES, min_size=1, max_size=2),
    max_size=8,
)


@given(areas=AREAS)
def test_every_legal_move_can_be_clicked(areas: dict[LayoutMove, set[SquareXY]]) -> None:
    picks = Picks.of(areas, lambda move: tuple(areas[move]))  # type: ignore[index]
    for move, area in areas.items():
        first, *others = sorted(area)
        pick = picks.pick(first)
        if isinstance(pick, Select):
            pick = picks.pick(others[0] if others else first, pick.square)
        chosen = list(getattr(pick, "moves", ()))
        # The move itself, or one with the same action and the same squares.
        assert any(
            isinstance(m, LayoutMove) and (m.action, areas[m]) == (move.action, area)
            for m in chosen
        )


@given(areas=AREAS, square=SQUARES, selected=st.none() | SQUARES)
def test_only_legal_moves_are_played(
    areas: dict[LayoutMove, set[SquareXY]], square: SquareXY, selected: SquareXY | None
) -> None:
    picks = Picks.of(areas, lambda move: tuple(areas[move]))  # type: ignore[index]
    pick = picks.pick(square, selected)
    moves = getattr(pick, "moves", ())
    for move in moves:
        assert isinstance(move, LayoutMove)
        assert square in areas[move]
    if isinstance(pick, NoMove):
        assert not any(
            {square, selected or square} <= area and selected is not None for area in areas.values()
        )


def test_squares_of_all_moves_are_marked_on_an_open_board() -> None:
    board = board_of("../..")
    picks = Picks.of([LayoutMove.on_grid("h", 1, 1)], lambda move: ((1, 1), (2, 1)))
    assert picks.starts(board) == {(1, 1), (2, 1)}
