"""Three-valued evaluation of a matrix (Kleene's logic): under one partial assignment, or many.

Many at once take two rails: for each literal a wire that says "is true", while that of its
negation says "is false".  Both are gates of one graph, which is simulated 64 assignments a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack

_MAX_SIMULATORS: Final = 64


class PartialSimulator:
    """Evaluates literals of a formula, as ``evaluate_partially`` does one assignment.

    The graph is made once, and simulators are kept for what was asked lately.
    """

    def __init__(self, qbf: Qbf) -> None:
        self._rails = _Rails(qbf)
        self._simulators: dict[tuple[int, ...], GraphSimulator] = {}

    def run(
        self, assignments: Sequence[Mapping[int, bool]], literals: Sequence[int]
    ) -> list[tuple[bool | None, ...]]:
        """For each partial assignment the values of ``literals``, in their order.

        Literals of variables that the formula does not have are never determined; values of
        gates are not taken from assignments.
        """
        variables = self._rails.inputs
        given = np.zeros((len(assignments), 2 * len(variables)), dtype=np.bool_)
        for row, assignment in enumerate(assignments):
            for column, variable in enumerate(variables):
                value = assignment.get(variable)
                if value is not None:
                    given[row, 2 * column + (not value)] = True
        words = self._simulator(tuple(literals)).run(pack(given))
        found = unpack(words, len(assignments))
        true, false = found[:, ::2].tolist(), found[:, 1::2].tolist()
        return [
            tuple(True if t else False if f else None for t, f in zip(ts, fs, strict=True))
            for ts, fs in zip(true, false, strict=True)
        ]

    def _simulator(self, literals: tuple[int, ...]) -> GraphSimulator:
        simulator = self._simulators.get(literals)
        if simulator is None:
            rails = self._rails
            wires = [wire for x in literals for wire in (rails.true(x), rails.true(-x))]
            simulator = GraphSimulator(*rails.builder.build(wires))
            if len(self._simulators) >= _MAX_SIMULATORS:
                del self._simulators[next(iter(self._simulators))]
            self._simulators[literals] = simulator
        return simulator


class _Rails:
    """The graph; ``inputs`` are the formula's variables in the order of their pairs of wires."""

    def __init__(self, qbf: Qbf) -> None:
        self.builder = AigBuilder()
        self.inputs: dict[int, tuple[int, int]] = {}
        for variable in qbf.quantifiers():
            self.inputs[variable] = self.builder.input(), self.builder.input()
        self._wires = dict(self.inputs)
        for variable, gate in qbf.gates.items():
            self._wires[variable] = self._gate(gate)

    def true(self, literal: int) -> int:
        """The wire that says that a literal is true; constant false for an unknown variable."""
        wires = self._wires.get(abs(literal))
        return FALSE if wires is None else wires[literal < 0]

    def _gate(self, gate: Gate) -> tuple[int, int]:
        inputs = gate.inputs
        match gate.connective:
            case Connective.AND:
                return self._all(inputs), self._any(-x for x in inputs)
            case Connective.OR:
                return self._any(inputs), self._all(-x for x in inputs)
            case Connective.XOR:
                a, b = inputs
                same = self._either((a, b), (-a, -b))
                return self._either((a, -b), (-a, b)), same
            case Connective.ITE:
                c, a, b = inputs
                # Where the condition is not known, both branches may still agree.
                return (
                    self._either((c, a), (-c, b), (a, b)),
                    self._either((c, -a), (-c, -b), (-a, -b)),
                )

    def _all(self, literals: Iterable[int]) -> int:
        return self.builder.and_all([self.true(x) for x in literals])

    def _any(self, literals: Iterable[int]) -> int:
        return self.builder.or_all([self.true(x) for x in literals])

    def _either(self, *cubes: tuple[int, int]) -> int:
        return self.builder.or_all([self._all(cube) for cube in cubes])


Values = dict[int, bool | None]


def evaluate_partially(
    qbf: Qbf, assignment: Mapping[int, bool], *, constants: bool = True
) -> Values:
    """The values of all variables and gates under a partial assignment (Kleene's logic).

    A value that the assignment does not determine is ``None``; variables without a value are left
    out. Without ``constants`` the empty gates are not determined either: then nothing is false
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
    """The inputs that a required gate needs to be true; ``None`` when it cannot be split."""
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
