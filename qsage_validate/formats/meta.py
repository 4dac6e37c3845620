"""Q-sage's meta file: which variables of a formula are the moves, the board and the goal.

Q-sage writes it beside a QCIR as ``viz_meta_out`` or ``*.meta``.  Sections begin with ``#``;
``%`` begins a comment.  Bit lists are most significant bit first and may be empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import counted
from qsage_validate.formats.source import PERCENT, Path, Source, quoted

Bits = tuple[int, ...]

_SECTIONS: Final = (
    "boardsize",
    "depth",
    "blackactions",
    "whiteactions",
    "actionvars",
    "symbolicpos",
    "statevars",
    "goalvar",
)
_MAX_NUMBER: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ActionVariables:
    """The variables of one ply; a list is empty where the formula has no such bits."""

    action: Bits
    x: Bits
    y: Bits


@dataclass(frozen=True)
class MetaFile:
    """The content of a meta file, as written.

    ``moves`` has one entry a ply, ``states`` one pair of variables (*occupied, white*) more;
    ``goal`` is the goal variable or ``None`` when the file says 0.  Action signatures are
    kept as text (``occupy(?x,?y)``).  ``lines`` has the line numbers, from 1, of the content of
    each section, for messages.
    """

    width: int
    height: int
    depth: int
    black_actions: tuple[str, ...]
    white_actions: tuple[str, ...]
    moves: tuple[ActionVariables, ...]
    symbolic_x: Bits
    symbolic_y: Bits
    states: tuple[tuple[int, int], ...]
    goal: int | None
    path: str | None = None
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class _MetaLine:
    offset: int
    text: str


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.headers: dict[str, int] = {}
        self.body: dict[str, list[_MetaLine]] = {}
        self._split()

    def _split(self) -> None:
        current: list[_MetaLine] | None = None
        for _, offset, line in self.source.lines():
            content = line.split("%", 1)[0]
            text = content.strip()
            if not text:
                continue
            start = offset + len(content) - len(content.lstrip())
            if text.startswith("#"):
                name = text[1:].strip()
                if name not in _SECTIONS:
                    expected = f"one of {', '.join('#' + s for s in _SECTIONS)}"
                    raise self.source.error(start, f"section {quoted(text)}", expected)
                if name in self.headers:
                    raise self.source.error(start, f"a second #{name}", "each section once")
                self.headers[name] = start
                current = self.body[name] = []
            elif current is None:
                raise self.source.error(start, quoted(text), "a section such as '#boardsize'")
            else:
                current.append(_MetaLine(start, text))

    def lines(self, section: str, least: int, most: int | None = None) -> list[_MetaLine]:
        if section not in self.body:
            raise self.source.end_error(f"a section '#{section}'")
        lines = self.body[section]
        if len(lines) < least:
            end = lines[-1].offset + len(lines[-1].text) if lines else self.headers[section]
            found = f"{counted(len(lines), 'line')} in #{section}"
            raise self.source.error(end, found, f"{'' if most == least else 'at least '}{least}")
        if most is not None and len(lines) > most:
            found = quoted(lines[most].text)
            raise self.source.error(
                lines[most].offset, found, f"{counted(most, 'line')} in #{section}"
            )
        return lines

    def numbers(self, line: _MetaLine, count: int, what: str, least: int) -> tuple[int, ...]:
        """The ``count`` numbers of a line, each from ``least``."""
        words = [(m.start(), m.group()) for m in re.finditer(r"\S+", line.text)]
        values = [self.number(line.offset + at, word, what, least) for at, word in words]
        if len(values) < count:
            end = line.offset + len(line.text)
            raise self.source.error(
                end, "the end of the line", f"{counted(count, 'number')}: {what}"
            )
        if len(values) > count:
            at, word = words[count]
            raise self.source.error(
                line.offset + at, quoted(word), f"{counted(count, 'number')}: {what}"
            )
        return tuple(values)

    def number(self, offset: int, word: str, what: str, least: int) -> int:
        if not re.fullmatch(r"[0-9]{1,10}", word):
            raise self.source.error(offset, quoted(word), f"a number ({what})")
        value = int(word)
        if not least <= value <= _MAX_NUMBER:
            raise self.source.error(offset, word, f"{what} from {least} to {_MAX_NUMBER}")
        return value

    def bit_lists(self, line: _MetaLine, names: Sequence[str]) -> list[Bits]:
        """``[a,b] [c] [ ]``: one list for each name, separated by white space."""
        lists: list[Bits] = []
        at = 0
        for name in names:
            match = re.compile(r"\s*\[([^\[\]]*)\]").match(line.text, at)
            if match is None:
                found = quoted(line.text[at:].strip()) if line.text[at:] else "the end of the line"
                where = at + len(line.text[at:]) - len(line.text[at:].lstrip())
                expected = f"the {name} as a list such as '[3,4]' or '[ ]'"
                raise self.source.error(line.offset + where, found, expected)
            lists.append(self._bits(line.offset + match.start(1), match.group(1), name))
            at = match.end()
        if line.text[at:].strip():
            where = at + len(line.text[at:]) - len(line.text[at:].lstrip())
            found = quoted(line.text[where:])
            raise self.source.error(line.offset + where, found, counted(len(names), "list"))
        return lists

    def _bits(self, offset: int, inner: str, name: str) -> Bits:
        if not inner.strip():
            return ()
        bits: list[int] = []
        at = 0
        for part in inner.split(","):
            word = part.strip()
            where = offset + at + len(part) - len(part.lstrip())
            bits.append(self.number(where, word, f"a variable of the {name}", 1))
            at += len(part) + 1
        return tuple(bits)


def read_meta(path: Path) -> MetaFile:
    """Read a meta file.

    Raises :class:`InputError` at the line and column of what is missing, repeated or no
    number, and when the numbers of plies, states and depth do not go together.
    """
    source = Source.open(path, PERCENT)
    return parse_meta(source.text, source.path)


def parse_meta(text: str, path: str | None = None) -> MetaFile:
    """The meta file in ``text``; errors as in :func:`read_meta`."""
    source = Source(text, path)
    source.check_not_empty("a meta file with a section '#boardsize'")
    reader = _Reader(source)
    (size,) = reader.lines("boardsize", 1, 1)
    width, height = reader.numbers(size, 2, "width and height", 1)
    (depth_line,) = reader.lines("depth", 1, 1)
    (depth,) = reader.numbers(depth_line, 1, "the depth", 0)
    black = tuple(line.text for line in reader.lines("blackactions", 0))
    white = tuple(line.text for line in reader.lines("whiteactions", 0))
    move_lists = [
        reader.bit_lists(line, ("action bits", "x bits", "y bits"))
        for line in reader.lines("actionvars", 0)
    ]
    (position,) = reader.lines("symbolicpos", 1, 1)
    symbolic_x, symbolic_y = reader.bit_lists(position, ("x bits", "y bits"))
    # Where White begins, Black's first move is dropped and the depth counts it all the same.
    if depth not in (len(move_lists), len(move_lists) + 1):
        found = f"{counted(len(move_lists), 'line')} in #actionvars"
        raise source.error(
            reader.headers["actionvars"], found, f"one for each of {counted(depth, 'ply')}"
        )
    states = reader.lines("statevars", len(move_lists) + 1, len(move_lists) + 1)
    pairs = [reader.numbers(line, 2, "the two state variables", 1) for line in states]
    (goal_line,) = reader.lines("goalvar", 1, 1)
    (goal,) = reader.numbers(goal_line, 1, "the goal variable or 0", 0)
    return MetaFile(
        width=width,
        height=height,
        depth=depth,
        black_actions=black,
        white_actions=white,
        moves=tuple(ActionVariables(*lists) for lists in move_lists),
        symbolic_x=symbolic_x,
        symbolic_y=symbolic_y,
        states=tuple((first, second) for first, second in pairs),
        goal=goal or None,
        path=path,
        lines={
            section: tuple(source.line_of(line.offset) for line in lines)
            for section, lines in reader.body.items()
        },
    )
