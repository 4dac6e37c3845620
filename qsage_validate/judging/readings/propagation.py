"""What the matrix of a formula says where some of its variables are fixed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.sat import Solver
from qsage_validate.system.limits import Deadline

_SOLVER: Final = "minisat22"

Copy = tuple[tuple[bool, ...], list[int]]
"""Values of the symbolic variables, and what is forced there."""


class Matrix:
    """The clauses of a formula; ``pool`` are its symbolic variables.

    A variable of ``outer`` stands left of them, and has one value in all copies.
    """

    def __init__(
        self,
        formula: Qbf,
        pool: Sequence[int],
        outer: Collection[int],
        deadline: Deadline,
        solver: Solver | None = None,
    ) -> None:
        self.formula, self.pool, self.outer, self.deadline = formula, pool, outer, deadline
        self.solver = solver or Solver(_SOLVER, bootstrap_with=formula.clauses())

    @cached_property
    def places(self) -> list[dict[int, bool]]:
        """All values of the symbolic variables."""
        values = product((False, True), repeat=len(self.pool))
        return [dict(zip(self.pool, one, strict=True)) for one in values]

    def over(self, pool: Sequence[int]) -> Matrix:
        """The same with fewer symbolic variables."""
        return Matrix(self.formula, pool, self.outer, self.deadline, self.solver)

    def forced(self, fixed: Mapping[int, bool], *, asserted: bool) -> list[int] | None:
        """The literals that follow by unit propagation; ``None`` where they contradict.

        Where ``asserted`` the matrix is true.
        """
        assumed = [*_literals(fixed), *[self.formula.output] * asserted]
        consistent, forced = self.solver.propagate(assumptions=assumed)
        return list(forced) if consistent else None

    def may_be(self, fixed: Mapping[int, bool], literals: Iterable[int] = ()) -> bool:
        """True if the matrix can be true with these values."""
        assumed = [*_literals(fixed), *literals, self.formula.output]
        return bool(self.solver.solve(assumptions=assumed))

    def copies(self, fixed: Mapping[int, bool]) -> tuple[dict[int, bool], list[Copy]] | None:
        """The outer variables that are forced, and what is forced for each symbolic value.

        What one copy forces of the outer variables the others know.  ``None`` at the deadline and
        where some copy is contradictory.
        """
        shared = dict(fixed)
        while not self.deadline.over:
            known, found = len(shared), list[Copy]()
            for place in self.places:
                forced = self.forced({**shared, **place}, asserted=True)
                if forced is None:
                    return None
                found.append((tuple(place.values()), forced))
                shared.update((abs(x), x > 0) for x in forced if abs(x) in self.outer)
            if len(shared) == known:
                return shared, found
        return None

    def impossible(self, fixed: Mapping[int, bool]) -> dict[int, bool] | None:
        """A symbolic value at which the matrix cannot be true; ``None`` where there is none."""
        return next((p for p in self.places if not self.may_be({**fixed, **p})), None)


def _literals(fixed: Mapping[int, bool]) -> list[int]:
    return [v if value else -v for v, value in fixed.items()]
