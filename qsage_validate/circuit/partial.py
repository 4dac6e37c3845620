"""Three-valued evaluation of a matrix, and what must hold in it for the output to be true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qsage_validate.circuit.qbf import Connective, Gate, Qbf

Values = dict[int, bool | None]


def evaluate_partially(
    qbf: Qbf, assignment: Mapping[int, bool], *, constants: bool = True
) -> Values:
    """The values of all variables and gates under a partial assignment (Kleene's logic).

    What the assignment does not determine is ``None``; variables without a value are left out.
    Without ``constants`` the empty gates are not determined either: then nothing is false
    because of a goal that can never hold.
    """
    values: Values = dict(assignment)
    for variable, gate in qbf.gates.items():
        values[variable] = _gate_value(gate, values) if gate.inputs or constants else None
    return values


def literal_value(values: Mapping[int, bool | None], literal: int) -> bool | None:
    """The value of a signed literal; ``None`` when it is not determined."""
    value = values.get(abs(literal))
    return None if value is None else value != (literal < 0)


def _gate_value(gate: Gate, values: Mapping[int, bool | None]) -> bool | None:
    bits = [literal_value(values, literal) for literal in gate.inputs]
    match gate.connective:
        case Connective.AND:
            return False if False in bits else None if None in bits else True
        case Connective.OR:
            return True if True in bits else None if None in bits else False
        case Connective.XOR:
            a, b = bits
            return None if a is None or b is None else a != b
        case Connective.ITE:
            condition, then, otherwise = bits
            if condition is None:
                return then if then == otherwise else None
            return then if condition else otherwise


def requirements(qbf: Qbf, values: Mapping[int, bool | None], root: int) -> Iterator[int]:
    """The literals that must be true for ``root`` to be true, given partial ``values``.

    Conjunctions are taken apart, and so are disjunctions of which one part only can still be
    true; every other literal is yielded as it is, false ones too, each once.  Constants are
    left out.
    """
    pending, seen = [root], {root}
    while pending:
        literal = pending.pop()
        gate = qbf.gates.get(abs(literal))
        parts = None if gate is None else _parts(gate, literal, values)
        if parts is None:
            yield literal
            continue
        for part in reversed(parts):
            if part not in seen:
                seen.add(part)
                pending.append(part)


def _parts(gate: Gate, literal: int, values: Mapping[int, bool | None]) -> list[int] | None:
    """What a required gate asks of its inputs one by one; ``None`` when it cannot be split."""
    inputs = list(gate.inputs)
    if literal < 0:
        if gate.connective not in (Connective.AND, Connective.OR):
            return None
        inputs = [-x for x in inputs]
    if not inputs:
        return []
    if (gate.connective is Connective.AND) == (literal > 0) and gate.connective in (
        Connective.AND,
        Connective.OR,
    ):
        return inputs
    if gate.connective is Connective.ITE:
        condition = literal_value(values, inputs[0])
        return None if condition is None else [inputs[1] if condition else inputs[2]]
    if gate.connective is Connective.XOR:
        return None
    known = [literal_value(values, x) for x in inputs]
    if True in known:
        return []
    open_inputs = [x for x, value in zip(inputs, known, strict=True) if value is None]
    return open_inputs if len(open_inputs) == 1 else None
