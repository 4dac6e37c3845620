"""The dual of a formula: its negation, whose certificates are certificates of the formula.

The negation of ``∃x ∀y M`` is ``∀x ∃y ¬M``.  One of the two is true, and what makes it true, a
Skolem certificate, is a Herbrand certificate of the other: the functions are the same.  So
whatever certifies true formulas certifies false ones as well.  For a formula in conjunctive
normal form the dual is a circuit, a disjunction of cubes.
"""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.kernel.certificate import CircuitCertificate


def dual(formula: Qbf) -> Qbf:
    """The negation of ``formula``, over the same variables and gates.

    Comments are left out, for they speak of the formula.
    """
    scopes = tuple(Scope(s.quantifier.dual, s.variables) for s in formula.scopes)
    return replace(formula, scopes=scopes, output=-formula.output, comments=())


def for_dual(certificate: CircuitCertificate) -> CircuitCertificate:
    """A certificate of a formula as one of its dual."""
    return replace(certificate, kind=certificate.kind.other)
