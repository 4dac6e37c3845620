"""Clauses that come and go, found by what they are and by the literals in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

Clause = tuple[int, ...]

# As many literals as Bloqqer looks at when it tests for hidden tautologies.
_HIDDEN_STEPS: Final = 64


class ClauseTable:
    """A multiset of clauses over the variables below ``size``.

    Equal clauses may differ in the order of their literals.
    """

    __slots__ = ("_next", "_numbers", "_occurrences")

    def __init__(self, size: int) -> None:
        self._next = 0
        self._numbers: dict[Clause, list[int]] = {}
        # By literal, negative ones from the end of the list: number of the clause -> clause.
        self._occurrences: list[dict[int, Clause]] = [{} for _ in range(2 * size)]

    def __contains__(self, clause: Clause) -> bool:
        return tuple(sorted(clause)) in self._numbers

    def add(self, clause: Clause) -> None:
        """Add a clause, once more if it is there already."""
        self._numbers.setdefault(tuple(sorted(clause)), []).append(self._next)
        for literal in clause:
            self._occurrences[literal][self._next] = clause
        self._next += 1

    def discard(self, clause: Clause) -> None:
        """Drop one of the clauses that equal ``clause``, if there is one."""
        key = tuple(sorted(clause))
        numbers = self._numbers.get(key)
        if numbers is None:
            return
        number = numbers.pop()
        if not numbers:
            del self._numbers[key]
        for literal in key:
            self._occurrences[literal].pop(number, None)

    def having(self, literal: int) -> Collection[Clause]:
        """The clauses with a literal."""
        return self._occurrences[literal].values()

    def subsumes(self, clause: Clause) -> bool:
        """Whether some clause is ``clause`` or a part of it."""
        if clause in self:
            return True
        own = set(clause)
        return any(own.issuperset(c) for x in clause for c in self.having(x))

    def forces(self, literal: int, false: Iterable[int]) -> bool:
        """Whether one clause makes ``literal`` false once the literals ``false`` are."""
        allowed = {-literal, *false}
        return any(map(allowed.issuperset, self.having(-literal)))

    def makes_hidden_tautology(self, clause: Clause) -> bool:
        """Whether unit propagation over the falsity of ``clause`` ends in a contradiction.

        It stops after some steps; Heule, Järvisalo and Biere, *Clause elimination procedures
        for CNF formulas* (LPAR 2010), hidden tautologies and asymmetric ones.
        """
        false = set(clause)
        stack = list(clause)
        for literal in stack:
            if len(stack) > _HIDDEN_STEPS + len(clause):
                return False
            for other_clause in self.having(literal):
                if len(other_clause) > len(false) + 1:
                    continue
                missing = 0
                for other in other_clause:
                    if other not in false:
                        if missing or -other in false:
                            break
                        missing = other
                else:
                    if not missing:
                        return True
                    false.add(-missing)
                    stack.append(-missing)
        return False
