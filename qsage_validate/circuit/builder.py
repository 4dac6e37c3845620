"""The builder of new matrices, which only encoders load."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.qbf import Connective, Gate


class CircuitBuilder:
    """Builds the n-ary matrix of a :class:`Qbf` with structural hashing.

    Only ``and`` and ``or`` gates are made, because every circuit solver takes them.  Nested
    gates are not flattened: an encoder decides what is shared.
    """

    def __init__(self, first_gate: int) -> None:
        self._next = first_gate
        # By "is a conjunction" and the inputs: formulas of millions of gates are made here.
        self._hash: dict[tuple[bool, tuple[int, ...]], int] = {}
        self._constant: int | None = None
        self.gates: dict[int, Gate] = {}

    @property
    def true(self) -> int:
        """The literal of the constant true (the empty conjunction)."""
        if self._constant is None:
            self._constant = self._gate(Connective.AND, ())
        return self._constant

    @property
    def false(self) -> int:
        """The literal of the constant false."""
        return -self.true

    def _is_constant(self, literal: int) -> bool:
        return literal == self._constant or -literal == self._constant

    def _gate(self, connective: Connective, inputs: tuple[int, ...]) -> int:
        key = (connective is Connective.AND, inputs)
        found = self._hash.get(key)
        if found is None:
            found = self._next
            self._next += 1
            self._hash[key] = found
            self.gates[found] = Gate(connective, inputs)
        return found

    def and_(self, *literals: int) -> int:
        """Conjunction; constants, repetitions and contradictions are simplified away."""
        inputs: set[int] = set()
        for literal in literals:
            if self._is_constant(literal):
                if literal < 0:
                    return self.false
                continue
            if -literal in inputs:
                return self.false
            inputs.add(literal)
        if not inputs:
            return self.true
        if len(inputs) == 1:
            return inputs.pop()
        # A disjunction whose complement exists is that complement: one gate for both.
        ordered = tuple(sorted(inputs, key=abs))
        dual = self._hash.get((False, tuple([-x for x in ordered])))
        return -dual if dual is not None else self._gate(Connective.AND, ordered)

    def or_(self, *literals: int) -> int:
        """Disjunction, simplified like :meth:`and_`."""
        inputs: set[int] = set()
        for literal in literals:
            if self._is_constant(literal):
                if literal > 0:
                    return self.true
                continue
            if -literal in inputs:
                return self.true
            inputs.add(literal)
        if not inputs:
            return self.false
        if len(inputs) == 1:
            return inputs.pop()
        ordered = tuple(sorted(inputs, key=abs))
        dual = self._hash.get((True, tuple([-x for x in ordered])))
        return -dual if dual is not None else self._gate(Connective.OR, ordered)

    def implies(self, condition: int, consequence: int) -> int:
        """``condition -> consequence``."""
        return self.or_(-condition, consequence)

    def iff(self, a: int, b: int) -> int:
        """Equivalence, in three gates."""
        if a == b:
            return self.true
        if a == -b:
            return self.false
        for constant, other in ((a, b), (b, a)):
            if self._is_constant(constant):
                return other if constant > 0 else -other
        if a < 0:
            a, b = -a, -b
        return self.and_(self.or_(-a, b), self.or_(a, -b))

    def eq(self, left: Sequence[int], right: Sequence[int]) -> int:
        """Equality of two bit vectors of the same length."""
        return self.and_(*(self.iff(a, b) for a, b in zip(left, right, strict=True)))
