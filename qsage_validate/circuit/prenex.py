"""Formulas with quantifier gates, brought into prenex form.

A quantifier in positive use stays what it is, in negative use it becomes its dual.  A subformula
below ``xor`` or in the condition of ``ite`` is used with both signs: it gets one copy for each,
and so does a quantifier gate that is simply used in both ways.  After that every quantifier is
used positively, and gates may still be shared: where ``g = exists(x; h)`` is used several times in
one way, a value of ``x`` that is right for one use is right for all.

Variables that are bound twice, in both copies or by two gates, are renamed apart.  A gate with
variables that several quantifier gates bind means another formula below each of them, and is
copied, too.

The quantifiers can then be written in any order in which outer ones come first.  Two are usual
(Egly, Seidl, Tompits, Woltran and Zolda, *Comparing different prenexing strategies for quantified
Boolean formulas*, SAT 2003): each as far out as it can be (``up``), or as far in (``down``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.qbf import (
    Connective,
    Gate,
    Prenexed,
    PrenexOrder,
    Qbf,
    Quantifier,
    Scope,
)

MAX_COPIES: Final = 500_000
"""More gates than this are not made by copying."""


@dataclass(frozen=True, slots=True)
class QuantifierGate:
    """``exists(variables; body)`` or ``forall(variables; body)``; ``body`` is a literal."""

    quantifier: Quantifier
    variables: tuple[int, ...]
    body: int

    @property
    def inputs(self) -> tuple[int, ...]:
        """The literal that it reads."""
        return (self.body,)


AnyGate = Gate | QuantifierGate


@dataclass(frozen=True)
class NestedQbf:
    """A QBF that need not be prenex; everything else is as in :class:`Qbf`.

    A quantifier gate binds its variables in all that its body depends on, unless another one
    below binds them again.
    """

    scopes: tuple[Scope, ...]
    gates: Mapping[int, AnyGate]
    output: int
    names: Mapping[int, str]
    comments: tuple[tuple[int, str], ...]
    path: str | None


class CopiesError(Exception):
    """Copying would make too many gates; ``gate`` is one that is copied."""

    def __init__(self, gate: int) -> None:
        super().__init__(gate)
        self.gate = gate


class UnboundError(Exception):
    """``variable`` is read by ``gate``, or by the output (``None``), where nothing binds it."""

    def __init__(self, variable: int, gate: int | None) -> None:
        super().__init__(variable, gate)
        self.variable = variable
        self.gate = gate


def prenex(nested: NestedQbf, order: PrenexOrder | None = None) -> Qbf:
    """An equivalent prenex formula.

    Gates and variables keep their numbers and names, copies get new ones; gates that the output
    does not depend on are left out.  Without ``order`` the one with fewer scopes is taken, ``up``
    if they have equally many.  Raises :class:`CopiesError` and :class:`UnboundError`.
    """
    copies = _Copies(nested)
    output = copies.make()
    prefixes = {each: copies.prefix(each) for each in PrenexOrder}
    lengths = {each: len(_merged(prefix)) for each, prefix in prefixes.items()}
    if order is None:
        order = min(PrenexOrder, key=lambda each: lengths[each])
    quantifier_gates = sum(isinstance(gate, QuantifierGate) for gate in nested.gates.values())
    used = {v for scope in prefixes[order] for v in scope.variables} | copies.gates.keys()
    return Qbf(
        scopes=prefixes[order],
        gates=copies.gates,
        output=output,
        names={v: name for v, name in copies.names.items() if v in used},
        comments=nested.comments,
        path=nested.path,
        prenexed=Prenexed(order, quantifier_gates, copies.renamed, lengths),
    )


def _merged(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    return Qbf(tuple(scopes), {}, 0).merged_scopes()


_Environment = tuple[tuple[int, int], ...]
"""The new names of bound variables, for those that are free in a gate; sorted."""


@dataclass(frozen=True, slots=True)
class _Use:
    """One meaning of a gate: its bound variables, and the polarity of its use.

    ``polarity`` is 0 where no quantifier is below, for then it does not matter.
    """

    gate: int
    names: _Environment
    polarity: int


class _Copies:
    """The gates of the prenex form, and its quantifiers with what must stand left of them."""

    def __init__(self, nested: NestedQbf) -> None:
        self._nested = nested
        self.names = dict(nested.names)
        self._texts = set(self.names.values())
        self.gates: dict[int, Gate] = {}
        self.renamed = 0
        self._copies: dict[_Use, int] = {}
        # The uses with quantifiers below, inner ones first, and which of these each needs.
        self._quantified: dict[_Use, list[_Use]] = {}
        # The quantifiers by the use of their gate, in the order in which they were met.
        self._bound: dict[_Use, Scope] = {}
        self._outer = frozenset(v for scope in nested.scopes for v in scope.variables)
        self._taken = set(self._outer)
        self._next = 1 + max((0, *self._taken, *nested.gates))
        local: set[int] = set()
        for gate in nested.gates.values():
            if isinstance(gate, QuantifierGate):
                local.update(gate.variables)
                self._next = max(self._next, 1 + max(gate.variables, default=0))
        # For each gate: the variables of quantifier gates that are free in it, and whether a
        # quantifier is in it.
        self._free: dict[int, frozenset[int]] = {}
        self._nests: set[int] = set()
        for number, gate in nested.gates.items():
            free: set[int] = set()
            for x in map(abs, gate.inputs):
                if x in nested.gates:
                    free |= self._free[x]
                    if x in self._nests:
                        self._nests.add(number)
                elif x in local:
                    free.add(x)
            if isinstance(gate, QuantifierGate):
                free.difference_update(gate.variables)
                self._nests.add(number)
            self._free[number] = frozenset(free)

    def make(self) -> int:
        """Make the gates; returns the literal of the output."""
        root = self._use(self._nested.output, {}, 1)
        stack = [] if root is None else [root]
        while stack:
            use = stack[-1]
            if use in self._copies:
                stack.pop()
                continue
            missing = [u for u in self._below(use) if u not in self._copies]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if len(self._copies) >= MAX_COPIES + len(self._nested.gates):
                raise CopiesError(use.gate)
            self._copies[use] = self._build(use)
            if use.gate in self._nests:
                self._quantified[use] = [u for u in self._below(use) if u.gate in self._nests]
        return self._value(self._nested.output, {}, 1, None)

    def _use(self, literal: int, names: Mapping[int, int], polarity: int) -> _Use | None:
        """The use of a gate in a literal that is used with ``polarity``; none of a variable."""
        gate = abs(literal)
        if gate not in self._nested.gates:
            return None
        free = self._free[gate]
        own = tuple(sorted((v, names[v]) for v in free if v in names)) if names else ()
        if gate not in self._nests:
            polarity = 0
        return _Use(gate, own, polarity if literal > 0 else -polarity)

    def _value(
        self, literal: int, names: Mapping[int, int], polarity: int, reader: int | None
    ) -> int:
        """The literal of the prenex form for one that ``reader`` uses with ``polarity``."""
        use = self._use(literal, names, polarity)
        variable = abs(literal)
        if use is not None:
            value = self._copies[use]
        elif variable in names or variable in self._outer:
            value = names.get(variable, variable)
        else:
            raise UnboundError(variable, reader)
        return value if literal > 0 else -value

    def _below(self, use: _Use) -> list[_Use]:
        gate, names = self._nested.gates[use.gate], self._names_in(use)
        wanted = [(x, use.polarity) for x in gate.inputs]
        if isinstance(gate, Gate):
            wanted += [(x, -use.polarity) for x in _in_both(gate) if abs(x) in self._nests]
        found = (self._use(x, names, polarity) for x, polarity in wanted)
        return [u for u in found if u is not None]

    def _names_in(self, use: _Use) -> Mapping[int, int]:
        """The names of variables below a use; binds those of a quantifier gate."""
        gate, names = self._nested.gates[use.gate], dict(use.names)
        if not isinstance(gate, QuantifierGate):
            return names
        scope = self._bound.get(use)
        if scope is None:
            positive = use.polarity > 0
            quantifier = gate.quantifier if positive else gate.quantifier.dual
            scope = Scope(quantifier, tuple(self._new_variable(v) for v in gate.variables))
            self._bound[use] = scope
        names.update(zip(gate.variables, scope.variables, strict=True))
        return names

    def _new_variable(self, variable: int) -> int:
        """``variable`` itself the first time that it is bound, else a new one."""
        if variable in self._taken:
            self.renamed += 1
            return self._fresh(variable)
        self._taken.add(variable)
        return variable

    def _fresh(self, original: int) -> int:
        number = self._next
        self._next += 1
        name = self.names.get(original)
        if name is not None:
            count = 2
            while (text := f"{name}_{count}") in self._texts:
                count += 1
            self.names[number] = text
            self._texts.add(text)
        return number

    def _build(self, use: _Use) -> int:
        """The literal of a use, from those below it."""
        gate, names, p = self._nested.gates[use.gate], self._names_in(use), use.polarity

        def value(literal: int, polarity: int) -> int:
            return self._value(literal, names, polarity, use.gate)

        if isinstance(gate, QuantifierGate):
            return value(gate.body, p)
        if not any(abs(x) in self._nests for x in _in_both(gate)):
            inputs = tuple(value(x, p) for x in gate.inputs)
            return self._gate(gate.connective, inputs, use.gate)
        # An input is used both ways, and so the gate is written with both.
        if gate.connective is Connective.XOR:
            a, b = gate.inputs
            first, second = (value(a, p), -value(b, -p)), (-value(a, -p), value(b, p))
        else:
            c, t, e = gate.inputs
            first, second = (value(c, p), value(t, p)), (-value(c, -p), value(e, p))
        either = (self._gate(Connective.AND, first), self._gate(Connective.AND, second))
        return self._gate(Connective.OR, either, use.gate)

    def _gate(
        self, connective: Connective, inputs: tuple[int, ...], original: int | None = None
    ) -> int:
        """A gate, under its original's number as long as that is free."""
        number = original
        if number is None:
            number = self._next
            self._next += 1
        elif number in self.gates:
            number = self._fresh(number)
        self.gates[number] = Gate(connective, inputs)
        return number

    # -- The prefix

    def prefix(self, order: PrenexOrder) -> tuple[Scope, ...]:
        """The scopes of the prenex form: the outer ones stay, with fewest alternations."""
        candidates = (self._prefix(order, first) for first in Quantifier)
        return min(candidates, key=lambda scopes: len(_merged(scopes)))

    def _prefix(self, order: PrenexOrder, end: Quantifier) -> tuple[Scope, ...]:
        """The scopes, where ``end`` is the quantifier of the outermost or innermost level."""
        up = order is PrenexOrder.UP
        level_of = dict.fromkeys(self._quantified, 0)
        # Going out, outer uses come first; going in, inner ones.
        for use in reversed(self._quantified) if up else self._quantified:
            below = self._quantified[use]
            level = level_of[use] if up else max((level_of[u] for u in below), default=0)
            if use in self._bound:
                level += (level % 2 == 0) != (self._bound[use].quantifier is end)
            level_of[use] = level
            if up:
                for u in below:
                    level_of[u] = max(level_of[u], level)
        deepest = max((level_of[use] for use in self._bound), default=-1)
        blocks: list[list[int]] = [[] for _ in range(deepest + 1)]
        for use, scope in self._bound.items():
            blocks[level_of[use]] += scope.variables
        scopes = [
            Scope(end if level % 2 == 0 else end.dual, tuple(block))
            for level, block in enumerate(blocks)
        ]
        inner = scopes if up else scopes[::-1]
        return (*self._nested.scopes, *(scope for scope in inner if scope.variables))


def _in_both(gate: AnyGate) -> tuple[int, ...]:
    """The inputs that a gate uses both as they are and negated."""
    if isinstance(gate, QuantifierGate):
        return ()
    if gate.connective is Connective.XOR:
        return gate.inputs
    return gate.inputs[:1] if gate.connective is Connective.ITE else ()
