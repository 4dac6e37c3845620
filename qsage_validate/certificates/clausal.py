"""Certificates of circuits as certificates of their clausal forms, and the other way round."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.certificates.certificate import CircuitCertificate, Kind
from qsage_validate.certificates.composition import compose
from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.embed import embed
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


def for_circuit(certificate: CircuitCertificate, formula: Qbf) -> CircuitCertificate:
    """A certificate of the clausal form of ``formula`` as one of ``formula`` itself.

    The functions of gates are dropped: the gates of the circuit are what they are.  Inputs that
    are gates are innermost, and no function of a variable can read them; one that seems to gets
    the constant false for them.  Equal gates become one, and only what the functions need stays.
    """
    quantifiers = formula.quantifiers()
    decides = certificate.kind.decides
    functions = {v: f for v, f in certificate.functions.items() if quantifiers.get(v) is decides}
    inputs = tuple(v for v in certificate.inputs if quantifiers.get(v) is decides.dual)
    builder = AigBuilder(len(inputs))
    literal_of = dict(zip(inputs, builder.inputs, strict=True))
    literals = [literal_of.get(v, FALSE) for v in certificate.inputs]
    built = embed(builder, certificate.aig, literals, list(functions.values()))
    aig, moved = builder.build(built)
    return replace(
        certificate,
        aig=aig,
        inputs=inputs,
        functions=dict(zip(functions, moved, strict=True)),
        extra={},
    )
