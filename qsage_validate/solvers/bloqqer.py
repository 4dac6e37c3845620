"""Bloqqer, the preprocessor: a smaller formula of the same truth, or the truth itself.

Biere, Lonsing and Seidl, *Blocked clause elimination for QBF* (CADE 2011); its QRAT traces are
those of Heule, Seidl and Biere (IJCAR 2014).  The one that runs is PyQBF's, in a child process
and through its C interface, see :mod:`qsage_validate.solvers.bloqqer_child`; a program
``bloqqer`` on the PATH is used where PyQBF is missing.

The known faults of version 37, and the measures against them:

- With its default options it calls true formulas false (three of 730 random ones): expansion of
  universals that are not innermost ("miniscoping", the option ``exp-mini``) is at fault.  Here
  the option is off unless asked for; then no wrong answer was found in thousands.  An answer
  ``false`` with the option on is no answer.
- The option ``hble`` makes it crash.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.errors import counted, install_line
from qsage_validate.formats.qdimacs import ClausalForm, qdimacs_text
from qsage_validate.solvers import bloqqer_child
from qsage_validate.solvers.backend import (
    Missing,
    SolverMissingError,
    SolverProgram,
    SolverStatus,
    failure,
    on_path,
    pyqbf_version,
    said,
    shortened,
)
from qsage_validate.system.limits import Limits
from qsage_validate.system.programs import Finished, run_program

SOUND_OPTIONS: Final[Mapping[str, int]] = {"exp-mini": 0}
"""The options that are set unless :func:`preprocess` gets others."""

_VERSION: Final = "37"
_QUANTIFIERS: Final = {"a": Quantifier.FORALL, "e": Quantifier.EXISTS}


@dataclass(frozen=True)
class Preprocessed:
    """The output of a preprocessor.

    ``status`` is TRUE or FALSE when it decided the formula, UNKNOWN when ``form`` is left to
    solve, anything else when it failed (``why`` says how, in one line).

    ``form`` has the truth of the original formula; it is ``None`` unless the status is
    UNKNOWN.  Variables of the original keep their numbers; variables that were introduced (by
    expansion and by splitting long clauses) are larger than the original's ``max_variable``.
    The prefix is the preprocessor's own at the end of its work: introduced variables stand
    where it put them, neighbouring scopes of one quantifier are merged, and every variable of
    a clause is quantified.  A variable may be in the prefix and in no clause.  The clauses are
    those that are left after the last line of ``trace``, in the preprocessor's order; there
    may be fewer of them than a replay of the trace leaves, since some definitions go without
    a line.

    ``trace`` is the QRAT trace where one was asked for, ``None`` otherwise and when the run
    failed.  It begins with the first change to the original clauses (which a
    :class:`ClausalForm` has without tautologies and repeated literals).  It is complete when the
    formula was called true; for a false one it mostly is empty.
    """

    status: SolverStatus
    why: str
    form: ClausalForm | None
    trace: Path | None
    seconds: float
    cpu_seconds: float
    peak_mb: float
    log: str
    version: str


def availability() -> SolverProgram | Missing:
    """The program that would be run: PyQBF's library, else a program on the PATH."""
    spec = find_spec("pyqbf_cpp")
    if spec is not None and spec.origin is not None:
        return SolverProgram(spec.origin, f"{_VERSION} of PyQBF {pyqbf_version()}")
    found = on_path("bloqqer")
    if isinstance(found, Missing):
        return Missing(f"{install_line('solve')}, or a program 'bloqqer' on the PATH")
    return found


def preprocess(
    form: ClausalForm,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    *,
    workdir: Path,
    trace: Path | None = None,
    options: Mapping[str, int] | None = None,
) -> Preprocessed:
    """Preprocess ``form`` with Bloqqer in a child process.

    ``trace`` is where the QRAT trace goes, each line with the technique's name behind it.
    ``options`` are Bloqqer's own (``{"axcess": 0}`` for ``--axcess=0``), on top of
    :data:`SOUND_OPTIONS`; with ``exp-mini`` switched on a false answer is undecided.

    Raises :class:`SolverMissingError` where there is no Bloqqer, and ``OSError`` when our own
    files cannot be written.
    """
    program = availability()
    if isinstance(program, Missing):
        raise SolverMissingError(f"the preprocessor Bloqqer is missing: {program.reason}")
    already = decided_already(form, program.version)
    if already is not None:
        if trace is not None:
            trace.write_bytes(b"")
        return replace(already, trace=trace)
    chosen = {**SOUND_OPTIONS, **(options or {})}
    folder = Path(tempfile.mkdtemp(prefix="bloqqer-", dir=workdir))
    try:
        given, left = folder / "formula.qdimacs", folder / "left.qdimacs"
        given.write_text(qdimacs_text(form), encoding="ascii")
        # The child works in a folder of its own: paths must not depend on ours.
        target = None if trace is None else trace.absolute()
        command = _command(program, given, left, target, chosen)
        finished = run_program(
            command, deadline=limits.deadline, memory_mb=limits.memory_mb, cwd=folder
        )
        text = left.read_text(encoding="ascii") if left.exists() else ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rest = parse_rest(text, form.max_variable)
    status, why = _status(finished, rest)
    if status is SolverStatus.FALSE and chosen["exp-mini"]:
        status, why = (
            SolverStatus.RUBBISH,
            "false with exp-mini, under which Bloqqer errs: no answer",
        )
    good = status in (SolverStatus.TRUE, SolverStatus.FALSE, SolverStatus.UNKNOWN)
    if trace is not None and not good and trace.is_file():
        trace.unlink()
    return Preprocessed(
        status=status,
        why=why,
        form=rest if status is SolverStatus.UNKNOWN else None,
        trace=trace if good else None,
        seconds=finished.seconds,
        cpu_seconds=finished.cpu_seconds,
        peak_mb=finished.peak_mb,
        log=shortened(finished),
        version=program.version,
    )


def decided_already(form: ClausalForm, version: str) -> Preprocessed | None:
    """The answer for a formula without clauses or with an empty one, else ``None``."""
    if form.clauses and () not in form.clauses:
        return None
    status = SolverStatus.FALSE if form.clauses else SolverStatus.TRUE
    why = "the formula has an empty clause" if form.clauses else "the formula has no clause"
    return Preprocessed(status, why, None, None, 0.0, 0.0, 0.0, "", version)


def rest_status(rest: ClausalForm) -> tuple[SolverStatus, str]:
    """The status of the formula that is left, by its clauses alone."""
    if not rest.clauses:
        return SolverStatus.TRUE, "no clause is left"
    if () in rest.clauses:
        return SolverStatus.FALSE, "an empty clause is left"
    return SolverStatus.UNKNOWN, f"{counted(len(rest.clauses), 'clause is', 'clauses are')} left"


def _command(
    program: SolverProgram, given: Path, left: Path, trace: Path | None, options: Mapping[str, int]
) -> list[str]:
    words = [f"{name}={value}" for name, value in options.items()]
    if program.path.endswith("bloqqer"):
        given_options = [*words, *([] if trace is None else [f"qrat={trace}"])]
        flags = ["--keep=1", *(f"--{word}" for word in given_options)]
        return [program.path, *flags, str(given), str(left)]
    child = [sys.executable, "-I", "-S", bloqqer_child.__file__]
    return [*child, program.path, str(given), str(left), str(trace or ""), *words]


def _status(finished: Finished, rest: ClausalForm | None) -> tuple[SolverStatus, str]:
    """The verdict, confirmed by the formula that is left."""
    failed = failure(finished)
    if failed is not None:
        return failed
    code = finished.returncode
    verdicts = {10: SolverStatus.TRUE, 20: SolverStatus.FALSE, 0: SolverStatus.UNKNOWN}
    if code not in verdicts:
        return SolverStatus.CRASHED, f"exit code {code}{said(finished)}"
    if rest is None:
        return SolverStatus.RUBBISH, f"exit code {code}, but what it left is no formula"
    left, why = rest_status(rest)
    if left is not verdicts[code]:
        return SolverStatus.RUBBISH, f"exit code {code}, but what it left says otherwise"
    if left is SolverStatus.UNKNOWN:
        return left, why
    return left, f"exit code {code}, and what is left agrees"


def parse_rest(text: str, variables: int) -> ClausalForm | None:
    """The formula that a preprocessor prints; ``None`` when it is incomplete or malformed.

    The number of variables in Bloqqer's header is 0 or too small; it has at least ``variables``.
    """
    lines = [line for line in text.splitlines() if line[:1] != "c" and line.strip()]
    if not lines or not text.endswith("\n"):
        return None
    try:
        p, cnf, _, count = lines[0].split()
        scopes: list[Scope] = []
        clauses: list[tuple[int, ...]] = []
        for line in lines[1:]:
            letter, *words = line.split()
            if letter in _QUANTIFIERS and not clauses:
                *variables_, end = map(int, words)
                scopes.append(Scope(_QUANTIFIERS[letter], tuple(variables_)))
            else:
                *literals, end = map(int, (letter, *words))
                clauses.append(tuple(literals))
            if end != 0:
                return None
    except ValueError:
        return None
    if (p, cnf) != ("p", "cnf") or len(clauses) != int(count):
        return None
    quantified = [v for scope in scopes for v in scope.variables]
    occurring = {abs(x) for clause in clauses for x in clause}
    if len(set(quantified)) != len(quantified) or min(quantified, default=1) < 1:
        return None
    if not occurring <= set(quantified):
        return None
    merged = Qbf(tuple(scopes), {}, 1).merged_scopes()
    return ClausalForm(merged, tuple(clauses), max([variables, *quantified]))
