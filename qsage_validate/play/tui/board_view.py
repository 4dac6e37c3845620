"""The board as a widget: drawn square by square, with a cursor and clickable squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from qsage_validate.arena.frame import SquareXY
from qsage_validate.games.bddl.pursuit import piece_of
from qsage_validate.games.protocol import Shape, Square
from qsage_validate.play.tui.model.view import (
    HEIGHT,
    SIDES,
    GridGeometry,
    Picture,
    SquareMark,
    best_grid,
    glyph_row,
    has_glyphs,
    scales,
    square_rows,
)

_PARTS = "wood", "wood-alt", "line", "dot", "black", "white", "cursor"
_COORDINATES = "coordinate", "coordinate-cursor"
_TARGET = "target"
# Columns between the board and the target.
_BESIDE = 3
# Stones that would come.
_GHOSTS = {Square.BLACK: "◍", Square.WHITE: "◌"}


class BoardView(ScrollView, can_focus=True):
    """Draws a :class:`Picture`; posts :class:`Picked` and :class:`CursorMoved`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"board--{part}" for part in (*_PARTS, *_COORDINATES, *(mark.value for mark in SquareMark))
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(0,-1)", "Up", show=False),
        Binding("down", "step(0,1)", "Down", show=False),
        Binding("left", "step(-1,0)", "Left", show=False),
        Binding("right", "step(1,0)", "Right", show=False),
        Binding("home", "step(-99,0)", "First column", show=False),
        Binding("end", "step(99,0)", "Last column", show=False),
        Binding("pageup", "step(0,-99)", "First row", show=False),
        Binding("pagedown", "step(0,99)", "Last row", show=False),
        Binding("enter,space", "pick", "Pick", show=False),
    ]

    @dataclass
    class Picked(Message):
        """A square was clicked, or picked with the cursor: by ``key``."""

        square: SquareXY
        key: bool = False

    @dataclass
    class CursorMoved(Message):
        """The cursor stands on another square."""

        square: SquareXY

    def __init__(self, picture: Picture, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.picture = picture
        self.cursor: SquareXY = ((picture.board.width + 1) // 2, (picture.board.height + 1) // 2)
        self.zoom: int | None = None
        self.beside = False
        self.large = False
        self._placed = False
        self.grid = self.fit(0, 0)

    # Size

    def fit(self, width: int, height: int) -> GridGeometry:
        """The drawing for an area: the largest that fits, or the one that was zoomed to."""
        board = self.picture.board
        names = max(map(len, board.names), default=0)
        shape = (board.width, board.height, board.shape)
        wide = self._target_width
        rim = int(self.picture.top_owner is not None and board.shape is Shape.HEXAGONS)
        large = self.large and self._has_glyphs
        if self.zoom is None:
            grid = best_grid(*shape, width - wide, height, names, rim, large=large)
            if grid.outer[0] > width - wide:
                grid = best_grid(*shape, width, height, names, rim, large=large)
        else:
            grid = GridGeometry(*shape, scales(board.shape)[self.zoom], names, rim)
        self.beside = wide > 0 and grid.outer[0] + wide <= width
        return grid

    @property
    def _has_glyphs(self) -> bool:
        """Whether all columns and rows have names that can be drawn in large letters."""
        board = self.picture.board
        columns = map(board.column_name, range(1, board.width + 1))
        return all(map(has_glyphs, (*columns, *map(board.row_name, range(1, board.height + 1)))))

    @property
    def _target_width(self) -> int:
        """The columns that the target takes beside the board."""
        target = self.picture.target
        return _BESIDE + max(len(_TARGET), 2 * len(target[0])) if target else 0

    def measure(self, width: int, height: int) -> tuple[int, int]:
        """The size, at most what is offered, that the board would take of an area."""
        outer = self.fit(width, height).outer
        wide = self._target_width if self.beside else 0
        high = len(self.picture.target) + 2 if self.beside else 0
        return (min(outer[0] + wide, width), min(max(outer[1], high), height))

    def change_zoom(self, by: int) -> bool:
        """Draw the board larger or smaller; whether that is possible."""
        sizes = scales(self.picture.board.shape)
        now = sizes.index(self.grid.scale)
        wanted = min(max(now + by, 0), len(sizes) - 1)
        if wanted == now:
            return False
        self.zoom = wanted
        self.on_resize()
        return True

    def on_resize(self) -> None:
        # The size without scrollbars: with them the drawing would change back and forth.
        self.grid = self.fit(self.content_region.width, self.content_region.height)
        width, height = self.grid.outer
        self.virtual_size = Size(width, height)
        self.refresh()
        self._show_cursor()

    # What is shown

    def show(self, picture: Picture) -> None:
        """Draw another picture of the same board."""
        old, new = self.picture.board, picture.board
        self.picture = picture
        if (old.width, old.height) != (new.width, new.height):
            self.cursor = (1, 1)
            self.on_resize()
        self._place()
        self.refresh()

    def _place(self) -> None:
        """Put the cursor on the playable square next to it, the first time that there is one."""
        playable = [s for s, marks in self.picture.marks.items() if SquareMark.LEGAL in marks]
        if self._placed or not playable:
            return
        self._placed = True
        x, y = self.cursor
        self.move_cursor(min(playable, key=lambda s: (abs(s[0] - x) + abs(s[1] - y), -s[0], s[1])))

    def move_cursor(self, square: SquareXY) -> None:
        """Put the cursor on ``square``."""
        if square != self.cursor:
            before, self.cursor = self.cursor, square
            ghosts = (*self._ghosts(before), *self._ghosts(square))
            changed = (before, square, *ghosts)
            self.refresh(*(region for each in changed for region in self._around(each)))
            self._show_cursor()
            self.post_message(self.CursorMoved(square))

    def _ghosts(self, cursor: SquareXY) -> Mapping[SquareXY, Square]:
        """The squares that the reply to a move at ``cursor`` would change."""
        ghost = self.picture.ghosts.get(cursor)
        return {} if ghost is None else ghost.squares

    def _around(self, square: SquareXY) -> tuple[Region, ...]:
        """The regions that the cursor changes: square, coordinates of its column and row."""
        (column, row), scale = self.grid.corner(square), self.grid.scale
        left, top = column - round(self.scroll_x), row - round(self.scroll_y)
        gutter, wide = self.grid.gutter, self.content_region.width
        head = self.grid.head
        area = Region(gutter + left, head + top, scale.width, scale.height)
        grid = Region(gutter, head, wide - gutter, self.content_region.height - head)
        names = Region(0, head + top, gutter, scale.height)
        return (area.intersection(grid), names, Region(0, 0, wide, head))

    def _show_cursor(self) -> None:
        if not self.is_attached or not self.size:
            return
        column, row = self.grid.corner(self.cursor)
        scale = self.grid.scale
        # The coordinates stay in place while the grid is scrolled under them.
        region = Region(
            column, row, scale.width + self.grid.gutter + 1, scale.height + self.grid.head + 1
        )
        self.scroll_to_region(region, animate=False, force=True)

    # Input

    def action_step(self, dx: int, dy: int) -> None:
        """Move the cursor, up to the edge."""
        board = self.picture.board
        x, y = self.cursor[0] + dx, self.cursor[1] + dy
        self.move_cursor((min(max(x, 1), board.width), min(max(y, 1), board.height)))

    def action_pick(self) -> None:
        self.post_message(self.Picked(self.cursor, key=True))

    def square_at(self, x: int, y: int) -> SquareXY | None:
        """The square drawn at a place of the widget, as it is scrolled."""
        if x < self.grid.gutter or y < self.grid.head:
            return None
        column = x - self.grid.gutter + round(self.scroll_x)
        return self.grid.square_at(column, y - self.grid.head + round(self.scroll_y))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        square = None if offset is None else self.square_at(offset.x, offset.y)
        if square is not None:
            event.stop()
            self.move_cursor(square)
            self.post_message(self.Picked(square))

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One row: the coordinates, or a row of the grid moved by the scrolling."""
        width = self.scrollable_content_region.width
        gutter = self.grid.gutter
        left = round(self.scroll_x)
        blank = Segment(" " * width, self.rich_style)
        if self.beside:
            width -= self._target_width
        if y < self.grid.head:
            head = Segment(" " * gutter, self.rich_style)
            strip = Strip([head, *self._columns(y).crop(left, left + width - gutter)])
        else:
            row = y - self.grid.head + round(self.scroll_y)
            if row >= self.grid.size[1]:
                return self._with_target(Strip([blank]).crop(0, width), y)
            grid = self._row(row).crop(left, left + width - gutter)
            strip = Strip([self._coordinate(row), *grid])
        strip = strip.extend_cell_length(width, self.rich_style).crop(0, width)
        return self._with_target(strip, y)

    def _with_target(self, strip: Strip, y: int) -> Strip:
        """A row of the widget with the target's row beside it."""
        if not self.beside:
            return strip
        target = self.picture.target
        segments = [Segment(" " * _BESIDE, self.rich_style)]
        if y == 0:
            style = self.get_component_rich_style("board--coordinate")
            segments.append(Segment(_TARGET, style))
        elif 2 <= y < len(target) + 2:
            wood = self.get_component_rich_style("board--wood").bgcolor
            ink = self.rich_style + Style(color=wood)
            drawn = "".join("██" if sign == "X" else "  " for sign in target[y - 2])
            segments.append(Segment(drawn, ink))
        length = strip.cell_length + self._target_width
        return Strip([*strip, *segments]).extend_cell_length(length, self.rich_style)

    def _columns(self, line: int) -> Strip:
        style = self.get_component_rich_style("board--coordinate")
        here = self.get_component_rich_style("board--coordinate-cursor")
        segments: list[Segment] = []
        filled = 0
        for x in range(1, self.grid.columns + 1):
            column, _ = self.grid.corner((x, 1))
            label = self.picture.board.column_name(x)
            label = glyph_row(label, line) if self.grid.large else label
            start = column + (self.grid.scale.width - 1) // 2 - (len(label) - 1) // 2
            segments.append(Segment(" " * (start - filled), self.rich_style))
            segments.append(Segment(label, here if x == self.cursor[0] else style))
            filled = start + len(label)
        return Strip(segments).extend_cell_length(self.grid.size[0], self.rich_style)

    def _coordinate(self, row: int) -> Segment:
        gutter = self.grid.gutter
        _, pitch = self.grid.scale.pitch
        first = self.grid.scale.lines + self.grid.rim
        y, inside = divmod(row - first, pitch)
        line = inside - (self.grid.scale.height - self.grid.head) // 2
        if not self.grid.large:
            line = inside - (self.grid.scale.height - 1) // 2
        if not 0 <= line < self.grid.head or row < first or y >= self.grid.rows:
            return Segment(" " * gutter, self.rich_style)
        here = y + 1 == self.cursor[1]
        name = "board--coordinate-cursor" if here else "board--coordinate"
        label = self.picture.board.row_name(y + 1)
        label = glyph_row(label, line) if self.grid.large else label
        return Segment(f"{label:>{gutter - 1}} ", self.get_component_rich_style(name))

    def _row(self, row: int) -> Strip:
        scale, rim = self.grid.scale, self.grid.rim
        y, inside = divmod(row - scale.lines - rim, scale.pitch[1])
        if rim and not 0 <= y < self.grid.rows:
            return self._rim(0 if y < 0 else self.grid.rows - 1)
        if scale.lines and (row == 0 or inside == scale.height):
            return self._line(row)
        indent = self.grid.indent(y + 1)
        halfway = inside == (scale.height - 1) // 2
        named = rim and halfway and self.grid.indent(self.grid.rows) > len(self._owners[1])
        if named and y == self.grid.rows - 1:
            name = f"{self._owners[1]} ".rjust(indent)
            segments = [Segment(name, self.get_component_rich_style("board--coordinate"))]
        else:
            segments = [Segment(" " * indent, self.rich_style)]
        if rim:
            segments.append(Segment("┃", self._side(top=False)))
        line = self.get_component_rich_style("board--line")
        for x in range(1, self.grid.columns + 1):
            if scale.lines:
                joint = (x - 1, y + 1), (x, y + 1)
                drawn = self._in_body(inside) and joint in self.picture.board.joints
                sign = "═" if halfway else " "
                segments.append(
                    Segment(sign, self._joint((x, y + 1))) if drawn else Segment("│", line)
                )
            segments += self._square((x, y + 1), inside)
        if scale.lines:
            segments.append(Segment("│", line))
        if rim:
            segments.append(Segment("┃", self._side(top=False)))
        if named and y == 0:
            name = f" {self._owners[1]}"
            segments.append(Segment(name, self.get_component_rich_style("board--coordinate")))
        return Strip(segments).extend_cell_length(self.grid.size[0], self.rich_style)

    def _rim(self, y: int) -> Strip:
        """The side at the top (row 0) or the bottom, with the name of its owner."""
        blank = Segment(" " * (self.grid.indent(y + 1) + 1), self.rich_style)
        width, name = self.grid.columns * self.grid.scale.width, f" {self._owners[0]} "
        side = Segment(name.center(width, "━"), self._side(top=True))
        return Strip([blank, side]).extend_cell_length(self.grid.size[0], self.rich_style)

    @property
    def _owners(self) -> tuple[str, str]:
        """Who connects top and bottom, and who left and right; no names without sides."""
        owner = self.picture.top_owner
        return ("", "") if owner is None else (str(owner), str(owner.other))

    def _side(self, *, top: bool) -> Style:
        """The style of a side of the board: the owner's colour on the board's background."""
        wood = self.get_component_rich_style("board--wood")
        owner = self.picture.top_owner
        if owner is None:
            return wood
        name = (owner if top else owner.other).value
        frame = self.get_component_rich_style("board--line").color if name == "white" else None
        # White's sides are drawn on darker wood: white beside a light screen is not seen.
        ink = self.get_component_rich_style(f"board--{name}", partial=True)
        return wood + ink + Style(bgcolor=frame)

    def _line(self, row: int) -> Strip:
        ends = "┌┬┐" if row == 0 else "└┴┘" if row == self.grid.size[1] - 1 else "├┼┤"
        scale, style = self.grid.scale, self.get_component_rich_style("board--line")
        y = row // scale.pitch[1]
        left = "─" * ((scale.width - 1) // 2)
        segments: list[Segment] = []
        for x in range(1, self.grid.columns + 1):
            segments.append(Segment(ends[0] if x == 1 else ends[1], style))
            if ((x, y), (x, y + 1)) in self.picture.board.joints:
                reach = max(0, (scale.width - 5) // 2)
                before, after = len(left) - reach, scale.width - 1 - len(left) - reach
                joint = Segment("║".center(2 * reach + 1), self._joint((x, y)))
                segments += [Segment("─" * before, style), joint, Segment("─" * after, style)]
            else:
                segments.append(Segment("─" * scale.width, style))
        return Strip([*segments, Segment(ends[2], style)])

    def _joint(self, square: SquareXY) -> Style:
        """The look of what joins the two squares of a piece: its player's colour, also behind it.

        Without colours a line is seen, or nothing.
        """
        style = self.get_component_rich_style("board--line")
        name = self.picture.board[square].name.lower()
        style += self.get_component_rich_style(f"board--{name}", partial=True)
        return style + Style(bgcolor=style.color)

    def _in_body(self, inside: int) -> bool:
        """True for the rows of a square in which a piece goes on to the next square."""
        height = self.grid.scale.height
        return height < 3 or 0 < inside < height - 1

    def _square(self, square: SquareXY, inside: int) -> list[Segment]:
        scale = self.grid.scale
        content = self.picture.board[square]
        marks = self.picture.marks.get(square, frozenset())
        legal, piece = SquareMark.LEGAL in marks, piece_of(self.picture.board, content)
        row = square_rows(content, scale.width, scale.height, legal, piece)[inside]
        chars = list(row.text)
        ground = self._ground(square, marks)
        style = ground + self._ink(content, marks)
        styles = [style] * scale.width
        sign = ground + self.get_component_rich_style("board--cursor", partial=True)
        letter = self.picture.letters.get(square)
        halfway = inside == (scale.height - 1) // 2
        middle = (scale.width - 1) // 2
        line = inside - (scale.height - HEIGHT) // 2
        # A ghost takes the place of a dot, and stands to the right of a letter or a stone.
        beside = middle + (letter is not None or content is not Square.OPEN)
        if letter is not None and self.grid.large and content is Square.OPEN and has_glyphs(letter):
            drawn = glyph_row(letter, line) if 0 <= line < HEIGHT else ""
            start = (scale.width - len(drawn)) // 2
            if len(drawn) + 2 <= scale.width:
                chars[start : start + len(drawn)] = drawn
                styles[start : start + len(drawn)] = [sign] * len(drawn)
                beside = min(start + max(len(drawn), 1), scale.width - 1)
        elif letter is not None and content is Square.OPEN and halfway:
            chars[middle] = letter
            styles[middle] = sign
        ghost = self._ghosts(self.cursor).get(square)
        if ghost in _GHOSTS and content is not ghost and halfway:
            chars[beside] = _GHOSTS[ghost]
            styles[beside] = ground + self.get_component_rich_style(
                f"board--{ghost.name.lower()}", partial=True
            )
        for column in row.filled:
            styles[column] = style + Style(bgcolor=style.color)
        x, y = square
        if self._in_body(inside):
            free = len(row.text) - len(row.text.lstrip()), len(row.text.rstrip())
            if ((x - 1, y), square) in self.picture.board.joints:
                styles[: free[0]] = [self._joint(square)] * free[0]
            if (square, (x + 1, y)) in self.picture.board.joints:
                styles[free[1] :] = [self._joint(square)] * (scale.width - free[1])
        first = min(marks, key=list(SquareMark).index, default=None)
        # An open square that may be taken has a larger dot instead.
        open_dot = first is SquareMark.LEGAL and content is Square.OPEN
        signed = first is not None and halfway and not open_dot and SIDES[first][0] != " "
        if first is not None and signed:
            chars[0], chars[-1] = SIDES[first]
        if square == self.cursor:
            # Around the whole of a square that has more rows than one; signs stay to be seen.
            last = scale.height - 1
            corners = "[]" if not last else "┏┓" if not inside else "┗┛" if inside == last else "┃┃"
            if not signed or not last:
                chars[0] = corners[0]
            if not signed:
                chars[-1] = corners[1]
        if signed or square == self.cursor:
            styles[0] = styles[-1] = sign
        return [
            Segment("".join(char for char, _ in run), style)
            for style, run in groupby(zip(chars, styles, strict=True), key=itemgetter(1))
        ]

    def _ground(self, square: SquareXY, marks: frozenset[SquareMark]) -> Style:
        for mark in SquareMark:
            if mark in marks and mark is not SquareMark.LEGAL:
                return self.get_component_rich_style(f"board--{mark.value}")
        other = (square[0] + square[1]) % 2
        return self.get_component_rich_style("board--wood-alt" if other else "board--wood")

    def _ink(self, content: Square, marks: frozenset[SquareMark]) -> Style:
        if content is Square.OPEN:
            name = "board--legal" if SquareMark.LEGAL in marks else "board--dot"
        else:
            name = f"board--{content.name.lower()}"
        return self.get_component_rich_style(name, partial=True)
