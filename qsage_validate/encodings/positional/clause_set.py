"""Formulas made clause by clause, as QDIMACS has them.

The matrix that comes out is one conjunction of disjunctions, which ``formats.qdimacs`` writes as
exactly these clauses, without variables for gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope, clause_gates
from qsage_validate.encodings.arithmetic import constant_literals
from qsage_validate.encodings.layout.codings import Bits

TRUE: Final = 1 << 40
"""A literal that is true: no clause has it, it satisfies those that it is put into."""

FALSE: Final = -TRUE
"""Its complement, which drops out of clauses."""


def constant(value: object) -> int:
    """The constant literal of a truth value."""
    return TRUE if value else FALSE


def is_constant(literal: int) -> bool:
    """True if a literal is one of the constants."""
    return abs(literal) == TRUE


def differs(bits: Sequence[int], number: int) -> list[int]:
    """The part of a clause that says that ``bits`` are another number."""
    return [-literal for literal in constant_literals(bits, number)]


class ClauseSet:
    """A prefix and clauses in the making.

    Variables are numbered in the order in which the prefix has them.  Clauses are kept in the
    order in which they are added, repeated ones too; no literal may stand twice in a clause.
    """

    def __init__(self) -> None:
        self.clauses: list[Bits] = []
        self._scopes: list[Scope] = []
        self._count = 0

    def variables(self, quantifier: Quantifier, count: int) -> Bits:
        """New variables in a scope of their own behind the others."""
        fresh = tuple(range(self._count + 1, self._count + count + 1))
        self._count += count
        self._scopes.append(Scope(quantifier, fresh))
        return fresh

    def exists(self, count: int) -> Bits:
        """New existential variables."""
        return self.variables(Quantifier.EXISTS, count)

    def add(self, *literals: int) -> None:
        """Add a clause; constants in it are simplified away."""
        if TRUE in literals:
            return
        if FALSE in literals:
            literals = tuple(x for x in literals if x != FALSE)
        self.clauses.append(literals)

    def qbf(self) -> Qbf:
        """The formula: a gate for each clause that is no unit, and one for all of them.

        Gates have the numbers that a reader of the formula's QDIMACS file gives them.
        """
        gates, output = clause_gates(self.clauses, self._count + 1)
        return Qbf(tuple(self._scopes), gates, output)
