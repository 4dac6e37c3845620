"""Values of formulas from expansions that grow by counterexamples, without a QBF solver.

Bloem, Braud-Santoni, Hadzic, Egly, Lonsing, Seidl, "Expansion-based QBF solving without recursion"
(FMCAD 2018).  Each player has a SAT solver with instances of the matrix, one for each of some
choices of the other player's variables; a player's own variable has a copy for each choice of those
on its left.  Where no values of the copies satisfy Black's instances, the formula is false: these
choices of the universal variables refute it.  Where none satisfy White's, of the negated matrix, it
is true.  Else what each answers to its instances are choices for the other one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.circuit.sat import Solver
from qsage_validate.system.limits import NEVER, Deadline

_SOLVER: Final = "cadical195"
_SLICE: Final = 500
_TRUE: Final = 1
"""The literal of a SAT solver that is true."""
_MOST_NEW: Final = 16
"""So many choices are added to a side at once."""


class Refinement:
    """A closed formula but for free variables, whose values are assumed."""

    def __init__(self, formula: Qbf, free: Sequence[int]) -> None:
        self._black = _Side(formula, free, Quantifier.EXISTS)
        self._white = _Side(formula, free, Quantifier.FORALL)
        self._black.add((False,) * len(self._black.others))

    @property
    def size(self) -> int:
        """How many inputs of gates the instances of both players have."""
        return self._black.size + self._white.size

    def value(
        self, values: Mapping[int, bool], deadline: Deadline = NEVER, most_inputs: float = inf
    ) -> bool | None:
        """The truth under values of all free variables.

        ``None`` at the deadline, and where the instances have ``most_inputs`` inputs of gates.
        """
        while not deadline.over and self.size < most_inputs:
            for side, other in ((self._black, self._white), (self._white, self._black)):
                won = side.lost(values, deadline)
                if won is None:
                    return None
                if won:
                    return side is self._white
                new = (choice for choice in side.answers() if choice not in other.instances)
                for choice in [*islice(new, _MOST_NEW)]:
                    other.add(choice)
        return None


class _Side:
    """Instances of the matrix, or of its negation, of a player who chooses ``own`` variables.

    ``others`` are the other player's, from left to right; a choice is a value for each of them.
    """

    def __init__(self, formula: Qbf, free: Sequence[int], own: Quantifier) -> None:
        self._conjunctions, self._most = _conjunctions(formula)
        self._output = formula.output if own is Quantifier.EXISTS else -formula.output
        self.others: list[int] = []
        self._own: list[tuple[int, int]] = []
        """Each own variable, with the number of the other player's on its left."""
        bound = {*free}
        for scope in formula.scopes:
            for variable in scope.variables:
                if variable in bound:
                    continue
                if scope.quantifier is own:
                    self._own.append((variable, len(self.others)))
                else:
                    self.others.append(variable)
        self.instances: dict[tuple[bool, ...], None] = {}
        self._inputs = sum(len(inputs) for _, inputs in self._conjunctions)
        self._solver = Solver(_SOLVER)
        self._solver.add_clause([_TRUE])
        self._free = {variable: number for number, variable in enumerate(free, start=_TRUE + 1)}
        self._last = _TRUE + len(self._free)
        self._copies: dict[tuple[int, tuple[bool, ...]], int] = {}
        self._known: dict[frozenset[int], int] = {}
        self._model: Sequence[int] = ()

    @property
    def size(self) -> int:
        """How many inputs of gates the instances have."""
        return self._inputs * len(self.instances)

    def lost(self, values: Mapping[int, bool], deadline: Deadline) -> bool | None:
        """True if no values of the copies satisfy all instances; ``None`` at the deadline."""
        assumed = [n if values[v] else -n for v, n in self._free.items()]
        while not deadline.over:
            self._solver.conf_budget(_SLICE)
            answer = self._solver.solve_limited(assumptions=assumed)
            if answer is not None:
                self._model = self._solver.get_model() or ()
                return not answer
        return None

    def answers(self) -> Iterator[tuple[bool, ...]]:
        """The values of the own variables in each instance, in the model found last."""
        for choice in reversed(self.instances):
            copies = (self._copies.get((v, choice[:left]), 0) for v, left in self._own)
            yield tuple(0 < n <= len(self._model) and self._model[n - 1] > 0 for n in copies)

    def add(self, choice: tuple[bool, ...]) -> None:
        """Add the instance for a choice of the other player's variables."""
        self.instances[choice] = None
        known = dict(self._free)
        known.update((v, _TRUE if x else -_TRUE) for v, x in zip(self.others, choice, strict=True))
        for variable, left in self._own:
            key = variable, choice[:left]
            if key not in self._copies:
                self._copies[key] = self._new()
            known[variable] = self._copies[key]
        values = [0] * (2 * self._most + 1)
        for variable, literal in known.items():
            values[variable], values[-variable] = literal, -literal
        for number, inputs in self._conjunctions:
            literal = self._and(inputs, values)
            values[number], values[-number] = literal, -literal
        self._solver.add_clause([values[self._output]])

    def _new(self) -> int:
        self._last += 1
        return self._last

    def _and(self, inputs: Sequence[int], values: Sequence[int]) -> int:
        """The literal of a conjunction under the values of its inputs; equal ones are one."""
        parts = set()
        for x in inputs:
            literal = values[x]
            if literal == -_TRUE or -literal in parts:
                return -_TRUE
            if literal != _TRUE:
                parts.add(literal)
        if len(parts) < 2:
            return next(iter(parts), _TRUE)
        key = frozenset(parts)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new()
            for x in parts:
                self._solver.add_clause([-found, x])
            self._solver.add_clause([found, *(-x for x in parts)])
        return found


def _conjunctions(formula: Qbf) -> tuple[list[tuple[int, tuple[int, ...]]], int]:
    """The gates as conjunctions, each with the literal that it is, and the largest number."""
    found: list[tuple[int, tuple[int, ...]]] = []
    last = formula.max_variable
    for number, gate in formula.gates.items():
        if gate.connective is Connective.AND:
            found.append((number, gate.inputs))
        elif gate.connective is Connective.OR:
            found.append((-number, tuple(-x for x in gate.inputs)))
        else:
            if gate.connective is Connective.XOR:
                a, b = gate.inputs
                pairs = (a, -b), (-a, b)
            else:
                c, a, b = gate.inputs
                pairs = (c, a), (-c, b)
            found += [(last + 1, pairs[0]), (last + 2, pairs[1]), (-number, (-last - 1, -last - 2))]
            last += 2
    return found, last
