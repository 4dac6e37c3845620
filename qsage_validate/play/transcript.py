"""Transcripts: a play as text or JSON, both of which read back to the same play.

The text form has a header of ``key: value`` lines and then a line for each ply::

    qsage transcript 1
    title: httt 4x4 tic
    person: white

    1 black occupy(2,2)
    2 white occupy(3,3)
    3 black occupy(2,3)
    4 white occupy(2,2) !illegal
    5 black occupy(2,1) !stop

    (
    2 white occupy(1,1)
    3 black occupy(2,1)
    )

    result: Black wins: reached its goal

``!illegal`` marks a move that was let happen, ``!stop`` one with which its player claimed the
goal.  Parentheses hold a variation: what was tried from its first ply on instead of the line that
it stands in, or after the end of that line; variations may have variations.  Blank lines and lines
that begin with ``#`` are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qsage_validate.errors import InputError
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.problems.script_moves import content_lines

if TYPE_CHECKING:
    from qsage_validate.formats.json_text import Json

_FIRST_LINE = "qsage transcript 1"
_ILLEGAL = "!illegal"
_STOP = "!stop"
_MOST_PLIES = 999_999_999
# Variations inside each other: more than a person tries.
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class TranscriptPly:
    """One ply: its number, who made it, the move's text, and its marks."""

    ply: int
    player: Player
    move: str
    illegal: bool = False
    stopped: bool = False
    line: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        marks = (f" {_ILLEGAL}" if self.illegal else "") + (f" {_STOP}" if self.stopped else "")
        return f"{self.ply} {self.player.value} {self.move}{marks}"


@dataclass(frozen=True, slots=True)
class Variation:
    """Plies (one or more) that were tried instead of those of a line, or after its end."""

    plies: tuple[TranscriptPly, ...]
    variations: tuple[Variation, ...] = ()

    @property
    def lines(self) -> Iterator[str]:
        yield "("
        yield from map(str, self.plies)
        for each in self.variations:
            yield from each.lines
        yield ")"

    def to_dict(self) -> dict[str, object]:
        return _line_json(self.plies, self.variations)


def _line_json(
    plies: tuple[TranscriptPly, ...], variations: tuple[Variation, ...]
) -> dict[str, object]:
    return {
        "plies": [
            {"ply": p.ply, "player": p.player.value}
            | {"move": p.move, "illegal": p.illegal, "stopped": p.stopped}
            for p in plies
        ],
        "variations": [each.to_dict() for each in variations],
    }


@dataclass(frozen=True, slots=True)
class Transcript:
    """A play; ``path`` is the file it was read from, for messages."""

    title: str
    person: Player
    plies: tuple[TranscriptPly, ...]
    result: str | None = None
    variations: tuple[Variation, ...] = ()
    path: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        head = [_FIRST_LINE, f"title: {self.title}", f"person: {self.person.value}", ""]
        aside = [line for each in self.variations for line in ("", *each.lines)]
        foot = ["", f"result: {self.result}"] if self.result is not None else []
        return "\n".join([*head, *(str(ply) for ply in self.plies), *aside, *foot, ""])

    def to_dict(self) -> dict[str, object]:
        """The play as JSON data; :meth:`from_json` reads it back."""
        return {
            "transcript": 1,
            "title": self.title,
            "person": self.person.value,
            **_line_json(self.plies, self.variations),
            "result": self.result,
        }

    @classmethod
    def parse(cls, text: str, path: str | None = None) -> Transcript:
        """Read either form; raises ``InputError`` with the line."""
        if text.lstrip().startswith("{"):
            return cls.from_json(text, path)
        return _parse_text(text, path)

    @classmethod
    def from_json(cls, text: str, path: str | None = None) -> Transcript:
        """Read the JSON form; raises ``InputError``."""
        from qsage_validate.formats.json_text import parse_json

        data = parse_json(Source(text, path), "a transcript")
        title, person = data["title"].line(), _player(data["person"])
        plies, variations = _read_line(data)
        result = data.given("result")
        told = None if result is None else result.line()
        return cls(title, person, plies, told, variations, path)

    def __repr__(self) -> str:
        return f"<Transcript {self.title}: {len(self.plies)} plies>"


def _read_line(
    data: Json, depth: int = 0
) -> tuple[tuple[TranscriptPly, ...], tuple[Variation, ...]]:
    plies = tuple(
        TranscriptPly(
            ply["ply"].integer(most=_MOST_PLIES),
            _player(ply["player"]),
            ply["move"].line(),
            _mark(ply, "illegal"),
            _mark(ply, "stopped"),
        )
        for ply in data["plies"].items()
    )
    if depth > _DEEPEST:
        raise data.error("too many variations inside each other", f"at most {_DEEPEST}")
    if depth and not plies:
        raise data["plies"].error("a variation without plies", "a ply")
    beside = data.given("variations")
    inner = [] if beside is None else beside.items()
    return plies, tuple(Variation(*_read_line(each, depth + 1)) for each in inner)


def _player(value: Json) -> Player:
    return Player(value.one_of(*(player.value for player in Player)))


def _mark(ply: Json, key: str) -> bool:
    mark = ply.given(key)
    return mark is not None and mark.boolean()


_PLY = re.compile(r"(\d{1,9})\s+(black|white)\s+(\S.*)", re.IGNORECASE)


def _parse_text(text: str, path: str | None) -> Transcript:
    lines = content_lines(text)
    number, first = next(lines, (1, ""))
    if first != _FIRST_LINE:
        # A file of another kind is nobody's to be shown.
        ours = not first or first.startswith("qsage ")
        found = repr(first[:40]) if ours else "another kind of file"
        raise InputError(path, number, 1, found, repr(_FIRST_LINE))
    header: dict[str, str] = {}
    # The line that is read, and those around it: plies, finished variations, where it begins.
    around: list[tuple[list[TranscriptPly], list[Variation], int]] = []
    plies: list[TranscriptPly] = []
    variations: list[Variation] = []
    begin = 0
    for number, line in lines:
        ply = _PLY.fullmatch(line)
        if ply is not None:
            if variations:
                expected = "no ply of a line behind its variations"
                raise InputError(path, number, 1, repr(line[:60]), expected)
            plies.append(_parse_ply(ply, number))
            continue
        if line == "(" and len(around) < _DEEPEST:
            around.append((plies, variations, begin))
            plies, variations, begin = [], [], number
            continue
        if line == ")" and around and plies:
            ended = Variation(tuple(plies), tuple(variations))
            plies, variations, begin = around.pop()
            variations.append(ended)
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in ("title", "person", "result"):
            raise InputError(path, number, 1, repr(line[:60]), "'PLY black|white MOVE'")
        header[key] = value.strip()
    person = header.get("person", "")
    if person not in ("black", "white"):
        raise InputError(path, None, None, f"person {person!r}", "'person: black' or 'white'")
    if around:
        raise InputError(path, begin, 1, "'('", "')' behind the variation that it begins")
    title, result = header.get("title", ""), header.get("result")
    return Transcript(title, Player(person), tuple(plies), result, tuple(variations), path)


def _parse_ply(match: re.Match[str], number: int) -> TranscriptPly:
    words = match[3].split()
    marks = set()
    while len(words) > 1 and words[-1] in (_ILLEGAL, _STOP):
        marks.add(words.pop())
    player, move = Player(match[2].lower()), " ".join(words)
    return TranscriptPly(int(match[1]), player, move, _ILLEGAL in marks, _STOP in marks, number)
