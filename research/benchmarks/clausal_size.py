"""How large a formula is in clauses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qdimacs import clausal_form


@dataclass(frozen=True, slots=True)
class ClausalSize:
    """Variables, and clauses by their number of literals (1, 2, 3, more)."""

    variables: int
    units: int = 0
    binary: int = 0
    ternary: int = 0
    long: int = 0

    @property
    def clauses(self) -> int:
        """All clauses."""
        return self.units + self.binary + self.ternary + self.long

    def __add__(self, other: ClausalSize) -> ClausalSize:
        return ClausalSize(
            self.variables + other.variables,
            self.units + other.units,
            self.binary + other.binary,
            self.ternary + other.ternary,
            self.long + other.long,
        )


def size_of(qbf: Qbf) -> ClausalSize:
    """What a formula's QDIMACS file has, each clause counted by its own length."""
    form = clausal_form(qbf)
    lengths = Counter(min(len(clause), 4) for clause in form.clauses)
    variables = sum(len(scope.variables) for scope in form.scopes)
    # The empty clause, of a goal that cannot be reached, is counted among the units.
    return ClausalSize(variables, lengths[0] + lengths[1], lengths[2], lengths[3], lengths[4])
