"""Programs that stand in for solvers, well or badly behaved: shell scripts of a few lines."""

from __future__ import annotations

from pathlib import Path

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qdimacs import parse_qdimacs
from qsage_validate.solvers.backend import Backend, SolverFormat, TraceKind, at
from qsage_validate.solvers.backends import DIALECTS


def script(folder: Path, name: str, body: str) -> Path:
    """An executable shell script."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_backend(
    folder: Path, body: str, *, kind: str = "depqbf", name: str = "fake", circuit: bool = False
) -> Backend:
    """A solver of a known kind whose program does ``body`` (the file is its last argument)."""
    path = script(folder, name, body)
    return Backend(
        name=name,
        accepts=frozenset({SolverFormat.QCIR if circuit else SolverFormat.QDIMACS}),
        traces=frozenset({TraceKind.QRP}),
        help="a fake",
        dialect=DIALECTS[kind],
        find=lambda: at(path),
    )


def small_formula() -> Qbf:
    """A true formula with an outermost block of existentials."""
    return parse_qdimacs("p cnf 3 2\ne 1 0\na 2 0\ne 3 0\n1 2 3 0\n-1 -3 2 0\n")
