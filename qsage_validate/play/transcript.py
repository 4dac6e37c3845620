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

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from qsage_validate.errors import InputError
from qsage_validate.games.protocol import Player

_FIRST_LINE = "qsage transcript 1"
_ILLEGAL = "!illegal"
_STOP = "!stop"
# Variations inside each other: more than a person tries.
_DEEPEST = 200


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
        """The lines of the text."""
        yield "("
        yield from map(str, self.plies)
        for each in self.variations:
            yield from each.lines
        yield ")"

    def as_json(self) -> dict[str, object]:
        """The variation as JSON data."""
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
        "variations": [each.as_json() for each in variations],
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

    def as_json(self) -> dict[str, object]:
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
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            place = getattr(error, "lineno", None), getattr(error, "colno", None)
            raise InputError(path, *place, "broken JSON", "a transcript") from error
        try:
            plies, variations = _read_line(data)
            result = None if data.get("result") is None else _string(data["result"])
            title, person = _string(data["title"]), Player(data["person"])
            return cls(title, person, plies, result, variations, path)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                path, None, None, f"JSON that is no transcript ({error!r})", "a transcript"
            ) from error


def _read_line(
    data: Any, depth: int = 0
) -> tuple[tuple[TranscriptPly, ...], tuple[Variation, ...]]:
    """The plies of a line in JSON, and its variations; raises what wrong data make raise."""
    plies = tuple(
        TranscriptPly(
            _integer(p["ply"]),
            Player(p["player"]),
            _string(p["move"]),
            bool(p.get("illegal", False)),
            bool(p.get("stopped", False)),
        )
        for p in data["plies"]
    )
    if depth > _DEEPEST or (depth and not plies):
        raise ValueError("a variation without plies, or too many inside each other")
    inner = (_read_line(each, depth + 1) for each in data.get("variations", ()))
    return plies, tuple(Variation(*each) for each in inner)


def is_transcript(text: str) -> bool:
    """True if ``text`` looks like a transcript, in either form."""
    begin = next((line for _, line in _content(text)), "")
    return begin.startswith(("qsage transcript", "{"))


def _string(value: object) -> str:
    if not isinstance(value, str) or "\n" in value:
        raise TypeError(f"{value!r} is no line of text")
    return value


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value


_PLY = re.compile(r"(\d{1,9})\s+(black|white)\s+(\S.*)", re.IGNORECASE)


def _parse_text(text: str, path: str | None) -> Transcript:
    lines = _content(text)
    number, first = next(lines, (1, ""))
    if first != _FIRST_LINE:
        raise InputError(path, number, 1, repr(first[:40]), repr(_FIRST_LINE))
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
