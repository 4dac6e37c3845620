"""What is known of a game's depths, in a small file that a later run goes on from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from os import fspath, path
from typing import Any, Final

from qsage_validate.errors import InputError
from qsage_validate.formats.source import Path, Source, write_atomic
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.printer import domain_text, problem_text
from qsage_validate.games.gdl.printer import description_text
from qsage_validate.games.models import GameModel
from qsage_validate.games.positional.model import PositionalModel

_FORMAT: Final = "qsage deepening 1"


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether Black wins within ``plies``, who says so, and how long that took.

    ``truth`` is ``None`` where nobody knows; ``why`` says what stood in the way then.
    ``first_move`` is a winning move of Black's at ply 1, where one is known.
    """

    plies: int
    truth: bool | None
    by: str
    seconds: float
    why: str = ""
    first_move: str = ""


def fingerprint(model: GameModel) -> str:
    """Equal for two models exactly when they are the same game, whatever their depths."""
    if isinstance(model, Model):
        problem = replace(model.problem, depth=1)
        text = domain_text(model.domain) + problem_text(problem)
    elif isinstance(model, PositionalModel):
        text = repr(replace(model, turns=model.turns[:1]))
    else:
        text = f"{description_text(model.description)}{model.role} {model.win}"
    return hashlib.sha256(text.encode()).hexdigest()


class DeepeningFile:
    """The answers in a file; each one that is added is there at once, or not at all.

    A file that does not exist yet is begun.  Raises :class:`InputError` for one that is no such
    file, damaged, about another game, or contradicts itself.
    """

    def __init__(self, file: Path, model: GameModel) -> None:
        self._file = fspath(file)
        self._head = {
            "format": _FORMAT,
            "game": model.name,
            "model": fingerprint(model),
        }
        self.answers: list[Answer] = []
        if path.exists(self._file):
            self.answers = self._read()
        else:
            self._write()  # what cannot be written is told now, not in an hour

    def add(self, answer: Answer) -> None:
        """Keep an answer; those that nobody knows are not kept."""
        if answer.truth is not None:
            self.answers.append(answer)
            self._write()

    def _write(self) -> None:
        answers = [
            {"plies": a.plies, "truth": a.truth, "by": a.by, "seconds": round(a.seconds, 3)}
            | ({"first_move": a.first_move} if a.first_move else {})
            for a in self.answers
        ]
        text = json.dumps({**self._head, "answers": answers}, ensure_ascii=False, indent=1)
        write_atomic(self._file, text + "\n")

    def _read(self) -> list[Answer]:
        source = Source.open(self._file)
        try:
            read = json.loads(source.text)
        except json.JSONDecodeError as error:
            raise source.error(error.pos, f"no JSON ({error.msg})", _FORMAT) from None
        if not isinstance(read, dict) or read.get("format") != _FORMAT:
            raise InputError(self._file, None, None, "another file", f"a file of {_FORMAT!r}")
        if read.get("model") != self._head["model"]:
            found = f"answers about another game ({read.get('game')})"
            raise InputError(self._file, None, None, found, str(self._head["game"]))
        entries = read.get("answers")
        if not isinstance(entries, list):
            raise InputError(self._file, None, None, "no answers", "a list of them")
        answers = [self._answer(entry) for entry in entries]
        true = min((a.plies for a in answers if a.truth), default=None)
        false = max((a.plies for a in answers if not a.truth), default=None)
        if true is not None and false is not None and true <= false:
            found = f"a win within {true} plies and none within {false}"
            raise InputError(self._file, None, None, found, "answers that agree")
        return answers

    def _answer(self, entry: Any) -> Answer:
        expected = {
            "plies": (int,),
            "truth": (bool,),
            "by": (str,),
            "seconds": (int, float),
            "first_move": (str,),
        }
        if (
            not isinstance(entry, dict)
            or entry.keys() | {"first_move"} != expected.keys()
            or not all(type(value) in expected[key] for key, value in entry.items())
            or entry["plies"] < 0
        ):
            found = f"the entry {json.dumps(entry)[:60]}"
            raise InputError(self._file, None, None, found, "plies, truth, by and seconds")
        return Answer(
            entry["plies"],
            entry["truth"],
            entry["by"],
            float(entry["seconds"]),
            first_move=entry.get("first_move", ""),
        )
