"""The registry of preprocessors, and what of solvers and preprocessors is on this machine.

Wimmer, Scholl and Becker, *The (D)QBF preprocessor HQSpre* (JSAT 2019); Lonsing and Egly,
*QRATPre+* (SAT 2019).  Both print the formula that they leave, and what is left decides: no clause
is true, an empty clause false.  An exit code of 10 or 20 must agree with it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.formats.qdimacs import ClausalForm, qdimacs_text
from qsage_validate.solvers.qbf import bloqqer
from qsage_validate.solvers.qbf.backend import (
    EXIT_CODES,
    Backend,
    Missing,
    SolverFormat,
    SolverMissingError,
    SolverProgram,
    SolverStatus,
    TraceKind,
    failure,
    on_path,
    said,
    shortened,
)
from qsage_validate.solvers.qbf.backends import backends
from qsage_validate.solvers.qbf.bloqqer import (
    Preprocessed,
    decided_already,
    parse_rest,
    rest_status,
)
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.programs import Ended, Finished, run_program

# The registry of preprocessors: Bloqqer, and the programs HQSpre and QRATPre+ on the PATH


@dataclass(frozen=True)
class Preprocessor:
    """A preprocessor of clauses.

    ``run`` takes the clauses, the limits and a folder for its files; it raises
    ``SolverMissingError`` where the program is not here.
    """

    name: str
    title: str
    availability: Callable[[], SolverProgram | Missing]
    run: Callable[[ClausalForm, Limits, Path], Preprocessed]
    traces: bool = False


def _printing(name: str, program: str, word: str, title: str) -> Preprocessor:
    """A ``program`` on the PATH that prints what it leaves of the file behind ``word``."""
    find = partial(on_path, program)
    return Preprocessor(name, title, find, partial(_run_printing, name, find, word))


def _run_printing(
    name: str,
    find: Callable[[], SolverProgram | Missing],
    word: str,
    form: ClausalForm,
    limits: Limits,
    workdir: Path,
) -> Preprocessed:
    program = find()
    if isinstance(program, Missing):
        raise SolverMissingError(f"the preprocessor {name} is missing: {program.reason}")
    already = decided_already(form, program.version)
    if already is not None:
        return already
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=workdir))
    try:
        given = folder / "formula.qdimacs"
        given.write_text(qdimacs_text(form), encoding="ascii")
        finished = run_program(
            [program.path, word, str(given)],
            deadline=limits.deadline,
            memory_mb=limits.memory_mb,
            cwd=folder,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    rest = parse_rest(finished.stdout.decode("ascii", "replace"), form.max_variable)
    status, why = _status(finished, rest)
    return Preprocessed(
        status=status,
        why=why,
        form=rest if status is SolverStatus.UNKNOWN else None,
        trace=None,
        seconds=finished.seconds,
        cpu_seconds=finished.cpu_seconds,
        peak_mb=finished.peak_mb,
        log=shortened(finished),
        version=program.version,
    )


def _status(finished: Finished, rest: ClausalForm | None) -> tuple[SolverStatus, str]:
    failed = failure(finished)
    if failed is not None:
        return failed
    code = finished.returncode
    if code != 0 and code not in EXIT_CODES:
        return SolverStatus.CRASHED, f"exit code {code}{said(finished)}"
    if rest is None:
        return SolverStatus.RUBBISH, f"exit code {code}, but what it printed is no formula"
    status, why = rest_status(rest)
    if code in EXIT_CODES and status.truth is not EXIT_CODES[code]:
        return SolverStatus.RUBBISH, f"exit code {code}, but what it left says otherwise"
    return status, why


def _bloqqer() -> SolverProgram | Missing:
    return bloqqer.availability()


NONE: Final = "none"
"""The word for no preprocessor."""

BLOQQER: Final = Preprocessor(
    "bloqqer",
    "Bloqqer",
    _bloqqer,
    lambda form, limits, workdir: bloqqer.preprocess(form, limits, workdir=workdir),
    traces=True,
)

PREPROCESSORS: Final[Mapping[str, Preprocessor]] = {
    one.name: one
    for one in (
        BLOQQER,
        _printing("hqspre", "hqspre", "--pipe", "HQSpre"),
        _printing("qratpre", "qratpre+", "--print-formula", "QRATPre+"),
    )
}


def preprocessor_named(name: str) -> Preprocessor | None:
    """The preprocessor of that name, ``None`` for ``none``; raises ``UsageError``."""
    names = [*PREPROCESSORS, NONE]
    if name not in names:
        near = did_you_mean(name, names)
        raise UsageError(
            f"found the preprocessor {name!r}{near}, expected one of {', '.join(names)}"
        )
    return PREPROCESSORS.get(name)


# The solvers and preprocessors on this machine


_VERSION_SECONDS: Final = 5.0
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)+\S*")


@dataclass(frozen=True)
class InventoryEntry:
    """One solver or preprocessor.

    ``missing`` is why it cannot be used and what would help, ``None`` when it can be;
    ``version`` is empty where nothing tells it.
    """

    name: str
    role: str
    help: str
    missing: str | None
    program: str | None
    version: str
    accepts: tuple[str, ...]
    produces: tuple[str, ...]


def inventory() -> tuple[InventoryEntry, ...]:
    """Everything that can decide or preprocess a formula, whether it is here or not."""
    gives = ("first moves", "certificate")
    help_ = "search on the rules of a game"
    search = InventoryEntry(
        "search", "solver", help_, None, None, "", (SolverFormat.MODEL.value,), gives
    )
    clauses = (SolverFormat.QDIMACS.value,)
    return (
        search,
        *map(_solver, backends().values()),
        *(
            _entry(
                one.name,
                "preprocessor",
                one.title,
                one.availability(),
                clauses,
                (*clauses, "QRAT") if one.traces else clauses,
            )
            for one in PREPROCESSORS.values()
        ),
    )


def _solver(backend: Backend) -> InventoryEntry:
    produces = ["first move"] if backend.gives_outer else []
    produces += [kind.value for kind in TraceKind if kind in backend.traces]
    found = backend.availability()
    if isinstance(found, SolverProgram) and backend.dialect.version is not None:
        found = SolverProgram(found.path, _version(found, backend.dialect.version))
    accepts = tuple(kind.value for kind in SolverFormat if kind in backend.accepts)
    return _entry(backend.name, "solver", backend.help, found, accepts, produces)


def _entry(
    name: str,
    role: str,
    text: str,
    found: SolverProgram | Missing,
    accepts: tuple[str, ...],
    produces: Sequence[str],
) -> InventoryEntry:
    if isinstance(found, Missing):
        return InventoryEntry(name, role, text, found.reason, None, "", accepts, tuple(produces))
    return InventoryEntry(
        name, role, text, None, found.path, found.version, accepts, tuple(produces)
    )


def _version(program: SolverProgram, arguments: tuple[str, ...]) -> str:
    """The version by the program, and the version of its package."""
    finished = run_program((program.path, *arguments), deadline=Deadline.after(_VERSION_SECONDS))
    text = (finished.stdout + finished.stderr).decode("utf-8", "replace")
    number = _NUMBER.search(text)
    if finished.ended is not Ended.EXITED or number is None:
        return program.version
    return f"{number.group()} {program.version}".strip()
