"""The registry of QBF solvers: those of PyQBF, those on the PATH, those of a config file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.solvers.qbf.backend import Backend, Format, Missing, Program, TraceKind
from qsage_validate.solvers.qbf.config import GENERIC, Configured, configured
from qsage_validate.solvers.qbf.dialect import Dialect, cube_line, qute_verdicts, value_lines
from qsage_validate.solvers.qbf.locate import at, on_path, pyqbf_program

_CLAUSES: Final = frozenset({Format.QDIMACS})
_BOTH: Final = frozenset({Format.QDIMACS, Format.QCIR})
_CIRCUIT: Final = frozenset({Format.QCIR})

# The options that its traces need: whatever is not resolution and reduction is off.
_DEPQBF_TRACE: Final = (
    "--dep-man=simple",
    "--no-lazy-qpup",
    "--no-dynamic-nenofex",
    "--no-trivial-truth",
    "--no-trivial-falsity",
    "--no-qbce-dynamic",
)

DIALECTS: Final[Mapping[str, Dialect]] = {
    "depqbf": Dialect(
        outer=("--qdo", "--no-dynamic-nenofex"),
        trace=("--trace=qrp", *_DEPQBF_TRACE),
        binary_trace=("--trace=bqrp", *_DEPQBF_TRACE),
        literals=value_lines,
    ),
    "qute": Dialect(
        outer=("--partial-certificate",),
        trace=("--trace",),
        literals=cube_line,
        verdicts=qute_verdicts,
    ),
    "caqe": Dialect(outer=("--qdo",), version=("--version",), literals=value_lines),
    "rareqs": Dialect(outer=(), literals=value_lines),
    "qfun": Dialect(),
    "quabs": Dialect(outer=("--partial-assignment",), literals=value_lines),
    "cqesto": Dialect(),
    GENERIC: Dialect(),
}
"""The kinds of solvers that a config file can name as well."""


def _of_pyqbf(
    name: str, title: str, accepts: frozenset[Format], traces: frozenset[TraceKind], help_: str
) -> Backend:
    return Backend(
        name=name,
        accepts=accepts,
        traces=traces,
        help=f"{title}: {help_}",
        dialect=DIALECTS[name],
        find=lambda: _pyqbf_or_path(name),
    )


def _pyqbf_or_path(name: str) -> Program | Missing:
    found = pyqbf_program(f"pyqbf_{name}")
    if isinstance(found, Missing):
        other = on_path(name)
        return found if isinstance(other, Missing) else other
    return found


def _of_path(name: str, title: str, accepts: frozenset[Format], help_: str) -> Backend:
    return Backend(
        name=name,
        accepts=accepts,
        traces=frozenset(),
        help=f"{title}: {help_}",
        dialect=DIALECTS[name],
        find=lambda: on_path(name),
    )


_KNOWN: Final = (
    _of_pyqbf(
        "depqbf",
        "DepQBF",
        _CLAUSES,
        frozenset({TraceKind.QRP, TraceKind.BINARY_QRP}),
        "search with clause and cube learning",
    ),
    _of_pyqbf(
        "qute", "Qute", _BOTH, frozenset({TraceKind.QUTE}), "search that learns dependencies"
    ),
    _of_pyqbf("caqe", "CAQE", _CLAUSES, frozenset(), "clausal abstraction"),
    _of_pyqbf("rareqs", "RAReQS", _CLAUSES, frozenset(), "recursive abstraction refinement"),
    _of_pyqbf("qfun", "QFun", _CLAUSES, frozenset(), "strategies by machine learning"),
    _of_path("quabs", "QuAbS", _CIRCUIT, "abstraction on circuits"),
    _of_path("cqesto", "CQESTO", _CIRCUIT, "abstraction refinement on circuits"),
)
_FORMATS: Final = {"qdimacs": Format.QDIMACS, "qcir": Format.QCIR}


def backends() -> Mapping[str, Backend]:
    """All solvers by name, whether they are here or not.

    Those of the config file come last; raises :class:`InputError` when that is malformed.
    """
    known = {backend.name: backend for backend in _KNOWN}
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
        raise UsageError(f"found the solver {name!r}, expected one of {', '.join(known)}")
    return known[name.lower()]
