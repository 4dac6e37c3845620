"""The time that a synthesis or a proof may take."""

from __future__ import annotations

import time
from dataclasses import dataclass

from qsage_validate.errors import UndecidedError


@dataclass(frozen=True)
class Clock:
    """A deadline on :func:`time.monotonic`; ``None`` is no limit."""

    deadline: float | None = None

    @classmethod
    def of(cls, seconds: float | None) -> Clock:
        """A clock that runs out after ``seconds`` from now."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    def left(self, at_most: float) -> float:
        """The seconds that are left, but no more than ``at_most``."""
        if self.deadline is None:
            return at_most
        return max(0.0, min(at_most, self.deadline - time.monotonic()))

    def part(self, seconds: float) -> Clock:
        """A clock that runs out with this one, or after ``seconds`` if that is earlier."""
        end = time.monotonic() + seconds
        return Clock(end if self.deadline is None else min(end, self.deadline))

    @property
    def over(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def check(self, doing: str) -> None:
        """Raise ``UndecidedError`` when the time is over."""
        if self.over:
            raise UndecidedError(f"the time was over while {doing}")
