"""Board and panes share the terminal without overlapping."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.games.protocol import Shape
from qsage_validate.play.tui.model.board_art import best_grid
from qsage_validate.play.tui.model.pane_layout import (
    PANES,
    SMALLEST_TALL,
    SMALLEST_WIDE,
    STAGE,
    TABS,
    Mode,
    arrange,
    mode_for,
    too_small,
)

# What title, status, prompt and actions take, at most, of the lines of a terminal.
BARS = 9


@given(
    width=st.integers(SMALLEST_TALL[0], 300),
    height=st.integers(SMALLEST_WIDE[1] - BARS, 100),
    active=st.sampled_from(PANES),
    columns=st.integers(1, 19),
    rows=st.integers(1, 19),
    shape=st.sampled_from(Shape),
)
def test_boxes_never_overlap_nor_leave_the_area(
    width: int, height: int, active: str, columns: int, rows: int, shape: Shape
) -> None:
    if too_small(width, height + BARS):
        return

    def measure(offered_width: int, offered_height: int) -> tuple[int, int]:
        outer = best_grid(columns, rows, shape, offered_width, offered_height).outer
        return (min(outer[0], offered_width), min(outer[1], offered_height))

    boxes = arrange(width, height, active, measure)
    for box in boxes.values():
        assert box.width > 0
        assert box.height > 0
        assert box.x >= 0
        assert box.x + box.width <= width
        assert box.y >= 0
        assert box.y + box.height <= height
    for one, other in combinations(boxes.values(), 2):
        apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert apart_x or one.y + one.height <= other.y or other.y + other.height <= one.y
    mode = mode_for(width, height)
    shown = {active, TABS} if mode.tabbed else set(PANES)
    assert set(boxes) == {STAGE} | shown
    if not mode.tabbed:
        assert sum(box.width * box.height for box in boxes.values()) == width * height


@pytest.mark.parametrize(
    ("size", "mode"),
    [
        ((80, 18), Mode.TABBED),
        ((44, 30), Mode.STACKED),
        ((120, 34), Mode.SPREAD),
        ((200, 44), Mode.WIDE),
    ],
)
def test_the_mode_follows_the_size(size: tuple[int, int], mode: Mode) -> None:
    assert mode_for(*size) is mode


def test_small_terminals_say_so_in_one_line() -> None:
    assert too_small(80, 24) is None
    assert too_small(40, 40) is None
    assert too_small(59, 20) == "Too small: 59x20, need 60x16 or 40x26"
    assert too_small(200, 10) is not None
