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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from qsage_validate.arena.frame import Frame, MatchMove
from qsage_validate.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    InputError,
    MalformedMoveError,
    UsageError,
    counted,
)
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import History, PlayMatch, Round
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
        return f"<Transcript {self.title}: {counted(len(self.plies), 'ply')}>"


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


# Transcripts of plays, and plays of transcripts


def transcript_of(match: PlayMatch) -> Transcript:
    """The play so far, and what else was tried as its variations.

    ``str`` is its text, ``Transcript.parse`` reads it back.
    """
    outcome, path = match.outcome, match.history.here.path
    return Transcript(
        title=match.facts.title,
        person=match.person,
        plies=_plies(path),
        result=None if outcome is None else outcome.text,
        variations=_variations(path),
    )


def play_transcript(match: PlayMatch, transcript: Transcript) -> None:
    """Replay ``transcript`` from the start, with its variations; it takes the history's place.

    Raises ``InputError`` when it does not fit: another side, a move that cannot be read or
    is illegal (and not marked as let happen), or another answer of the certificate.  The
    play is then as it was before.
    """
    if transcript.person is not match.person:
        found = f"a play in which the person is {transcript.person}"
        expected = f"one in which the person is {match.person}"
        raise InputError(transcript.path, None, None, found, expected)
    with match.anew():
        _replay(match, transcript)
        _replay_variations(match, transcript, match.history.here, transcript.variations)


def _replay_variations(
    match: PlayMatch, transcript: Transcript, end: Round, variations: Sequence[Variation]
) -> None:
    """Play each variation after the round of the line up to ``end`` that it branches from."""
    for each in variations:
        first = each.plies[0]
        at = (r for r in end.path if r.frames[-1].ply == first.ply - 1)
        branching = next(at, None)
        if branching is None:
            found = f"a variation from ply {first.ply} on"
            expected = f"one that begins with a ply of {match.person}'s"
            raise InputError(transcript.path, first.line, None, found, expected)
        match.history.go(branching)
        _replay(match, replace(transcript, plies=each.plies))
        _replay_variations(match, transcript, match.history.here, each.variations)
    match.history.go(end)
    if end.children:
        end.onward = end.children[0]


def _replay(match: PlayMatch, transcript: Transcript) -> None:
    for ply in transcript.plies:
        chosen = not match.over and match.mover is ply.player and match.frame.ply < ply.ply
        if ply.player is match.person or chosen:
            _replay_person(match, transcript, ply)
        else:
            _compare_answer(match, transcript, ply)


def _replay_person(match: PlayMatch, transcript: Transcript, ply: TranscriptPly) -> None:
    try:
        match.push(ply.move, force=ply.illegal, claim=ply.stopped)
        match.answer()
    except (AmbiguousMoveError, IllegalMoveError, MalformedMoveError, UsageError) as error:
        found = f"{ply.move!r} ({error})"
        raise InputError(transcript.path, ply.line, None, found, "a legal move") from error


def _compare_answer(match: PlayMatch, transcript: Transcript, ply: TranscriptPly) -> None:
    shown = next((f for f in match.frames if f.ply == ply.ply), None)
    if shown is None or _text(shown.move) != ply.move:
        answer = "no move" if shown is None else _text(shown.move)
        found = f"{ply.player} {ply.move} at ply {ply.ply}"
        expected = f"{answer}, which is how this {match.facts.answers} answers"
        raise InputError(transcript.path, ply.line, None, found, expected)


def _plies(rounds: Sequence[Round]) -> tuple[TranscriptPly, ...]:
    return tuple(
        TranscriptPly(f.ply, f.player, _text(f.move), f.illegal is not None, f.stopped)
        for each in rounds
        for f in each.frames
        if f.player is not None
    )


def _variations(line: Sequence[Round]) -> tuple[Variation, ...]:
    """The moves played beside the rounds of a line, and after its end: what redo plays is first."""
    last = line[-1]
    first = () if last.onward is None else (last.onward,)
    beside = [*first, *(c for c in last.children if c is not last.onward)]
    for each in reversed(line[:-1]):
        beside = [c for c in each.children if c not in line] + beside
    chains = [(each, *each.ahead) for each in beside]
    return tuple(Variation(_plies(chain), _variations(chain)) for chain in chains)


def _text(move: MatchMove | None) -> str:
    """The move as transcripts show it; a reply that is no move is a question mark."""
    return "?" if move is None else str(move)


# The history of a play as a list


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A ply of the tree as a list shows it.

    ``level`` counts the branches off the line on the board (0: it is on the line), ``index`` is
    the number of the frame on that line, and ``number`` that of its round.
    """

    frame: Frame
    level: int
    number: int
    index: int | None


def rows_of(history: History) -> tuple[HistoryRow, ...]:
    """All plies: those of the line on the board, each round followed by its alternatives."""
    rows: list[HistoryRow] = []
    index = 0
    for each in history.line:
        frames = each.frames
        for offset, frame in enumerate(frames):
            rows.append(HistoryRow(frame, 0, each.number, index + offset))
        index += len(frames)
        rows += _aside(each.others)
    return tuple(rows)


def _aside(rounds: Sequence[Round]) -> Iterator[HistoryRow]:
    """The rows of rounds beside a line, each with all that was played after it."""
    # A stack, not calls: a long play would nest too deep.
    waiting = [(each, 1, False) for each in reversed(rounds)]
    while waiting:
        each, level, first_choice = waiting.pop()
        yield from (HistoryRow(frame, level, each.number, None) for frame in each.frames)
        if each.onward is not None:
            waiting.append((each.onward, level, True))
        if first_choice:
            waiting += ((other, level + 1, False) for other in reversed(each.others))
