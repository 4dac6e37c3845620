"""PySAT's solvers, with Ctrl-C as Python knows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from pysat import solvers

_T = TypeVar("_T")

_SLICE: Final = 1000
"""Conflicts after which a search comes up for air: well under a second on most formulas."""


class Solver(solvers.Solver):  # type: ignore[misc]  # PySAT comes without types
    """``pysat.solvers.Solver`` whose searches Ctrl-C ends with ``KeyboardInterrupt``.

    While they search, PySAT's solvers have a handler of Ctrl-C of their own, which jumps out of
    the middle of everything.  Where that is a request for memory, the heap stays locked or
    broken, and the program hangs or crashes when it next asks for some.  Here the handler is
    never installed: Python's own notes the signal, and raises between two slices of the search.
    """

    _budget: int | None = None

    def between_slices(self) -> None:
        """For subclasses: what is raised here ends the search."""

    def conf_budget(self, budget: int = -1) -> None:
        """So many conflicts for the next ``solve_limited``; below 0, as many as it needs."""
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
