"""Several solvers on one formula at once: the first confirmed answer counts.

The other solvers are stopped then.  All answers given by that time must agree.  A program cannot
find out which of two contradicting answers is wrong, so what is needed to find it is kept.
"""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import Exit, QsageError, UsageError
from qsage_validate.formats.qcir_writer import qcir_text
from qsage_validate.formats.qdimacs import ClausalForm, qdimacs_text
from qsage_validate.solvers.qbf.backend import Backend, SolverFormat
from qsage_validate.solvers.qbf.outcome import SolverOutcome
from qsage_validate.system.limits import Limits
from qsage_validate.system.signals import orderly_termination


class DisagreementError(QsageError):
    """Two solvers contradict each other; the text names the files with their logs."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True)
class SolverRace:
    """The end of a race: the first answer, if there is one, and all runs in their order of ending.

    ``outcomes`` has every contender once, stopped ones included.
    """

    first: SolverOutcome | None
    outcomes: tuple[SolverOutcome, ...]

    @property
    def truth(self) -> bool | None:
        """The truth value, ``None`` where no solver answered."""
        return None if self.first is None else self.first.truth

    @property
    def why(self) -> str:
        """One line: the solver that answered, or the end of each solver's run."""
        if self.first is not None:
            return f"{self.first.solver}: {self.first.why}"
        return "; ".join(f"{outcome.solver}: {outcome.why}" for outcome in self.outcomes)


def race(
    formula: Qbf,
    contenders: Sequence[Backend],
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    *,
    workdir: Path,
    form: ClausalForm | None = None,
    everyone: bool = False,
    outer: bool = True,
    logs: Path | None = None,
) -> SolverRace:
    """Run all ``contenders`` at once until one has an answer.

    ``limits`` are for each contender.  ``form`` is what clause solvers get (a preprocessed
    formula, say); solvers that read only circuits get the formula itself.  With ``everyone``
    no solver is stopped, so that all answers are compared.  When two disagree their logs and the
    formula go to a new folder in ``logs`` (by default where the system keeps temporary files).

    Raises ``UsageError`` without contenders, :class:`SolverMissingError` when one of them is
    not here, and :class:`DisagreementError`.
    """
    if not contenders:
        raise UsageError("found no solver for the portfolio, expected at least one")
    for backend in contenders:
        backend.program()
    decided = threading.Event()
    ended: queue.Queue[SolverOutcome | BaseException] = queue.Queue()

    def run(backend: Backend) -> None:
        given = form if SolverFormat.QDIMACS in backend.accepts else None
        try:
            ended.put(
                backend.solve(
                    formula, limits, workdir=workdir, form=given, outer=outer, stop=decided.is_set
                )
            )
        except BaseException as error:  # noqa: BLE001 (it is raised again below)
            ended.put(error)

    threads = [threading.Thread(target=run, args=(b,), daemon=True) for b in contenders]
    outcomes: list[SolverOutcome] = []
    first: SolverOutcome | None = None
    with orderly_termination():
        try:
            for thread in threads:
                thread.start()
            for _ in threads:
                outcome = ended.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                outcomes.append(outcome)
                if first is None and outcome.truth is not None:
                    first = outcome
                    if not everyone:
                        decided.set()
        finally:
            decided.set()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
    _compare(formula, form, outcomes, logs)
    return SolverRace(first, tuple(outcomes))


def _compare(
    formula: Qbf, form: ClausalForm | None, outcomes: Sequence[SolverOutcome], logs: Path | None
) -> None:
    yes = [o for o in outcomes if o.truth is True]
    no = [o for o in outcomes if o.truth is False]
    if not yes or not no:
        return
    folder = Path(tempfile.mkdtemp(prefix="qsage-disagreement-", dir=logs))
    (folder / "formula.qcir").write_text(qcir_text(formula, cleansed=True), encoding="utf-8")
    if form is not None:
        (folder / "formula.qdimacs").write_text(qdimacs_text(form), encoding="utf-8")
    kept = []
    for outcome in (yes[0], no[0]):
        path = folder / f"{outcome.solver}.log"
        head = f"{' '.join(outcome.command)}\n{outcome.solver} {outcome.version}: {outcome.why}\n"
        path.write_text(f"{head}\n{outcome.log}", encoding="utf-8")
        kept.append(str(path))
    raise DisagreementError(
        f"{yes[0].solver} says true and {no[0].solver} says false; "
        f"their logs and the formula are kept: {' and '.join(kept)}"
    )
