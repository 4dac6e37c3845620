"""Certificates of any formula by QBF solvers.

Most write traces, with Bloqqer before them or not; both ways work on the clausal form.
*Direct*: DepQBF or Qute solves it and writes a trace, from which the functions of the winning side
are extracted, whichever side that is.  *Preprocessed*: Bloqqer simplifies it first and writes a
QRAT trace; the functions of what is left are lifted back through that.  This only gives Skolem
functions, so a formula that turns out to be false is certified by the Skolem functions of its
dual.  QuAbS writes certificates itself.

The result is a claim: see :func:`qsage_validate.certificates.routes.certify_formula`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Final

from qsage_validate.certificates.clausal import (
    Candidate,
    GivenUpError,
    for_circuit,
    of_the_rest,
    written_by,
)
from qsage_validate.certificates.qrat import lift, read_qrat
from qsage_validate.certificates.qrp_extract import extract
from qsage_validate.certificates.reader import read_certificate
from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.errors import MissingExtraError, UndecidedError, UsageError
from qsage_validate.formats.qcir_writer import qcir_text
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.solvers.backend import (
    EXIT_CODES,
    Backend,
    Missing,
    SolverOutcome,
    SolverStatus,
    TraceKind,
    plain_circuit,
)
from qsage_validate.solvers.backends import backends, get_backend
from qsage_validate.solvers.bloqqer import Preprocessed, preprocess
from qsage_validate.system.limits import Limits, Progress, Stopwatch, Tell
from qsage_validate.system.programs import Ended, run_program, workspace

_PREFERRED: Final = ("depqbf", "qute")


def tracers(name: str | None = None) -> list[Backend]:
    """The solvers that write traces and can be run, the first choice first; or the one named.

    Raises ``UsageError`` for one that writes none, ``SolverMissingError`` for one that is not
    there, ``MissingExtraError`` when there is none at all.
    """
    if name is not None:
        backend = get_backend(name)
        if not backend.traces:
            able = ", ".join(n for n, b in backends().items() if b.traces)
            raise UsageError(f"the solver {name} writes no traces, expected one of {able}")
        backend.program()
        return [backend]
    known = backends()
    names = [*(n for n in _PREFERRED if n in known), *(n for n in known if n not in _PREFERRED)]
    found = [known[n] for n in names if known[n].traces]
    found = [backend for backend in found if not isinstance(backend.availability(), Missing)]
    if not found:
        raise MissingExtraError("a certificate by a QBF solver", "solve")
    return found


def by_trace(formula: Qbf, limits: Limits, *, solver: str | None, tell: Tell) -> Candidate:
    """The certificate that a solver's trace of the clausal form gives.

    Each solver gets an equal share of what is left of the time.  Raises ``UndecidedError`` when
    none of them answers.
    """
    form = clausal_form(formula)
    with workspace() as folder:
        for outcome in _outcomes(formula, form, limits, tracers(solver), folder, tell):
            if outcome.trace is not None and outcome.truth is not None:
                tell(Progress("extracting"))
                watch = Stopwatch()
                with written_by(_name(outcome)):
                    certificate = extract(formula, outcome.trace)
                stages = (("solve", outcome.seconds), ("extract", watch.seconds))
                return Candidate(certificate, _name(outcome), stages)
    raise AssertionError("each solver that did not answer has said why")


def _outcomes(
    formula: Qbf,
    form: ClausalForm,
    limits: Limits,
    candidates: list[Backend],
    folder: Path,
    tell: Tell,
) -> Iterator[SolverOutcome]:
    """The outcomes of one solver after the other on ``form``.

    Each gets an equal share of what is left of the time.  Raises ``UndecidedError`` after the
    last one.
    """
    reasons = []
    for rank, backend in enumerate(candidates):
        tell(Progress(f"solving with {backend.name}"))
        outcome = backend.solve(
            formula,
            of_the_rest(limits, 1 / (len(candidates) - rank)),
            workdir=folder,
            form=form,
            trace=folder / f"{backend.name}.qrp",
            binary_trace=TraceKind.BINARY_QRP in backend.traces,
        )
        yield outcome
        reasons.append(f"{backend.name}: {outcome.why}")
    raise UndecidedError("; ".join(reasons))


def by_preprocessing(
    formula: Qbf,
    limits: Limits,
    *,
    solver: str | None,
    tell: Tell,
    options: Mapping[str, int] | None = None,
    patience: float = inf,
) -> Candidate:
    """The certificate that Bloqqer's trace and a solver's give: of the formula or its dual.

    ``options`` are Bloqqer's own.  Raises ``UndecidedError`` when neither is solved, and
    ``GivenUpError`` when Bloqqer takes more than ``patience`` seconds for one of them.
    """
    bloqqer = partial(_bloqqer, options=options, patience=patience)
    candidates = tracers(solver)
    stages: list[tuple[str, float]] = []
    with workspace() as folder:
        certificate, by = _preprocessed(formula, limits, candidates, folder, stages, tell, bloqqer)
        if certificate is not None:
            return Candidate(certificate, by, tuple(stages))
    tell(Progress("false: the dual"))
    with workspace() as folder:
        certificate, by = _preprocessed(
            dual(formula), limits, candidates, folder, stages, tell, bloqqer
        )
    if certificate is None:
        raise UndecidedError(f"{by} found both the formula and its negation false")
    return Candidate(for_dual(certificate), by, tuple(stages))


def _preprocessed(
    formula: Qbf,
    limits: Limits,
    candidates: list[Backend],
    folder: Path,
    stages: list[tuple[str, float]],
    tell: Tell,
    bloqqer: Callable[[ClausalForm, Limits, Path], Preprocessed],
) -> tuple[CircuitCertificate | None, str]:
    """A Skolem certificate of ``formula``, ``None`` when it is false; and who found out."""
    form = clausal_form(formula)
    tell(Progress("preprocessing"))
    trace_path = folder / "bloqqer.qrat"
    done = bloqqer(form, of_the_rest(limits), trace_path)
    stages.append(("preprocess", done.seconds))
    by = f"Bloqqer {done.version}"
    if done.status is SolverStatus.FALSE:
        return None, by
    if done.status is SolverStatus.TRUE:
        tell(Progress("lifting"))
        watch = Stopwatch()
        with written_by(by):
            certificate = for_circuit(lift(form, read_qrat(trace_path), None), formula)
        stages.append(("lift", watch.seconds))
        return certificate, by
    if done.form is None:
        raise UndecidedError(f"{by}: {done.why}")
    with written_by(by):
        trace = read_qrat(trace_path)
    rest = done.form
    for outcome in _outcomes(formula, rest, limits, candidates, folder, tell):
        stages.append(("solve", outcome.seconds))
        if outcome.truth is False:
            return None, f"{by}, {_name(outcome)}"
        if outcome.trace is None or outcome.truth is None:
            continue
        tell(Progress("extracting"))
        watch = Stopwatch()
        with written_by(_name(outcome)):
            found = extract(rest, outcome.trace)
        stages.append(("extract", watch.lap()))
        tell(Progress("lifting"))
        with written_by(by):
            certificate = for_circuit(lift(form, trace, rest, found), formula)
        stages.append(("lift", watch.lap()))
        return certificate, f"{by}, {_name(outcome)}"
    raise AssertionError("each solver that did not answer has said why")


def _bloqqer(
    form: ClausalForm,
    limits: Limits,
    trace: Path,
    *,
    options: Mapping[str, int] | None,
    patience: float,
) -> Preprocessed:
    """The formula that Bloqqer leaves; raises ``GivenUpError`` after ``patience`` seconds.

    With the options under which it is sound, Bloqqer runs endlessly on some formulas that a solver
    decides at once.
    """
    bounded = replace(limits, deadline=limits.deadline.sooner(patience))
    done = preprocess(form, bounded, workdir=trace.parent, trace=trace, options=options)
    if done.status is SolverStatus.TIMEOUT and not limits.deadline.over:
        raise GivenUpError(f"Bloqqer {done.version} was given up after {patience:g} s")
    return done


def _name(outcome: SolverOutcome) -> str:
    return f"{outcome.solver} {outcome.version}"


def dual(formula: Qbf) -> Qbf:
    """The negation of ``formula``, over the same variables and gates.

    The negation of ``∃x ∀y M`` is ``∀x ∃y ¬M``.  One of the two is true, and what makes it true, a
    Skolem certificate, is a Herbrand certificate of the other: the functions are the same.
    Comments are left out, for they speak of the formula.
    """
    scopes = tuple(Scope(s.quantifier.dual, s.variables) for s in formula.scopes)
    return replace(formula, scopes=scopes, output=-formula.output, comments=())


def for_dual(certificate: CircuitCertificate) -> CircuitCertificate:
    """A certificate of a formula as one of its dual."""
    return replace(certificate, kind=certificate.kind.other)


# The option with which a solver prints a certificate (an AIGER file in its own dialect) instead
# of a verdict; the exit code still says which.
_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {"quabs": ("-c",)}


def writes_functions(solver: str) -> bool:
    """True if the solver of that name writes traces or certificates, which give functions."""
    return is_tool(solver) or bool(get_backend(solver).traces)


def is_tool(solver: str) -> bool:
    """True if the solver of that name writes certificates itself."""
    return solver in _ARGUMENTS


def by_tool(formula: Qbf, limits: Limits, *, solver: str | None, tell: Tell) -> Candidate:
    """The certificate that the solver writes (QuAbS when none is named).

    It gets numbers for names, so that those in the certificate are the formula's variables.
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
        if (certificate.kind is CertificateKind.SKOLEM) != truth:
            raise UndecidedError(
                f"{name} wrote a {certificate.kind.value} certificate and exited with "
                f"{finished.returncode}"
            )
    own = for_circuit(replace(certificate, path=None), formula)
    stages = (("solve", finished.seconds), ("read", watch.seconds))
    return Candidate(own, f"{name} {program.version}", stages)
