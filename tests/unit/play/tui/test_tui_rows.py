"""What is sent to the terminal: a screen by differences is the screen by Textual's updates."""

from __future__ import annotations

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Region, Size
from textual.strip import Strip

from qsage_validate.play.tui.base import Rows

WIDTH, HEIGHT = 12, 3
SIZE = Size(WIDTH, HEIGHT)
STYLES = [Style(), Style(color="#ff0000"), Style(bgcolor="#000080", bold=True)]
CONSOLE = Console(force_terminal=True, color_system="truecolor")
Cell = tuple[str, int]
CELLS = st.tuples(st.sampled_from("ab │"), st.integers(0, 2))


def strip(cells: list[Cell]) -> Strip:
    return Strip([Segment(sign, STYLES[style]) for sign, style in cells])


def whole(screen: list[list[Cell]]) -> LayoutUpdate:
    return LayoutUpdate([[strip(row)] for row in screen], SIZE.region)


def partial(screen: list[list[Cell]], spans: list[tuple[int, int, int]], cut: int) -> ChopsUpdate:
    """An update of ``spans`` of a screen of two widgets side by side."""
    chops = [{0: strip(row[:cut]), cut: strip(row[cut:])} for row in screen]
    return ChopsUpdate(chops, spans, [[cut, WIDTH]] * HEIGHT)


def rendered(update: object) -> str:
    assert isinstance(update, CompositorUpdate)
    return update.render_segments(CONSOLE)


def cells(stream: str, screen: pyte.Screen) -> list[list[tuple[object, ...]]]:
    pyte.Stream(screen).feed(stream)
    return [
        [(c.data, c.fg, c.bg, c.bold) for c in (screen.buffer[y][x] for x in range(WIDTH))]
        for y in range(HEIGHT)
    ]


@given(data=st.data())
def test_the_screen_is_textuals(data: st.DataObject) -> None:
    screen = [[data.draw(CELLS) for _ in range(WIDTH)] for _ in range(HEIGHT)]
    theirs, ours, rows = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT), Rows()
    known = data.draw(st.booleans())
    if known:
        cells(rendered(whole(screen)), theirs)
        cells(rendered(rows.shorter(whole(screen), SIZE)), ours)
    for _ in range(data.draw(st.integers(1, 4))):
        spans = []
        for y in sorted(data.draw(st.sets(st.integers(0, HEIGHT - 1), min_size=1))):
            left = data.draw(st.integers(0, WIDTH - 1))
            right = data.draw(st.integers(left + 1, WIDTH))
            spans.append((y, left, right) if known else (y, 0, WIDTH))
            for x in range(left, right):
                screen[y][x] = data.draw(CELLS)
        update = partial(screen, spans, data.draw(st.integers(1, WIDTH - 1)))
        assert cells(rendered(rows.shorter(update, SIZE)), ours) == cells(rendered(update), theirs)


def test_what_stands_there_is_not_sent() -> None:
    screen: list[list[Cell]] = [[("a", 1)] * WIDTH for _ in range(HEIGHT)]
    rows = Rows()
    rendered(rows.shorter(whole(screen), SIZE))
    everything = [(y, 0, WIDTH) for y in range(HEIGHT)]
    assert rendered(rows.shorter(partial(screen, everything, 5), SIZE)) == ""
    screen[1][7] = ("b", 1)
    sent = rendered(rows.shorter(partial(screen, everything, 5), SIZE))
    # The run of one style in which the sign stands is sent, from its widget's border on.
    assert sent.startswith("\x1b[2;6H")
    assert "aabaaaa" in sent


def test_what_was_never_sent_or_may_be_gone_is_sent() -> None:
    screen: list[list[Cell]] = [[("a", 0)] * WIDTH for _ in range(HEIGHT)]
    one_row = [(1, 0, WIDTH)]
    rows = Rows()
    rows.shorter(whole(screen), SIZE)  # Textual may throw an update away
    assert "a" in rendered(rows.shorter(partial(screen, one_row, 5), SIZE))
    rendered(rows.shorter(whole(screen), SIZE))
    rows.forget()
    assert "a" in rendered(rows.shorter(partial(screen, one_row, 5), SIZE))
    rendered(rows.shorter(whole(screen), SIZE))
    assert "a" in rendered(rows.shorter(partial(screen, one_row, 5), Size(WIDTH, HEIGHT + 1)))
    assert rows.shorter(None, SIZE) is None


def test_characters_of_two_columns_are_not_cut() -> None:
    rows = Rows()
    before, after = Strip([Segment("漢字abcdefgh")]), Strip([Segment("漢aabcdefgh ")])
    size = Size(12, 1)
    rendered(rows.shorter(LayoutUpdate([[before]], Region(0, 0, 12, 1)), size))
    update = ChopsUpdate([{0: after}], [(0, 0, 12)], [[12]])
    assert "漢aabcdefgh" in rendered(rows.shorter(update, size))
