from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import cairosvg
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square
from qsage_validate.render.svg import Marks, board_svg, describe, size
from tests.support.position_text import board_of

SVG = "{http://www.w3.org/2000/svg}"
BOARD = board_of("WB../.B../.BW./....")
HEX = BoardPicture(3, 2, tuple(board_of("B.W/.B.").squares), Shape.HEXAGONS)


def drawn(board: BoardPicture, marks: Marks | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(board_svg(board, marks or Marks()))


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter() if e.get("class") == f"qs-{name}"]


def test_every_stone_is_drawn_where_it_stands() -> None:
    root = drawn(BOARD)
    blacks = {(e.get("cx"), e.get("cy")) for e in of_class(root, "black")}
    whites = {(e.get("cx"), e.get("cy")) for e in of_class(root, "white")}
    assert blacks == {("86", "44"), ("86", "84"), ("86", "124")}
    assert whites == {("46", "44"), ("126", "124")}
    assert len(of_class(root, "dot")) == 11
    assert len(of_class(root, "cell")) == 16


def test_coordinates_are_those_that_people_type() -> None:
    root = drawn(BoardPicture(12, 2, (Square.OPEN,) * 24))
    assert [e.text for e in of_class(root, "axis")] == [*map(str, range(1, 13)), "1", "2"]


def test_changed_last_and_wrong_squares_differ_without_colour() -> None:
    marks = Marks(changed=[(2, 1), (1, 4)], last=(2, 1), wrong=[(4, 4)])
    root = drawn(BOARD, marks)
    assert len(of_class(root, "changed")) == 2
    assert len(of_class(root, "on-black")) == 1
    frame, cross = of_class(root, "wrong")
    assert frame.get("stroke-dasharray")
    assert cross.tag == f"{SVG}path"


def test_a_square_that_the_last_move_left_has_a_ring_of_its_own() -> None:
    (ring,) = of_class(drawn(BOARD, Marks(last=(4, 4))), "left")
    assert ring.get("stroke-dasharray")


def test_labels_stand_on_stones_and_are_not_crossed_out() -> None:
    root = drawn(BOARD, Marks(labels={(2, 1): "5", (4, 4): "7"}, wrong=[(2, 1)]))
    assert [e.text for e in of_class(root, "number-black")] == ["5"]
    assert [e.text for e in of_class(root, "number-open")] == ["7"]
    assert len(of_class(root, "wrong")) == 1


def test_hexagons_lean_so_that_neighbours_touch() -> None:
    root = drawn(HEX)
    assert len(of_class(root, "cell")) == 6
    assert all(e.tag == f"{SVG}polygon" for e in of_class(root, "cell"))
    x = sorted(float(e.get("cx", "")) for e in of_class(root, "black"))
    # (2,2) is half a hexagon right of (2,1), hence one and a half right of (1,1).
    assert abs((x[1] - x[0]) - 1.5 * 41.57) < 0.05
    plain = replace(HEX, shape=Shape.RECTANGLE)
    assert size(HEX) != size(plain)


def test_the_sides_of_hex_belong_to_their_players() -> None:
    assert not of_class(drawn(HEX), "side")
    root = drawn(replace(HEX, top=Player.BLACK))
    sides = [set((e.get("points") or "").split()) for e in of_class(root, "side")]
    white = [set((e.get("points") or "").split()) for e in of_class(root, "side-white")]
    top, bottom, left, right = sides
    assert white == [left, right]
    # Along three hexagons, and along two; neighbouring sides meet in a corner.
    assert [len(side) for side in sides] == [7, 7, 4, 4]
    assert [len(a & b) for a in (top, bottom) for b in (left, right)] == [1, 1, 1, 1]
    turned = drawn(replace(HEX, top=Player.WHITE))
    white = [set((e.get("points") or "").split()) for e in of_class(turned, "side-white")]
    assert white == [top, bottom]
    assert "White connects top and bottom, Black the other sides." in describe(
        replace(HEX, top=Player.WHITE)
    )


def test_title_and_description_are_there_for_those_who_do_not_see_it() -> None:
    root = ElementTree.fromstring(
        board_svg(BOARD, Marks(changed=[(2, 1)], last=(2, 1)), title="Ply 5", identifier="k")
    )
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "k-t k-d"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == "Ply 5"
    assert description is not None
    assert description.text == (
        "4 by 4 squares. Black: (2,1), (2,2), (2,3). White: (1,1), (3,3). Last move: (2,1). "
        "Changed: (2,1)."
    )
    assert describe(HEX).startswith("3 by 2 hexagons.")


def test_dark_pages_have_their_own_colours_and_pages_bring_them_themselves() -> None:
    assert "prefers-color-scheme:dark" in board_svg(BOARD)
    assert "<style" not in board_svg(BOARD, standalone=False)


@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from(Shape),
    st.text(max_size=20),
    st.data(),
)
@settings(max_examples=60)
def test_every_board_and_name_is_well_formed(
    width: int, height: int, shape: Shape, text: str, data: st.DataObject
) -> None:
    squares = data.draw(
        st.lists(st.sampled_from(Square), min_size=width * height, max_size=width * height)
    )
    square = data.draw(st.tuples(st.integers(1, width), st.integers(1, height)))
    marks = Marks([square], square, [square], {square: text})
    root = ElementTree.fromstring(
        board_svg(
            BoardPicture(width, height, tuple(squares), shape), marks, title=text, identifier="b"
        )
    )
    assert len(of_class(root, "changed")) == 1
    assert len(of_class(root, "cell")) == width * height - 1


def test_a_renderer_takes_it() -> None:
    for board in (BOARD, HEX):
        picture = cairosvg.svg2png(board_svg(board, Marks(wrong=[(1, 1)])).encode())
        assert picture.startswith(b"\x89PNG")
