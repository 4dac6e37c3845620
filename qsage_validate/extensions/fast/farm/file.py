"""What a search of many processes knows, in a small JSON file that a later one goes on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from qsage_validate.formats.json_text import Json
from qsage_validate.formats.source import Path
from qsage_validate.games.model_text import GameModel
from qsage_validate.solvers.deepening.answer_file import AnswerFile, DepthAnswer, Fields

_FORMAT: Final = "qsage frontier 1"


@dataclass(frozen=True, slots=True)
class FarmAnswer(DepthAnswer):
    """The answer whether Black wins within ``plies`` after the moves of ``after``.

    ``never`` says that Black does not in any number of plies.
    """

    after: str = ""
    never: bool = False


class FrontierFile(AnswerFile[FarmAnswer]):
    """The answers about positions of one game."""

    required: ClassVar[Fields] = {
        "after": Json.line,
        "plies": Json.integer,
        "truth": Json.boolean,
        "by": Json.line,
        "seconds": Json.number,
    }
    optional: ClassVar[Fields] = {"never": Json.boolean}
    kind = FarmAnswer

    def __init__(self, file: Path, model: GameModel) -> None:
        head = {
            "format": _FORMAT,
            "game": model.name,
            "model": model.fingerprint(),
            "depth": str(model.depth),
        }
        super().__init__(file, head)

    def contradiction(self, entries: list[FarmAnswer]) -> str | None:
        wins: dict[str, int] = {}
        for entry in entries:
            if entry.truth:
                wins[entry.after] = min(wins.get(entry.after, entry.plies), entry.plies)
        for entry in entries:
            win = wins.get(entry.after)
            if not entry.truth and win is not None and (entry.never or win <= entry.plies):
                where = entry.after or "the first position"
                return f"a win within {win} plies and none within {entry.plies} after {where}"
        return None
