"""Certificates: functions that make a QBF true (Skolem) or false (Herbrand); what they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig, strash
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.kernel.player import Player

# Certificates: the functions that make a QBF true (Skolem) or false (Herbrand)


class CertificateKind(Enum):
    """Whose functions a certificate holds."""

    SKOLEM = "Skolem"
    HERBRAND = "Herbrand"

    @property
    def decides(self) -> Quantifier:
        """The quantifier of the variables that the functions define."""
        return Quantifier.EXISTS if self is CertificateKind.SKOLEM else Quantifier.FORALL

    @property
    def truth(self) -> bool:
        """The value of the formula that the functions prove."""
        return self is CertificateKind.SKOLEM

    @property
    def other(self) -> CertificateKind:
        """The kind of the opponent's functions."""
        return CertificateKind.HERBRAND if self.truth else CertificateKind.SKOLEM

    @property
    def player(self) -> Player:
        """The player for whom the certificate plays."""
        return Player.BLACK if self is CertificateKind.SKOLEM else Player.WHITE


class Dialect(Enum):
    """The tool whose conventions a certificate file follows."""

    QBFCERT_ASCII = "qbfcert-ascii"
    QBFCERT_BINARY = "qbfcert-binary"
    CAQE = "caqe"  # also QuAbS: symbols and an output called "result"
    QAIGER = "qaiger"
    PEDANT = "pedant"
    OUTER = "outer"  # the outermost block's values, as solvers print them


@dataclass(frozen=True)
class CircuitCertificate:
    """Functions as an and-inverter graph.

    ``inputs[k]`` is the QBF variable of the graph's input ``k + 1`` (the opponent's variables);
    ``functions`` maps each decided QBF variable to the AIG literal of its function.  Variables
    of the deciding quantifier without a function are don't-cares.  ``extra`` has the functions
    of names that the prefix does not quantify (Tseitin variables of the clausal form).
    ``recognised`` says what a reader took the dialect from, for people.  ``first_blocks`` says of
    a part of a certificate that it has the functions of so many of the first blocks only: what
    lacks one is open.
    """

    kind: CertificateKind
    aig: Aig
    inputs: tuple[int, ...]
    functions: Mapping[int, int]
    dialect: Dialect
    path: str | None = None
    extra: Mapping[int, int] = field(default_factory=dict)
    recognised: str = ""
    first_blocks: int | None = None

    def __repr__(self) -> str:
        return f"<CircuitCertificate {self.kind.value}: {self.aig.num_gates:,} gates>"


@dataclass(frozen=True)
class ClauseCertificate:
    """Functions as clauses (Pedant): only a SAT solver answers it.

    ``literals`` are the clauses one after the other, each ended by 0; ``defined`` the variables
    that the file gives models for; the other variables that are not the formula's are helpers.
    ``blocks`` has the file's own structure where it is known: the variable that a run of
    clauses defines and the index in ``literals`` at which the run begins, in ascending order.
    ``open`` are variables that are the opponent's though no clause may say so, where there is no
    formula that tells.
    """

    literals: NDArray[np.int32]
    max_variable: int
    defined: frozenset[int]
    path: str | None = None
    kind: CertificateKind = CertificateKind.SKOLEM
    dialect: Dialect = Dialect.PEDANT
    blocks: tuple[tuple[int, int], ...] = ()
    recognised: str = ""
    open: frozenset[int] = frozenset()

    @cached_property
    def variables(self) -> frozenset[int]:
        return frozenset(int(v) for v in np.unique(np.abs(self.literals)) if v)

    def __repr__(self) -> str:
        return f"<ClauseCertificate {self.kind.value}: {len(self.defined):,} variables>"


Certificate = CircuitCertificate | ClauseCertificate


def opponent_variables(certificate: Certificate, formula: Qbf | None) -> tuple[int, ...]:
    """The variables that the opponent chooses, in the order of the prefix.

    Without a formula these are the inputs of a circuit; of a clause set, its open variables and
    those without a model below the largest one that has a model (helpers are numbered above all
    of those).
    """
    if formula is not None:
        return formula.variables(certificate.kind.decides.dual)
    if isinstance(certificate, CircuitCertificate):
        return certificate.inputs
    last = max(certificate.defined, default=0)
    free = {v for v in certificate.variables - certificate.defined if v < last}
    return tuple(sorted(free | certificate.open))


def dont_cares(certificate: Certificate, formula: Qbf) -> tuple[int, ...]:
    """The variables that the certificate should decide and leaves open, in prefix order."""
    decided = formula.variables(certificate.kind.decides)
    if isinstance(certificate, CircuitCertificate):
        return tuple(v for v in decided if v not in certificate.functions)
    return tuple(v for v in decided if v not in certificate.variables)


# Level 1 of the certificate check: each function reads only variables of its dependency set


# Gates of a path that a message shows at each end.
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Dependency:
    """A function that reads a variable outside of its dependency set: one to its right, mostly.

    The function of ``variable`` reaches the opponent's ``reads`` through the gates ``path``:
    variables of the certificate's graph, from the function down to the gate that has the input.
    """

    variable: int
    reads: int
    path: tuple[int, ...]

    def text(self, formula: Qbf, gate_name: Callable[[int], str] = str) -> str:
        """The fault as a sentence fragment; ``gate_name`` names the graph's variables."""
        gates = [gate_name(gate) for gate in self.path]
        if len(gates) > 2 * _SHOWN:
            gates = [*gates[:_SHOWN], f"… {len(gates) - 2 * _SHOWN} more …", *gates[-_SHOWN:]]
        through = f" (gates {' > '.join(gates)})" if gates else ""
        return (
            f"a function of {formula.name(self.variable)} that reads "
            f"{formula.name(self.reads)}{through}"
        )


def wrong_dependency(certificate: CircuitCertificate, formula: Qbf) -> Dependency | None:
    """The first of :func:`wrong_dependencies`, or ``None``."""
    return next(iter(wrong_dependencies(certificate, formula)), None)


def wrong_dependencies(certificate: CircuitCertificate, formula: Qbf) -> tuple[Dependency, ...]:
    """The functions that read too much, in the certificate's order; linear in the graph.

    The structure counts after constants and equal gates have been simplified away: a function that
    only seems to read a variable (``and(x, false)``) is no error.  Functions of variables that the
    prefix does not have are not looked at.  The path of each is in the certificate's own gates,
    which a reader of the file can follow.
    """
    own, outside = formula.sets()
    functions = {v: f for v, f in certificate.functions.items() if v in own}
    denied = {v: outside(v) for v in certificate.inputs}
    suspects = _violations(certificate.aig, denied, functions, own)
    if not suspects:
        return ()
    aig, moved = strash(certificate.aig, [functions[d.variable] for d in suspects])
    reduced = dict(zip((d.variable for d in suspects), moved, strict=True))
    guilty = {d.variable for d in _violations(aig, denied, reduced, own)}
    return tuple(d for d in suspects if d.variable in guilty)


def _violations(
    aig: Aig, denied: Mapping[int, int], functions: Mapping[int, int], own: Mapping[int, int]
) -> list[Dependency]:
    inputs, reach = list(denied), [0, *denied.values()]
    for a, b in aig.pairs():
        x, y = reach[a >> 1], reach[b >> 1]
        reach.append(x if (z := x | y) == x else y if z == y else z)  # few numbers, often shared
    found = []
    for variable, literal in functions.items():
        gate, bit = literal >> 1, own[variable]
        if reach[gate] & bit:
            path = []
            while gate > aig.num_inputs:
                path.append(gate)
                k = gate - aig.num_inputs - 1
                below = int(aig.fanin0[k]) >> 1, int(aig.fanin1[k]) >> 1
                gate = max(below, key=lambda v: (reach[v] & bit, reach[v]))
            found.append(Dependency(variable, inputs[gate - 1], tuple(path)))
    return found
