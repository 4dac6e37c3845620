"""Certificates by solvers that write them themselves, where such programs are there.

QuAbS with ``-c`` prints an AIGER file in its own dialect instead of a verdict; the exit code
still says which.  The formula is given to it with numbers for names, so that whatever the
names are, the numbers in the certificate are the formula's variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from qsage_validate.certificates.files.reader import read_certificate
from qsage_validate.certificates.routes.candidate import Candidate, of_the_rest, written_by
from qsage_validate.certificates.routes.clausal import for_circuit
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.formats.qcir import qcir_text
from qsage_validate.kernel.certificate import CircuitCertificate, Kind
from qsage_validate.solvers.qbf.backends import get_backend
from qsage_validate.solvers.qbf.dialect import EXIT_CODES
from qsage_validate.solvers.qbf.plain_circuit import plain_circuit
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Limits
from qsage_validate.system.programs import Ended, run_program, workspace
from qsage_validate.system.progress import Progress, Tell

_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {"quabs": ("-c",)}


def is_tool(solver: str) -> bool:
    """Whether the solver of that name writes certificates itself."""
    return solver in _ARGUMENTS


def by_tool(formula: Qbf, limits: Limits, *, solver: str | None, tell: Tell) -> Candidate:
    """The certificate that the solver writes (QuAbS when none is named).

    Raises ``UsageError`` for one that writes none, ``SolverMissingError`` when it is not there,
    and ``UndecidedError`` when it gives no certificate.
    """
    name = solver or next(iter(_ARGUMENTS))
    if name not in _ARGUMENTS:
        names = ", ".join(_ARGUMENTS)
        raise UsageError(f"the solver {name} writes no certificates, expected one of {names}")
    program = get_backend(name).program()
    limits = of_the_rest(limits)
    tell(Progress(f"solving with {name}"))
    with workspace() as folder:
        plain = plain_circuit(formula)
        file, written = folder / "formula.qcir", folder / "certificate.aig"
        file.write_text(qcir_text(plain), encoding="utf-8")
        finished = run_program(
            (program.path, *_ARGUMENTS[name], str(file)),
            deadline=limits.deadline,
            memory_mb=limits.memory_mb,
            stdout=written,
            cwd=folder,
        )
        truth = EXIT_CODES.get(finished.returncode)
        if finished.ended is not Ended.EXITED or truth is None:
            how = finished.ended.value
            raise UndecidedError(f"{name} {how} (exit code {finished.returncode})")
        watch = Stopwatch()
        with written_by(name):
            certificate = read_certificate(str(written), plain)
        if not isinstance(certificate, CircuitCertificate):
            raise UndecidedError(f"{name} wrote no circuit")
        if (certificate.kind is Kind.SKOLEM) != truth:
            raise UndecidedError(
                f"{name} wrote a {certificate.kind.value} certificate and exited with "
                f"{finished.returncode}"
            )
    own = for_circuit(replace(certificate, path=None), formula)
    stages = (("solve", finished.seconds), ("read", watch.seconds))
    return Candidate(own, f"{name} {program.version}", stages)
