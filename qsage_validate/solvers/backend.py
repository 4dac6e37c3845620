"""QBF solvers as programs: how one is called, what it prints, and what that means.

Qute calls a conjunction of a variable and its complement true, and stumbles over empty scopes;
gates of one input, constants and the connectives ``xor`` and ``ite`` are read by some solvers
and not by others.  A circuit without any of this stays as it is, gate by gate.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import needed_gates
from qsage_validate.errors import QsageError, UsageError, install_line, one_line
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form, qdimacs_text
from qsage_validate.formats.source import Path as FilePath
from qsage_validate.formats.writing import qcir_text
from qsage_validate.system.limits import Limits
from qsage_validate.system.programs import Ended, Finished, run_program

# Outputs of solvers: verdicts and assignments of the outermost block, read strictly


_VERDICTS: Final = (
    (re.compile(rb"(?:r )?s cnf 1(?: \d+ \d+)?"), True),
    (re.compile(rb"(?:r )?s cnf 0(?: \d+ \d+)?"), False),
    (re.compile(rb"(?:r |s )?SAT(?:ISFIABLE)?"), True),
    (re.compile(rb"(?:r |s )?UNSAT(?:ISFIABLE)?"), False),
    (re.compile(rb"c Satisfiable"), True),
    (re.compile(rb"c Unsatisfiable"), False),
)
_NUMBERS: Final = re.compile(rb"(?:-?\d+[ \t]+)*-?\d+[ \t]*")

EXIT_CODES: Final[Mapping[int, bool]] = {10: True, 20: False}
"""The exit codes that nearly every QBF solver has for true and false."""


@dataclass(frozen=True)
class SolverDialect:
    """The calling convention of a kind of solver, and the meaning of its output.

    ``plain`` are its arguments for an answer, ``outer`` those for an answer with an assignment
    of the outermost block, ``trace`` and ``binary_trace`` those for a trace on standard output
    (``None`` where it writes none); the file's name follows.  ``version`` are arguments that
    print the version, ``None`` where there are none.  ``literals`` reads the assignment:
    the signed variables that make the winner win.  ``codes`` are the exit codes of its answers;
    where there are none, it ends with 0 and the printed verdict alone is the answer.
    """

    plain: tuple[str, ...] = ()
    outer: tuple[str, ...] | None = None
    trace: tuple[str, ...] | None = None
    binary_trace: tuple[str, ...] | None = None
    version: tuple[str, ...] | None = None
    literals: Callable[[bytes, bool], list[int] | None] = lambda printed, truth: None
    verdicts: Callable[[bytes], set[bool]] = field(default_factory=lambda: printed_verdicts)
    codes: Mapping[int, bool] = field(default_factory=lambda: EXIT_CODES)


def printed_verdicts(printed: bytes) -> set[bool]:
    """The verdicts among the lines of ``printed``: whole lines only.

    A zero byte counts as the end of a line: it is what stands before the result of DepQBF's
    binary traces.
    """
    found = set()
    for line in printed.replace(b"\0", b"\n").splitlines():
        if len(line) < 100:
            text = line.strip()
            found |= {truth for pattern, truth in _VERDICTS if pattern.fullmatch(text)}
    return found


def qute_verdicts(printed: bytes) -> set[bool]:
    """The verdict of Qute: with a trace it prints none, and the last step says it.

    The last step must be the empty clause or term: ``id 0 0 antecedents 0`` or ``id 1 0 …``.
    """
    found = printed_verdicts(printed)
    lines = printed.splitlines()
    if found or not lines or not printed.endswith(b"\n"):
        return found
    last = re.fullmatch(rb"\d+ ([01]) 0 (?:\d+ )+0 ?", lines[-1])
    return {last.group(1) == b"1"} if last else set()


def qubi_verdicts(printed: bytes) -> set[bool]:
    """The verdicts of Qubi: whole lines ``Result: TRUE`` or ``Result: FALSE``."""
    words = {b"Result: TRUE": True, b"Result: FALSE": False}
    return {words[line.strip()] for line in printed.splitlines() if line.strip() in words}


def value_lines(printed: bytes, _truth: bool) -> list[int] | None:
    """The literals of QDIMACS's ``V`` lines; ``None`` when one of them is malformed."""
    literals: list[int] = []
    for line in printed.splitlines():
        if not line.startswith(b"V"):
            continue
        if not _NUMBERS.fullmatch(line[1:].strip()):
            return None
        numbers = [int(word) for word in line[1:].split()]
        literals += numbers[:-1] if numbers[-1] == 0 else numbers
    return None if 0 in literals else literals


def cube_line(printed: bytes, truth: bool) -> list[int] | None:
    """Qute's line of numbers for a true formula; what it prints for a false one is no win."""
    if not truth:
        return None
    lines = [line for line in printed.splitlines() if _NUMBERS.fullmatch(line.strip())]
    if len(lines) != 1:
        return None
    numbers = [int(word) for word in lines[0].split()]
    if numbers[-1] != 0 or 0 in numbers[:-1]:
        return None
    return numbers[:-1]


def outer_assignment(
    literals: Collection[int] | None, scopes: tuple[Scope, ...], truth: bool
) -> Mapping[int, bool] | None:
    """``literals`` as an assignment of the first of ``scopes``, if they are one by the winner.

    A variable that was left out may have any value, and gets false.  ``None`` when there are
    no literals at all, when the block belongs to the loser, and when the literals are not of
    the block or contradict each other.
    """
    if not literals or not scopes:
        return None
    if (scopes[0].quantifier is Quantifier.EXISTS) is not truth:
        return None
    chosen = set(literals)
    variables = set(scopes[0].variables)
    if not variables.issuperset(map(abs, chosen)) or len({abs(x) for x in chosen}) != len(chosen):
        return None
    return {v: v in chosen for v in scopes[0].variables}


# The outcome of a solver's run: an answer if exit code and verdict agree, else a reason


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
    trace: FilePath | None = None

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


# Circuits as circuit solvers are sure to read them: and/or gates, nothing degenerate


_PLAIN = (Connective.AND, Connective.OR)


def plain_circuit(qbf: Qbf) -> Qbf:
    """An equivalent circuit over the same variables, for solvers.

    Scopes are merged, names and comments left out, and the output is a gate, unnegated.  If any
    gate is degenerate (a constant, one input, repeated or complementary inputs) or neither
    ``and`` nor ``or``, the circuit is built anew, and gates get other numbers.  A constant
    matrix remains: ``or()`` or ``and()``.
    """
    plain = replace(qbf, scopes=qbf.merged_scopes(), names={}, comments=(), path=None)
    if all(map(_is_plain, qbf.gates.values())):
        return _with_positive_gate(plain)
    builder = CircuitBuilder(qbf.max_variable + 1)
    literal_of = {v: v for scope in plain.scopes for v in scope.variables}

    def literal(x: int) -> int:
        return literal_of[x] if x > 0 else -literal_of[-x]

    for number, gate in qbf.gates.items():
        inputs = [literal(x) for x in gate.inputs]
        match gate.connective:
            case Connective.AND:
                built = builder.and_(*inputs)
            case Connective.OR:
                built = builder.or_(*inputs)
            case Connective.XOR:
                built = -builder.iff(*inputs)
            case Connective.ITE:
                condition, then, otherwise = inputs
                built = builder.and_(
                    builder.implies(condition, then), builder.or_(condition, otherwise)
                )
        literal_of[number] = built
    output, gates = literal(qbf.output), builder.gates
    return _with_positive_gate(replace(plain, gates=needed_gates(gates, output), output=output))


def _with_positive_gate(qbf: Qbf) -> Qbf:
    """The same with an unnegated gate as output, as the strictest solvers want it."""
    output = qbf.output
    if output in qbf.gates:
        return qbf
    gate = qbf.gates.get(-output)
    if gate is None:
        top = Gate(Connective.AND, (output,))
    else:
        dual = Connective.OR if gate.connective is Connective.AND else Connective.AND
        top = Gate(dual, tuple(-x for x in gate.inputs))
    number = qbf.max_variable + 1
    gates = {**qbf.gates, number: top}
    return replace(qbf, gates=needed_gates(gates, number), output=number)


def _is_plain(gate: Gate) -> bool:
    variables = {abs(x) for x in gate.inputs}
    return gate.connective in _PLAIN and len(variables) == len(gate.inputs) > 1


# QBF solvers: their input formats, their outputs, and the way to run them


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


# The places of solvers: PyQBF, the PATH, or a config file


def pyqbf_folder() -> Path | None:
    """The folder of the package PyQBF, without importing it; ``None`` where it is missing."""
    spec = find_spec("pyqbf")
    places = None if spec is None else spec.submodule_search_locations
    return Path(places[0]) if places else None


def pyqbf_version() -> str:
    """The version of PyQBF; ``unknown`` where it was installed without metadata."""
    try:
        return version("pyqbf")
    except PackageNotFoundError:
        return "unknown"


def pyqbf_program(name: str) -> SolverProgram | Missing:
    """The program ``name`` that PyQBF brings.

    PyQBF lies in a prefix of its own with a ``bin`` beside ``lib``; the script of the same
    name on the PATH only starts Python to run that, and is the second choice.
    """
    folder = pyqbf_folder()
    if folder is None:
        return Missing(install_line("solve"))
    for parent in folder.parents:
        path = parent / "bin" / name
        if _runs(path):
            return SolverProgram(str(path), f"of PyQBF {pyqbf_version()}")
    found = shutil.which(name)
    if found is not None:
        return SolverProgram(found, f"of PyQBF {pyqbf_version()}")
    return Missing(f"PyQBF {pyqbf_version()} brings no {name}; {install_line('solve')}")


def on_path(name: str) -> SolverProgram | Missing:
    """The program ``name`` on the PATH; its version is not asked for here."""
    found = shutil.which(name)
    return (
        Missing(f"no program {name!r} on the PATH") if found is None else SolverProgram(found, "")
    )


def at(path: Path) -> SolverProgram | Missing:
    """The program that a config file names."""
    if not path.is_file():
        return Missing(f"no file {path}")
    return SolverProgram(str(path), "") if _runs(path) else Missing(f"{path} is not executable")


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
