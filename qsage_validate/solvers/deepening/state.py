"""What is known of a game's depths, in a small file that a later run goes on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from qsage_validate.formats.source import Path
from qsage_validate.games.model_text import GameModel
from qsage_validate.solvers.deepening.answer_file import AnswerFile, Types

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


class DeepeningFile(AnswerFile[Answer]):
    """The answers about a game's depths in a file."""

    required: ClassVar[Types] = {
        "plies": (int,),
        "truth": (bool,),
        "by": (str,),
        "seconds": (int, float),
    }
    optional: ClassVar[Types] = {"first_move": (str,)}

    def __init__(self, file: Path, model: GameModel) -> None:
        head = {"format": _FORMAT, "game": model.name, "model": model.fingerprint()}
        super().__init__(file, head)

    @property
    def answers(self) -> list[Answer]:
        """The answers so far."""
        return self.entries

    def add(self, answer: Answer) -> None:
        """Keep an answer; those that nobody knows are not kept."""
        if answer.truth is not None:
            self.keep(answer)

    def as_json(self, entry: Answer) -> dict[str, Any]:
        fields = {
            "plies": entry.plies,
            "truth": entry.truth,
            "by": entry.by,
            "seconds": round(entry.seconds, 3),
        }
        return fields | ({"first_move": entry.first_move} if entry.first_move else {})

    def from_json(self, fields: Mapping[str, Any]) -> Answer:
        return Answer(
            fields["plies"],
            fields["truth"],
            fields["by"],
            float(fields["seconds"]),
            first_move=fields.get("first_move", ""),
        )

    def contradiction(self, entries: list[Answer]) -> str | None:
        true = min((a.plies for a in entries if a.truth), default=None)
        false = max((a.plies for a in entries if not a.truth), default=None)
        if true is not None and false is not None and true <= false:
            return f"a win within {true} plies and none within {false}"
        return None
