"""Minimum hitting sets as partial MaxSAT: exact with RC2, or as good as time allows.

Every clause is a set of numbers of which one must be chosen; the chosen ones' weights are to be
small together.  RC2 is exact; when it does not finish, a linear search that has an answer at all
times goes on from unit weights, and a greedy choice is what there is at worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any

from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.system.limits import NEVER, Deadline


def hitting_set(
    clauses: Sequence[Sequence[int]],
    weights: Sequence[int],
    deadline: Deadline = NEVER,
    seconds: float = inf,
) -> tuple[list[int], bool]:
    """Numbers that meet every clause, and whether their weight is proved to be least.

    ``weights[i]`` is the positive weight of the number ``i``.  No clause may be empty.  Both ways
    to search may take so many ``seconds``.
    """
    greedy = _greedy(clauses, weights)
    if not greedy or deadline.sooner(seconds).over:
        return greedy, not greedy
    exact = _rc2(clauses, weights, deadline.share(1 / 2).sooner(seconds))
    if exact is not None:
        return exact, True
    better = None
    if len(set(weights)) == 1:
        better = _linear_search(clauses, deadline.sooner(seconds))
    if better is not None and len(better) < len(greedy):
        return better, False
    return greedy, False


def _formula(clauses: Sequence[Sequence[int]], weights: Sequence[int]) -> Any:
    from pysat.formula import WCNF

    formula = WCNF()
    used = sorted({number for clause in clauses for number in clause})
    for clause in clauses:
        formula.append([number + 1 for number in clause])
    for number in used:
        formula.append([-(number + 1)], weight=weights[number])
    return formula


class _OutOfTimeError(Exception):
    pass


class _Oracle(Solver):
    """A SAT solver that gives up when the time is over, in the middle of whatever it is for."""

    deadline: Deadline

    def between_slices(self) -> None:
        if self.deadline.over:
            raise _OutOfTimeError

    def solve_limited(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> Any:
        self.between_slices()
        return super().solve_limited(assumptions)

    @classmethod
    def take_over(cls, solver: Any, deadline: Deadline) -> None:
        """Make ``solver``'s own oracle one of these: what it may be, PySAT does not ask."""
        solver.oracle.__class__ = cls
        solver.oracle.deadline = deadline


def _rc2(
    clauses: Sequence[Sequence[int]], weights: Sequence[int], deadline: Deadline
) -> list[int] | None:
    from pysat.examples.rc2 import RC2, RC2Stratified

    kind = RC2 if len(set(weights)) == 1 else RC2Stratified
    with kind(_formula(clauses, weights), solver="g4", adapt=True, exhaust=True) as solver:
        _Oracle.take_over(solver, deadline)
        try:
            model = solver.compute()
        except _OutOfTimeError:
            return None
    return [value - 1 for value in model if value > 0]


def _linear_search(clauses: Sequence[Sequence[int]], deadline: Deadline) -> list[int] | None:
    from pysat.examples.lsu import LSU

    top = 1 + max(number for clause in clauses for number in clause)
    formula = _formula(clauses, [1] * top)
    with LSU(formula, solver="g4") as solver:
        _Oracle.take_over(solver, deadline)
        with suppress(_OutOfTimeError):  # and keep the best model up to then
            solver.solve()
        model = getattr(solver, "model", None)  # which it lacks when time was up before the first
    if not model:
        return None
    return [value - 1 for value in model if 0 < value <= top]


def _greedy(clauses: Sequence[Sequence[int]], weights: Sequence[int]) -> list[int]:
    """The most clauses for the weight, one after the other; then without what is not needed."""
    where: dict[int, int] = {}
    for place, clause in enumerate(clauses):
        for number in clause:
            where[number] = where.get(number, 0) | 1 << place
    left = (1 << len(clauses)) - 1
    chosen: list[int] = []
    while left:
        best = max(where, key=lambda n: ((where[n] & left).bit_count() / weights[n], -n))
        chosen.append(best)
        left &= ~where[best]
    for number in sorted(chosen, key=lambda n: -weights[n]):
        others = 0
        for other in chosen:
            if other != number:
                others |= where[other]
        if not ((1 << len(clauses)) - 1) & ~others:
            chosen.remove(number)
    return chosen
