"""Board and panes share the terminal without overlapping."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.games.protocol import Shape
from qsage_validate.play.tui.model.actions import (
    PANES,
    SMALLEST_TALL,
    SMALLEST_WIDE,
    STAGE,
    TABS,
    PaneMode,
    Sizing,
    arrange,
    mode_for,
    too_small,
)
from qsage_validate.play.tui.model.view import best_grid

# What title, status, prompt and actions take, at most, of the lines of a terminal.
BARS = 9


@given(
    width=st.integers(SMALLEST_TALL[0], 300),
    height=st.integers(SMALLEST_WIDE[1] - BARS, 100),
    active=st.sampled_from(PANES),
    columns=st.integers(1, 19),
    rows=st.integers(1, 19),
    shape=st.sampled_from(Shape),
    sizing=st.builds(
        Sizing, st.integers(-200, 200), st.booleans(), st.frozensets(st.sampled_from(PANES))
    ),
)
def test_boxes_never_overlap_nor_leave_the_area(
    width: int, height: int, active: str, columns: int, rows: int, shape: Shape, sizing: Sizing
) -> None:
    if too_small(width, height + BARS):
        return

    def measure(offered_width: int, offered_height: int) -> tuple[int, int]:
        outer = best_grid(columns, rows, shape, offered_width, offered_height).outer
        return (min(outer[0], offered_width), min(outer[1], offered_height))

    boxes = arrange(width, height, active, measure, sizing)
    for box in boxes.values():
        assert box.width > 0
        assert box.height > 0
        assert box.x >= 0
        assert box.x + box.width <= width
        assert box.y >= 0
        assert box.y + box.height <= height
    for left, right in combinations(boxes.values(), 2):
        apart_x = left.x + left.width <= right.x or right.x + right.width <= left.x
        assert apart_x or left.y + left.height <= right.y or right.y + right.height <= left.y
    mode = mode_for(width, height)
    one = mode.tabbed or sizing.maximised
    shown = {active, TABS} if one else set(PANES)
    assert set(boxes) == {STAGE} | shown
    if not one:
        assert sum(box.width * box.height for box in boxes.values()) == width * height


@pytest.mark.parametrize(
    ("size", "mode"),
    [
        ((80, 18), PaneMode.TABBED),
        ((44, 30), PaneMode.STACKED),
        ((120, 34), PaneMode.SPREAD),
        ((200, 44), PaneMode.SPREAD),
    ],
)
def test_the_mode_follows_the_size(size: tuple[int, int], mode: PaneMode) -> None:
    assert mode_for(*size) is mode


@pytest.mark.parametrize(
    ("columns", "shape", "least"), [(3, Shape.HEXAGONS, 0.8), (4, Shape.RECTANGLE, 0.8)]
)
def test_the_board_takes_the_height_of_a_large_screen(
    columns: int, shape: Shape, least: float
) -> None:
    """At 200x60 a third of the rows were left empty: the panes took the columns first."""

    def measure(width: int, height: int) -> tuple[int, int]:
        outer = best_grid(columns, columns, shape, width, height).outer
        return (min(outer[0], width), min(outer[1], height))

    boxes = arrange(200, 53, "why", measure)
    stage = boxes[STAGE]
    assert measure(stage.width, stage.height)[1] >= least * 53


def test_small_terminals_say_so_in_one_line() -> None:
    assert too_small(80, 24) is None
    assert too_small(40, 40) is None
    assert too_small(59, 20) == "Too small: 59x20, need 60x16 or 40x26"
    assert too_small(200, 10) is not None


def measure_all(width: int, height: int) -> tuple[int, int]:
    return (min(30, width), min(20, height))


@pytest.mark.parametrize("size", [(120, 34), (200, 54)])
def test_panes_are_resized_maximised_and_collapsed(size: tuple[int, int]) -> None:
    natural = arrange(*size, "why", measure_all)
    wider = arrange(*size, "why", measure_all, Sizing(columns=8))
    assert wider[STAGE].width == natural[STAGE].width + 8
    large = arrange(*size, "why", measure_all, Sizing(maximised=True))
    assert large["why"].width == size[0] - natural[STAGE].width
    assert large["why"].height == size[1] - 1
    small = arrange(*size, "why", measure_all, Sizing(collapsed=frozenset({"why"})))
    assert small["why"].height == 2
    assert small["moves"].height > natural["moves"].height
    # Where nothing is left beside a pane, it stays open.
    assert (
        arrange(*size, "why", measure_all, Sizing(collapsed=frozenset(PANES)))["values"].height > 2
    )
    # On small terminals a size has no effect.
    for sizing in (Sizing(8), Sizing(maximised=True), Sizing(collapsed=frozenset(PANES))):
        assert arrange(80, 18, "why", measure_all, sizing) == arrange(80, 18, "why", measure_all)
