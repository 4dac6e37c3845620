"""Circuits as circuit solvers are sure to read them: and/or gates, nothing degenerate.

Qute calls a conjunction of a variable and its complement true, and stumbles over empty scopes;
gates of one input, constants and the connectives ``xor`` and ``ite`` are read by some solvers
and not by others.  A circuit without any of this stays as it is, gate by gate.
"""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.circuit.qbf import CircuitBuilder, Connective, Gate, Qbf
from qsage_validate.circuit.rewriting import needed_gates

_PLAIN = (Connective.AND, Connective.OR)


def plain_circuit(qbf: Qbf) -> Qbf:
    """An equivalent circuit over the same variables, for solvers.

    Scopes are merged, names and comments left out, and the output is a gate, unnegated.  If any
    gate is degenerate (a constant, one input, repeated or complementary inputs) or neither
    ``and`` nor ``or``, the circuit is built anew, and gates get other numbers.  A constant
    matrix remains: ``or()`` or ``and()``.
    """
    plain = replace(qbf, scopes=qbf.merged_scopes(), names={}, comments=(), path=None)
    if all(map(_is_plain, qbf.gates.values())):
        return _with_positive_gate(plain)
    builder = CircuitBuilder(qbf.max_variable + 1)
    literal_of = {v: v for scope in plain.scopes for v in scope.variables}

    def literal(x: int) -> int:
        return literal_of[x] if x > 0 else -literal_of[-x]

    for number, gate in qbf.gates.items():
        inputs = [literal(x) for x in gate.inputs]
        match gate.connective:
            case Connective.AND:
                built = builder.and_(*inputs)
            case Connective.OR:
                built = builder.or_(*inputs)
            case Connective.XOR:
                built = -builder.iff(*inputs)
            case Connective.ITE:
                condition, then, otherwise = inputs
                built = builder.and_(
                    builder.implies(condition, then), builder.or_(condition, otherwise)
                )
        literal_of[number] = built
    output, gates = literal(qbf.output), builder.gates
    return _with_positive_gate(replace(plain, gates=needed_gates(gates, output), output=output))


def _with_positive_gate(qbf: Qbf) -> Qbf:
    """The same with an unnegated gate as output, as the strictest solvers want it."""
    output = qbf.output
    if output in qbf.gates:
        return qbf
    gate = qbf.gates.get(-output)
    if gate is None:
        top = Gate(Connective.AND, (output,))
    else:
        dual = Connective.OR if gate.connective is Connective.AND else Connective.AND
        top = Gate(dual, tuple(-x for x in gate.inputs))
    number = qbf.max_variable + 1
    gates = {**qbf.gates, number: top}
    return replace(qbf, gates=needed_gates(gates, number), output=number)


def _is_plain(gate: Gate) -> bool:
    variables = {abs(x) for x in gate.inputs}
    return gate.connective in _PLAIN and len(variables) == len(gate.inputs) > 1
