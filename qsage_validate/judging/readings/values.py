"""Values of a formula with any variables fixed, whatever the plies are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.judging.residuals import ExpandedFormula, Residuals, trimmed
from qsage_validate.system.limits import NEVER, Deadline

_MOST_INPUTS: Final = 300_000
_MOST_EXPANSIONS: Final = 48
_MOST_UNIVERSAL: Final = 24
_MOST_BITS: Final = 9
Pattern = tuple[bool, ...]

# Inputs of gates that are expanded in the time of a question, and questions in a solver's time.
_EFFORT: Final = 200
_SOLVER_EFFORT: Final = 100
# What a QBF solver is given for one value.
_SECONDS: Final = 5.0


class FixedValues:
    """The truth of ``formula`` with some variables fixed, the others in their places.

    One expansion serves all choices that fix the same universal variables: an existential one
    that stands left of all that are expanded has one copy, and may be assumed or not.
    ``asked`` counts the values that were made, and ``effort`` what they took: one for a question
    to an expansion that is there, which takes a fraction of a millisecond, and as much as the
    time that it takes for an expansion or a solver's answer.
    """

    def __init__(self, formula: Qbf, deadline: Deadline = NEVER) -> None:
        self.formula = trimmed(formula)
        self.asked = 0
        self.effort = 0
        self._deadline = deadline
        self._quantifiers = self.formula.quantifiers()
        self._order = [v for scope in self.formula.scopes for v in scope.variables]
        self._universal = self.formula.variables(Quantifier.FORALL)
        self._size = 1 + sum(len(gate.inputs) for gate in self.formula.gates.values())
        self._expansions: dict[tuple[frozenset[int], frozenset[int]], ExpandedFormula] = {}
        self._residuals: dict[frozenset[int], Residuals] = {}
        self._free: dict[frozenset[int], frozenset[int]] = {}
        self._known: dict[frozenset[tuple[int, bool]], bool | None] = {}

    def value(self, fixed: Mapping[int, bool], deadline: Deadline = NEVER) -> bool | None:
        """The truth; ``None`` where a limit came first."""
        needed = {v: value for v, value in fixed.items() if v in self._quantifiers}
        key = frozenset(needed.items())
        if key not in self._known:
            self.asked += 1
            self.effort += 1
            self._known[key] = self._decide(needed, deadline)
        return self._known[key]

    def live(self, windows: Sequence[Sequence[int]], ply: int) -> frozenset[Pattern] | None:
        """The values of the window ``ply`` that leave a formula which some others make true.

        The others are the values of the other windows; the rest of the formula keeps its
        quantifiers.  ``None`` where that is too much to ask.
        """
        universal = frozenset(
            v for window in windows for v in window if self._quantifiers.get(v) is Quantifier.FORALL
        )
        own = windows[ply]
        if len(own) > _MOST_BITS or not self._expands(universal):
            return None
        late = {v for window in windows for v in window if v in self._quantifiers}
        expansion = self._expansion(universal, frozenset(late - self._early(universal)))
        return frozenset(
            bits
            for bits in product((False, True), repeat=len(own))
            if expansion.value(dict(zip(own, bits, strict=True)), self._deadline)
        )

    def _expands(self, universal: frozenset[int]) -> bool:
        left = len(self._universal) - len(universal)
        return left <= _MOST_UNIVERSAL and self._size << left <= _MOST_INPUTS

    def _expansion(self, universal: frozenset[int], late: frozenset[int]) -> ExpandedFormula:
        key = universal, late
        if key not in self._expansions:
            if len(self._expansions) >= _MOST_EXPANSIONS:
                self._expansions.pop(next(iter(self._expansions)))
            self.effort += self._size * (1 << len(self._universal) - len(universal)) // _EFFORT
            early = self._early(universal)
            free = [v for v in self._order if v in early or v in late]
            self._expansions[key] = ExpandedFormula(self.formula, free)
        return self._expansions[key]

    def _decide(self, fixed: Mapping[int, bool], deadline: Deadline) -> bool | None:
        universal = frozenset(v for v in fixed if self._quantifiers[v] is Quantifier.FORALL)
        if self._expands(universal):
            late = frozenset(v for v in fixed if v not in self._early(universal))
            return self._expansion(universal, late).value(fixed, self._deadline)
        self.effort += _SOLVER_EFFORT
        variables = frozenset(fixed)
        if variables not in self._residuals:
            if len(self._residuals) >= _MOST_EXPANSIONS:
                self._residuals.pop(next(iter(self._residuals)))
            own = [v for v in self._order if v in variables]
            self._residuals[variables] = Residuals(self.formula, [own])
        sooner = min(self._deadline.sooner(_SECONDS), deadline, key=lambda one: one.at)
        return self._residuals[variables].value(fixed, 1, sooner)

    def _early(self, universal: frozenset[int]) -> frozenset[int]:
        """The fixed universal variables, and the existential ones that are copied once."""
        if universal not in self._free:
            found = set(universal)
            for v in self._order:
                if self._quantifiers[v] is Quantifier.EXISTS:
                    found.add(v)
                elif v not in universal:
                    break
            self._free[universal] = frozenset(found)
        return self._free[universal]
