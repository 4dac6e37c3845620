"""PySAT's solvers, with Ctrl-C as Python knows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pysat import solvers

_T = TypeVar("_T")
_CAUGHT = "Caught keyboard interrupt"


class Solver(solvers.Solver):  # type: ignore[misc]  # PySAT comes without types
    """``pysat.solvers.Solver`` that raises ``KeyboardInterrupt`` on Ctrl-C.

    While they search, the solvers have a signal handler of their own, and what it makes is a
    ``pysolvers.error``: neither a command nor a level could tell it from a defect.
    """

    def solve(self, assumptions: Sequence[int] = ()) -> Any:
        return self._interruptible(lambda: super(Solver, self).solve(assumptions))

    def solve_limited(self, assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> Any:
        return self._interruptible(
            lambda: super(Solver, self).solve_limited(assumptions, expect_interrupt)
        )

    def propagate(self, assumptions: Sequence[int] = (), phase_saving: int = 0) -> Any:
        return self._interruptible(lambda: super(Solver, self).propagate(assumptions, phase_saving))

    def _interruptible(self, search: Callable[[], _T]) -> _T:
        try:
            return search()
        except solvers.pysolvers.error as error:
            if str(error) != _CAUGHT:
                raise
            self._abandon()
            raise KeyboardInterrupt from None

    def _abandon(self) -> None:
        """Leave the library's solver alone for good.

        The handler jumps out of the middle of the search: what is left may be inconsistent, and
        freeing it can crash.  A leak is harmless where everything is about to end.
        """
        for name, value in list(vars(self.solver).items()):
            if type(value).__name__ == "PyCapsule":
                setattr(self.solver, name, None)
