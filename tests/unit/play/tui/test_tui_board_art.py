"""Where squares are drawn and what they look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.games.protocol import Shape, Square
from qsage_validate.play.tui.model.view import (
    SIDES,
    GridGeometry,
    SquareMark,
    best_grid,
    scales,
    square_rows,
)

SHAPES = st.sampled_from(Shape)


@st.composite
def grids(draw: st.DrawFn) -> GridGeometry:
    shape = draw(SHAPES)
    scale = draw(st.sampled_from(scales(shape)))
    rim = draw(st.integers(0, 1)) if shape is Shape.HEXAGONS else 0
    return GridGeometry(draw(st.integers(1, 19)), draw(st.integers(1, 19)), shape, scale, rim=rim)


@given(grid=grids())
def test_every_character_inside_a_square_leads_back_to_it(grid: GridGeometry) -> None:
    width, height = grid.size
    for y in {1, grid.rows}:
        for x in {1, (grid.columns + 1) // 2, grid.columns}:
            column, row = grid.corner((x, y))
            assert grid.rim <= column <= width - grid.scale.width - grid.rim
            assert grid.rim <= row <= height - grid.scale.height - grid.rim
            for dx in range(grid.scale.width):
                for dy in range(grid.scale.height):
                    assert grid.square_at(column + dx, row + dy) == (x, y)


@given(grid=grids(), column=st.integers(-3, 300), row=st.integers(-3, 200))
def test_no_place_leads_to_a_square_that_does_not_exist(
    grid: GridGeometry, column: int, row: int
) -> None:
    square = grid.square_at(column, row)
    if square is not None:
        assert 1 <= square[0] <= grid.columns
        assert 1 <= square[1] <= grid.rows


@given(
    columns=st.integers(1, 19),
    rows=st.integers(1, 19),
    shape=SHAPES,
    width=st.integers(0, 200),
    height=st.integers(0, 70),
)
def test_the_drawing_fits_unless_even_the_smallest_does_not(
    columns: int, rows: int, shape: Shape, width: int, height: int
) -> None:
    grid = best_grid(columns, rows, shape, width, height)
    fits = grid.outer[0] <= width and grid.outer[1] <= height
    larger = scales(shape)[scales(shape).index(grid.scale) + 1 :]
    assert fits or grid.scale is scales(shape)[0]
    for scale in larger[:1] if fits else ():
        outer = GridGeometry(columns, rows, shape, scale).outer
        assert outer[0] > width or outer[1] > height


@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("legal", [False, True])
@pytest.mark.parametrize("content", Square)
def test_a_square_is_filled_exactly(content: Square, legal: bool, shape: Shape) -> None:
    for scale in scales(shape):
        rows = square_rows(content, scale.width, scale.height, legal)
        assert [len(row.text) for row in rows] == [scale.width] * scale.height
        assert all(0 <= column < scale.width for row in rows for column in row.filled)


@pytest.mark.parametrize("shape", Shape)
def test_contents_differ_without_colours(shape: Shape) -> None:
    for scale in scales(shape):
        looks = {
            square_rows(content, scale.width, scale.height, legal)
            for content, legal in (
                (Square.OPEN, False),
                (Square.OPEN, True),
                (Square.BLACK, False),
                (Square.WHITE, False),
            )
        }
        assert len(looks) == 4


def test_marks_that_matter_have_signs_of_their_own() -> None:
    silent = {SquareMark.EARLIER}
    signs = [SIDES[mark] for mark in SquareMark if mark not in silent]
    assert len(set(signs)) == len(signs)
    assert ("[", "]") not in signs, "these are the cursor's"
