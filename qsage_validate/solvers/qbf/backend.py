"""QBF solvers: their input formats, their outputs, and the way to run them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.errors import QsageError, UsageError
from qsage_validate.formats.qcir_writer import qcir_text
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form, qdimacs_text
from qsage_validate.solvers.qbf.dialect import SolverDialect, outer_assignment
from qsage_validate.solvers.qbf.outcome import SolverOutcome, shortened, status_of
from qsage_validate.solvers.qbf.plain_circuit import plain_circuit
from qsage_validate.system.limits import Limits
from qsage_validate.system.programs import run_program

_TAIL_BYTES = 1 << 16


class SolverFormat(Enum):
    QDIMACS = "QDIMACS"
    QCIR = "QCIR"
    MODEL = "game model"


class TraceKind(Enum):
    """The trace that a solver can write besides its answer."""

    QRP = "QRP"
    BINARY_QRP = "binary QRP"
    QUTE = "Qute's trace"


@dataclass(frozen=True)
class SolverProgram:
    """A program that can be run, with the version that it or its package tells."""

    path: str
    version: str


@dataclass(frozen=True)
class Missing:
    """The reason why a solver cannot be run here, and the remedy, in one line."""

    reason: str


class SolverMissingError(QsageError):
    """A solver that was asked for is not here; the text says what would help."""


@dataclass(frozen=True)
class Backend:
    """A QBF solver.

    ``accepts`` are the formats that it reads, ``traces`` what it can write; ``gives_outer``
    says whether it can give an assignment of the outermost block.  ``arguments`` go before
    those of the dialect.
    """

    name: str
    accepts: frozenset[SolverFormat]
    traces: frozenset[TraceKind]
    help: str
    dialect: SolverDialect
    find: Callable[[], SolverProgram | Missing]
    arguments: tuple[str, ...] = ()

    @property
    def gives_outer(self) -> bool:
        """True if the solver can give an assignment of the outermost block."""
        return self.dialect.outer is not None

    def availability(self) -> SolverProgram | Missing:
        """The program that would be run, or why there is none."""
        return self.find()

    def program(self) -> SolverProgram:
        """The program; raises :class:`SolverMissingError` when there is none."""
        found = self.find()
        if isinstance(found, Missing):
            raise SolverMissingError(f"the solver {self.name} is missing: {found.reason}")
        return found

    def solve(
        self,
        formula: Qbf,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        *,
        workdir: Path,
        form: ClausalForm | None = None,
        trace: Path | None = None,
        trace_mb: int | None = None,
        binary_trace: bool = False,
        outer: bool = True,
        stop: Callable[[], bool] | None = None,
    ) -> SolverOutcome:
        """Run the solver on ``formula``, in a folder of its own within ``workdir``.

        A circuit solver gets the circuit, unless ``form`` is given or a trace is wanted; a
        clause solver gets ``form``, by default :func:`clausal_form` of the formula.  A trace
        goes to the file ``trace``, of at most ``trace_mb`` megabytes; it is removed again when
        the run gives no answer.
        ``outer`` asks for an assignment of the outermost block, where the solver can give one:
        of the formula's own variables, or of ``form``'s block when that is given.
        ``stop`` is asked now and then whether to stop.

        An answer counts when the exit code and a printed verdict agree; anything else is a
        status of its own in the outcome.  Raises :class:`SolverMissingError`, and
        ``UsageError`` for a trace that the solver cannot write.
        """
        program = self.program()
        circuit = SolverFormat.QCIR in self.accepts and form is None and trace is None
        if not circuit and SolverFormat.QDIMACS not in self.accepts:
            raise UsageError(f"{self.name} reads circuits, found a request for a clausal form")
        own = form is None
        scopes: tuple[Scope, ...]
        if circuit:
            plain = plain_circuit(formula)
            scopes, name, text = plain.scopes, "formula.qcir", qcir_text(plain)
            trivial = not plain.gates[plain.output].inputs
        else:
            scopes = formula.merged_scopes() if form is None else form.scopes
            form = clausal_form(formula) if form is None else form
            name, text = "formula.qdimacs", qdimacs_text(form)
            trivial = not form.clauses or () in form.clauses
        # Asked for an assignment where nothing depends on it, some solvers crash.
        outer = outer and bool(scopes) and not trivial
        words = self._arguments(trace is not None, binary_trace, outer)
        folder = Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=workdir))
        try:
            file = folder / name
            file.write_text(text, encoding="utf-8")
            command = (program.path, *self.arguments, *words, str(file))
            finished = run_program(
                command,
                deadline=limits.deadline,
                memory_mb=limits.memory_mb,
                stdout=trace,
                output_mb=trace_mb,
                cwd=folder,
                stop=stop,
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        printed = finished.stdout if trace is None else _tail(trace)
        status, why = status_of(finished, self.dialect.verdicts(printed), self.dialect.codes)
        truth = status.truth
        if trace is not None and truth is None and trace.is_file():
            trace.unlink()
        literals = None
        if truth is not None and outer and trace is None and self.gives_outer:
            literals = self.dialect.literals(printed, truth)
        if literals is not None and own:
            # Tseitin's variables may be in the outermost block of the clausal form.
            literals = [x for x in literals if abs(x) not in formula.gates]
        return SolverOutcome(
            status=status,
            why=why,
            outer=None if truth is None else outer_assignment(literals, scopes, truth),
            seconds=finished.seconds,
            cpu_seconds=finished.cpu_seconds,
            peak_mb=finished.peak_mb,
            log=shortened(finished),
            command=command,
            solver=self.name,
            version=program.version,
            trace=None if truth is None else trace,
        )

    def _arguments(self, trace: bool, binary: bool, outer: bool) -> tuple[str, ...]:
        dialect = self.dialect
        if trace:
            words = dialect.binary_trace if binary else dialect.trace
            if words is None:
                kind = "binary traces" if binary else "traces"
                raise UsageError(f"{self.name} writes no {kind}")
            return words
        return dialect.outer if outer and dialect.outer is not None else dialect.plain


def _tail(trace: Path) -> bytes:
    """The end of a trace, where its verdict is; nothing of what is no file."""
    if not trace.is_file():
        return b""
    with trace.open("rb") as file:
        file.seek(max(0, trace.stat().st_size - _TAIL_BYTES))
        return file.read()
