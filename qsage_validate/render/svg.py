"""Boards and charts as SVG, and text from files as text alone.

The colours of a light page are attributes of the shapes, so that every renderer and a printer
show them; :data:`STYLE` has rules that replace them where a reader prefers dark pages.  Nothing
is said by colour alone: Black is solid, White is open, the last move has a ring or a dot, and a
wrong square a dashed frame with a cross.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape as _escape
from typing import Final

from qsage_validate.arena.frame import Frame, PlayState
from qsage_validate.errors import IllegalMoveError, MalformedMoveError, visible
from qsage_validate.games.bddl.pursuit import Piece, piece_of
from qsage_validate.games.protocol import (
    BoardPicture,
    Player,
    Position,
    Shape,
    Square,
    TwoPlayerGame,
    said_move,
)
from qsage_validate.strategies.reader import LayoutMove, SquareXY

# Text from files inside SVG and HTML: nothing of it can become markup


def escape(text: str) -> str:
    """``text`` for use between tags and inside quoted attributes.

    Control characters and lone surrogates, which XML does not allow, are shown as Python
    writes them.
    """
    return _escape(visible(text), quote=True)


def number(value: float) -> str:
    """A coordinate with at most two decimals and no superfluous zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


# A small bar chart as SVG; the numbers stand on the bars, so that it can be read without one


_WIDTH, _HEIGHT = 560.0, 190.0
_HEAD_ROOM, _BOTTOM, _MARGIN = 26.0, 40.0, 8.0
_WIDEST = 56.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A column: its name below, and two stacked parts."""

    name: str
    good: int
    bad: int = 0

    @property
    def total(self) -> int:
        """Both parts."""
        return self.good + self.bad


def bar_chart(bars: Sequence[Bar], *, title: str, axis: str, identifier: str = "chart") -> str:
    """The chart as an ``svg`` element for a page that has the rules for ``.chart``.

    The second part of a bar is hatched: colour alone says nothing.
    """
    most = max((bar.total for bar in bars), default=0) or 1
    room = (_WIDTH - 2 * _MARGIN) / max(len(bars), 1)
    wide = min(_WIDEST, room * 0.7)
    floor, scale = _HEIGHT - _BOTTOM, (_HEIGHT - _BOTTOM - _HEAD_ROOM) / most
    said = "; ".join(
        f"{bar.name}: {bar.good:,}" + (f" and {bar.bad:,} not as promised" if bar.bad else "")
        for bar in bars
    )
    parts = [
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {number(_WIDTH)} {number(_HEIGHT)}" width="{number(_WIDTH)}" '
        f'height="{number(_HEIGHT)}" aria-labelledby="{identifier}-t {identifier}-d">',
        f'<title id="{identifier}-t">{escape(title)}</title>',
        f'<desc id="{identifier}-d">{escape(said)}</desc>',
        f'<defs><pattern id="{identifier}-h" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="6" height="6" class="bad"/>'
        '<path d="M0 0V6" class="hatch"/></pattern></defs>',
        f'<path class="floor" d="M{number(_MARGIN)} {number(floor)}H{number(_WIDTH - _MARGIN)}"/>',
    ]
    for k, bar in enumerate(bars):
        middle = _MARGIN + room * (k + 0.5)
        left = number(middle - wide / 2)
        # A bar that stands for something is never too low to be seen.
        high = max(bar.good * scale, 1.5 if bar.good else 0)
        more = max(bar.bad * scale, 1.5 if bar.bad else 0)
        for low, tall, paint in (
            (floor, high, 'class="good"'),
            (floor - high, more, f'fill="url(#{identifier}-h)"'),
        ):
            if tall:
                parts.append(
                    f'<rect x="{left}" y="{number(low - tall)}" width="{number(wide)}" '
                    f'height="{number(tall)}" {paint}/>'
                )
        if bar.total:
            above = number(floor - high - more - 6)
            parts.append(f'<text x="{number(middle)}" y="{above}">{bar.total:,}</text>')
        below = number(floor + 16)
        parts.append(f'<text x="{number(middle)}" y="{below}">{escape(bar.name)}</text>')
    parts.append(
        f'<text class="axis" x="{number(_WIDTH / 2)}" y="{number(_HEIGHT - 6)}">'
        f"{escape(axis)}</text></svg>"
    )
    return "".join(parts)


# Boards as SVG: for reports, exports and papers


# Sizes in the drawing's own units, which are CSS pixels when it is not scaled.
_SIDE = 40.0
_RADIUS = 15.0
_HEXAGON = 24.0
_LEFT, _TOP, _EDGE = 26.0, 24.0, 4.0

# Attributes of each kind of shape on a light page, and the rule for a dark one.
_PAINT: Mapping[str, tuple[str, str]] = {
    "cell": ('fill="#f3eee3" stroke="#a69b85"', "fill:#6d7683;stroke:#454c57"),
    "changed": ('fill="#ead79a" stroke="#a69b85"', "fill:#8f8558;stroke:#454c57"),
    "dot": ('fill="#a69b85"', "fill:#454c57"),
    "black": ('fill="#1d1e20" stroke="#1d1e20"', "fill:#0c0d0f;stroke:#0c0d0f"),
    "white": ('fill="#ffffff" stroke="#2b2b2b"', "fill:#f7f5f0;stroke:#1d1f23"),
    "on-black": ('fill="none" stroke="#ffffff"', "stroke:#f7f5f0"),
    "on-white": ('fill="none" stroke="#2b2b2b"', "stroke:#1d1f23"),
    "left": ('fill="none" stroke="#7a6a2f"', "stroke:#f0dd9a"),
    "wrong": ('fill="none" stroke="#b3261e"', "stroke:#ffb4ab"),
    "number-black": ('fill="#ffffff"', "fill:#f7f5f0"),
    "number-white": ('fill="#1d1e20"', "fill:#1d1f23"),
    "number-open": ('fill="#57534a"', "fill:#f2efe8"),
    "side": ('fill="none" stroke="#1d1e20"', "stroke:#0c0d0f"),
    "side-white": ('fill="none" stroke="#ffffff"', "stroke:#f7f5f0"),
    "axis": ('fill="#5f5b53"', "fill:#aab1bc"),
    "caption": ('fill="#26272a"', "fill:#dfe3ea"),
    "remark": ('fill="#5f5b53"', "fill:#aab1bc"),
    "page": ('fill="#ffffff"', "fill:#16191e"),
}

_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')

FONT = "ui-sans-serif, 'Helvetica Neue', Helvetica, Arial, sans-serif"
STYLE = (
    "@media screen and (prefers-color-scheme:dark){"
    + "".join(f".qs-{name}{{{dark}}}" for name, (_, dark) in _PAINT.items())
    + "}"
)
"""The rules for dark pages: once in a page, or in each drawing that stands alone."""


def paint(name: str) -> str:
    """The class and the light colours of a kind of shape, as attributes."""
    return f'class="qs-{name}" {_PAINT[name][0]}'


def paints(name: str) -> dict[str, str]:
    return dict(_ATTRIBUTE.findall(paint(name)))


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks on a board; all squares are 1-based.

    ``changed`` have another content than before, ``last`` is the square that the last move
    names, ``wrong`` are those on which formula and rules differ; ``labels`` are written on
    squares (the numbers of plies, in diagrams of a whole play).
    """

    changed: Collection[SquareXY] = ()
    last: SquareXY | None = None
    wrong: Collection[SquareXY] = ()
    labels: Mapping[SquareXY, str] | None = None


NO_MARKS = Marks()


def board_svg(
    board: BoardPicture,
    marks: Marks = NO_MARKS,
    *,
    title: str = "Board",
    identifier: str = "board",
    standalone: bool = True,
) -> str:
    """The board as one ``svg`` element, with a title and a description for screen readers.

    ``identifier`` must be unique in the page.  A drawing that stands alone brings
    :data:`STYLE` with it; inside HTML the page has it.  Hexagons form a rhombus: row y is half
    a hexagon further right than the row above it, so that (x,y) touches (x-1,y+1) and (x,y+1).
    """
    width, height = size(board)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" role="img" '
        f'aria-labelledby="{escape(identifier)}-t {escape(identifier)}-d" '
        f'font-family="{escape(FONT)}">',
        f'<title id="{escape(identifier)}-t">{escape(title)}</title>',
        f'<desc id="{escape(identifier)}-d">{escape(describe(board, marks))}</desc>',
    ]
    if standalone:
        parts.append(f"<style>{STYLE}</style>")
    parts.append(drawing(board, marks))
    parts.append("</svg>")
    return "".join(parts)


def drawing(board: BoardPicture, marks: Marks = NO_MARKS) -> str:
    """The shapes alone, for use inside another drawing; see :func:`size`."""
    grid = _grid(board)
    return "".join([*grid.axes(), *grid.cells(marks), *grid.sides(), *grid.contents(marks)])


def size(board: BoardPicture) -> tuple[float, float]:
    """Width and height of the drawing of a board."""
    return _grid(board).size


def centres(board: BoardPicture) -> dict[SquareXY, tuple[float, float]]:
    """The middle of each square in the drawing of a board."""
    grid = _grid(board)
    return {square: grid.centre(square) for square in _all_squares(board)}


def _grid(board: BoardPicture) -> _Grid:
    return _Hexagons(board) if board.shape is Shape.HEXAGONS else _Squares(board)


FORMS: Final[Mapping[Piece, tuple[tuple[float, float], ...]]] = {
    Piece.FUGITIVE: ((-1.1, 0), (0, -1.1), (1.1, 0), (0, 1.1)),
    Piece.PURSUER: ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
}
"""The corners of pieces that are no stones, in their radius."""


def describe(board: BoardPicture, marks: Marks = NO_MARKS) -> str:
    cells = "hexagons" if board.shape is Shape.HEXAGONS else "squares"
    said = [f"{board.width} by {board.height} {cells}."]
    if board.top is not None:
        said.append(f"{board.top} connects top and bottom, {board.top.other} the other sides.")
    if board.shape is Shape.HEAPS:
        said = [f"Heaps: {', '.join(_heaps(board))}."]
    else:
        for name, content in (("Black", Square.BLACK), ("White", Square.WHITE)):
            own = [square for square in _all_squares(board) if board[square] is content]
            form = piece_of(board, content)
            name += "" if form is Piece.STONE else f"'s {form.name.lower()}"
            said.append(f"{name}: {_listed(own) or 'none'}.")
    if marks.last is not None:
        said.append(f"Last move: {_listed([marks.last])}.")
    if marks.changed:
        said.append(f"Changed: {_listed(sorted(marks.changed))}.")
    if marks.wrong:
        said.append(f"Different in formula and rules: {_listed(sorted(marks.wrong))}.")
    if marks.labels:
        numbers = ", ".join(f"{_listed([s])} {text}" for s, text in marks.labels.items())
        said.append(f"Labels: {numbers}.")
    return " ".join(said)


def _heaps(board: BoardPicture) -> Iterator[str]:
    """Each heap with its number of tokens: ``v1 3``."""
    for y in range(1, board.height + 1):
        tokens = sum(board[x, y] is not Square.OPEN for x in range(1, board.width + 1))
        yield f"{board.row_name(y)} {tokens}"


def _listed(squares: Collection[SquareXY]) -> str:
    return ", ".join(f"({x},{y})" for x, y in squares)


def _all_squares(board: BoardPicture) -> list[SquareXY]:
    return [(x, y) for y in range(1, board.height + 1) for x in range(1, board.width + 1)]


class _Grid(ABC):
    """The common part of both shapes of board; ``pitch`` is the width of a square."""

    radius = _RADIUS
    pitch: float

    def __init__(self, board: BoardPicture) -> None:
        self.board = board
        longest = max(map(len, board.names), default=len(str(board.height)))
        self.left = _LEFT + 8 * max(0, longest - 2)

    @property
    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height of the drawing."""

    @abstractmethod
    def centre(self, square: SquareXY) -> tuple[float, float]: ...

    @abstractmethod
    def outline(self, square: SquareXY, inset: float, attributes: str) -> str:
        """The border of a square, moved inwards."""

    def axes(self) -> Iterator[str]:
        """The numbers of columns and rows."""
        for x in range(1, self.board.width + 1):
            cx, _ = self.centre((x, 1))
            yield _text(cx, _TOP - 8, self.board.column_name(x), paint("axis"), 12)
        for y in range(1, self.board.height + 1):
            cx, cy = self.centre((1, y))
            left, name = cx - self.pitch / 2 - 8, self.board.row_name(y)
            yield _text(left, cy + 4, name, paint("axis"), 12, "end")

    def sides(self) -> Iterator[str]:
        """The marks of the owners of the board's sides; empty if the sides have no owner."""
        yield from ()

    def cells(self, marks: Marks) -> Iterator[str]:
        """The squares themselves, plain ones first: a border belongs to the changed ones."""
        changed = set(marks.changed)
        for square in _all_squares(self.board):
            if square not in changed:
                yield self.outline(square, 0, paint("cell"))
        for square in _all_squares(self.board):
            if square in changed:
                yield self.outline(square, 0, paint("changed"))

    def contents(self, marks: Marks) -> Iterator[str]:
        """Stones, labels and marks."""
        labels = marks.labels or {}
        covered = {square for piece in self.board.pieces or () for square in piece}
        yield from self._pieces()
        for square in _all_squares(self.board):
            content, (cx, cy) = self.board[square], self.centre(square)
            place = f'cx="{number(cx)}" cy="{number(cy)}"'
            kind = {Square.BLACK: "black", Square.WHITE: "white", Square.OPEN: "open"}[content]
            if content is not Square.OPEN and square not in covered:
                yield self._piece(content, cx, cy, f'{paint(kind)} stroke-width="1.5"')
            elif content is Square.OPEN and square not in labels:
                yield f'<circle {place} r="1.8" {paint("dot")}/>'
            if square in labels:
                yield _text(cx, cy + 5, labels[square], paint(f"number-{kind}"), 15)
            elif square == marks.last:
                yield self._ring(place, content)
            if square in marks.wrong:
                yield self._cross(square, labelled=square in labels)

    def _pieces(self) -> Iterator[str]:
        """The pieces that cover several squares: Black's are solid, White's have an outline."""
        joints = sorted(self.board.joints)
        for name, content, wide in (
            ("side", Square.BLACK, 1.5),
            ("on-white", Square.WHITE, 1.5),
            ("side-white", Square.WHITE, -1.5),
        ):
            for first, second in joints:
                if self.board[first] is content:
                    (x1, y1), (x2, y2) = self.centre(first), self.centre(second)
                    ends = f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"
                    width = number(2 * self.radius + wide)
                    line = f'{paint(name)} stroke-width="{width}" stroke-linecap="round"'
                    yield f'<path d="{ends}" {line}/>'

    def _piece(self, content: Square, cx: float, cy: float, look: str) -> str:
        """A stone, or a diamond for a piece that flees and a block for the one that hunts it."""
        form, r = piece_of(self.board, content), self.radius
        if form is Piece.STONE:
            return f'<circle cx="{number(cx)}" cy="{number(cy)}" r="{number(r)}" {look}/>'
        corners = [(cx + r * x, cy + r * y) for x, y in FORMS[form]]
        path = "L".join(f"{number(x)} {number(y)}" for x, y in corners)
        return f'<path d="M{path}Z" {look}/>'

    def _ring(self, place: str, content: Square) -> str:
        """The sign of the last move: a ring on its stone, or around the square that it left."""
        if content is Square.OPEN:
            attributes = f'{paint("left")} stroke-width="1.5" stroke-dasharray="3 3"'
            return f'<circle {place} r="{number(self.radius * 0.6)}" {attributes}/>'
        name = "on-black" if content is Square.BLACK else "on-white"
        return f'<circle {place} r="{number(self.radius * 0.45)}" {paint(name)} stroke-width="2"/>'

    def _cross(self, square: SquareXY, *, labelled: bool) -> str:
        (cx, cy), r = self.centre(square), self.radius * 0.7
        frame = self.outline(
            square, 2.5, f'{paint("wrong")} stroke-width="2.5" stroke-dasharray="5 3"'
        )
        if labelled:  # A cross would hide the label.
            return frame
        a, b, c, d = (number(v) for v in (cx - r, cx + r, cy - r, cy + r))
        path = f"M{a} {c}L{b} {d}M{b} {c}L{a} {d}"
        return f'{frame}<path d="{path}" {paint("wrong")} stroke-width="2.5"/>'


class _Squares(_Grid):
    pitch = _SIDE

    @property
    def size(self) -> tuple[float, float]:
        board = self.board
        return (self.left + board.width * _SIDE + _EDGE, _TOP + board.height * _SIDE + _EDGE)

    def centre(self, square: SquareXY) -> tuple[float, float]:
        x, y = square
        return (self.left + (x - 0.5) * _SIDE, _TOP + (y - 0.5) * _SIDE)

    def outline(self, square: SquareXY, inset: float, attributes: str) -> str:
        cx, cy = self.centre(square)
        corner, side = _SIDE / 2 - inset, _SIDE - 2 * inset
        return (
            f'<rect x="{number(cx - corner)}" y="{number(cy - corner)}" '
            f'width="{number(side)}" height="{number(side)}" {attributes}/>'
        )


class _Hexagons(_Grid):
    """A rhombus of hexagons that stand on a corner."""

    pitch = math.sqrt(3) * _HEXAGON

    @property
    def size(self) -> tuple[float, float]:
        board = self.board
        columns = board.width + (board.height - 1) / 2
        height = (1.5 * (board.height - 1) + 2) * _HEXAGON
        return (self.left + columns * self.pitch + _EDGE, _TOP + height + _EDGE)

    def centre(self, square: SquareXY) -> tuple[float, float]:
        x, y = square
        across = x - 0.5 + (y - 1) / 2
        return (self.left + across * self.pitch, _TOP + (1.5 * (y - 1) + 1) * _HEXAGON)

    def outline(self, square: SquareXY, inset: float, attributes: str) -> str:
        cx, cy = self.centre(square)
        reach = _HEXAGON - inset * 2 / math.sqrt(3)
        corners = " ".join(_corner((cx, cy), reach, k) for k in range(6))
        return f'<polygon points="{corners}" {attributes}/>'

    def sides(self) -> Iterator[str]:
        """Each side as a band along its hexagons: Black's is solid, White's is open."""
        top, last = self.board.top, self.board.height
        if top is None:
            return
        columns, rows = range(1, self.board.width + 1), range(1, last + 1)
        across, right = top.other, self.board.width
        # The corners of a hexagon are numbered from the lower right one, clockwise.
        ends = [
            (top, [((x, 1), k) for x in columns for k in (3, 4, 5)]),
            (top, [((x, last), k) for x in columns for k in (2, 1, 0)]),
            (across, [((1, y), k) for y in rows for k in ((3, 2, 1) if y < last else (3, 2))]),
            (across, [((right, y), k) for y in rows for k in ((4, 5, 0) if y > 1 else (5, 0))]),
        ]
        for owner, corners in ends:
            points = " ".join(_corner(self.centre(s), _HEXAGON, k) for s, k in corners)
            line = f'<polyline points="{points}" stroke-linejoin="round"'
            yield f'{line} {paint("side")} stroke-width="6"/>'
            if owner is Player.WHITE:
                yield f'{line} {paint("side-white")} stroke-width="3.5"/>'


def _corner(centre: tuple[float, float], reach: float, k: int) -> str:
    """Corner ``k`` of a hexagon that stands on one: 60 degrees apart, the first lower right."""
    angle = math.radians(60 * k + 30)
    x, y = centre[0] + reach * math.cos(angle), centre[1] + reach * math.sin(angle)
    return f"{number(x)},{number(y)}"


def _text(
    x: float, y: float, text: str, attributes: str, height: int, anchor: str = "middle"
) -> str:
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{height}" text-anchor="{anchor}" '
        f"{attributes}>{escape(text)}</text>"
    )


# The steps of a play as pictures and texts show them, wherever the play comes from


@dataclass(frozen=True, slots=True)
class RenderedStep:
    """A play after one ply (ply 0: the start, without player and move).

    ``remarks`` are sentences about this step: what is illegal or wrong in it; ``ending`` says
    who won and why, where the play is over.  ``rules_board`` is set where the rules' board is
    another one than ``board``.
    """

    ply: int
    player: Player | None
    move: str
    board: BoardPicture | None
    marks: Marks
    remarks: tuple[str, ...] = ()
    ending: str = ""
    rules_board: BoardPicture | None = None

    @property
    def caption(self) -> str:
        """``3. Black b2``."""
        return "Start" if self.player is None else f"{self.ply}. {self.player} {self.move}"


def steps_of_frames(frames: Iterable[Frame]) -> tuple[RenderedStep, ...]:
    steps: list[RenderedStep] = []
    before: BoardPicture | None = None
    for frame in frames:
        remarks = []
        if frame.board_by_rules:
            remarks.append("The formula does not describe this board; it is the rules' board.")
        if frame.illegal is not None:
            remarks.append(f"Let happen: {frame.illegal}")
        if frame.stopped:
            remarks.append(f"{frame.player} claims the goal.")
        remarks += frame.remarks
        remarks += [finding.text for finding in frame.findings]
        ending = "" if frame.outcome is None else frame.outcome.line
        last = frame.move.square if isinstance(frame.move, LayoutMove) else None
        rules = None if frame.position is None else frame.position.board
        move = "?" if frame.move is None and frame.player is not None else frame.said
        boards = (before, frame.board, rules)
        steps.append(_step(frame.ply, frame.player, move, boards, last, remarks, ending))
        before = frame.board
    return tuple(steps)


def steps_of_states(
    states: Iterable[PlayState], mover: Callable[[int], Player]
) -> tuple[RenderedStep, ...]:
    """The steps of a play that a play engine made; ``mover`` says who makes a ply (from 1)."""
    steps: list[RenderedStep] = []
    before: BoardPicture | None = None
    position: Position | None = None
    for state in states:
        player = mover(state.plies) if state.plies else None
        remarks = [finding.text for finding in state.findings]
        ending = ""
        if state.ending is not None:
            winner = state.ending.winner
            ending = ("" if winner is None else f"{winner} wins: ") + state.ending.reason
        board = state.shown_board
        last = state.last.square if isinstance(state.last, LayoutMove) else None
        rules = None if state.position is None else state.position.board
        move = state.moves[-1] if state.moves else ""
        move = move if position is None else said_move(position, move)
        boards = (before, board, rules)
        steps.append(_step(state.plies, player, move, boards, last, remarks, ending))
        before, position = board, state.position
    return tuple(steps)


def steps_by_rules(game: TwoPlayerGame, moves: Sequence[str]) -> tuple[RenderedStep, ...]:
    """The steps of a play by the rules alone, up to the first illegal move."""
    position = game.initial
    steps = [_step(0, None, "", (None, position.board, None), None, [])]
    for ply, text in enumerate(moves, start=1):
        player = game.player_at(ply)
        before = position.board
        try:
            move = position.named(text)
            position = position.play(move)
        except (IllegalMoveError, MalformedMoveError) as error:
            steps.append(_step(ply, player, text, (before, before, None), None, [str(error)]))
            return tuple(steps)
        outcome = position.outcome
        ending = "" if outcome is None else f"{outcome.winner} wins: {outcome.reason}"
        last = game.square_of(str(move))
        boards = (before, position.board, None)
        steps.append(_step(ply, player, game.say(move, player, before), boards, last, [], ending))
    return tuple(steps)


def _step(
    ply: int,
    player: Player | None,
    move: str,
    boards: tuple[BoardPicture | None, BoardPicture | None, BoardPicture | None],
    last: SquareXY | None,
    remarks: Sequence[str],
    ending: str = "",
) -> RenderedStep:

    before, board, rules = boards
    changed = [] if before is None or board is None else before.differences(board)
    wrong: list[SquareXY] = []
    if board is not None and rules is not None:
        # Only the rules know what a board looks like: state variables have no shape, no sides.
        board = replace(rules, squares=board.squares, pieces=board.pieces)
        wrong = board.differences(rules)
    if board is None or last is None or not _on(board, last):
        last = None
    elif changed and last not in changed:
        # A move may name another square than it changes: a column, in which a stone falls.
        last = changed[0] if len(changed) == 1 else None
    marks = Marks(tuple(changed), last, tuple(wrong))
    shown = rules if wrong else None
    return RenderedStep(ply, player, move, board, marks, tuple(remarks), ending, shown)


def _on(board: BoardPicture, square: SquareXY) -> bool:
    return 1 <= square[0] <= board.width and 1 <= square[1] <= board.height


def diagram(steps: Sequence[RenderedStep]) -> tuple[BoardPicture, Marks] | None:
    """A whole play in one board: its end, each square labelled with the ply that changed it.

    ``None`` for a play without boards.
    """
    boards = [(step, step.board) for step in steps if step.board is not None]
    if not boards:
        return None
    labels: dict[SquareXY, str] = {}
    for step, _ in boards:
        labels.update(dict.fromkeys(step.marks.changed, str(step.ply)))
    last, board = boards[-1]
    return board, Marks(wrong=last.marks.wrong, labels=labels)
