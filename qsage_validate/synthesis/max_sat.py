"""Minimum hitting sets as partial MaxSAT: exact with RC2, or as good as time allows.

Every clause is a set of numbers of which one must be chosen; the chosen ones' weights are to be
small together.  RC2 is exact; when it does not finish, a linear search that has an answer at all
times goes on from unit weights, and a greedy choice is what there is at worst.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


def hitting_set(
    clauses: Sequence[Sequence[int]], weights: Sequence[int], seconds: float
) -> tuple[list[int], bool]:
    """Numbers that meet every clause, and whether their weight is proved to be least.

    ``weights[i]`` is the positive weight of the number ``i``.  No clause may be empty.
    """
    greedy = _greedy(clauses, weights)
    if not greedy or seconds <= 0:
        return greedy, not greedy
    exact = _rc2(clauses, weights, seconds)
    if exact is not None:
        return exact, True
    better = _linear_search(clauses, seconds) if len(set(weights)) == 1 else None
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


@contextmanager
def _interrupted(solver: Any, seconds: float) -> Iterator[None]:
    """Interrupt the search after ``seconds``; Ctrl-C in it is ``KeyboardInterrupt`` as always."""
    from pysat.solvers import pysolvers

    timer = threading.Timer(seconds, solver.interrupt)
    timer.start()
    try:
        yield
    except pysolvers.error as error:
        # PySAT's own handler of Ctrl-C raises this.
        if str(error) != "Caught keyboard interrupt":
            raise
        timer.cancel()
        timer.join()
        _abandon(solver)
        raise KeyboardInterrupt from None
    finally:
        timer.cancel()
        timer.join()


def _abandon(solver: Any) -> None:
    """Leave the SAT solver behind: cut off in the middle of its work, it must not be freed."""
    oracle = getattr(solver.oracle, "solver", None)
    for name, value in list(vars(oracle).items()) if oracle is not None else ():
        if type(value).__name__ == "PyCapsule":
            setattr(oracle, name, None)
    solver.oracle = None


def _rc2(
    clauses: Sequence[Sequence[int]], weights: Sequence[int], seconds: float
) -> list[int] | None:
    from pysat.examples.rc2 import RC2, RC2Stratified

    kind = RC2 if len(set(weights)) == 1 else RC2Stratified
    with kind(_formula(clauses, weights), solver="g4", adapt=True, exhaust=True) as solver:
        with _interrupted(solver, seconds):
            model = solver.compute(expect_interrupt=True)
        return None if model is None else [value - 1 for value in model if value > 0]


def _linear_search(clauses: Sequence[Sequence[int]], seconds: float) -> list[int] | None:
    from pysat.examples.lsu import LSU

    top = 1 + max(number for clause in clauses for number in clause)
    formula = _formula(clauses, [1] * top)
    with LSU(formula, solver="g4", expect_interrupt=True) as solver:
        with _interrupted(solver, seconds):
            solver.solve()
        model = solver.get_model()
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
