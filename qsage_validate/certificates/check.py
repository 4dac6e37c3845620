"""The certificate check, levels 1 and 2: the functions are functions, and they win.

Level 1: each function reads only variables left of its own.  Level 2: no assignment of the
opponent's variables makes the matrix false (Skolem) or true (Herbrand), which is one SAT call
on the negation.  Variables without a function are don't-cares; they are played as false, here
as everywhere, so that what is proved is what is played.

A clause certificate is read as definitions first; where that fails, or where the clauses leave
a variable open, nothing is proved: neither what its functions read nor that they exist is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from qsage_validate.certificates.certificate import (
    Certificate,
    CircuitCertificate,
    ClauseCertificate,
    Kind,
    dont_cares,
)
from qsage_validate.certificates.composition import Composition, compose
from qsage_validate.certificates.definitions import (
    Definitions,
    NotDefinitionalError,
    definitions,
)
from qsage_validate.certificates.dependencies import Dependency, wrong_dependency
from qsage_validate.circuit.aig import FALSE, Aig
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.satisfy import Answer, Satisfiable, TimedOut, Unsatisfiable, satisfy
from qsage_validate.circuit.simulate import Simulator, pack, unpack
from qsage_validate.errors import Exit


@dataclass(frozen=True, slots=True)
class CertificateProved:
    """The certificate proves its formula true (Skolem) or false (Herbrand).

    ``dont_cares`` are the variables without a function, in the order of the prefix; the proof
    has them false.  ``gates`` is the size of the circuit that was proved constant.
    """

    kind: Kind
    dont_cares: tuple[int, ...]
    gates: int
    seconds: float

    @property
    def exit_code(self) -> Exit:
        """0."""
        return Exit.FINE

    def __str__(self) -> str:
        value = "true" if self.kind is Kind.SKOLEM else "false"
        left = len(self.dont_cares)
        what = "1 variable" if left == 1 else f"{left} variables"
        note = f"; {what} without a function played as false" if left else ""
        return f"proved: the {self.kind.value} functions make the formula {value}{note}"


@dataclass(frozen=True, slots=True)
class CertificateRefuted:
    """The certificate is wrong; ``reason`` is a sentence fragment.

    ``choice`` is an assignment of all of the opponent's variables that beats it, ``None`` when
    it failed at level 1 already: then ``dependency`` says which function looks to its right.
    """

    reason: str
    choice: Mapping[int, bool] | None = None
    dependency: Dependency | None = None

    def __post_init__(self) -> None:
        if (self.choice is None) == (self.dependency is None):
            raise ValueError("a refutation is either a choice or a dependency")

    @property
    def exit_code(self) -> Exit:
        """1."""
        return Exit.REFUTED

    def __str__(self) -> str:
        return f"refuted: {self.reason}"


@dataclass(frozen=True, slots=True)
class CertificateUndecided:
    """Nothing was proved and nothing refuted; ``why`` says what stood in the way."""

    why: str

    @property
    def exit_code(self) -> Exit:
        """3."""
        return Exit.UNDECIDED

    def __str__(self) -> str:
        return f"undecided: {self.why}"


CheckResult = CertificateProved | CertificateRefuted | CertificateUndecided


def check(formula: Qbf, certificate: Certificate, *, timeout: float | None = None) -> CheckResult:
    """Check both levels; the SAT call gets at most ``timeout`` seconds.

    The certificate's inputs and functions must be variables of the formula and of the right
    quantifiers (readers and compilers see to it): ``KeyError`` or ``ValueError`` otherwise.
    """
    start = monotonic()
    if isinstance(certificate, ClauseCertificate):
        try:
            read = definitions(certificate, formula)
        except NotDefinitionalError as error:
            return CertificateUndecided(f"the clauses cannot be read as definitions: {error}")
    else:
        read = Definitions(certificate, {}, {})
    circuit = read.circuit
    _check_sides(formula, circuit)
    wrong = wrong_dependency(circuit, formula)
    if wrong is not None:
        return CertificateRefuted(wrong.text(formula), dependency=wrong)
    faults = [*read.contradictions.values(), *read.openings.values()]
    composition = compose(circuit, formula, faults)
    builder = composition.builder
    contradictions = composition.also[: len(read.contradictions)]
    openings = composition.also[len(read.contradictions) :]
    ambiguous = builder.or_all(openings)
    beaten = builder.or_all([_lost(composition, circuit.kind), *contradictions])

    def search(literal: int) -> tuple[Aig, Answer]:
        left = None if timeout is None else max(0.0, timeout - (monotonic() - start))
        aig, (moved,) = builder.build([literal])
        return aig, satisfy(aig, moved, timeout=left)

    aig, answer = search(builder.and_(beaten, ambiguous ^ 1))
    if isinstance(answer, Satisfiable):
        choice = dict(zip(composition.opponent, answer.inputs, strict=True))
        at_fault = _first_true(composition, contradictions, answer.inputs)
        reason = f"the matrix is {'false' if circuit.kind is Kind.SKOLEM else 'true'}"
        if at_fault is not None:
            variable = list(read.contradictions)[at_fault]
            reason = f"the clauses of {variable} contradict each other"
        return CertificateRefuted(f"{reason} under {_text(formula, choice)}", choice)
    if isinstance(answer, Unsatisfiable) and ambiguous != FALSE:
        _, answer = search(ambiguous)
        if isinstance(answer, Satisfiable):
            choice = dict(zip(composition.opponent, answer.inputs, strict=True))
            at_fault = _first_true(composition, openings, answer.inputs)
            assert at_fault is not None
            variable = list(read.openings)[at_fault]
            return CertificateUndecided(
                f"the clauses have several solutions under {_text(formula, choice)}: "
                f"they leave {variable} open"
            )
    if isinstance(answer, TimedOut):
        return CertificateUndecided(f"no answer within {timeout:g} seconds")
    free = dont_cares(certificate, formula)
    return CertificateProved(circuit.kind, free, aig.num_gates, monotonic() - start)


def obligation(formula: Qbf, certificate: CircuitCertificate) -> tuple[Aig, int]:
    """Level 2 as a graph over the opponent's variables and a literal that must be constant 0.

    Inputs are in the order of the prefix.  For those who want a proof from a solver of their
    own choice.
    """
    composition = compose(certificate, formula)
    aig, (literal,) = composition.builder.build([_lost(composition, certificate.kind)])
    return aig, literal


def _lost(composition: Composition, kind: Kind) -> int:
    """The literal that is true where the certificate loses."""
    assert composition.output is not None
    return composition.output ^ (kind is Kind.SKOLEM)


def _first_true(
    composition: Composition, literals: Sequence[int], inputs: Sequence[bool]
) -> int | None:
    """The index of the first of ``literals`` that is true under ``inputs``."""
    aig, moved = composition.builder.build(literals)
    words = Simulator(aig, moved).run(pack(np.array([inputs], dtype=np.bool_)))
    true = np.flatnonzero(unpack(words, 1)[0])
    return int(true[0]) if len(true) else None


def _check_sides(formula: Qbf, circuit: CircuitCertificate) -> None:
    quantifiers = formula.quantifiers()
    for variable in circuit.inputs:
        if quantifiers[variable] is circuit.kind.decides:
            raise ValueError(f"the input {variable} is no variable of the opponent")
    for variable in circuit.functions:
        if quantifiers[variable] is not circuit.kind.decides:
            raise ValueError(f"the function of {variable} decides a variable of the opponent")


def _text(formula: Qbf, choice: Mapping[int, bool]) -> str:
    literals = (("" if chosen else "-") + formula.name(v) for v, chosen in choice.items())
    return " ".join(literals) or "the empty assignment"
