"""Progress: one type of message for all long work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of the work: its stage and how far it is, to be shown.

    ``done`` and ``of`` count steps, where they are counted and where it is known how many there
    are.
    """

    stage: str
    text: str = ""
    done: int | None = None
    of: int | None = None

    def __str__(self) -> str:
        return f"{self.stage}: {self.text}" if self.text else self.stage


Tell = Callable[[Progress], None]
"""A callback for progress reports; the thread that does the work calls it now and then."""


def nobody(_: Progress) -> None:
    """Drop the progress report."""


def telling(tell: Tell, stage: str) -> Tell:
    """A callback that passes each progress report on to ``tell`` as a part of ``stage``."""
    return lambda progress: tell(replace(progress, stage=stage))
