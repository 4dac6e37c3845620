"""Answers in a small JSON file that a later run goes on from."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import fspath, path
from typing import Any, ClassVar, Final, Generic, TypeVar

from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Path, Source, quoted, write_atomic
from qsage_validate.games.model_text import GameModel

Fields = Mapping[str, Callable[[Json], Any]]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer whether Black wins within ``plies``, its source, and the time it took.

    ``truth`` is ``None`` where the answer is unknown; ``why`` gives the reason then.
    ``first_move`` is a winning move of Black's at ply 1, where one is known.
    """

    plies: int
    truth: bool | None
    by: str
    seconds: float
    why: str = ""
    first_move: str = ""


Entry = TypeVar("Entry", bound=Answer)


class AnswerFile(ABC, Generic[Entry]):
    """Answers in a file, behind a head that says what they are about.

    ``head`` are texts by name, the format first; each of them has to be the same in a file that is
    gone on with.  An answer that is added is written whole at once, or not at all; unknown answers
    are not kept.  A file that does not exist yet is begun.  What another run has added to the file
    meanwhile stays in it.  Raises :class:`InputError` for one that
    is no such file, damaged, about something else, or contradicts itself.

    ``required`` are the fields of an answer that are kept, ``optional`` those that are kept where
    they say something, each with its reader.
    """

    required: ClassVar[Fields]
    optional: ClassVar[Fields] = {}
    kind: type[Entry]
    sealed: ClassVar[bool] = False
    """True if the file has a digest of its answers, so that a change is seen."""

    def __init__(self, file: Path, head: Mapping[str, str]) -> None:
        self._file = fspath(file)
        self._head = dict(head)
        self.entries: list[Entry] = []
        if path.exists(self._file):
            self._seen = self._state()
            self.entries = self._read()
        else:
            self._write()  # a file that cannot be written is an error now, not in an hour

    def as_json(self, entry: Entry) -> dict[str, Any]:
        """An answer as an object of JSON."""
        fields = {name: getattr(entry, name) for name in (*self.required, *self.optional)}
        fields["seconds"] = round(entry.seconds, 3)
        return {name: x for name, x in fields.items() if name in self.required or x}

    def from_json(self, fields: Mapping[str, Any]) -> Entry:
        """The answer behind an object whose fields have the right names and types."""
        return self.kind(**{**fields, "seconds": float(fields["seconds"])})

    @abstractmethod
    def contradiction(self, entries: list[Entry]) -> str | None:
        """The text of two entries that contradict each other, or ``None``."""

    def add(self, entry: Entry) -> None:
        """Add an answer, and write the file."""
        if entry.truth is not None:
            state = self._state()
            if state not in (None, self._seen):
                others = self._read()
                self.entries = [*others, *(x for x in self.entries if x not in others)]
            self.entries.append(entry)
            self._write()

    def _state(self) -> tuple[int, ...] | None:
        """Which file there is now, and as of when."""
        try:
            status = os.stat(self._file)
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _write(self) -> None:
        answers = [self.as_json(entry) for entry in self.entries]
        seal = {"sha256": _digest(answers)} if self.sealed else {}
        text = json.dumps({**self._head, **seal, "answers": answers}, ensure_ascii=False, indent=1)
        write_atomic(self._file, text + "\n", continued=True)
        self._seen = self._state()

    @property
    def fields(self) -> Fields:
        """All fields of an answer that there can be."""
        return {**self.required, **self.optional}

    def _read(self) -> list[Entry]:
        own = self._head["format"]
        read = parse_json(Source.plain(self._file), own)
        read["format"].one_of(own)
        if read["model"].text() != self._head["model"]:
            other = read.get("game")
            about = "" if other is None else f" ({other.text()})"
            raise read["model"].error(f"answers about another game{about}", self._head["game"])
        for name in self._head.keys() - {"format", "model", "game"}:
            if read[name].text() != self._head[name]:
                found = f"answers for the {name} {read[name].text()}"
                raise read[name].error(found, self._head[name])
        entries = [self._entry(each) for each in read["answers"].items()]
        if self.sealed:
            seal = _digest([self.as_json(entry) for entry in entries])
            if read["sha256"].text() != seal:
                found = quoted(read["sha256"].text(), 80)
                raise read["sha256"].error(found, f"{seal}: the answers were cut or changed")
        contradiction = self.contradiction(entries)
        if contradiction is not None:
            raise read["answers"].error(contradiction, "answers that agree")
        return entries

    def _entry(self, entry: Json) -> Entry:
        fields = entry.fields()
        for name, field in fields.items():
            if name not in self.fields:
                raise field.error(f"the field {name!r}", f"one of {', '.join(self.fields)}")
        for name in self.required:
            entry[name]  # raises the error where it is not there
        return self.from_json({name: self.fields[name](x) for name, x in fields.items()})


def _digest(answers: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()


_FORMAT: Final = "qsage deepening 1"


class DeepeningFile(AnswerFile[Answer]):
    """The answers about a game's depths in a file."""

    required: ClassVar[Fields] = {
        "plies": Json.integer,
        "truth": Json.boolean,
        "by": Json.line,
        "seconds": Json.number,
    }
    optional: ClassVar[Fields] = {"first_move": Json.line}
    kind = Answer

    def __init__(self, file: Path, model: GameModel) -> None:
        head = {"format": _FORMAT, "game": model.name, "model": model.fingerprint()}
        super().__init__(file, head)

    def contradiction(self, entries: list[Answer]) -> str | None:
        true = min((a.plies for a in entries if a.truth), default=None)
        false = max((a.plies for a in entries if not a.truth), default=None)
        if true is not None and false is not None and true <= false:
            return f"a win within {true} plies and none within {false}"
        return None
