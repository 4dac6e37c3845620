"""What a run of a solver gave: a confirmed answer, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from qsage_validate.formats.source import Path


class Status(Enum):
    """How a run ended; only the first two are answers.  UNKNOWN is a preprocessor's usual end."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    TIMEOUT = "time-out"
    MEMORY = "out of memory"
    DISK = "disk full"
    CRASHED = "crashed"
    RUBBISH = "rubbish"
    STOPPED = "stopped"
    GAVE_UP = "gave up"

    @property
    def truth(self) -> bool | None:
        """The truth value of the formula, ``None`` where the run gave none."""
        return {Status.TRUE: True, Status.FALSE: False}.get(self)


@dataclass(frozen=True)
class Outcome:
    """The end of one run.

    ``why`` is one line for people: what confirmed the answer, or what was found instead of an
    answer.  ``outer`` is an assignment of the outermost block by which its owner wins: of
    existentials of a true formula or universals of a false one; ``None`` where the solver did
    not print a whole one or the outermost block belongs to the loser.  ``seconds`` is wall
    time and ``cpu_seconds`` the time of the processor of the program and its children;
    ``peak_mb`` is resident memory in megabytes.  ``log`` is what the program wrote, shortened
    in the middle.  ``trace`` is the trace that was asked for: complete, or ``None``.
    """

    status: Status
    why: str
    outer: Mapping[int, bool] | None
    seconds: float
    cpu_seconds: float
    peak_mb: float
    log: str
    command: tuple[str, ...]
    solver: str
    version: str
    trace: Path | None = None

    @property
    def truth(self) -> bool | None:
        """The truth value of the formula, ``None`` where the run gave none."""
        return self.status.truth
