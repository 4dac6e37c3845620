"""What the interface shows of a play: its board as cells, panes, lessons.

Black is drawn solid and White as a ring, so that the two differ without colour as well; the
interface fills White's ring where there are colours.

All pure, so that what the interface claims can be tested without a screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import Final

from qsage_validate.arena.frame import (
    BlockMove,
    Frame,
    Hint,
    LayoutMove,
    MatchOutcome,
    SquareXY,
    told_once,
)
from qsage_validate.arena.lesson import (
    DistanceSource,
    Ghost,
    Lesson,
    letters_of_threats,
    threats_text,
)
from qsage_validate.arena.program import letters_of
from qsage_validate.games.bddl.pursuit import Piece
from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square
from qsage_validate.play.picking import Picks
from qsage_validate.play.tui.model.actions import key_of
from qsage_validate.play.tui.model.requests import Refused
from qsage_validate.play.tui.model.situation import MatchSituation

HEIGHT: Final = 3
"""The rows of a glyph; each is as many columns wide."""

# The five rows of dots of each glyph, three bits in a digit.
_DOTS: Final[Mapping[str, str]] = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        re.findall(
            ".{5}",
            "7555726227717477171755711747177475771122757577571725755656563444365556746477464434553"
            "5575572227111525565544447577556555525552656442556365655342167222255557555225577555255"
            "5522271247"
            "0635746556034431355303563127223571246555202221015245665622270777506555025520656403531"
            "034440363627223055530557205777052250531207367",
        ),
        strict=True,
    )
)
_HALVES: Final = " ▄▀█"


def has_glyphs(text: str) -> bool:
    """Whether each character of a name has a glyph."""
    return all(character in _DOTS for character in text)


def glyph_row(text: str, row: int) -> str:
    """A row (from 0) of a name in large letters, with a column between two of them."""
    return " ".join(_row(_DOTS[character] + "0", row) for character in text)


def _row(dots: str, row: int) -> str:
    above, below = (int(dots[2 * row + half]) for half in (0, 1))
    return "".join(_HALVES[2 * (above >> bit & 1) + (below >> bit & 1)] for bit in (2, 1, 0))


def ply_notes(line: Sequence[Frame], lessons: Mapping[int, Lesson]) -> dict[int, str]:
    """The facts about the plies of a line, by the indices of its frames.

    After a ply of the certificate's: within how many more plies it wins; after one of the
    person's: by how many plies another move lasts longer.
    """
    notes: dict[int, str] = {}
    for index, lesson in lessons.items():
        distance, frame = lesson.distance, line[index]
        by_tree = distance is not None and distance.source is DistanceSource.CERTIFICATE
        if distance is not None and by_tree and distance.plies and frame.outcome is None:
            word = "wins" if distance.winner is Player.BLACK else "ends"
            notes[index] = f"{word} within {distance.plies}"
        if index + 1 < len(line):
            after = line[index + 1]
            short = None if after.by_certificate else lesson.grades.short(str(after.move))
            best = len(lesson.grades.best) == len(lesson.grades.distances)
            if short is not None and not best:
                notes[index + 1] = "lasts longest" if not short else f"{short} shorter"
    return notes


def ghosts_at(picks: Picks, lesson: Lesson, selected: SquareXY | None) -> Mapping[SquareXY, Ghost]:
    """The reply that would come if a square were picked, where one click means one reply."""
    found: dict[SquareXY, dict[str, Ghost]] = {}
    for move, area in picks.areas.items():
        ghost = lesson.ghosts.get(str(move))
        if ghost is None or not isinstance(move, LayoutMove):
            continue
        squares = area if selected is None else area - {selected}
        if len(squares) == 1 and (selected is None or selected in area):
            for square in squares:
                found.setdefault(square, {})[ghost.reply] = ghost
    return {s: next(iter(g.values())) for s, g in found.items() if len(g) == 1}


# The look and place of a square at each size: characters only, no colours, no widgets


class SquareMark(Enum):
    """The mark of a square, the most important first."""

    ILLEGAL = "illegal"
    FINDING = "finding"
    SELECTED = "selected"
    TARGET = "target"
    HINT = "hint"
    POINTED = "pointed"
    WON = "won"
    CHANGED = "changed"
    EARLIER = "earlier"
    LEGAL = "legal"


# The signs left and right of a square; they carry the mark where there is no colour.
SIDES: dict[SquareMark, tuple[str, str]] = {
    SquareMark.ILLEGAL: ("×", "×"),
    SquareMark.FINDING: ("!", "!"),
    SquareMark.SELECTED: ("«", "»"),
    SquareMark.TARGET: ("›", "‹"),
    SquareMark.HINT: ("?", "?"),
    SquareMark.POINTED: ("~", "~"),
    SquareMark.WON: ("*", "*"),
    SquareMark.CHANGED: ("‹", "›"),
    SquareMark.EARLIER: (" ", " "),
    SquareMark.LEGAL: ("(", ")"),
}

LEGAL_DOT = "•"
OPEN_DOT = "·"


@dataclass(frozen=True, slots=True)
class Scale:
    """The size of a square in characters, without the lines between squares."""

    width: int
    height: int
    lines: bool

    @property
    def pitch(self) -> tuple[int, int]:
        """Columns and rows from one square to the next."""
        return (self.width + self.lines, self.height + self.lines)


RECTANGLE_SCALES = (
    Scale(3, 1, False),
    Scale(3, 1, True),
    Scale(5, 2, True),
    Scale(7, 3, True),
    Scale(9, 4, True),
    Scale(11, 5, True),
    *(Scale(2 * height + 1, height, True) for height in range(6, 24)),
)
# Hexagons lean half a square to the right in each row: an even pitch, and no lines.
HEXAGON_SCALES = (
    Scale(4, 1, False),
    Scale(6, 2, False),
    Scale(8, 3, False),
    *(Scale(2 * height + 2, height, False) for height in range(4, 24)),
)


@dataclass(frozen=True, slots=True)
class GridGeometry:
    """The place of each square of a board, in characters from the grid's own corner."""

    columns: int
    rows: int
    shape: Shape
    scale: Scale
    names: int = 0
    """The length of the longest name of a row; 0 where rows have numbers."""
    rim: int = 0
    """1 where the owners of the sides are drawn around the board, of hexagons only."""
    large: bool = False
    """Whether the names of columns and rows are in large letters."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the drawing, without coordinates."""
        px, py = self.scale.pitch
        lean = (self.rows - 1) * (px // 2) if self.shape is Shape.HEXAGONS else 0
        around = self.scale.lines + 2 * self.rim
        return (self.columns * px + lean + around, self.rows * py + around)

    @property
    def gutter(self) -> int:
        """The columns that the coordinates on the left need."""
        return (self.names or len(str(self.rows))) * (HEIGHT + 1 if self.large else 1) + 1

    @property
    def head(self) -> int:
        """The rows that the coordinates at the top need."""
        return HEIGHT if self.large else 1

    @property
    def outer(self) -> tuple[int, int]:
        """Width and height with the coordinates."""
        width, height = self.size
        return (width + self.gutter, height + self.head)

    def indent(self, row: int) -> int:
        """The number of characters by which the row (from 1) is moved to the right."""
        return (row - 1) * (self.scale.pitch[0] // 2) if self.shape is Shape.HEXAGONS else 0

    def corner(self, square: SquareXY) -> tuple[int, int]:
        """The column and row of the upper left character inside ``square``."""
        x, y = square
        px, py = self.scale.pitch
        around = self.scale.lines + self.rim
        return ((x - 1) * px + around + self.indent(y), (y - 1) * py + around)

    def square_at(self, column: int, row: int) -> SquareXY | None:
        """The square drawn at a place; a line belongs to the square left of it or above."""
        px, py = self.scale.pitch
        lines = int(self.scale.lines)
        column, row = column - self.rim, row - self.rim
        y = max(0, row - lines) // py + 1
        if row < 0 or y > self.rows or column < self.indent(y):
            return None
        x = max(0, column - lines - self.indent(y)) // px + 1
        return (x, y) if x <= self.columns else None


def scales(shape: Shape) -> tuple[Scale, ...]:
    """The sizes to choose from, the smallest first."""
    return HEXAGON_SCALES if shape is Shape.HEXAGONS else RECTANGLE_SCALES


def best_grid(
    columns: int,
    rows: int,
    shape: Shape,
    width: int,
    height: int,
    names: int = 0,
    rim: int = 0,
    *,
    large: bool = False,
) -> GridGeometry:
    """The largest drawing with coordinates that fits; the smallest, to be scrolled, if none.

    ``large`` asks for large coordinates, where the squares are high enough for them.
    """
    grids = [GridGeometry(columns, rows, shape, scale, names, rim) for scale in scales(shape)]
    if large:
        grids += [replace(grid, large=True) for grid in grids if grid.scale.height >= HEIGHT]
    fitting = [g for g in grids if g.outer[0] <= width and g.outer[1] <= height]
    return fitting[-1] if fitting else grids[0]


@dataclass(frozen=True, slots=True)
class ArtRow:
    """One row of characters inside a square.

    ``filled`` are the columns inside White's ring, which take White's colour where there is any.
    """

    text: str
    filled: range = range(0)


@lru_cache(maxsize=512)
def square_rows(
    content: Square, width: int, height: int, legal: bool, piece: Piece = Piece.STONE
) -> tuple[ArtRow, ...]:
    """The inside of a square: ``height`` rows of ``width`` characters.

    An open square has a dot, a larger one if it is ``legal`` to take it.
    """
    if content is not Square.OPEN and height > 1 and piece is not Piece.STONE:
        return _halves(content is Square.WHITE, width, height, _NORMS[piece])
    if content is not Square.OPEN and height > _SMALL_DISC:
        return _halves(content is Square.WHITE, width, height, _round)
    if content is not Square.OPEN and height > 1:
        return _disc(content is Square.WHITE, width, height)
    sign = {Square.OPEN: OPEN_DOT, Square.BLACK: _SIGNS[piece][0], Square.WHITE: _SIGNS[piece][1]}[
        content
    ]
    if content is Square.OPEN and legal:
        sign = LEGAL_DOT
    middle = " " * ((width - 1) // 2) + sign + " " * (width // 2)
    return tuple(
        ArtRow(middle if row == (height - 1) // 2 else " " * width) for row in range(height)
    )


def _disc(ring: bool, width: int, height: int) -> tuple[ArtRow, ...]:
    # One column stays free on each side (two on the right where the width is even).
    span = width - 2 - (width % 2 == 0)
    rows = []
    for row in range(height):
        edge = min(row, height - 1 - row)
        inset, left = _corner(edge, span, height)
        ends = (left, left[::-1].translate(_MIRRORED))
        if row > edge:
            ends = (ends[0].translate(_FLIPPED), ends[1].translate(_FLIPPED))
        inner = span - 2 * (inset + len(left))
        filling = "█" if not ring else " " if edge else "▀" if row == 0 else "▄"
        text = " " * (1 + inset) + ends[0] + filling * inner + ends[1]
        start = 1 + inset + len(left)
        filled = range(start, start + inner) if ring else range(0)
        rows.append(ArtRow(text.ljust(width), filled))
    return tuple(rows)


# Up to so many rows a disc is a square without its corners.
_SMALL_DISC = 7


def _round(across: float, down: float) -> float:
    return across * across + down * down


# The signs of Black's and of White's pieces, and the forms of large ones.
_SIGNS: Mapping[Piece, str] = {
    Piece.STONE: "●○",
    Piece.FUGITIVE: "◆◇",
    Piece.PURSUER: "■□",
}
_NORMS: Mapping[Piece, Callable[[float, float], float]] = {
    Piece.FUGITIVE: lambda across, down: abs(across) + abs(down),
    Piece.PURSUER: lambda across, down: max(abs(across), abs(down)),
}


def _halves(
    ring: bool, width: int, height: int, norm: Callable[[float, float], float]
) -> tuple[ArtRow, ...]:
    """A piece of half blocks; a ring is two columns and one row thick, half of that if small.

    ``norm`` is at most 1 inside of the piece, by the parts of its half width and half height.
    """
    span = width - 2 - (width % 2 == 0)

    thick = 1 if height > _SMALL_DISC else 0.5

    def inside(column: int, half: int, less: float) -> bool:
        across = (column - 0.5 - span / 2) / (span / 2 - 2 * less)
        down = (half + 0.5 - height) / (height - 2 * less)
        return norm(across, down) <= 1

    rows = []
    for row in range(height):
        halves = [[inside(c, 2 * row + h, 0) for h in (0, 1)] for c in range(width)]
        text = "".join(" ▄▀█"[2 * above + below] for above, below in halves)
        hollow = [
            c
            for c in range(width if ring else 0)
            if all(inside(c, 2 * row + h, thick) for h in (0, 1))
        ]
        filled = range(hollow[0], hollow[-1] + 1) if hollow else range(0)
        text = text[: filled.start] + " " * len(filled) + text[filled.stop :] if filled else text
        rows.append(ArtRow(text, filled))
    return tuple(rows)


_MIRRORED = str.maketrans("▗▟▄", "▖▙▄")
_FLIPPED = str.maketrans("▗▟▖▙▄", "▝▜▘▛▀")


def _corner(edge: int, span: int, height: int) -> tuple[int, str]:
    """The free columns and the characters at the left end of the row ``edge`` from the rim."""
    if height > 4 and span > 8:
        return {0: (1, "▗▟"), 1: (0, "▟")}.get(edge, (0, "█"))
    if height > 3 and span > 6:
        return {0: (0, "▗▟")}.get(edge, (0, "█"))
    return {0: (0, "▟")}.get(edge, (0, "█"))


# The screen as data: the state of the interface with its texts and marks


@dataclass(frozen=True)
class ViewState:
    """The state of the interface beside the match itself.

    ``viewing`` is the index of another frame of the line that is looked at; ``looked`` says that
    the match has gone to the frame that is shown because it was looked at; ``pointed`` are squares
    that a row of the table of values points at; ``busy`` says what the worker is doing, and
    ``work`` how far that is where it can be cancelled; ``error`` is a failure and ``said`` a remark
    on the last thing that was asked.  ``lessons`` are what is known about frames of the line, by
    their indices, where the interface ``teaches``.
    """

    situation: MatchSituation
    viewing: int | None = None
    looked: bool = False
    selected: SquareXY | None = None
    tried: frozenset[SquareXY] = frozenset()
    refusal: Refused | None = None
    hint: Hint | None = None
    pointed: frozenset[SquareXY] = frozenset()
    teaches: bool = False
    lessons: Mapping[int, Lesson] = field(default_factory=dict)
    force: bool = False
    claiming: bool = False
    running: bool = False
    busy: str | None = None
    work: str | None = None
    waiting: int = 0
    error: str | None = None
    said: str | None = None

    @property
    def index(self) -> int:
        """The index of the frame that is shown."""
        return self.situation.last if self.viewing is None else self.viewing

    @property
    def frame(self) -> Frame:
        return self.situation.line[self.index]

    @property
    def lesson(self) -> Lesson | None:
        """The facts about the frame that is shown."""
        return self.lessons.get(self.index)

    @property
    def past(self) -> bool:
        """True if a frame is shown that is not the current one."""
        return self.index != self.situation.last

    def silent(self) -> ViewState:
        """The state without message and highlighted squares."""
        return replace(self, refusal=None, hint=None, pointed=frozenset(), error=None, said=None)


@dataclass(frozen=True)
class Picture:
    board: BoardPicture
    marks: Mapping[SquareXY, frozenset[SquareMark]] = field(default_factory=dict)
    target: tuple[str, ...] = ()
    """The shape that is to be formed, row by row; it is drawn beside the board."""
    top_owner: Player | None = None
    """Whose the sides at top and bottom are; the other player's are those left and right."""
    letters: Mapping[SquareXY, str] = field(default_factory=dict)
    """Letters on open squares: those of a pair, or of threats."""
    ghosts: Mapping[SquareXY, Ghost] = field(default_factory=dict)
    """The replies that would come if a square were picked: shown while the cursor is there."""


def picture(view: ViewState) -> Picture | None:
    """The board to draw, or ``None`` in the game of blocks."""
    board = view.frame.board
    if board is None:
        return None
    situation = view.situation
    marked: dict[SquareXY, set[SquareMark]] = {}

    def add(mark: SquareMark, squares: frozenset[SquareXY]) -> None:
        for square in squares:
            marked.setdefault(square, set()).add(mark)

    add(SquareMark.WON, frozenset(view.frame.won))
    add(SquareMark.CHANGED, situation.changed(view.index))
    add(SquareMark.EARLIER, situation.earlier(view.index))
    add(SquareMark.FINDING, frozenset(s for f in view.frame.findings for s in f.squares))
    add(SquareMark.POINTED, view.pointed)
    if not view.past:
        picks = situation.picks
        add(SquareMark.LEGAL, picks.starts(board))
        if view.selected is not None:
            add(SquareMark.SELECTED, frozenset({view.selected}))
            add(SquareMark.TARGET, picks.targets(view.selected))
        if view.refusal is not None:
            add(SquareMark.ILLEGAL, view.tried)
        if view.hint is not None:
            grades = None if view.lesson is None else view.lesson.grades
            some = grades is not None and len(grades.best) < len(grades.distances)
            hinted = {str(view.hint.move), *(grades.best if grades is not None and some else ())}
            areas = [area for move, area in picks.areas.items() if str(move) in hinted]
            add(SquareMark.HINT, frozenset().union(*areas))
    marks = {square: frozenset(own) for square, own in marked.items()}
    pairs = situation.pairs[view.index] if situation.pairs else None
    letters, lesson = letters_of(pairs or ()), view.lesson
    ghosts: Mapping[SquareXY, Ghost] = {}
    if lesson is not None and not situation.pairs:
        letters = letters_of_threats(lesson.threats)
    if lesson is not None and not view.past:
        ghosts = ghosts_at(situation.picks, lesson, view.selected)
    facts = situation.facts
    return Picture(board, marks, facts.target, facts.top_owner, letters, ghosts)


class Tone(Enum):
    """The colour of the status lines; the values are CSS classes."""

    TURN = "turn"
    BUSY = "busy"
    PAST = "past"
    REFUSED = "refused"
    FINDING = "finding"
    KEPT = "kept"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class StatusLines:
    tone: Tone
    headline: str
    detail: str


def status(view: ViewState) -> StatusLines:
    """The status of the moment that is shown; the most urgent thing first."""
    situation = view.situation
    if view.busy is not None:
        more = f" ({view.waiting} more waiting)" if view.waiting else ""
        if view.work is None:
            keys = f"Moves have to wait; other keys are queued{more}; Esc drops them"
            return StatusLines(Tone.BUSY, f"Working: {view.busy} …", keys)
        looking = f"Looking back at ply {view.frame.ply}; " if view.past else ""
        keys = f"{looking}{key_of('cancel')} cancels; {key_of('look_back')} looks back{more}"
        return StatusLines(Tone.BUSY, f"Working: {view.busy} … {view.work}", keys)
    if view.past:
        return _past(view)
    if view.refusal is not None:
        return _refused(view.refusal, situation.facts.by_rules)
    if view.error is not None:
        return StatusLines(
            Tone.REFUSED, view.error, f"{key_of('help')} help, {key_of('menu')} moves"
        )
    if situation.outcome is not None:
        return _over(situation, situation.outcome)
    if view.frame.findings:
        found = situation.findings
        more = "" if len(found) == 1 else f" ({len(found)} so far)"
        return StatusLines(
            Tone.FINDING,
            f"FINDING{more}: {view.frame.findings[-1].text}",
            f"{key_of(_PANE_MESSAGES)} Messages has the variables and how to replay it",
        )
    return _turn(view)


_PANE_MESSAGES = "pane('messages')"
_PANE_WHY = "pane('why')"


def _past(view: ViewState) -> StatusLines:
    frame = view.frame
    what = "the start" if frame.player is None else f"{frame.player} {frame.said}"
    return StatusLines(
        Tone.PAST,
        f"Looking back at ply {frame.ply}: {what}",
        f"{key_of('look_back')} back, {key_of('look_forward')} forward, Esc to the present",
    )


def _refused(refusal: Refused, by_rules: bool) -> StatusLines:
    first = refusal.whys[0]
    because = first.lines[0] if first.lines else "no reason is known"
    if len(refusal.whys) > 1:
        more = len(refusal.whys) - 1
        said = f"{refusal.attempt}: {because} (and {more} more)"
    elif because.startswith(refusal.attempt):
        said = f"Illegal: {because}"
    else:
        said = f"{refusal.attempt} is illegal: {because}"
    if by_rules:
        return StatusLines(Tone.REFUSED, said, f"{key_of('menu')} lists the legal moves")
    return StatusLines(
        Tone.REFUSED,
        said,
        f"{key_of(_PANE_WHY)} Why not shows gates and values; "
        f"{key_of('force')} lets illegal moves happen",
    )


def _over(situation: MatchSituation, outcome: MatchOutcome) -> StatusLines:
    found = len(situation.findings)
    good = outcome.promised is True and not found
    promise = {
        True: f", as the {situation.facts.answers} promised",
        False: f": NOT what the {situation.facts.answers} promised",
        None: "",
    }[outcome.promised]
    verdict = "not evaluated" if outcome.verdict is None else str(outcome.verdict).lower()
    findings = "no findings" if not found else f"{found} finding" + "s" * (found > 1)
    winner = f"{outcome.winner} wins: " if outcome.winner is not None else ""
    said = f"Verdict gate {verdict}, {findings}"
    if not situation.facts.has_verdict:
        said = findings.capitalize()
    keys = ", ".join(f"{key_of(n)} {n}" for n in ("restart", "undo", "save", "quit"))
    return StatusLines(
        Tone.KEPT if good else Tone.BROKEN if outcome.promised is False or found else Tone.PAST,
        f"{winner}{outcome.reason}{promise}",
        f"{said}. {keys}",
    )


def _turn(view: ViewState) -> StatusLines:
    situation = view.situation
    ply = situation.frame.ply + 1
    of = f" of {situation.facts.plies}" if situation.facts.plies else ""
    if situation.waits:
        headline = f"{situation.facts.certificate_player}'s reply is still to come"
        return StatusLines(Tone.TURN, headline, view.said or "Enter asks for it")
    lesson = view.lesson
    far = None if lesson is None else lesson.distance
    whose = f"Your move, {situation.facts.person}: ply {ply}{of}" + (
        f". {far.short}" if far else ""
    )
    if view.running:
        return StatusLines(
            Tone.TURN, whose, f"A random player plays; {key_of('run')} or Esc stops it"
        )
    if view.claiming:
        text = "The next move claims the goal: the play ends with it"
        return StatusLines(Tone.TURN, whose, f"{text}; {key_of('claim')} takes the claim back")
    if view.said is not None:
        return StatusLines(Tone.TURN, whose, view.said)
    if view.hint is not None:
        return StatusLines(Tone.TURN, whose, f"Hint: {view.hint.text}")
    if not situation.legal:
        return StatusLines(Tone.REFUSED, whose, "You have no legal move.")
    if isinstance(situation.legal[0], BlockMove):
        return StatusLines(Tone.TURN, whose, "Set the bits and play the block, or type 7=1 8=0")
    if view.looked and situation.ahead and view.selected is None:
        keys = f"{key_of('look_back')} back, {key_of('look_forward')} forward, Esc to the present"
        return StatusLines(Tone.PAST, whose, f"A move here branches; {keys}")
    if view.selected is not None:
        board = view.frame.board
        named = str(view.selected) if board is None else board.square_name(view.selected)
        alone = any(area == {view.selected} for area in situation.picks.areas.values())
        again = ", or it again" if alone else ""
        return StatusLines(
            Tone.TURN, whose, f"{named} selected: pick a ›target‹{again}; Esc drops it"
        )
    why = "" if lesson is None else lesson.reason or threats_text(lesson.threats)
    if why:
        return StatusLines(Tone.TURN, whose, f"{situation.facts.certificate_player}: {why}")
    if view.frame.remarks:
        return StatusLines(Tone.TURN, whose, f"{view.frame.player}: {view.frame.remarks[-1]}")
    if situation.only_elsewhere is not None and not view.force:
        only = f"1 legal move: Enter or a typed {situation.only_elsewhere.words} plays it"
        return StatusLines(Tone.TURN, whose, only)
    count = len(told_once(situation.legal))
    kinds = "move" if count == 1 else "moves"
    pick = "pick a square or " if situation.facts.has_board else ""
    return StatusLines(
        Tone.TURN,
        whose,
        f"{count} legal {kinds}: {pick}type {key_of('type')}{situation.legal[0].words}",
    )


def square_text(view: ViewState, square: SquareXY) -> str:
    """The content of a square, for the end of the status line."""
    board = view.frame.board
    if board is None:
        return ""
    if board.shape is Shape.HEAPS:
        return board.square_name(square)
    if not 1 <= square[0] <= board.width or not 1 <= square[1] <= board.height:
        return ""
    content = {Square.OPEN: "open", Square.BLACK: "black", Square.WHITE: "white"}[board[square]]
    return f"{board.square_name(square)} {content}"
