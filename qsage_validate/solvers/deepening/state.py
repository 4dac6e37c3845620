"""What is known of a game's depths, in a small file that a later run goes on from."""

from __future__ import annotations

from typing import ClassVar, Final

from qsage_validate.formats.source import Path
from qsage_validate.games.models import GameModel
from qsage_validate.solvers.deepening.answer_file import Answer, AnswerFile, Types

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
