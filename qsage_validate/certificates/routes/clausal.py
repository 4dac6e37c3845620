"""Certificates of circuits as certificates of their clausal forms, and the other way round."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.embed import embed
from qsage_validate.circuit.qbf import Gate, Qbf
from qsage_validate.kernel.certificate import CircuitCertificate, Kind
from qsage_validate.kernel.composition import compose


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
