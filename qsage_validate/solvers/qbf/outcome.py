"""The outcome of a solver's run: an answer if exit code and verdict agree, else a reason."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from qsage_validate.errors import one_line
from qsage_validate.formats.source import Path
from qsage_validate.solvers.qbf.dialect import EXIT_CODES
from qsage_validate.system.programs import Ended, Finished


class SolverStatus(Enum):
    """The end of a run; only the first two are answers.  UNKNOWN is a preprocessor's usual end."""

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
        return {SolverStatus.TRUE: True, SolverStatus.FALSE: False}.get(self)


@dataclass(frozen=True)
class SolverOutcome:
    """The end of one run.

    ``why`` is one line for messages: what confirmed the answer, or what was found instead of an
    answer.  ``outer`` is an assignment of the outermost block by which its owner wins: of
    existentials of a true formula or universals of a false one; ``None`` where the solver did
    not print a whole one or the outermost block belongs to the loser.  ``seconds`` is wall
    time and ``cpu_seconds`` the time of the processor of the program and its children;
    ``peak_mb`` is resident memory in megabytes.  ``log`` is what the program wrote, shortened
    in the middle.  ``trace`` is the trace that was asked for: complete, or ``None``.
    """

    status: SolverStatus
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


_SAID_CHARACTERS: Final = 160
_LOG_CHARACTERS: Final = 20_000
_NO_SPACE: Final = re.compile(rb"no space left|disk full|file too large", re.IGNORECASE)


def failure(finished: Finished) -> tuple[SolverStatus, str] | None:
    """The status and the reason of a run that ended before its time, else ``None``."""
    match finished.ended:
        case Ended.TIMEOUT:
            return SolverStatus.TIMEOUT, f"no answer within {finished.seconds:.3g} s"
        case Ended.MEMORY:
            return SolverStatus.MEMORY, f"no answer within the memory limit{said(finished)}"
        case Ended.STOPPED:
            return SolverStatus.STOPPED, f"stopped after {finished.seconds:.3g} s"
        case Ended.OUTPUT:
            return SolverStatus.DISK, "stopped: it wrote more than it may"
        case Ended.NOT_STARTED:
            return SolverStatus.CRASHED, f"could not be started{said(finished)}"
        case Ended.SIGNALLED if finished.returncode == -signal.SIGXFSZ:
            return SolverStatus.DISK, "a file became larger than the system allows"
        case Ended.SIGNALLED:
            return SolverStatus.CRASHED, f"was killed by {_signal(finished)}{said(finished)}"
        case Ended.EXITED:
            if _NO_SPACE.search(finished.stderr):
                return SolverStatus.DISK, f"no space for its files{said(finished)}"
            return None


def status_of(
    finished: Finished, verdicts: set[bool], codes: Mapping[int, bool] = EXIT_CODES
) -> tuple[SolverStatus, str]:
    """The status of a run that printed ``verdicts``, and why, in one line.

    ``codes`` are the exit codes of answers; a solver without any ends with 0 where it answers.
    """
    failed = failure(finished)
    if failed is not None:
        return failed
    code = finished.returncode
    answer = codes.get(code)
    if answer is None and not verdicts:
        status = SolverStatus.GAVE_UP if code == 0 else SolverStatus.CRASHED
        return status, f"exit code {code} and no verdict{said(finished)}"
    if len(verdicts) > 1:
        return SolverStatus.RUBBISH, f"exit code {code}, but it printed both verdicts"
    if not verdicts:
        return SolverStatus.RUBBISH, f"exit code {code}, but it printed no verdict{said(finished)}"
    (printed,) = verdicts
    if not codes and code == 0:
        return (
            SolverStatus.TRUE if printed else SolverStatus.FALSE
        ), "printed verdict, and exit code 0"
    if answer is not printed:
        word = "true" if printed else "false"
        return SolverStatus.RUBBISH, f"it printed {word}, but its exit code is {code}"
    return (
        SolverStatus.TRUE if answer else SolverStatus.FALSE
    ), f"exit code {code} and printed verdict agree"


def _signal(finished: Finished) -> str:
    try:
        return signal.Signals(-finished.returncode).name
    except ValueError:  # a real-time signal has no name
        return f"signal {-finished.returncode}"


def said(finished: Finished) -> str:
    """The last line of what it wrote, for messages."""
    for text in (finished.stderr, finished.stdout):
        lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
        if lines:
            return f": {one_line(lines[-1].strip(), _SAID_CHARACTERS)}"
    return ""


def shortened(finished: Finished) -> str:
    """Standard output, and standard error behind it, shortened in the middle."""
    text = (finished.stdout + finished.stderr).decode("utf-8", "replace")
    if len(text) > _LOG_CHARACTERS:
        half = _LOG_CHARACTERS // 2
        text = f"{text[:half]}\n[...]\n{text[-half:]}"
    return text
