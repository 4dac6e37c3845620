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

    result: Black wins: reached its goal

``!illegal`` marks a move that was let happen, ``!stop`` one with which its player claimed the
goal.  Blank lines and lines that begin with ``#`` are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from qsage_validate.errors import InputError
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player

_FIRST_LINE = "qsage transcript 1"
_ILLEGAL = "!illegal"
_STOP = "!stop"
_MOST_PLIES = 999_999_999


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
class Transcript:
    """A play; ``path`` is the file it was read from, for messages."""

    title: str
    person: Player
    plies: tuple[TranscriptPly, ...]
    result: str | None = None
    path: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        head = [_FIRST_LINE, f"title: {self.title}", f"person: {self.person.value}", ""]
        foot = ["", f"result: {self.result}"] if self.result is not None else []
        return "\n".join([*head, *(str(ply) for ply in self.plies), *foot, ""])

    def as_json(self) -> dict[str, object]:
        """The play as JSON data; :meth:`from_json` reads it back."""
        return {
            "transcript": 1,
            "title": self.title,
            "person": self.person.value,
            "plies": [
                {"ply": p.ply, "player": p.player.value}
                | {"move": p.move, "illegal": p.illegal, "stopped": p.stopped}
                for p in self.plies
            ],
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
        data = parse_json(Source(text, path), "a transcript")
        title, person = data["title"].line(), _player(data["person"])
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
        result = data.given("result")
        return cls(title, person, plies, None if result is None else result.line(), path)


def is_transcript(text: str) -> bool:
    """True if ``text`` looks like a transcript, in either form."""
    begin = next((line for _, line in _content(text)), "")
    return begin.startswith(("qsage transcript", "{"))


def _player(value: Json) -> Player:
    return Player(value.one_of(*(player.value for player in Player)))


def _mark(ply: Json, key: str) -> bool:
    mark = ply.given(key)
    return mark is not None and mark.boolean()


_PLY = re.compile(r"(\d{1,9})\s+(black|white)\s+(\S.*)", re.IGNORECASE)


def _parse_text(text: str, path: str | None) -> Transcript:
    lines = _content(text)
    number, first = next(lines, (1, ""))
    if first != _FIRST_LINE:
        raise InputError(path, number, 1, repr(first[:40]), repr(_FIRST_LINE))
    header: dict[str, str] = {}
    plies: list[TranscriptPly] = []
    for number, line in lines:
        ply = _PLY.fullmatch(line)
        if ply is not None:
            plies.append(_parse_ply(ply, number))
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in ("title", "person", "result"):
            raise InputError(path, number, 1, repr(line[:60]), "'PLY black|white MOVE'")
        header[key] = value.strip()
    person = header.get("person", "")
    if person not in ("black", "white"):
        raise InputError(path, None, None, f"person {person!r}", "'person: black' or 'white'")
    return Transcript(
        header.get("title", ""), Player(person), tuple(plies), header.get("result"), path
    )


def _content(text: str) -> Iterator[tuple[int, str]]:
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line and not line.startswith("#"):
            yield number, line


def _parse_ply(match: re.Match[str], number: int) -> TranscriptPly:
    words = match[3].split()
    marks = set()
    while len(words) > 1 and words[-1] in (_ILLEGAL, _STOP):
        marks.add(words.pop())
    player, move = Player(match[2].lower()), " ".join(words)
    return TranscriptPly(int(match[1]), player, move, _ILLEGAL in marks, _STOP in marks, number)
