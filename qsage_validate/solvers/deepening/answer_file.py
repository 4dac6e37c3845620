"""Answers in a small JSON file that a later run goes on from."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from os import fspath, path
from typing import Any, ClassVar, Final, Generic, TypeVar

from qsage_validate.errors import InputError
from qsage_validate.formats.source import Path, Source, write_atomic
from qsage_validate.games.model_text import GameModel

Types = Mapping[str, tuple[type, ...]]

_SHOWN: Final = 60


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
    are not kept.  A file that does not exist yet is begun.  Raises :class:`InputError` for one that
    is no such file, damaged, about something else, or contradicts itself.

    ``required`` are the fields of an answer that are kept, ``optional`` those that are kept where
    they say something, with the types that JSON has for them.
    """

    required: ClassVar[Types]
    optional: ClassVar[Types] = {}
    kind: type[Entry]

    def __init__(self, file: Path, head: Mapping[str, str]) -> None:
        self._file = fspath(file)
        self._head = dict(head)
        self.entries: list[Entry] = []
        if path.exists(self._file):
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
            self.entries.append(entry)
            self._write()

    def _write(self) -> None:
        answers = [self.as_json(entry) for entry in self.entries]
        text = json.dumps({**self._head, "answers": answers}, ensure_ascii=False, indent=1)
        write_atomic(self._file, text + "\n", continued=True)

    def _fail(self, found: str, expected: str) -> InputError:
        return InputError(self._file, None, None, found, expected)

    def _read(self) -> list[Entry]:
        source = Source.open(self._file)
        own = self._head["format"]
        try:
            read = json.loads(source.text)
        except json.JSONDecodeError as error:
            raise source.error(error.pos, f"no JSON ({error.msg})", own) from None
        if not isinstance(read, dict) or read.get("format") != own:
            raise self._fail("another file", f"a file of {own!r}")
        if read.get("model") != self._head["model"]:
            raise self._fail(f"answers about another game ({read.get('game')})", self._head["game"])
        for name in self._head.keys() - {"format", "model", "game"}:
            if read.get(name) != self._head[name]:
                raise self._fail(f"answers for the {name} {read.get(name)}", self._head[name])
        listed = read.get("answers")
        if not isinstance(listed, list):
            raise self._fail("no answers", "a list of them")
        entries = [self._entry(fields) for fields in listed]
        contradiction = self.contradiction(entries)
        if contradiction is not None:
            raise self._fail(contradiction, "answers that agree")
        return entries

    def _entry(self, fields: Any) -> Entry:
        types = {**self.required, **self.optional}
        if (
            not isinstance(fields, dict)
            or not self.required.keys() <= fields.keys() <= types.keys()
            or not all(type(value) in types[key] for key, value in fields.items())
            or fields.get("plies", 0) < 0
        ):
            names = [*self.required]
            expected = f"{', '.join(names[:-1])} and {names[-1]}"
            raise self._fail(f"the entry {json.dumps(fields)[:_SHOWN]}", expected)
        return self.from_json(fields)


_FORMAT: Final = "qsage deepening 1"


class DeepeningFile(AnswerFile[Answer]):
    """The answers about a game's depths in a file."""

    required: ClassVar[Types] = {
        "plies": (int,),
        "truth": (bool,),
        "by": (str,),
        "seconds": (int, float),
    }
    optional: ClassVar[Types] = {"first_move": (str,)}
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
