"""Progress: one type of message for all long work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done: the stage of the work, and how far it is, for people.

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
"""Is told how far work is, now and then, by the thread that does the work."""


def nobody(_: Progress) -> None:
    """Tells nobody."""


def telling(tell: Tell, stage: str) -> Tell:
    """Tells what it is told as a part of ``stage``."""
    return lambda progress: tell(replace(progress, stage=stage))
