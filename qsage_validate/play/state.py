"""The state kept between plays: which were begun last, plays that were left, the theme.

It is kept where the platform keeps such things, or in ``$QSAGE_STATE``, as one JSON file and a
folder of transcripts.  A file that cannot be read is put aside, and said in one line.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

from qsage_validate.errors import InputError, QsageError, counted
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.transcript import Transcript, transcript_of

FOLDER_VARIABLE: Final = "QSAGE_STATE"
_APPLICATION: Final = "qsage-validate"
_WHAT: Final = "the state of qsage-play"
_VERSION: Final = 1
_MOST_RECENT: Final = 12
_MOST_PLAYS: Final = 20
_MOST_WORDS: Final = 100
_LONGEST: Final = 4096
_MOST_PLIES: Final = 999_999_999


@dataclass(frozen=True, slots=True)
class Recent:
    """A play that was begun: the words behind ``qsage-play``, and what it is called.

    ``play`` is the transcript that was kept when it was left, or saved.  ``ply`` is the
    one that it was left at and ``when`` the day and the minute of that; both may be unknown.
    """

    words: tuple[str, ...]
    title: str
    play: str | None = None
    ply: int | None = field(default=None, compare=False)
    when: str | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, object]:
        """The entry, as the file has it."""
        left = {"ply": self.ply, "when": self.when}
        return {"words": list(self.words), "title": self.title, "play": self.play, **left}

    @classmethod
    def of(cls, data: Json) -> Recent:
        """The entry that the file has; raises ``InputError``."""
        words = tuple(_short(word) for word in data["words"].items())
        if not 1 <= len(words) <= _MOST_WORDS:
            raise data["words"].error(counted(len(words), "word"), f"1 to {_MOST_WORDS}")
        play = data.given("play")
        ply, when = data.given("ply"), data.given("when")
        return cls(
            words,
            _short(data["title"]),
            None if play is None else _short(play),
            None if ply is None else ply.integer(most=_MOST_PLIES),
            None if when is None else _short(when),
        )


def _short(data: Json) -> str:
    text = data.line()
    if len(text) > _LONGEST or "\0" in text:
        raise data.error("a text that is too long, or has a zero in it", "a word")
    return text


@dataclass(frozen=True, slots=True)
class State:
    """What is kept; the most recent play comes first."""

    theme: str | None = None
    recent: tuple[Recent, ...] = ()

    def with_recent(self, entry: Recent) -> State:
        """The state after ``entry`` was begun, or left.

        What is known of it as a play that was only begun is dropped.
        """
        others = [r for r in self.recent if r.words != entry.words or r.play is not None]
        if entry.play is not None:
            others = [r for r in others if r.play != entry.play]
        return replace(self, recent=(entry, *others)[:_MOST_RECENT])


class Store:
    """The folder in which a state is kept; ``None`` keeps nothing."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder

    @classmethod
    def usual(cls) -> Store:
        """The store in the folder that the environment names, else in the user's state folder."""
        named = os.environ.get(FOLDER_VARIABLE)
        if named:
            return cls(os.path.abspath(named))
        from platformdirs import user_state_path

        return cls(str(user_state_path(_APPLICATION, appauthor=False)))

    @property
    def _file(self) -> str:
        return os.path.join(self.folder or "", "state.json")

    def read(self) -> State:
        """What is kept; raises ``InputError`` for a file that does not fit, which stays."""
        if self.folder is None or not os.path.lexists(self._file):
            return State()
        data = parse_json(Source.plain(self._file), _WHAT)
        version = data["state"].integer()
        if version != _VERSION:
            raise data["state"].error(str(version), f"{_VERSION}, the version of {_WHAT}")
        theme = data.given("theme")
        return State(
            None if theme is None else theme.one_of("dark", "light"),
            tuple(map(Recent.of, data["recent"].items()))[:_MOST_RECENT],
        )

    def read_or_put_aside(self) -> tuple[State, str | None]:
        """What is kept, and the line that says why it is not, where it cannot be read."""
        try:
            return self.read(), None
        except QsageError as error:
            aside = f"{self._file}.unreadable"
            try:
                os.replace(self._file, aside)
            except OSError:
                return State(), f"{error}: ignored"
            return State(), f"{error}: ignored, and moved to {aside}"

    def write(self, state: State) -> None:
        """Keep ``state``; raises ``InputError`` where it cannot be written."""
        if self.folder is None:
            return
        recent = [entry.to_dict() for entry in state.recent]
        data = {"state": _VERSION, "theme": state.theme, "recent": recent}
        self._make_folder(self.folder)
        write_atomic(self._file, json.dumps(data, indent=1) + "\n", continued=True)

    def keep_play(self, match: PlayMatch, name: str, path: str | None = None) -> str:
        """Write a play that is left, to ``path`` or to a new file; returns where it is.

        Raises ``InputError`` where it cannot be written, and ``ValueError`` without a folder.
        """
        if self.folder is None:
            raise ValueError("nothing is kept")
        plays = self.plays_folder()
        if path is None:
            # The name may have the folder of a file that could not be saved to.
            stem, end = os.path.splitext(os.path.basename(name))
            names = (f"{stem}{f'-{k}' if k > 1 else ''}{end}" for k in range(1, 10_000))
            path = next(p for n in names if not os.path.lexists(p := os.path.join(plays, n)))
        write_atomic(path, str(transcript_of(match)), continued=True)
        self._forget_old(plays)
        return path

    def plays_folder(self) -> str:
        """The folder of plays that were left, made where there is none.

        Raises ``InputError`` where it cannot be made, and ``ValueError`` without a state.
        """
        if self.folder is None:
            raise ValueError("nothing is kept")
        self._make_folder(self._plays)
        return self._plays

    @property
    def _plays(self) -> str:
        return os.path.join(self.folder or "", "plays")

    def keeps(self, path: str) -> bool:
        """Whether a file is one of the plays that were left."""
        return self.folder is not None and os.path.dirname(path) == self._plays

    def drill_path(self, command: str, side: Player) -> str | None:
        """The file for the progress of a drill against the strategy of a command line.

        ``None`` where nothing is kept, or no folder can be made.
        """
        if self.folder is None:
            return None
        drills = os.path.join(self.folder, "drills")
        try:
            self._make_folder(drills)
        except InputError:
            return None
        named = "\0".join((*words_of(command), side.value))
        return os.path.join(drills, f"{sha256(named.encode()).hexdigest()[:16]}.json")

    @staticmethod
    def _make_folder(path: str) -> None:
        try:
            os.makedirs(path, mode=0o700, exist_ok=True)
        except OSError as error:
            found = error.strerror or str(error)
            raise InputError(path, None, None, found, "a folder that can be made") from None

    @staticmethod
    def _forget_old(plays: str) -> None:
        """Remove the oldest transcripts where there are too many."""
        with os.scandir(plays) as entries:
            files = [e for e in entries if e.name.endswith(".play") and e.is_file()]
        files.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in files[:-_MOST_PLAYS]:
            os.unlink(entry.path)


def is_a_play(transcript: Transcript) -> bool:
    """True if the person has moved, or there are variations: the play is worth keeping."""
    moved = any(ply.player is transcript.person for ply in transcript.plies)
    return moved or bool(transcript.variations)


def words_of(command: str) -> tuple[str, ...]:
    """The words that begin the play of a command line which replays it, files by their full names.

    A sample keeps its name.
    """
    import shlex

    words = shlex.split(command)[1:]
    if "--moves" in words:
        words = words[: words.index("--moves")]
    return tuple(_absolute(words))


def _absolute(words: Sequence[str]) -> list[str]:
    return [os.path.abspath(w) if os.path.exists(w) and os.sep not in w[:1] else w for w in words]
