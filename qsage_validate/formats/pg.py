"""Files of positional games, in which each move claims a place for good: PG, and Hex boards.

*PG.*  Sections begin with ``#``, ``%`` begins a comment, words are separated by white space.  A
goal of Black is given in one of four ways, each of which real files use:

* ``#blackwins``, and ``#whitewins`` in maker-maker games: a winning set a line;
* ``#neighbours`` (a position, then its neighbours) with ``#startboarder`` and ``#endboarder``
  (so spelt): connect a position of one border with a position of the other;
* ``#edges`` with ``#source`` and ``#target``, two words that are not positions: the same;
* ``#neighbours`` (a position, the one above it, the one to its right, ``na`` for none) with
  ``#blackgoal``: a shape a line, as relations between its cells: ``up(p0,p1) side(p1,p2)``.

A first comment such as ``%% size:4x4 GTTT(2,1) swap:true`` declares that turns are of two stones
but the first of one, and that White begins; the turns are checked against it.

*Positions of Hex*, ``.hex``.  The first word is the number of rows and columns; then come stones,
``b[c4]`` for a black one in column c and row 4, ``w[a1]`` for a white one.  ``%`` begins a
comment.  Black connects the first row with the last, and is to move, unless the word ``white``
stands behind the size.

*Positions of Hex*, SGF.  The position is the one behind the last move of the main line, the first
variation of each node. Black connects the first row with the last
(https://www.red-bean.com/sgf/hex.html).  Little Golem writes no ``GM``, two letters for a cell
(``mf``: column, row), and ``W`` for the player who begins and connects the rows: there ``W``
becomes Black.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import InputError, counted
from qsage_validate.formats.grid_names import Cell, cell_name, named_cell
from qsage_validate.formats.source import Source, quoted

# PG files: positional games, in which each move claims an open position for good


Row = tuple[str, ...]

SECTIONS: Final = (
    "version",
    "blackinitials",
    "whiteinitials",
    "times",
    "blackturns",
    "positions",
    "blackwins",
    "whitewins",
    "neighbours",
    "startboarder",
    "endboarder",
    "edges",
    "source",
    "target",
    "blackgoal",
    "firstmoves",
    "distances",
    "unreachablepairs",
)
NOWHERE: Final = "na"
"""The neighbour that a position at the edge of the board does not have."""

_NAME: Final = re.compile(r"[^\s%#(),]+")
_CELL: Final = r"\s*(p[0-9]{1,4})\s*"
_RELATION: Final = re.compile(rf"(up|side)\({_CELL},{_CELL}\)")
_DECLARED: Final = re.compile(r"GTTT\(\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*\)")
_SWAP: Final = re.compile(r"swap:(true|false)\b")
_BLANKS: Final = re.compile(r"\s+")
_TIME: Final = re.compile(r"t([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class CellRelation:
    """``up(p0,p1)``: cell ``second`` is above cell ``first``; ``side``: to its right."""

    name: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.name}({self.first},{self.second})"


@dataclass(frozen=True)
class PgFile:
    """The content of a PG file, as written; every name in it is one of ``positions``.

    ``neighbours`` and ``edges`` are rows of words, ``distances`` and ``unreachable_pairs`` (notes
    of a preprocessor) rows that nothing is concluded from.  ``present`` has the names of the
    sections that are there, empty ones too.
    """

    times: Row
    black_turns: Row
    positions: Row
    black_wins: tuple[Row, ...] = ()
    white_wins: tuple[Row, ...] = ()
    black_initials: Row = ()
    white_initials: Row = ()
    neighbours: tuple[Row, ...] = ()
    start_border: Row = ()
    end_border: Row = ()
    edges: tuple[Row, ...] = ()
    source: str | None = None
    target: str | None = None
    black_goal: tuple[tuple[CellRelation, ...], ...] = ()
    first_moves: Row = ()
    distances: tuple[Row, ...] = ()
    unreachable_pairs: tuple[Row, ...] = ()
    version: str | None = None
    present: frozenset[str] = frozenset()
    path: str | None = None
    text: Source | None = field(default=None, compare=False, repr=False)
    headers: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    def error(self, section: str, found: str, expected: str) -> InputError:
        """The error at a section's header (at the file, where the text is not known)."""
        if self.text is None or section not in self.headers:
            return InputError(self.path, None, None, found, expected)
        return self.text.error(self.headers[section], found, expected)


@dataclass(frozen=True, slots=True)
class _Word:
    offset: int
    text: str


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.headers: dict[str, int] = {}
        self.rows: dict[str, list[list[_Word]]] = {}
        self.positions: dict[str, int] = {}
        self._split()

    def _split(self) -> None:
        current: list[list[_Word]] | None = None
        for _, offset, line in self.source.lines():
            content = line.split("%", 1)[0]
            words = [_Word(offset + m.start(), m.group()) for m in re.finditer(r"\S+", content)]
            if not words:
                continue
            first = words[0]
            if first.text.startswith("#"):
                name = first.text[1:]
                if name not in SECTIONS:
                    expected = f"one of {', '.join('#' + s for s in SECTIONS)}"
                    raise self.source.error(first.offset, f"section {quoted(first.text)}", expected)
                if name in self.headers:
                    raise self.source.error(first.offset, f"a second #{name}", "each section once")
                if len(words) > 1:
                    raise self.error(words[1], f"the end of the line behind #{name}")
                self.headers[name] = first.offset
                current = self.rows[name] = []
            elif current is None:
                raise self.error(first, "a section such as '#positions'")
            else:
                current.append(words)

    def error(self, word: _Word, expected: str) -> InputError:
        return self.source.error(word.offset, quoted(word.text), expected)

    def needs(self, section: str, because: str = "") -> None:
        if section not in self.headers:
            raise self.source.end_error(f"a section '#{section}'{because}")

    def words(self, section: str) -> Iterator[_Word]:
        for row in self.rows.get(section, ()):
            yield from row

    def names(self, section: str, what: str) -> Row:
        """The words of a section that introduces names; each may come once."""
        seen: dict[str, None] = {}
        for word in self.words(section):
            if not _NAME.fullmatch(word.text):
                raise self.error(word, f"the name of a {what}, without '#', '(', ')' and ','")
            if word.text in seen:
                raise self.error(word, f"each {what} once in #{section}")
            seen[word.text] = None
        return tuple(seen)

    def position(self, word: _Word, among: str = "#positions") -> str:
        if word.text not in self.positions:
            raise self.error(word, f"a position of {among}")
        return word.text

    def set_of(self, words: Iterable[_Word], where: str) -> Row:
        """Different positions."""
        seen: dict[str, None] = {}
        for word in words:
            name = self.position(word)
            if name in seen:
                raise self.error(word, f"each position once in {where}")
            seen[name] = None
        return tuple(seen)


def parse_pg(text: str, path: str | None = None) -> PgFile:
    """The PG file in ``text``.

    Raises :class:`InputError` at the line and column of the first thing that does not fit: an
    unknown section, position or time, a position with two owners, turns that are not those
    declared, a goal that is missing or given in two ways.
    """
    source = Source(text, path)
    source.check_not_empty("a positional game with a section '#positions'")
    reader = _Reader(source)
    for section in ("positions", "times", "blackturns"):
        reader.needs(section)
    positions = reader.names("positions", "position")
    reader.positions = {name: number for number, name in enumerate(positions)}
    times = reader.names("times", "time")
    # A game without plies is White's; an encoding that leaves out White's last turns may say so.
    if not times and any(reader.words("blackturns")):
        raise source.error(reader.headers["times"], "no time in #times", "one for each stone")
    turns = _black_turns(reader, times)
    _check_declared(reader, turns)
    initials = _initials(reader)
    has_shapes = "blackgoal" in reader.headers
    _check_goal(reader, has_shapes)
    ends = _ends(reader)
    return PgFile(
        times=times,
        black_turns=turns,
        positions=positions,
        black_wins=_sets(reader, "blackwins"),
        white_wins=_sets(reader, "whitewins"),
        black_initials=initials[0],
        white_initials=initials[1],
        neighbours=_board(reader) if has_shapes else _neighbours(reader),
        start_border=reader.set_of(reader.words("startboarder"), "#startboarder"),
        end_border=reader.set_of(reader.words("endboarder"), "#endboarder"),
        edges=_edges(reader, ends),
        source=ends[0] if ends else None,
        target=ends[1] if ends else None,
        black_goal=tuple(_shape(reader, row) for row in reader.rows.get("blackgoal", ())),
        first_moves=_first_moves(reader, initials),
        distances=_distances(reader),
        unreachable_pairs=_pairs(reader),
        version=_version(reader),
        present=frozenset(reader.headers),
        path=path,
        text=source,
        headers=reader.headers,
    )


# --- Sections ---------------------------------------------------------------------------------


def _black_turns(reader: _Reader, times: Row) -> Row:
    number = {name: k for k, name in enumerate(times)}
    last = -1
    turns: list[str] = []
    for word in reader.words("blackturns"):
        at = number.get(word.text)
        if at is None:
            raise reader.error(word, "a time of #times")
        if at <= last:
            raise reader.error(word, "Black's turns once each, in the order of #times")
        last = at
        turns.append(word.text)
    return tuple(turns)


def _check_declared(reader: _Reader, turns: Row) -> None:
    """Raise an error if turns differ from a declared ``GTTT(stones, stones of the first turn)``."""
    comments = (line for _, _, line in reader.source.lines() if line.lstrip().startswith("%"))
    comment = next((line for line in comments if "GTTT(" in line), "")
    match = _DECLARED.search(comment)
    if match is None:
        return
    stones, first = int(match[1]), int(match[2])
    swap = _SWAP.search(comment)
    if stones < 1 or swap is None:
        return
    black = set(turns)
    for word in reader.words("times"):
        time = _TIME.fullmatch(word.text)
        if time is None:
            return
        number = int(time[1])
        turn = 0 if number <= first else 1 + (number - first - 1) // stones
        expected = (turn % 2 == 0) is (swap[1] == "false")
        if (word.text in black) is not expected:
            owner = "Black" if word.text in black else "White"
            raise reader.source.error(
                word.offset,
                f"{quoted(word.text)} as a turn of {owner}",
                f"the other player's, as {match[0]} with {swap[0]} declares",
            )


def _initials(reader: _Reader) -> tuple[Row, Row]:
    owner: dict[str, str] = {}
    result: list[Row] = []
    for section, colour in (("blackinitials", "Black"), ("whiteinitials", "White")):
        own: list[str] = []
        for word in reader.words(section):
            name = reader.position(word)
            if name in owner:
                raise reader.error(word, f"a position that {owner[name]} does not own already")
            owner[name] = colour
            own.append(name)
        result.append(tuple(own))
    return result[0], result[1]


def _first_moves(reader: _Reader, initials: tuple[Row, Row]) -> Row:
    owned = set(initials[0] + initials[1])
    for word in reader.words("firstmoves"):
        if word.text in owned:
            raise reader.error(word, "an open position")
    return reader.set_of(reader.words("firstmoves"), "#firstmoves")


def _check_goal(reader: _Reader, has_shapes: bool) -> None:
    """That Black's goal is given, completely and in one way."""
    headers = reader.headers
    ways = [
        ("blackwins", bool(reader.rows.get("blackwins"))),
        ("edges", "edges" in headers),
        ("neighbours", "neighbours" in headers),
    ]
    used = [name for name, there in ways if there]
    if len(used) > 1:
        raise reader.source.error(
            headers[used[1]], f"#{used[1]} besides #{used[0]}", "one way to give Black's goal"
        )
    if not used and "blackwins" not in headers:
        expected = "Black's goal: '#blackwins', '#neighbours' or '#edges'"
        raise reader.source.end_error(expected)
    if "neighbours" in headers and not has_shapes:
        for section in ("startboarder", "endboarder"):
            reader.needs(section, " to go with #neighbours")
    if "edges" in headers:
        for section in ("source", "target"):
            reader.needs(section, " to go with #edges")
    parts: dict[str, Row] = {
        "neighbours": ("startboarder", "endboarder", "blackgoal"),
        "edges": ("source", "target"),
    }
    for whole, belonging in parts.items():
        for section in belonging:
            if section in headers and whole not in headers:
                raise reader.source.error(
                    headers[section], f"#{section} without #{whole}", "both or none"
                )
    for section in ("startboarder", "endboarder"):
        if has_shapes and section in headers:
            raise reader.source.error(
                headers[section], f"#{section} besides #blackgoal", "one way to give Black's goal"
            )
    if has_shapes and not reader.rows["blackgoal"]:
        raise reader.source.error(headers["blackgoal"], "no shape in #blackgoal", "one a line")


def _sets(reader: _Reader, section: str) -> tuple[Row, ...]:
    return tuple(reader.set_of(row, "a winning set") for row in reader.rows.get(section, ()))


def _neighbours(reader: _Reader) -> tuple[Row, ...]:
    """Rows of a symmetric relation."""
    rows: dict[str, dict[str, _Word]] = {}
    for row in reader.rows.get("neighbours", ()):
        name = reader.position(row[0])
        if name in rows:
            raise reader.error(row[0], "one line of neighbours for each position")
        others = rows[name] = {}
        for word in row[1:]:
            other = reader.position(word)
            if other == name or other in others:
                raise reader.error(word, f"other positions than {name}, each once")
            others[other] = word
    for name, others in rows.items():
        for other, word in others.items():
            if name not in rows.get(other, ()):
                raise reader.error(word, f"only neighbours of {name} that have {name} as theirs")
    return tuple((name, *others) for name, others in rows.items())


def _board(reader: _Reader) -> tuple[Row, ...]:
    """Rows of a position, the one above it and the one to its right."""
    rows: dict[str, Row] = {}
    for row in reader.rows.get("neighbours", ()):
        name = reader.position(row[0])
        if name in rows:
            raise reader.error(row[0], "one line of neighbours for each position")
        if len(row) != 3:
            end = row[3] if len(row) > 3 else row[-1]
            raise reader.error(
                end, f"{name}, the position above it and the one to its right, '{NOWHERE}' for none"
            )
        for word in row[1:]:
            if word.text != NOWHERE:
                reader.position(word, f"#positions, or '{NOWHERE}'")
        rows[name] = tuple(word.text for word in row)
    return tuple(rows.values())


def _ends(reader: _Reader) -> tuple[str, str] | None:
    """The names of source and target, which are no positions."""
    if "edges" not in reader.headers:
        return None
    found: list[str] = []
    for section in ("source", "target"):
        words = list(reader.words(section))
        if len(words) != 1:
            count = f"{counted(len(words), 'word')} in #{section}"
            raise reader.source.error(reader.headers[section], count, "one")
        (word,) = words
        if not _NAME.fullmatch(word.text) or word.text in (*reader.positions, *found):
            raise reader.error(word, "a name of its own, which is no position")
        found.append(word.text)
    return found[0], found[1]


def _edges(reader: _Reader, ends: tuple[str, str] | None) -> tuple[Row, ...]:
    if ends is None:
        return ()
    seen: set[frozenset[str]] = set()
    edges: list[Row] = []
    for row in reader.rows.get("edges", ()):
        for word in row:
            if word.text not in ends:
                reader.position(word, f"#positions, {ends[0]} or {ends[1]}")
        if len(row) != 2:
            raise reader.error(row[-1], "two ends a line")
        pair = row[0].text, row[1].text
        if pair[0] == pair[1] or frozenset(pair) in seen:
            raise reader.error(row[1], "each edge once, between two different ends")
        seen.add(frozenset(pair))
        edges.append(pair)
    return tuple(edges)


def _shape(reader: _Reader, row: Sequence[_Word]) -> tuple[CellRelation, ...]:
    """``up(p0,p1) side(p1,p2)``, with blanks where one likes; the cells hang together."""
    start, end = row[0].offset, row[-1].offset + len(row[-1].text)
    text = reader.source.text
    relations: list[tuple[CellRelation, int]] = []
    at = start
    while at < end:
        match = _RELATION.match(text, at, end)
        if match is None:
            found = quoted(text[at:end].split()[0])
            raise reader.source.error(at, found, "a relation such as 'up(p0,p1)'")
        if match[2] == match[3]:
            raise reader.source.error(at, quoted(match[0]), "two different cells")
        relations.append((CellRelation(match[1], match[2], match[3]), at))
        blank = _BLANKS.match(text, match.end(), end)
        at = match.end() if blank is None else blank.end()
    shape = tuple(relation for relation, _ in relations)
    joined = set(growing(shape))
    for relation, where in relations:
        if relation not in joined:
            raise reader.source.error(
                where, f"a shape in pieces at {relation}", "a connected shape"
            )
    return shape


def growing(relations: Sequence[CellRelation]) -> tuple[CellRelation, ...]:
    """What hangs together with the first relation, each behind one that shares a cell."""
    beside: dict[str, list[CellRelation]] = {}
    for relation in relations:
        beside.setdefault(relation.first, []).append(relation)
        beside.setdefault(relation.second, []).append(relation)
    ordered: dict[CellRelation, None] = {}
    cells = dict.fromkeys([relations[0].first])
    waiting = list(cells)
    for cell in waiting:
        for relation in beside[cell]:
            ordered[relation] = None
            new = [x for x in (relation.first, relation.second) if x not in cells]
            cells.update(dict.fromkeys(new))
            waiting += new
    return tuple(ordered)


def _distances(reader: _Reader) -> tuple[Row, ...]:
    rows: list[Row] = []
    for row in reader.rows.get("distances", ()):
        reader.position(row[0])
        for word in row[1:]:
            if not re.fullmatch(r"[0-9]{1,9}", word.text):
                raise reader.error(word, "a distance")
        rows.append(tuple(word.text for word in row))
    return tuple(rows)


def _pairs(reader: _Reader) -> tuple[Row, ...]:
    rows: list[Row] = []
    for row in reader.rows.get("unreachablepairs", ()):
        if len(row) != 2:
            raise reader.error(row[-1], "two positions a line")
        rows.append(tuple(reader.position(word) for word in row))
    return tuple(rows)


def _version(reader: _Reader) -> str | None:
    if "version" not in reader.headers:
        return None
    words = list(reader.words("version"))
    if not words:
        raise reader.source.error(reader.headers["version"], "no version in #version", "one")
    return " ".join(word.text for word in words)


# --- Writing ----------------------------------------------------------------------------------


def pg_text(pg: PgFile, comments: Sequence[str] = ()) -> str:
    """The text of a PG file; :func:`parse_pg` reads the same content back.

    ``comments`` are lines without their ``%``.
    """
    one: Callable[[Row], list[str]] = lambda row: [" ".join(row)] if row else []  # noqa: E731
    each: Callable[[Iterable[Row]], list[str]] = lambda rows: [" ".join(r) for r in rows]  # noqa: E731
    content: dict[str, list[str]] = {
        "version": [] if pg.version is None else [pg.version],
        "blackinitials": list(pg.black_initials),
        "whiteinitials": list(pg.white_initials),
        "times": one(pg.times),
        "blackturns": one(pg.black_turns),
        "positions": one(pg.positions),
        "blackwins": each(pg.black_wins),
        "whitewins": each(pg.white_wins),
        "neighbours": each(pg.neighbours),
        "startboarder": one(pg.start_border),
        "endboarder": one(pg.end_border),
        "edges": each(pg.edges),
        "source": [] if pg.source is None else [pg.source],
        "target": [] if pg.target is None else [pg.target],
        "blackgoal": [" ".join(map(str, shape)) for shape in pg.black_goal],
        "firstmoves": one(pg.first_moves),
        "distances": each(pg.distances),
        "unreachablepairs": each(pg.unreachable_pairs),
    }
    lines = [f"% {comment}".rstrip() for comment in comments]
    for section in SECTIONS:
        if section in pg.present or content[section]:
            lines += [f"#{section}", *content[section]]
    return "\n".join(lines) + "\n"


# ``.hex`` files: a Hex board with stones on it


MAX_SIDE: Final = 40
"""No larger board is read."""

_STONE: Final = re.compile(r"([bw])\[([^\[\]\s]*)\]")
_TURNS: Final = ("black", "white")
_COLOURS: Final = {"b": "Black", "w": "White"}


@dataclass(frozen=True)
class HexFile:
    """A board; stones by name (``c4``), in the order of the file, and who is to move."""

    columns: int
    rows: int
    black: tuple[str, ...]
    white: tuple[str, ...]
    white_moves: bool = False
    path: str | None = None


def parse_hex(text: str, path: str | None = None) -> HexFile:
    """The board in ``text``; raises :class:`InputError` at the first word that does not fit."""
    source = Source(text, path)
    source.check_not_empty("a Hex board: its size, then stones such as 'b[c4]'")
    words = [
        (offset + match.start(), match.group())
        for _, offset, line in source.lines()
        for match in re.finditer(r"\S+", line.split("%", 1)[0])
    ]
    if not words:
        raise source.end_error("the size of the board")
    at, word = words[0]
    if not re.fullmatch(r"[0-9]{1,4}", word) or not 1 <= int(word) <= MAX_SIDE:
        raise source.error(at, quoted(word), f"the size of the board, from 1 to {MAX_SIDE}")
    size = int(word)
    owner: dict[Cell, str] = {}
    stones: dict[str, list[str]] = {"b": [], "w": []}
    turn = [word for _, word in words[1:2] if word in _TURNS]
    for at, word in words[1 + len(turn) :]:
        match = _STONE.fullmatch(word)
        if match is None:
            raise source.error(at, quoted(word), "a stone such as 'b[c4]' or 'w[a1]'")
        colour, name = match.groups()
        cell = named_cell(name)
        if cell is None or max(cell) > size:
            raise source.error(at + 2, quoted(name), f"a cell of the {size}x{size} board")
        if cell in owner:
            expected = f"a cell that {owner[cell]} does not own already"
            raise source.error(at + 2, quoted(name), expected)
        owner[cell] = _COLOURS[colour]
        stones[colour].append(name)
    black, white = tuple(stones["b"]), tuple(stones["w"])
    return HexFile(size, size, black, white, turn == ["white"], path)


# Positions of Hex out of SGF files (FF[4], GM[11]) of HexGui, HexWorld and Little Golem


_HEX: Final = "11"
_SIZE: Final = re.compile(r"\s*([0-9]{1,4})\s*(?::\s*([0-9]{1,4})\s*)?")
_TOKEN: Final = re.compile(r"\s*(?:([();])|([A-Za-z]+)|(\[(?:[^\]\\]|\\.)*\]))", re.DOTALL)
_LETTERS: Final = re.compile(r"[a-z]{2}")
_DEFAULT_SIDE: Final = 11
_OTHER: Final = {"B": "W", "W": "B"}
_WITHOUT_STONE: Final = ("", "resign", "forfeit", "pass")


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a property in the main line, with the place of its text."""

    name: str
    text: str
    offset: int


def parse_hex_sgf(source: Source) -> HexFile:
    """The position in ``source``; raises :class:`InputError` with line and column."""
    values = list(_main_line(source))
    properties = {value.name: value for value in values}
    golem = "littlegolem" in properties.get("SO", _Value("SO", "", 0)).text.lower()
    game = properties.get("GM")
    if game is None and not golem:
        raise source.error(0, "an SGF file without GM[11]", "one of Hex")
    if game is not None and game.text.strip() != _HEX:
        raise source.error(game.offset, f"the game GM[{game.text}]", "Hex, GM[11]")
    position = _Position(source, *_size(source, properties.get("SZ")), golem=golem)
    for value in values:
        position.take(value)
    return position.board()


def _size(source: Source, value: _Value | None) -> tuple[int, int]:
    """Columns and rows."""
    if value is None:
        return _DEFAULT_SIDE, _DEFAULT_SIDE
    match = _SIZE.fullmatch(value.text)
    sides = (0, 0) if match is None else (int(match[1]), int(match[2] or match[1]))
    if not all(1 <= side <= MAX_SIDE for side in sides):
        found = quoted(value.text)
        raise source.error(value.offset, found, f"the size of the board, from 1 to {MAX_SIDE}")
    return sides


def _main_line(source: Source) -> Iterator[_Value]:
    """The values of the properties of all nodes but those of later variations."""
    text, at, depth, over = source.text, 0, 0, False
    name, end = "", len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            while text[at].isspace():
                at += 1
            raise source.error(at, quoted(text[at]), "a property such as B[c4]")
        at = match.end()
        sign, word, value = match.groups()
        if sign == "(":
            depth += 1
        elif sign == ")":
            # The first end of a variation ends the main line: no node is behind its children.
            depth, over = depth - 1, True
            if depth <= 0:
                return
        elif word is not None:
            # Older files have small letters in names, which do not count.
            name = re.sub(r"[a-z]", "", word)
        elif value is not None and not over:
            if depth == 0 or not name:
                raise source.error(
                    match.start(3), quoted(value), "the name of a property before it"
                )
            yield _Value(name, value[1:-1], match.start(3) + 1)
    raise source.end_error("')' for the first '('")


@dataclass
class _Position:
    """The stones by their cells, and who is to move: the other player than the one who moved."""

    source: Source
    columns: int
    rows: int
    golem: bool
    stones: dict[Cell, str] = field(default_factory=dict)
    turn: str | None = None

    def take(self, value: _Value) -> None:
        """Move, place or remove a stone, or say who is to move, if the property does that."""
        name = value.name
        if name == "PL":
            self._play(value)
        elif name in ("AB", "AW", "AE"):
            cell = self._cell(value)
            self.stones.pop(cell, None)
            if name != "AE":
                self.stones[cell] = self._colour(name[1])
        elif name in _OTHER:
            self._move(value)

    def _colour(self, letter: str) -> str:
        return _OTHER[letter] if self.golem else letter

    def _play(self, value: _Value) -> None:
        letter = value.text.strip()[:1].upper()
        if letter not in _OTHER:
            raise self.source.error(value.offset, quoted(value.text), "B or W, who is to move")
        self.turn = self._colour(letter)

    def _move(self, value: _Value) -> None:
        colour, word = self._colour(value.name), value.text.strip().lower()
        self.turn = _OTHER[colour]
        if word in ("swap-pieces", "swap"):
            if len(self.stones) != 1:
                found = f"a swap with {counted(len(self.stones), 'stone')} on the board"
                raise self.source.error(value.offset, found, "one behind the first move")
            ((x, y),) = self.stones
            if max(x, y) > min(self.columns, self.rows):
                raise self.source.error(value.offset, quoted(word), "a stone that can be mirrored")
            self.stones = {(y, x): colour}
        elif word == "swap-sides" or word in _WITHOUT_STONE:
            return
        else:
            cell = self._cell(value)
            if cell in self.stones:
                raise self.source.error(value.offset, quoted(value.text), "an open cell")
            self.stones[cell] = colour

    def _cell(self, value: _Value) -> Cell:
        word = value.text.strip().lower()
        cell = named_cell(word)
        if self.golem and _LETTERS.fullmatch(word):
            cell = ord(word[0]) - ord("a") + 1, ord(word[1]) - ord("a") + 1
        if cell is None or cell[0] > self.columns or cell[1] > self.rows:
            expected = f"a cell of the {self.columns}x{self.rows} board"
            raise self.source.error(value.offset, quoted(value.text), expected)
        return cell

    def board(self) -> HexFile:
        colours: dict[str, list[str]] = {"B": [], "W": []}
        for cell, colour in self.stones.items():
            colours[colour].append(cell_name(*cell))
        return HexFile(
            self.columns,
            self.rows,
            tuple(colours["B"]),
            tuple(colours["W"]),
            self.turn == "W",
            self.source.path,
        )
