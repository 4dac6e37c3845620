"""Strategies of Hex as and/or trees of local patterns: types, reader, writer, calculus.

A pattern says that Black connects its ends although White moves next, if its black stones are
there and the cells of its carrier are empty.  Three rules make one: a pair of cells, of which
Black takes the other one; an AND of links with disjoint carriers, which meet in black stones; an
OR of answers, each a black stone with links, one for each reply of White's.  These are the rules
of H-search (Anshelevich, *A hierarchical approach to computer Hex*, 2002) with the must-play
region (Hayward et al., *Solving 7x7 Hex*, 2005).  A pattern is written at one place of the board
and used at others, moved, turned by steps of 60 degrees, or mirrored; a side keeps its distance.

Files are described in ``docs/how-to/hex-strategies.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.grid_names import Cell, cell_name, named_cell
from qsage_validate.formats.source import HASH, Path, Source, quoted
from qsage_validate.games.positional.polyominoes import NEIGHBOURS

End = Cell | str
"""What a pattern connects: a cell with a black stone, or one of :data:`SIDES`."""

SIDES: Final = ("top", "bottom")
MAX_SIDE: Final = 19
MAX_PATTERNS: Final = 10_000
MAX_STEPS: Final = 2_000_000
"""The most steps of reading: patterns may use patterns, whose cells are counted at each use."""

_WORD: Final = re.compile(r"[,:]|[^\s,:]+")
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]*")
_SIZE: Final = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)")
_KEYWORDS: Final = frozenset(("with", "mirrored", "then", "play", "white", *SIDES))


class Placement(NamedTuple):
    """A symmetry of the lattice: perhaps mirrored, turned ``turns`` times by 60 degrees, moved."""

    turns: int
    mirrored: bool
    dx: int
    dy: int

    def cell(self, cell: Cell) -> Cell:
        x, y = self.turned(cell)
        return x + self.dx, y + self.dy

    def turned(self, cell: Cell) -> Cell:
        x, y = cell
        if self.mirrored:
            x = -x - y  # rows stay, left and right change
        for _ in range(self.turns):
            x, y = -y, x + y
        return x, y

    def end(self, end: End) -> End:
        if isinstance(end, str):
            return end if self.turns == 0 else SIDES[1 - SIDES.index(end)]
        return self.cell(end)

    def cells(self, cells: Iterable[Cell]) -> frozenset[Cell]:
        return frozenset(map(self.cell, cells))

    def after(self, first: Placement) -> Placement:
        """The placement that does ``first``, and then this one."""
        x, y = self.cell((first.dx, first.dy))
        turns = self.turns + (-first.turns if self.mirrored else first.turns)
        return Placement(turns % 6, self.mirrored != first.mirrored, x, y)

    def inverse(self) -> Placement:
        turns = self.turns if self.mirrored else -self.turns % 6
        x, y = Placement(turns, self.mirrored, 0, 0).cell((self.dx, self.dy))
        return Placement(turns, self.mirrored, -x, -y)


HERE: Final = Placement(0, False, 0, 0)


@dataclass(frozen=True, slots=True)
class HexLink:
    """A pattern at a place: a connection that Black holds."""

    pattern: Pattern
    placement: Placement

    @property
    def ends(self) -> tuple[End, ...]:
        return tuple(map(self.placement.end, self.pattern.ends))

    @property
    def helpers(self) -> tuple[Cell, ...]:
        return tuple(map(self.placement.cell, self.pattern.helpers))

    @property
    def stones(self) -> frozenset[Cell]:
        return self.placement.cells(self.pattern.stones)

    @property
    def carrier(self) -> frozenset[Cell]:
        return self.placement.cells(self.pattern.carrier)

    def placed(self, placement: Placement) -> HexLink:
        return HexLink(self.pattern, placement.after(self.placement))

    def __str__(self) -> str:
        text = f"{self.pattern.name} {ends_text(self.ends)}"
        if self.pattern.helpers:
            text += f" with {cells_text(self.helpers)}"
        return f"{text} mirrored" if self.placement.mirrored else text


@dataclass(frozen=True, slots=True)
class PatternAnswer:
    """A line of an OR: Black's stone at ``move``, and the links that hold then.

    It answers White's replies at ``cells``, or outside of them.
    """

    line: int
    move: Cell
    links: tuple[HexLink, ...]
    cells: frozenset[Cell] = frozenset()
    outside: bool = True

    @property
    def carrier(self) -> frozenset[Cell]:
        return frozenset((self.move,)).union(*(link.carrier for link in self.links))

    def fits(self, cell: Cell) -> bool:
        return (cell in self.cells) is not self.outside

    def placed(self, placement: Placement) -> PatternAnswer:
        return PatternAnswer(
            self.line,
            placement.cell(self.move),
            tuple(link.placed(placement) for link in self.links),
            placement.cells(self.cells),
            self.outside,
        )


@dataclass(frozen=True, eq=False)
class Pattern:
    """A pattern where it is written: an AND of ``links``, or else an OR of ``answers``.

    ``helpers`` are black stones besides the ends.  ``claimed`` is the carrier as the file says it.
    """

    name: str
    line: int
    ends: tuple[End, ...]
    helpers: tuple[Cell, ...] = ()
    links: tuple[HexLink, ...] = ()
    answers: tuple[PatternAnswer, ...] = ()
    claimed: frozenset[Cell] | None = None

    @cached_property
    def stones(self) -> frozenset[Cell]:
        return frozenset((*(end for end in self.ends if not isinstance(end, str)), *self.helpers))

    @cached_property
    def carrier(self) -> frozenset[Cell]:
        """The cells that have to be empty: all that Black may come to claim."""
        parts = [link.carrier for link in self.links] + [own.carrier for own in self.answers]
        return frozenset().union(*parts)

    @cached_property
    def moves(self) -> int:
        """The most stones that Black places in it."""
        links = sum(link.pattern.moves for link in self.links)
        return links + max(map(moves_of, self.answers), default=0)

    @property
    def pair(self) -> tuple[Cell, Cell] | None:
        """The two cells of a pair, if it is nothing else."""
        if len(self.answers) != 2 or any(own.links or own.outside for own in self.answers):
            return None
        one, other = self.answers
        if one.cells != frozenset((other.move,)) or other.cells != frozenset((one.move,)):
            return None
        return one.move, other.move


def moves_of(answer: PatternAnswer) -> int:
    """The most stones that Black places by an answer."""
    return 1 + sum(link.pattern.moves for link in answer.links)


@dataclass(frozen=True)
class HexStrategy:
    """A strategy of Black's opening on a board; ``path`` is the file that says it."""

    path: str
    width: int
    height: int
    patterns: tuple[Pattern, ...]
    opening: PatternAnswer

    @property
    def plies(self) -> int:
        """The plies within which Black has connected the sides, if the strategy is right."""
        return 2 * moves_of(self.opening) - 1


def ends_text(ends: Iterable[End]) -> str:
    return "-".join(end if isinstance(end, str) else cell_name(*end) for end in ends)


def cells_text(cells: Iterable[Cell]) -> str:
    return " ".join(cell_name(*cell) for cell in cells)


# The calculus: what a file says is derived from its own parts, and nothing is believed


@dataclass(frozen=True, slots=True)
class PatternFault:
    """The first thing in a file that does not follow, and the line of it."""

    line: int
    text: str


def structure_fault(strategy: HexStrategy) -> PatternFault | None:
    """The first pattern that does not follow from its parts by the three rules."""
    height = strategy.height
    for pattern in strategy.patterns:
        fault = _pattern_fault(pattern, height)
        if fault is not None:
            return PatternFault(fault.line, f"{pattern.name}: {fault.text}")
    why = _links_fault(strategy.opening.links, SIDES, {strategy.opening.move}, height)
    return None if why is None else PatternFault(strategy.opening.line, f"begin: {why}")


def _pattern_fault(pattern: Pattern, height: int) -> PatternFault | None:
    carrier = pattern.carrier
    if not pattern.answers:
        why = _links_fault(pattern.links, pattern.ends, set(pattern.stones), height)
        if why is not None:
            return PatternFault(pattern.line, why)
    for answer in pattern.answers:
        if answer.move in pattern.stones:
            return PatternFault(answer.line, f"{cell_name(*answer.move)} has a black stone already")
        stones = {*pattern.stones, answer.move}
        why = _links_fault(answer.links, pattern.ends, stones, height)
        if why is not None:
            return PatternFault(answer.line, why)
    for cell in sorted(carrier) if pattern.answers else ():
        answered = next((own for own in pattern.answers if own.fits(cell)), None)
        if answered is None:
            return PatternFault(pattern.line, f"White at {cell_name(*cell)} has no answer")
        if cell in answered.carrier:
            return PatternFault(
                answered.line,
                f"White at {cell_name(*cell)} is in the carrier of the answer "
                f"{cell_name(*answered.move)}",
            )
    if pattern.claimed is not None and pattern.claimed != carrier:
        more = sorted(carrier - pattern.claimed)
        less = sorted(pattern.claimed - carrier)
        text = (
            f"uses {cells_text(more)} outside of its"
            if more
            else f"never uses {cells_text(less)} of its"
        )
        return PatternFault(pattern.line, f"{text} carrier")
    return None


def _links_fault(
    links: Sequence[HexLink], ends: Sequence[End], stones: set[Cell], height: int
) -> str | None:
    """Why links do not connect the ends by the stones, with carriers apart from all else."""
    taken: dict[Cell, str] = {}
    for link in links:
        missing = sorted(link.stones - stones)
        if missing:
            return f"{link} needs a black stone at {cells_text(missing)}"
        for end in link.ends:
            if isinstance(end, str) and end not in ends:
                return f"{link} uses the {end}, which is none of the ends"
        for cell in sorted(link.carrier):
            if cell in stones:
                return f"{link} needs {cell_name(*cell)} empty, where a black stone is"
            if cell in taken:
                return f"{link} and {taken[cell]} overlap at {cell_name(*cell)}"
            taken[cell] = str(link)
    reached = _reached(ends[0], links, ends, stones, height)
    apart = [end for end in ends if end not in reached]
    if apart:
        return f"{ends_text(ends[:1])} and {ends_text(apart[:1])} are not connected"
    return None


def _reached(
    start: End, links: Sequence[HexLink], ends: Sequence[End], stones: set[Cell], height: int
) -> set[End]:
    """The stones and sides that are connected with one of them, by neighbours and links."""
    rows = {side: row for side, row in zip(SIDES, (1, height), strict=True) if side in ends}
    reached: set[End] = set()
    waiting: list[End] = [start]
    while waiting:
        end = waiting.pop()
        if end in reached:
            continue
        reached.add(end)
        for link in links:
            if end in link.ends:
                waiting += link.ends
        if isinstance(end, str):
            waiting += [cell for cell in stones if cell[1] == rows[end]]
        else:
            x, y = end
            waiting += [(x + dx, y + dy) for dx, dy in NEIGHBOURS if (x + dx, y + dy) in stones]
            waiting += [side for side, row in rows.items() if y == row]
    return reached


# Reading


def read_strategy(path: Path) -> HexStrategy:
    """Read a strategy; raises ``InputError``. Whether it is right is not asked."""
    return parse_strategy(Source.open(path, HASH))


class _Line:
    """The words of a line, taken one by one."""

    def __init__(self, source: Source, number: int, start: int, text: str) -> None:
        self.source, self.number, self.start = source, number, start
        code = text.partition("#")[0]
        self.words = [(match[0], match.start()) for match in _WORD.finditer(code)]
        self.end = len(code.rstrip())
        self.at = 0

    @property
    def word(self) -> str | None:
        return self.words[self.at][0] if self.at < len(self.words) else None

    def take(self) -> str:
        self.at += 1
        return self.words[self.at - 1][0]

    def error(self, expected: str, *, back: int = 0, found: str | None = None) -> InputError:
        """The error at the next word, or ``back`` words before it."""
        at = self.at - back
        offset = self.words[at][1] if at < len(self.words) else self.end
        if found is None:
            found = quoted(self.words[at][0]) if at < len(self.words) else "the end of the line"
        return self.source.error(self.start + offset, found, expected)

    def expect(self, word: str) -> None:
        if self.word != word:
            raise self.error(quoted(word))
        self.at += 1

    def finish(self) -> None:
        if self.word is not None:
            raise self.error("the end of the line")


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.patterns: dict[str, Pattern] = {}
        self.width = self.height = 0
        self.steps = 0

    def read(self) -> HexStrategy:
        lines = self._lines()
        header = next(lines, None)
        if header is None:
            raise self.source.end_error("a line like 'hex 5x5'")
        self._size(header)
        opening: PatternAnswer | None = None
        line = next(lines, None)
        while line is not None:
            if line.word == "pattern":
                line = self._pattern(line, lines)
                continue
            if line.word != "begin":
                raise line.error("'pattern' or 'begin'")
            line.take()
            opening = self._answer(line, line.number)
            line = next(lines, None)
            if line is not None:
                raise line.error("the end of the file behind the line 'begin'")
        if opening is None:
            raise self.source.end_error("a line 'begin CELL then LINKS'")
        patterns = tuple(self.patterns.values())
        path = self.source.path or "<text>"
        return HexStrategy(path, self.width, self.height, patterns, opening)

    def _lines(self) -> Iterator[_Line]:
        for number, start, text in self.source.lines():
            line = _Line(self.source, number, start, text)
            if line.words:
                yield line

    def _size(self, line: _Line) -> None:
        line.expect("hex")
        match = None if line.word is None else _SIZE.fullmatch(line.word)
        if match is None or max(int(match[1]), int(match[2])) > MAX_SIDE:
            raise line.error(f"a size like 5x5, at most {MAX_SIDE}x{MAX_SIDE}")
        self.width, self.height = int(match[1]), int(match[2])
        line.take()
        line.finish()

    def _pattern(self, line: _Line, lines: Iterator[_Line]) -> _Line | None:
        """Read a pattern; returns the first line behind it."""
        line.take()
        head = line
        name = self._new_name(line)
        ends = self._ends(line)
        helpers = self._helpers(line)
        if set(helpers) & set(ends):
            raise line.error("other cells than the ends behind 'with'", back=1)
        line.expect(":")
        line.finish()
        links: tuple[HexLink, ...] = ()
        answers: list[PatternAnswer] = []
        claimed: frozenset[Cell] | None = None
        body = next(lines, None)
        while body is not None and body.word not in ("pattern", "begin"):
            word = body.word
            if word == "carrier":
                if claimed is not None:
                    raise body.error("one line 'carrier'")
                body.take()
                claimed = frozenset(self._cells(body))
            elif links or (answers and word in ("pair", "links")):
                raise body.error("one 'pair', one 'links', or lines 'white … : play …'")
            elif word == "pair":
                body.take()
                answers += self._pair(body)
            elif word == "links":
                body.take()
                links = self._links(body)
            elif answers and answers[0].line == answers[-1].line and len(answers) == 2:
                raise body.error("nothing more in a pattern with a 'pair'")
            else:
                answers.append(self._case(body))
            body.finish()
            body = next(lines, None)
        if not links and not answers:
            found = "a pattern without a rule"
            raise head.error("'pair', 'links' or 'white'", back=head.at, found=found)
        pattern = Pattern(name, head.number, ends, helpers, links, tuple(answers), claimed)
        self._count(head, len(pattern.carrier))
        self.patterns[name] = pattern
        return body

    def _count(self, line: _Line, steps: int) -> None:
        self.steps += steps + 1
        if self.steps > MAX_STEPS:
            raise line.error(f"at most {MAX_STEPS:,} steps", back=line.at, found="a longer file")

    def _new_name(self, line: _Line) -> str:
        name = line.word or ""
        if not _NAME.fullmatch(name) or self._end(name) is not None or name in _KEYWORDS:
            raise line.error("a name of small letters, digits, - and _ that is no cell")
        if name in self.patterns:
            raise line.error(f"a name that line {self.patterns[name].line} does not have")
        if len(self.patterns) >= MAX_PATTERNS:
            raise line.error(f"at most {MAX_PATTERNS:,} patterns")
        line.take()
        return name

    def _end(self, text: str) -> End | None:
        return text if text in SIDES else self._on_board(named_cell(text))

    def _on_board(self, cell: Cell | None) -> Cell | None:
        return cell if cell is not None and self._has(cell) else None

    def _has(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.width and 1 <= cell[1] <= self.height

    def _ends(self, line: _Line) -> tuple[End, ...]:
        found = [self._end(part) for part in (line.word or "").split("-")]
        ends = tuple(end for end in found if end is not None)
        if len(ends) < 2 or len(set(ends)) < len(found):
            size = f"{self.width}x{self.height}"
            raise line.error(f"ends like b3-c1 or b2-top, different ones on a {size} board")
        line.take()
        return ends

    def _helpers(self, line: _Line) -> tuple[Cell, ...]:
        if line.word != "with":
            return ()
        line.take()
        return self._cells(line)

    def _cells(self, line: _Line) -> tuple[Cell, ...]:
        """One cell or more, each once."""
        cells: list[Cell] = []
        while True:
            cell = self._on_board(named_cell(line.word or ""))
            if cell is None or cell in cells:
                if cells and cell is None and named_cell(line.word or "") is None:
                    return tuple(cells)
                raise line.error(f"different cells of the {self.width}x{self.height} board")
            line.take()
            cells.append(cell)

    def _cell(self, line: _Line) -> Cell:
        cell = self._on_board(named_cell(line.word or ""))
        if cell is None:
            raise line.error(f"a cell of the {self.width}x{self.height} board")
        line.take()
        return cell

    def _pair(self, line: _Line) -> list[PatternAnswer]:
        cells = self._cells(line)
        if len(cells) != 2:
            raise line.error("two cells behind 'pair'", back=1)
        one, other = cells
        return [
            PatternAnswer(line.number, own, (), frozenset((white,)), outside=False)
            for own, white in ((one, other), (other, one))
        ]

    def _case(self, line: _Line) -> PatternAnswer:
        """``white at CELLS: play …``, ``white outside CELLS: play …``, ``otherwise: play …``."""
        number, cells, outside = line.number, frozenset[Cell](), True
        if line.word == "otherwise":
            line.take()
        elif line.word == "white":
            line.take()
            if line.word not in ("at", "outside"):
                raise line.error("'at' or 'outside'")
            outside = line.take() == "outside"
            cells = frozenset(self._cells(line))
        else:
            raise line.error(
                "'pair', 'links', 'carrier', 'white', 'otherwise', 'pattern' or 'begin'"
            )
        line.expect(":")
        line.expect("play")
        return self._answer(line, number, cells, outside)

    def _answer(
        self, line: _Line, number: int, cells: frozenset[Cell] = frozenset(), outside: bool = True
    ) -> PatternAnswer:
        move = self._cell(line)
        links: tuple[HexLink, ...] = ()
        if line.word == "then":
            line.take()
            links = self._links(line)
        line.finish()
        answer = PatternAnswer(number, move, links, cells, outside)
        self._count(line, len(answer.carrier))
        return answer

    def _links(self, line: _Line) -> tuple[HexLink, ...]:
        links = [self._link(line)]
        while line.word == ",":
            line.take()
            links.append(self._link(line))
        return tuple(links)

    def _link(self, line: _Line) -> HexLink:
        begin = line.at
        pattern = self.patterns.get(line.word or "")
        if pattern is None:
            raise line.error("the name of a pattern above")
        line.take()
        ends = self._ends(line)
        helpers = self._helpers(line)
        mirrored = line.word == "mirrored"
        if mirrored:
            line.take()
        back = line.at - begin
        placement = _placement(pattern, ends, helpers, mirrored, self.height)
        if placement is None:
            written = ends_text(pattern.ends)
            if pattern.helpers:
                written += f" with {cells_text(pattern.helpers)}"
            raise line.error(
                f"ends that lie like {written}, moved, turned or mirrored",
                back=back,
                found=quoted(" ".join(word for word, _ in line.words[begin : line.at])),
            )
        link = HexLink(pattern, placement)
        self._count(line, len(pattern.carrier))
        off = sorted(cell for cell in link.carrier if not self._has(cell))
        if off:
            size = f"{self.width}x{self.height}"
            found = f"{quoted(str(link))}, whose carrier leaves the board"
            raise line.error(f"a place on the {size} board", back=back, found=found)
        return link


def _placement(
    pattern: Pattern,
    ends: Sequence[End],
    helpers: Sequence[Cell],
    mirrored: bool,
    height: int,
) -> Placement | None:
    """How a pattern is placed for its ends and helpers to come there; ``None`` if it cannot be."""
    if (len(ends), len(helpers)) != (len(pattern.ends), len(pattern.helpers)):
        return None
    pairs = list(zip((*pattern.ends, *pattern.helpers), (*ends, *helpers), strict=True))
    sides = [(own, image) for own, image in pairs if isinstance(own, str)]
    cells = [(c, d) for c, d in pairs if not isinstance(c, str) and not isinstance(d, str)]
    if any(isinstance(own, str) != isinstance(image, str) for own, image in pairs):
        return None
    if not cells:
        own_place = not mirrored and all(own == image for own, image in sides)
        return HERE if own_place else None
    (x, y), (to_x, to_y) = cells[0]
    for turns in (0, 3) if sides else range(6):
        plain = Placement(turns, mirrored, 0, 0)
        own_x, own_y = plain.cell((x, y))
        found = Placement(turns, mirrored, to_x - own_x, to_y - own_y)
        # A side keeps its distance: the rows move by the height, or not at all.
        if sides and found.dy != (0 if turns == 0 else height + 1):
            continue
        if all(found.end(own) == image for own, image in pairs):
            return found
    return None


def parse_strategy(source: Source) -> HexStrategy:
    """The strategy that a text says; raises ``InputError``."""
    return _Reader(source).read()


# Writing


def strategy_text(strategy: HexStrategy, remarks: Iterable[str] = ()) -> str:
    """The file of a strategy; it is read as the same strategy again."""
    lines = [f"# {remark}" for remark in remarks]
    lines.append(f"hex {strategy.width}x{strategy.height}")
    for pattern in strategy.patterns:
        helped = f" with {cells_text(pattern.helpers)}" if pattern.helpers else ""
        lines += ["", f"pattern {pattern.name} {ends_text(pattern.ends)}{helped}:"]
        if pattern.claimed is not None:
            lines.append(f"  carrier {cells_text(sorted(pattern.claimed))}")
        if pattern.pair is not None:
            lines.append(f"  pair {cells_text(pattern.pair)}")
            continue
        if pattern.links:
            lines.append(f"  links {', '.join(map(str, pattern.links))}")
        for answer in pattern.answers:
            where = "otherwise"
            if answer.cells or not answer.outside:
                word = "outside" if answer.outside else "at"
                where = f"white {word} {cells_text(sorted(answer.cells))}"
            lines.append(f"  {where}: play {_answer_text(answer)}")
    lines += ["", f"begin {_answer_text(strategy.opening)}", ""]
    return "\n".join(lines)


def _answer_text(answer: PatternAnswer) -> str:
    then = f" then {', '.join(map(str, answer.links))}" if answer.links else ""
    return f"{cell_name(*answer.move)}{then}"


def opening_cell(text: str, width: int, height: int) -> Cell:
    """The cell of a person's word; raises ``UsageError``."""
    cell = named_cell(text.strip().lower())
    if cell is None or cell[0] > width or cell[1] > height:
        raise UsageError(f"found {quoted(text)}, expected a cell of the {width}x{height} board")
    return cell
