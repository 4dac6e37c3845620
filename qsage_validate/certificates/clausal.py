"""Certificates of circuits as certificates of their clausal forms."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.certificates.certificate import CircuitCertificate, Kind
from qsage_validate.certificates.composition import compose
from qsage_validate.circuit.qbf import Qbf


def for_clausal_form(
    certificate: CircuitCertificate, formula: Qbf, clausal: Qbf
) -> CircuitCertificate:
    """A certificate of ``formula``, a circuit, as one of its clausal form ``clausal``.

    In the clausal form each gate is an existential variable (Tseitin's transformation).  A
    Skolem certificate defines it as the gate, with the other functions put in; in a Herbrand
    certificate it is the opponent's, who loses at once by giving it another value.
    """
    if certificate.kind is Kind.HERBRAND:
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
