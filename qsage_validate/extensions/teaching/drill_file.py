"""The file in which the progress of a drill is kept."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from qsage_validate.extensions.teaching.drill import DrillProgress
from qsage_validate.formats.json_text import parse_json
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.protocol import Player


@dataclass(frozen=True, slots=True)
class DrillFile:
    """Keeps a progress in the file ``path``, or nowhere."""

    path: str | None = None

    def read(self, key: str, side: Player) -> DrillProgress:
        """The progress that is kept, a new one where nothing is.

        Raises ``InputError`` for a file of another drill.
        """
        if self.path is None or not os.path.lexists(self.path):
            return DrillProgress(key, side)
        return DrillProgress.from_json(parse_json(Source.plain(self.path), "a drill"), key, side)

    def write(self, progress: DrillProgress) -> None:
        """Keep ``progress``; raises ``InputError`` where the file cannot be written."""
        if self.path is not None:
            text = json.dumps(progress.to_dict(), indent=1) + "\n"
            # The file was read in order to be written anew.
            write_atomic(self.path, text, continued=True)
