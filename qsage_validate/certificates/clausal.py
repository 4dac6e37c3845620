"""Common parts of routes: candidates, and certificates of circuits as those of clausal forms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from qsage_validate.certificates.check import CertificateProved
from qsage_validate.circuit.aig import FALSE, AigBuilder, embed
from qsage_validate.circuit.qbf import Gate, Qbf
from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.kernel.composition import compose
from qsage_validate.system.limits import Limits


def for_clausal_form(
    certificate: CircuitCertificate, formula: Qbf, clausal: Qbf
) -> CircuitCertificate:
    """A certificate of ``formula``, a circuit, as one of its clausal form ``clausal``.

    In the clausal form each gate is an existential variable (Tseitin's transformation).  A
    Skolem certificate defines it as the gate, with the other functions put in; in a Herbrand
    certificate it is the opponent's, who loses at once by giving it another value.
    """
    if certificate.kind is CertificateKind.HERBRAND:
        return certificate
    composition = compose(certificate, formula)
    decided = clausal.variables(certificate.kind.decides)
    outputs = [composition.literals[variable] for variable in decided]
    aig, functions = composition.builder.build(outputs)
    return replace(
        certificate,
        aig=aig,
        inputs=composition.opponent,
        functions=dict(zip(decided, functions, strict=True)),
    )


def for_circuit(certificate: CircuitCertificate, formula: Qbf) -> CircuitCertificate:
    """A certificate of the clausal form of ``formula`` as one of ``formula`` itself.

    The functions of gates are dropped: the gates of the circuit are what they are.  A function
    that reads a gate (in a Herbrand certificate, when gates are placed early) reads what the
    gate says of the circuit; inputs that are gates right of all functions can only seem to be
    read, and are the constant false.  Equal gates become one, and only what the functions need
    stays.
    """
    quantifiers = formula.quantifiers()
    decides = certificate.kind.decides
    functions = {v: f for v, f in certificate.functions.items() if quantifiers.get(v) is decides}
    inputs = tuple(v for v in certificate.inputs if quantifiers.get(v) is decides.dual)
    stages = _stages(certificate, formula, list(functions))
    if any(gates for gates, _ in stages):
        inputs = formula.variables(decides.dual)
    builder = AigBuilder(len(inputs))
    literals = dict.fromkeys(formula.variables(decides), FALSE)
    literals.update(zip(inputs, builder.inputs, strict=True))
    for gates, variables in stages:
        if gates:
            Qbf((), gates, next(iter(gates))).add_to(builder, literals)
        known = [literals.get(v, FALSE) for v in certificate.inputs]
        built = embed(builder, certificate.aig, known, [functions[v] for v in variables])
        literals.update(zip(variables, built, strict=True))
    aig, moved = builder.build([literals[v] for v in functions])
    return replace(
        certificate,
        aig=aig,
        inputs=inputs,
        functions=dict(zip(functions, moved, strict=True)),
        extra={},
    )


def _stages(
    certificate: CircuitCertificate, formula: Qbf, variables: list[int]
) -> list[tuple[dict[int, Gate], list[int]]]:
    """The order in which gates and functions can be built: gates, then functions over them.

    One stage without gates where no function can read any.
    """
    read = {v for v in certificate.inputs if v in formula.gates}
    for number in reversed(list(formula.gates) if read else []):
        if number in read:
            read.update(abs(x) for x in formula.gates[number].inputs)
    level = formula.levels()
    for number, gate in formula.gates.items():
        level[number] = max((level[abs(x)] for x in gate.inputs), default=0)
    last = max((level[v] for v in variables), default=0)
    readable = {n: g for n, g in formula.gates.items() if n in read and level[n] < last}
    if not readable:
        return [({}, variables)]
    stages = []
    for at in sorted({level[v] for v in variables}):
        gates = {n: readable.pop(n) for n in list(readable) if level[n] < at}
        stages.append((gates, [v for v in variables if level[v] == at]))
    return stages


def of_the_rest(limits: Limits, part: float = 1.0) -> Limits:
    """Limits of one run, with a part of the time that is left.

    Raises ``UndecidedError`` when none is left.
    """
    if limits.deadline.over:
        raise UndecidedError("the time is over")
    return replace(limits, deadline=limits.deadline.share(part))


class GivenUpError(UndecidedError):
    """Preprocessing was given up, although there is time left: another route may be quicker."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A certificate of the formula and how it was made.

    ``by`` names the programs; ``stages`` has what each stage took, in seconds of wall time.
    ``proved`` is the proof of the very formula, where the maker has checked it; ``note`` is
    further remarks, for a message.
    """

    certificate: CircuitCertificate
    by: str
    stages: tuple[tuple[str, float], ...]
    proved: CertificateProved | None = None
    note: str = ""


@contextmanager
def written_by(program: str) -> Iterator[None]:
    """Reading what a program wrote into a file of ours: what is wrong there is its failure.

    An ``InputError`` becomes an ``UndecidedError``; the temporary file's name is left out.
    """
    try:
        yield
    except InputError as error:
        place = "" if error.line is None else f"line {error.line}: "
        raise UndecidedError(
            f"{program} wrote what cannot be used: {place}found {error.found}, "
            f"expected {error.expected}"
        ) from error
