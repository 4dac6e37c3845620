"""What there is to solve with on this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from qsage_validate.solvers.qbf import bloqqer, hqspre
from qsage_validate.solvers.qbf.backend import Backend, Format, Missing, Program, TraceKind
from qsage_validate.solvers.qbf.backends import backends
from qsage_validate.system.limits import Deadline
from qsage_validate.system.programs import Ended, run_program

_VERSION_SECONDS: Final = 5.0
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)+\S*")


@dataclass(frozen=True)
class Entry:
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


def inventory() -> tuple[Entry, ...]:
    """Everything that can decide or preprocess a formula, whether it is here or not."""
    search = Entry(
        "search",
        "solver",
        "search on the rules of a game",
        None,
        None,
        "",
        (Format.MODEL.value,),
        ("first moves", "certificate"),
    )
    known = [_solver(backend) for backend in backends().values()]
    known.append(_preprocessor("bloqqer", bloqqer.availability(), ("QRAT",)))
    known.append(_preprocessor("hqspre", hqspre.availability(), ()))
    return (search, *known)


def _solver(backend: Backend) -> Entry:
    produces = ["first move"] if backend.gives_outer else []
    produces += [kind.value for kind in TraceKind if kind in backend.traces]
    found = backend.availability()
    version = "" if isinstance(found, Missing) else _version(backend, found)
    return Entry(
        backend.name,
        "solver",
        backend.help,
        found.reason if isinstance(found, Missing) else None,
        None if isinstance(found, Missing) else found.path,
        version,
        tuple(kind.value for kind in Format if kind in backend.accepts),
        tuple(produces),
    )


def _preprocessor(name: str, found: Program | Missing, traces: tuple[str, ...]) -> Entry:
    return Entry(
        name,
        "preprocessor",
        {"bloqqer": "Bloqqer", "hqspre": "HQSpre"}[name],
        found.reason if isinstance(found, Missing) else None,
        None if isinstance(found, Missing) else found.path,
        "" if isinstance(found, Missing) else found.version,
        (Format.QDIMACS.value,),
        (Format.QDIMACS.value, *traces),
    )


def _version(backend: Backend, program: Program) -> str:
    """What the program says of its version, and what its package does."""
    arguments = backend.dialect.version
    if arguments is None:
        return program.version
    finished = run_program((program.path, *arguments), deadline=Deadline.after(_VERSION_SECONDS))
    text = (finished.stdout + finished.stderr).decode("utf-8", "replace")
    number = _NUMBER.search(text)
    if finished.ended is not Ended.EXITED or number is None:
        return program.version
    return f"{number.group()} {program.version}".strip()
