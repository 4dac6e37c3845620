"""The registry of QBF solvers: those of PyQBF, those on the PATH, those of a config file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.registry import declared
from qsage_validate.solvers.qbf.backend import (
    Backend,
    Missing,
    SolverFormat,
    SolverProgram,
    TraceKind,
)
from qsage_validate.solvers.qbf.config import GENERIC, Configured, configured
from qsage_validate.solvers.qbf.dialect import (
    SolverDialect,
    cube_line,
    qubi_verdicts,
    qute_verdicts,
    value_lines,
)
from qsage_validate.solvers.qbf.locate import at, on_path, pyqbf_program

_CLAUSES: Final = frozenset({SolverFormat.QDIMACS})
_BOTH: Final = frozenset({SolverFormat.QDIMACS, SolverFormat.QCIR})
_CIRCUIT: Final = frozenset({SolverFormat.QCIR})

# The options that its traces need: whatever is not resolution and reduction is off.
_DEPQBF_TRACE: Final = (
    "--dep-man=simple",
    "--no-lazy-qpup",
    "--no-dynamic-nenofex",
    "--no-trivial-truth",
    "--no-trivial-falsity",
    "--no-qbce-dynamic",
)

DIALECTS: Final[Mapping[str, SolverDialect]] = {
    "depqbf": SolverDialect(
        outer=("--qdo", "--no-dynamic-nenofex"),
        trace=("--trace=qrp", *_DEPQBF_TRACE),
        binary_trace=("--trace=bqrp", *_DEPQBF_TRACE),
        literals=value_lines,
    ),
    "qute": SolverDialect(
        outer=("--partial-certificate",),
        trace=("--trace",),
        literals=cube_line,
        verdicts=qute_verdicts,
    ),
    "caqe": SolverDialect(outer=("--qdo",), version=("--version",), literals=value_lines),
    "rareqs": SolverDialect(outer=(), literals=value_lines),
    "qfun": SolverDialect(),
    "quabs": SolverDialect(outer=("--partial-assignment",), literals=value_lines),
    "cqesto": SolverDialect(),
    "qesto": SolverDialect(),
    "qubi": SolverDialect(plain=("-v=0",), verdicts=qubi_verdicts, codes={}),
    GENERIC: SolverDialect(),
}
"""The kinds of solvers that a config file can name as well."""


def _known(
    name: str, text: str, accepts: frozenset[SolverFormat], *traces: TraceKind, pyqbf: bool = True
) -> Backend:
    """A solver of the registry: PyQBF's program, if it has one, or else one on the PATH."""
    return Backend(
        name=name,
        accepts=accepts,
        traces=frozenset(traces),
        help=text,
        dialect=DIALECTS[name],
        find=lambda: _pyqbf_or_path(name) if pyqbf else on_path(name),
    )


def _pyqbf_or_path(name: str) -> SolverProgram | Missing:
    found = pyqbf_program(f"pyqbf_{name}")
    if isinstance(found, Missing):
        other = on_path(name)
        return found if isinstance(other, Missing) else other
    return found


_KNOWN: Final = (
    _known(
        "depqbf",
        "DepQBF: search with clause and cube learning",
        _CLAUSES,
        TraceKind.QRP,
        TraceKind.BINARY_QRP,
    ),
    _known("qute", "Qute: search that learns dependencies", _BOTH, TraceKind.QUTE),
    _known("caqe", "CAQE: clausal abstraction", _CLAUSES),
    _known("rareqs", "RAReQS: recursive abstraction refinement", _CLAUSES),
    _known("qfun", "QFun: strategies by machine learning", _CLAUSES),
    _known("quabs", "QuAbS: abstraction on circuits", _CIRCUIT, pyqbf=False),
    _known("cqesto", "CQESTO: abstraction refinement on circuits", _CIRCUIT, pyqbf=False),
    _known("qesto", "QESTO: clause selection", _CLAUSES, pyqbf=False),
    _known("qubi", "Qubi: binary decision diagrams of circuits", _CIRCUIT, pyqbf=False),
)
_FORMATS: Final = {"qdimacs": SolverFormat.QDIMACS, "qcir": SolverFormat.QCIR}


def backends() -> Mapping[str, Backend]:
    """All solvers by name, whether they are here or not.

    Those of extensions and of the config file come last; raises :class:`InputError` when that
    file is malformed.
    """
    known = {backend.name: backend for backend in _KNOWN}
    for other in declared("solvers", Backend):
        known.setdefault(other.name, other)
    for own in configured(frozenset(DIALECTS)):
        known[own.name] = _of_config(own, known.get(own.kind))
    return known


def _of_config(own: Configured, kind: Backend | None) -> Backend:
    accepts = frozenset(_FORMATS[name] for name in own.formats)
    return Backend(
        name=own.name,
        accepts=accepts or (frozenset() if kind is None else kind.accepts),
        traces=frozenset() if kind is None else kind.traces,
        help=f"from the config file: {own.kind}",
        dialect=DIALECTS[own.kind],
        find=lambda: at(own.program),
        arguments=own.arguments,
    )


def get_backend(name: str) -> Backend:
    """The solver of that name; raises ``UsageError`` with the names that there are."""
    known = backends()
    if name.lower() not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"found the solver {name!r}{near}, expected one of {', '.join(known)}")
    return known[name.lower()]
