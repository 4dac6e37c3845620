"""Bloqqer, the preprocessor: a smaller formula of the same truth, or the truth itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.solvers.backend import RunLimits
from qsage_validate.solvers.outcome import Status


@dataclass(frozen=True)
class Preprocessed:
    """What a preprocessor made of a formula.

    ``status`` is TRUE or FALSE when it decided the formula, ``Status.GAVE_UP`` when
    ``form`` is what is left to solve (the usual end), anything else when it failed.

    ``form`` has the truth of the original formula.  Its variables have the original's
    numbers; variables that it introduced are larger than ``max_variable`` of the original.
    Its prefix names exactly the variables that occur in its clauses, neighbouring scopes of
    one quantifier merged.  It is ``None`` unless there is something left to solve.

    ``trace`` is the QRAT trace (as asked for), ``None`` where none was asked for or the run
    failed.
    """

    status: Status
    why: str
    form: ClausalForm | None
    trace: Path | None
    seconds: float
    cpu_seconds: float
    peak_mb: float
    log: str
    version: str


def preprocess(
    form: ClausalForm,
    limits: RunLimits = RunLimits(),  # noqa: B008 (frozen)
    *,
    workdir: Path,
    trace: Path | None = None,
    options: tuple[str, ...] = (),
) -> Preprocessed:
    """Preprocess ``form`` with Bloqqer in a child process."""
    raise NotImplementedError
