"""The interface with positional games: names of squares, targets, hexagons, squares that won."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qsage_validate.games.positional.hex import hex_network, transversal_of
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Square
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.model.view import SquareMark, picture, square_text
from tests.support.pilot import Driver, drive
from tests.support.table_matches import BLOCKED, EL, HEX, SETS, TRAILS, TRAILS_WON, table_match

pytestmark = pytest.mark.slow


def test_a_click_on_a_hexagon_claims_it_and_the_winning_way_is_marked() -> None:
    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        assert board.picture.target == ()
        while not driver.app.view.situation.outcome:
            square = next(iter(driver.app.view.situation.picks.areas.values()))
            await driver.click(next(iter(square)))
        assert "Black wins: reached its goal, as the certificate promised" in driver.screen
        marks = board.picture.marks
        won = {square for square, own in marks.items() if SquareMark.WON in own}
        assert len(won) == 3
        assert all(driver.at(square) is Square.BLACK for square in won)
        assert {y for _, y in won} == {1, 2, 3}

    drive(table_match(HEX, "en"), scenario)


def test_the_target_is_drawn_beside_the_board_where_there_is_room() -> None:
    async def scenario(driver: Driver) -> None:
        assert " target" in driver.line(2)
        assert driver.app.query_one(BoardView).beside
        assert "██" in driver.line(4) + driver.line(5)
        assert square_text(driver.app.view, (2, 2)) == "b2 black"

    drive(table_match(EL, "ea"), scenario)


def test_no_target_where_there_is_no_room() -> None:
    async def scenario(driver: Driver) -> None:
        assert not driver.app.query_one(BoardView).beside
        assert "target" not in driver.screen

    drive(table_match(EL, "ea"), scenario, size=(20, 12))


def test_columns_have_letters_and_a_typed_position_is_claimed() -> None:
    async def scenario(driver: Driver) -> None:
        assert driver.line(2).split()[:3] == ["a", "b", "c"]
        await driver.enter("c3")
        assert driver.moves[1] == "c3"
        assert driver.at((3, 3)) is Square.WHITE
        await driver.enter("c3")
        assert "c3: White has claimed it" in driver.screen

    drive(table_match(EL, "la"), scenario)


def test_pairs_are_lettered_on_the_board_while_they_are_wanted() -> None:
    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        assert "p Pairs" in driver.screen
        assert board.picture.letters == {}
        await driver.press("p")
        assert "By these pairs White could block: answering in the pair" in driver.screen
        await driver.enter("b2")
        letters = board.picture.letters
        assert letters
        assert all(board.picture.board[square] is Square.OPEN for square in letters)
        assert all(list(letters.values()).count(letter) == 2 for letter in letters.values())
        squares = sorted(letters, key=lambda square: (letters[square], square))
        for letter in set(letters.values()):
            # Two cells of a square of four that neither player has touched.
            (x, y), (u, v) = (square for square in squares if letters[square] == letter)
            assert abs(x - u) <= 1
            assert abs(y - v) <= 1
        middle = (board.grid.scale.height - 1) // 2
        row = driver.line(board.region.y + 1 + board.grid.corner(squares[0])[1] + middle)
        assert letters[squares[0]] in row
        await driver.press("left_square_bracket")
        assert board.picture.letters == {}
        await driver.press("escape", "p")
        assert board.picture.letters == {}

    drive(table_match(BLOCKED, "la"), scenario)


def test_no_pairs_are_offered_where_black_is_the_certificate_or_there_is_a_network() -> None:
    async def scenario(driver: Driver) -> None:
        assert "Pairs" not in driver.screen
        await driver.press("p")
        assert "Pairs are of White's certificates" in driver.screen

    drive(table_match(HEX, "en"), scenario)
    drive(table_match(EL, "la"), scenario)


def test_positions_without_a_grid_are_a_list_of_names() -> None:
    async def scenario(driver: Driver) -> None:
        assert all(name in driver.screen for name in SETS.positions)
        assert square_text(driver.app.view, (1, 3)) in ("top open", "top black")
        await driver.enter("bottom")
        assert "Black wins" in driver.screen

    drive(table_match(SETS, "ea"), scenario)


def test_a_game_in_gdl_is_drawn_and_played_by_typing() -> None:
    match = table_match(TRAILS, "gdl")

    async def scenario(driver: Driver) -> None:
        shown = picture(driver.app.view)
        assert shown is not None
        assert shown.board.width > 1
        while not driver.app.view.situation.outcome:
            await driver.enter(str(driver.app.view.situation.legal[0]))
        assert "as the certificate promised" in driver.screen

    drive(match, scenario)


def test_the_only_move_is_played_by_enter_where_it_is_on_no_square() -> None:
    async def scenario(driver: Driver) -> None:
        await driver.enter("(go 1 2)")
        assert [str(move) for move in driver.app.view.situation.legal] == ["wait"]
        assert "1 legal move: Enter or a typed wait plays it" in driver.screen
        plies = driver.app.view.frame.ply
        await driver.click((2, 2))
        assert driver.app.view.frame.ply == plies, "a click asks about the square"
        await driver.press("enter")
        assert driver.app.view.frame.ply > plies
        assert "wait" in [str(frame.move) for frame in driver.app.view.situation.frames]
        await driver.enter(str(driver.app.view.situation.legal[0]))
        plies = driver.app.view.frame.ply
        await driver.press("colon")
        assert "Enter plays wait, the only move" in driver.screen
        await driver.press("enter")
        assert driver.app.view.frame.ply > plies

    drive(table_match(TRAILS_WON, "gdl"), scenario)


@pytest.mark.parametrize("make", [lambda model: model, transversal_of])
def test_the_sides_of_hex_have_the_colours_of_those_who_connect_them(
    make: Callable[[PositionalModel], PositionalModel],
) -> None:
    match = table_match(make(hex_network(3, 3, 5)), "ea")

    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        assert board.grid.rim == 1
        _, row = board.grid.corner((1, 1))
        head = driver.line(board.region.y + row)
        assert " Black ".center(3 * board.grid.scale.width, "━") in head
        first = driver.line(board.region.y + row + 1)
        assert "┃ White" in driver.screen
        assert "White ┃" in driver.screen
        assert first[: board.region.right].count("┃") == 2
        for y, owner in ((1, "black"), (2, "white")):
            ink = board.get_component_rich_style(f"board--{owner}", partial=True).color
            sides = [s.style for s in board.render_line(y) if set(s.text) & set("━┃")]
            assert {style and style.color for style in sides} == {ink}

    assert match.facts.notes[-1] == "Black connects top and bottom, White left and right"
    drive(match, scenario)
