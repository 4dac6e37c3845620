"""The solvers and preprocessors on this machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.solvers.qbf.backend import (
    Backend,
    Missing,
    SolverFormat,
    SolverProgram,
    TraceKind,
)
from qsage_validate.solvers.qbf.backends import backends
from qsage_validate.solvers.qbf.preprocessors import PREPROCESSORS
from qsage_validate.system.limits import Deadline
from qsage_validate.system.programs import Ended, run_program

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
