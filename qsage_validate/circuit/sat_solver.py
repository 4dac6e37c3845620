"""PySAT's solvers, with Ctrl-C as Python knows it; one call about a literal of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pysat import solvers

from qsage_validate.circuit.aig import FALSE, TRUE, Aig
from qsage_validate.circuit.clauses import circuit_clauses, load
from qsage_validate.system.limits import NEVER, Deadline

_T = TypeVar("_T")

_SLICE: Final = 1000
"""Conflicts after which a search comes up for air: well under a second on most formulas."""


class Solver(solvers.Solver):  # type: ignore[misc]  # PySAT comes without types
    """``pysat.solvers.Solver`` whose searches Ctrl-C ends with ``KeyboardInterrupt``.

    While they search, PySAT's solvers have a handler of Ctrl-C of their own, which leaves
    C++ code by ``longjmp``.  If that happens in ``malloc``, the heap stays locked or
    corrupt, and the program hangs or crashes at the next allocation.  Here the handler is
    never installed: Python's own notes the signal, and raises between two slices of the search.
    """

    _budget: int | None = None

    def between_slices(self) -> None:
        """For subclasses: what is raised here ends the search."""

    def conf_budget(self, budget: int = -1) -> None:
        """The conflicts that the next ``solve_limited`` may use; below 0, as many as it needs."""
        self._budget = None if budget < 0 else budget

    def solve(self, assumptions: Sequence[int] = ()) -> Any:
        self._budget = None
        return self.solve_limited(assumptions)

    def solve_limited(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> Any:
        left, self._budget = self._budget, None
        while True:
            slice_ = _SLICE if left is None else min(left, _SLICE)
            super().conf_budget(slice_)
            answer = _without_handler(
                lambda: super(Solver, self).solve_limited(assumptions, expect_interrupt)
            )
            if left is not None:
                left -= slice_
            if answer is not None or left == 0:
                return answer
            self.between_slices()

    def propagate(self, assumptions: Sequence[int] = (), phase_saving: int = 0) -> Any:
        return _without_handler(lambda: super(Solver, self).propagate(assumptions, phase_saving))


_THEIRS: Final = solvers.MainThread


class _NoMainThread:
    """In any other thread than the main one, where signals never arrive, there is no handler."""

    @staticmethod
    def check() -> bool:
        return False


def _without_handler(search: Callable[[], _T]) -> _T:
    solvers.MainThread = _NoMainThread
    try:
        return search()
    finally:
        solvers.MainThread = _THEIRS


# Conflicts between two looks at the clock and at pending signals: some tenths of a second.
# CaDiCaL goes on where it stopped, so that slices cost nothing.
_LOOK_EVERY: Final = 500
_SOLVER: Final = "cadical195"


@dataclass(frozen=True, slots=True)
class Satisfiable:
    """``inputs`` make the literal true, one value an input of the graph."""

    inputs: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """The literal is false under every input."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The limit of ``seconds`` was reached first."""

    seconds: float


Answer = Satisfiable | Unsatisfiable | TimedOut


def satisfy(aig: Aig, literal: int, *, deadline: Deadline = NEVER) -> Answer:
    """Search for an input that makes ``literal`` true, until the deadline."""
    if literal == FALSE:
        return Unsatisfiable()
    if literal == TRUE:
        return Satisfiable((False,) * aig.num_inputs)
    clauses = circuit_clauses(aig, keep=[literal])
    with Solver(name=_SOLVER) as solver:
        load(solver, clauses.literals)
        solver.add_clause([clauses.literal(literal)])
        while not deadline.over:
            solver.conf_budget(_LOOK_EVERY)
            answer = solver.solve_limited()
            if answer is not None:
                if not answer:
                    return Unsatisfiable()
                true = {x for x in solver.get_model() if x > 0}
                values = (int(clauses.sat_of[k]) for k in range(1, aig.num_inputs + 1))
                return Satisfiable(tuple(v in true for v in values))
    return TimedOut(deadline.seconds)
