"""Certificates made into others: parts, joined parts, and those of clausal forms.

A part has functions for some variables, and leaves a formula under these functions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.circuit.aig import FALSE, AigBuilder, embed
from qsage_validate.circuit.qbf import Connective, Gate, Qbf
from qsage_validate.errors import InputError, UsageError
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.kernel.composition import compose

if TYPE_CHECKING:
    from qsage_validate.circuit.rewriting import Value


def first_blocks(certificate: CircuitCertificate, formula: Qbf, blocks: int) -> CircuitCertificate:
    """The certificate without the functions of blocks behind the first ``blocks`` of its own.

    Raises ``UsageError`` where there are not so many.
    """
    own = formula.blocks(certificate.kind.decides)
    if blocks > len(own):
        whose = "existential" if certificate.kind is CertificateKind.SKOLEM else "universal"
        raise UsageError(
            f"found --blocks {blocks}, expected at most {len(own)}: the formula has no more "
            f"{whose} blocks"
        )
    if blocks == len(own):
        return certificate
    kept = frozenset[int]().union(*own[:blocks])
    decided = [v for v in certificate.functions if v in kept]
    aig, outputs = certificate.aig.restrict_to_cone([certificate.functions[v] for v in decided])
    functions = dict(zip(decided, outputs, strict=True))
    return replace(certificate, aig=aig, functions=functions, extra={}, first_blocks=blocks)


def check_outermost(certificate: CircuitCertificate, formula: Qbf) -> None:
    """Raise :class:`InputError` for functions of inner blocks alone: the outermost is chosen first.

    A certificate without any functions leaves all blocks alike to a solver.
    """
    own = formula.blocks(certificate.kind.decides)
    if certificate.functions and own[0].isdisjoint(certificate.functions):
        names = " ".join(formula.name(v) for v in sorted(own[0])[:6])
        more = " …" * (len(own[0]) > 6)
        expected = f"some of the player's outermost block ({names}{more})"
        raise InputError(certificate.path, None, None, "functions of inner blocks only", expected)


def left_by(formula: Qbf, part: CircuitCertificate) -> Qbf:
    """The formula in which the variables that ``part`` decides are its functions."""
    from qsage_validate.circuit.rewriting import residual

    number = formula.max_variable + 1
    gates = {number: Gate(Connective.OR, ())}
    names = [number, *part.inputs]  # by the variable of the graph: 0 is the constant false
    aig, outputs = part.aig.restrict_to_cone(list(part.functions.values()))

    def signed(literal: int) -> int:
        name = names[literal >> 1]
        return -name if literal & 1 else name

    for a, b in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        number += 1
        gates[number] = Gate(Connective.AND, (signed(a), signed(b)))
        names.append(number)
    values: dict[int, Value] = dict(zip(part.functions, map(signed, outputs), strict=True))
    return residual(formula, values, gates)


def joined(formula: Qbf, part: CircuitCertificate, rest: CircuitCertificate) -> CircuitCertificate:
    """The functions of ``part`` and of ``rest``, a certificate of what the part leaves."""
    opponent = formula.variables(part.kind.decides.dual)
    builder = AigBuilder(len(opponent))
    literals = dict(zip(opponent, builder.inputs, strict=True))
    functions: dict[int, int] = {}
    for each in (part, rest):
        inputs = [literals[v] for v in each.inputs]
        built = embed(builder, each.aig, inputs, list(each.functions.values()))
        functions.update(zip(each.functions, built, strict=True))
    aig, moved = builder.build(list(functions.values()))
    decided = dict(zip(functions, moved, strict=True))
    return CircuitCertificate(part.kind, aig, opponent, decided, Dialect.CAQE)


def variables_read(certificate: CircuitCertificate) -> frozenset[int]:
    """The opponent's variables that some function depends on, as the graph is built.

    One that makes no difference in the end may be among them.
    """
    aig, outputs = certificate.aig, list(certificate.functions.values())
    gates = aig.cone(outputs)
    used = {literal >> 1 for literal in outputs}
    used.update((aig.fanin0[gates] >> 1).tolist())
    used.update((aig.fanin1[gates] >> 1).tolist())
    return frozenset(v for k, v in enumerate(certificate.inputs, start=1) if k in used)


# Certificates of circuits, and those of their clausal forms


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
