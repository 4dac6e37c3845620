"""Formulas in which some variables have values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Scope

Value = int | bool
"""A signed literal, or a constant."""

_NO_GATES: Final[Mapping[int, Gate]] = {}


def residual(
    formula: Qbf, values: Mapping[int, Value], functions: Mapping[int, Gate] = _NO_GATES
) -> Qbf:
    """``formula`` with the variables of ``values`` replaced by their values.

    A value is a constant or a literal: of another variable, or of a gate of ``functions``, whose
    numbers are not the formula's.  Constants are propagated and gates that the output does not
    need any more are gone; the others keep their numbers and names.  The variables of ``values``
    leave the prefix, and so do scopes without variables.  A constant matrix is an empty
    conjunction or disjunction.  Comments, and with them a layout, are left out: the formula is
    another one.
    """
    known: dict[int, Value] = {}
    gates: dict[int, Gate] = {}
    for number, gate in functions.items():
        known[number] = _simplified(number, gate, known, gates)
    known |= {v: x if isinstance(x, bool) else _value(x, known) for v, x in values.items()}
    for number, gate in formula.gates.items():
        known[number] = _simplified(number, gate, known, gates)
    output = _value(formula.output, known)
    if isinstance(output, bool):
        number = abs(formula.output)
        if number not in formula.gates:
            number = max(formula.max_variable, *functions, 0) + 1
        gates = {number: Gate(Connective.AND if output else Connective.OR, ())}
        output = number
    scopes = (
        Scope(s.quantifier, tuple(v for v in s.variables if v not in values))
        for s in formula.scopes
    )
    left = needed_gates(gates, output)
    kept = tuple(scope for scope in scopes if scope.variables)
    numbers = {*left, *(v for scope in kept for v in scope.variables)}
    names = {number: name for number, name in formula.names.items() if number in numbers}
    return replace(formula, scopes=kept, gates=left, output=output, names=names, comments=())


def _value(literal: int, known: Mapping[int, Value]) -> Value:
    value = known.get(abs(literal), abs(literal))
    if isinstance(value, bool):
        return value != (literal < 0)
    return value if literal > 0 else -value


def _simplified(
    number: int, gate: Gate, known: Mapping[int, Value], gates: dict[int, Gate]
) -> Value:
    """The simplified gate: a constant, another literal, or itself with fewer inputs."""
    inputs = [_value(x, known) for x in gate.inputs]
    match gate.connective:
        case Connective.AND:
            return _junction(number, Connective.AND, inputs, gates)
        case Connective.OR:
            return _junction(number, Connective.OR, inputs, gates)
        case Connective.XOR:
            return _difference(number, inputs[0], inputs[1], gates)
        case Connective.ITE:
            return _choice(number, (inputs[0], inputs[1], inputs[2]), gates)


def _junction(
    number: int, connective: Connective, inputs: list[Value], gates: dict[int, Gate]
) -> Value:
    decisive = connective is Connective.OR
    left: dict[int, None] = {}
    for value in inputs:
        if isinstance(value, bool):
            if value is decisive:
                return decisive
        elif -value in left:
            return decisive
        else:
            left[value] = None
    if not left:
        return not decisive
    if len(left) == 1:
        return next(iter(left))
    gates[number] = Gate(connective, tuple(left))
    return number


def _difference(number: int, a: Value, b: Value, gates: dict[int, Gate]) -> Value:
    if isinstance(a, bool):
        a, b = b, a
    if isinstance(a, bool):
        return a is not b
    if isinstance(b, bool):
        return -a if b else a
    if abs(a) == abs(b):
        return a != b
    gates[number] = Gate(Connective.XOR, (a, b))
    return number


def _choice(number: int, inputs: tuple[Value, Value, Value], gates: dict[int, Gate]) -> Value:
    c, t, e = inputs
    if isinstance(c, bool):
        return t if c else e
    if t == e and isinstance(t, bool) is isinstance(e, bool):
        return t
    if isinstance(t, bool):
        return _junction(number, Connective.OR if t else Connective.AND, [c if t else -c, e], gates)
    if isinstance(e, bool):
        return _junction(number, Connective.OR if e else Connective.AND, [-c if e else c, t], gates)
    gates[number] = Gate(Connective.ITE, (c, t, e))
    return number


def needed_gates(gates: Mapping[int, Gate], output: int) -> dict[int, Gate]:
    """The gates that the output needs, in order."""
    wanted = {abs(output)}
    for number in reversed(list(gates)):
        if number in wanted:
            wanted.update(abs(x) for x in gates[number].inputs)
    return {number: gate for number, gate in gates.items() if number in wanted}
