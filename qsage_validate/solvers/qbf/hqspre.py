"""HQSpre, a preprocessor that has to be on the PATH.

Wimmer, Reimer, Marin and Becker, *HQSpre - an effective preprocessor for QBF and DQBF* (TACAS
2017).  It numbers variables anew: what is left has the truth of the original and nothing else.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from qsage_validate.formats.qdimacs import ClausalForm, qdimacs_text
from qsage_validate.solvers.qbf.backend import Missing, Program, SolverMissingError
from qsage_validate.solvers.qbf.bloqqer import Preprocessed, parse_rest, status_of_rest
from qsage_validate.solvers.qbf.locate import on_path
from qsage_validate.solvers.qbf.log import shortened
from qsage_validate.solvers.qbf.outcome import Status
from qsage_validate.system.limits import Limits
from qsage_validate.system.programs import run_program


def availability() -> Program | Missing:
    """The program ``hqspre`` on the PATH."""
    return on_path("hqspre")


def preprocess(
    form: ClausalForm,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    *,
    workdir: Path,
    stop: Callable[[], bool] | None = None,
) -> Preprocessed:
    """Preprocess ``form``; as Bloqqer's, but without a trace and with other variables.

    Raises :class:`SolverMissingError` where there is no HQSpre.
    """
    program = availability()
    if isinstance(program, Missing):
        raise SolverMissingError(f"the preprocessor HQSpre is missing: {program.reason}")
    folder = Path(tempfile.mkdtemp(prefix="hqspre-", dir=workdir))
    try:
        given, left = folder / "formula.qdimacs", folder / "left.qdimacs"
        given.write_text(qdimacs_text(form), encoding="ascii")
        finished = run_program(
            (program.path, str(given), "-o", str(left)),
            deadline=limits.deadline,
            memory_mb=limits.memory_mb,
            cwd=folder,
            stop=stop,
        )
        text = left.read_text(encoding="ascii", errors="replace") if left.exists() else ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rest = parse_rest(text, 0)
    status, why = status_of_rest(finished, rest, decided_leaves_nothing=True)
    return Preprocessed(
        status=status,
        why=why,
        form=rest if status is Status.UNKNOWN else None,
        trace=None,
        seconds=finished.seconds,
        cpu_seconds=finished.cpu_seconds,
        peak_mb=finished.peak_mb,
        log=shortened(finished),
        version=program.version,
    )
