"""Ctrl-C in the middle of a level: what is known by then goes with it."""

from __future__ import annotations

from qsage_validate.proving.levels import LevelResult


class LevelInterrupted(KeyboardInterrupt):
    """A level was interrupted; ``partial`` is its undecided or refuted result so far."""

    def __init__(self, partial: LevelResult) -> None:
        super().__init__(str(partial.verdict))
        self.partial = partial
