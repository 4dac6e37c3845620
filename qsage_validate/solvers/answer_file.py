"""Answers in a small JSON file that a later run goes on from."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import fspath, path
from typing import Any, ClassVar, Final, Generic, TypeVar

from qsage_validate.errors import one_line
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Path, Source, quoted
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel

Fields = Mapping[str, Callable[[Json], Any]]


@dataclass(frozen=True, slots=True)
class DepthAnswer:
    """The answer whether Black wins within ``plies``, its source, and the time it took.

    ``truth`` is ``None`` where the answer is unknown; ``why`` gives the reason then.
    ``first_move`` is a winning move of Black's at ply 1, where one is known.  ``taken_from`` is the
    file that the answer was read from, of which nothing was checked again.
    """

    plies: int
    truth: bool | None
    by: str
    seconds: float
    why: str = ""
    first_move: str = ""
    taken_from: str = field(default="", kw_only=True, compare=False)

    @property
    def said_by(self) -> str:
        """The source of the answer; what a file says is the source is quoted."""
        if not self.taken_from:
            return self.by
        return f"{quoted(one_line(self.by), 60)} as {self.taken_from} says, not checked again"


def rests_on(path: str) -> str:
    """The words behind a result that rests on answers in a file."""
    return f"; this rests on answers in {one_line(path)}, which are not checked again"


Entry = TypeVar("Entry", bound=DepthAnswer)


class AnswerFile(ABC, Generic[Entry]):
    """Answers in a file, behind a head that says what they are about.

    ``head`` are texts by name, the format first; each of them has to be the same in a file that is
    gone on with.  A digest of the answers tells a change by accident; whoever makes it anew can
    say anything, so that answers know the file that they are from.  An answer that is added is
    written whole at once, or not at all; unknown answers are not kept.  A file that does not exist
    yet is begun.  What another run has added to the file meanwhile stays in it.  Raises
    :class:`InputError` for one that is no such file, damaged, about something else, or contradicts
    itself.

    ``required`` are the fields of an answer that are kept, ``optional`` those that are kept where
    they say something, each with its reader.
    """

    required: ClassVar[Fields]
    optional: ClassVar[Fields] = {}
    kind: type[Entry]

    def __init__(self, file: Path, head: Mapping[str, str]) -> None:
        self._file = fspath(file)
        self._head = dict(head)
        self.entries: list[Entry] = []
        if path.exists(self._file):
            self._seen = self._state()
            self.entries = self._read()
        else:
            self._write()  # a file that cannot be written is an error now, not in an hour

    def to_dict(self, entry: Entry) -> dict[str, Any]:
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
        answers = [self.to_dict(entry) for entry in self.entries]
        content = {**self._head, "sha256": _digest(answers), "answers": answers}
        text = json.dumps(content, ensure_ascii=False, indent=1)
        write_atomic(self._file, text + "\n", continued=True)
        self._seen = self._state()

    @property
    def fields(self) -> Fields:
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
        seal, said = _digest([self.to_dict(entry) for entry in entries]), read.get("sha256")
        if said is None or said.text() != seal:
            found = "no 'sha256'" if said is None else quoted(said.text(), 80)
            raise (said or read).error(found, f"{seal}: the answers were cut or changed")
        contradiction = self.contradiction(entries)
        if contradiction is not None:
            raise read["answers"].error(contradiction, "answers that agree")
        return entries

    def _entry(self, entry: Json) -> Entry:
        fields = entry.fields()
        for name, each in fields.items():
            if name not in self.fields:
                raise each.error(f"the field {name!r}", f"one of {', '.join(self.fields)}")
        for name in self.required:
            entry[name]  # raises the error where it is not there
        read = self.from_json({name: self.fields[name](x) for name, x in fields.items()})
        self.check(read, entry)
        return replace(read, taken_from=self._file)

    def check(self, read: Entry, place: Json) -> None:
        """Raise ``InputError`` for an answer that this game cannot have."""


def _digest(answers: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()


_FORMAT: Final = "qsage deepening 1"


class DeepeningFile(AnswerFile[DepthAnswer]):
    """The answers about a game's depths in a file."""

    required: ClassVar[Fields] = {
        "plies": Json.integer,
        "truth": Json.boolean,
        "by": Json.line,
        "seconds": Json.number,
    }
    optional: ClassVar[Fields] = {"first_move": Json.line}
    kind = DepthAnswer

    def __init__(self, file: Path, model: GameModel) -> None:
        head = {"format": _FORMAT, "game": model.name, "model": model.fingerprint()}
        self._model = model
        super().__init__(file, head)

    def check(self, read: DepthAnswer, place: Json) -> None:
        if read.first_move:
            legal = set(map(str, load_game(self._model).initial.legal_moves()))
            for move in read.first_move.split(", ") if read.first_move not in legal else ():
                if move not in legal:
                    found = f"the first move {quoted(one_line(move))}"
                    raise place["first_move"].error(found, "a legal move")

    def contradiction(self, entries: list[DepthAnswer]) -> str | None:
        true = min((a.plies for a in entries if a.truth), default=None)
        false = max((a.plies for a in entries if not a.truth), default=None)
        if true is not None and false is not None and true <= false:
            return f"a win within {true} plies and none within {false}"
        return None
