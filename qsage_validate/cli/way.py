"""How a formula is to be solved, from the words of the options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.cli.solver_options import Preprocessor
from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.solvers.solving import Solved

SEARCH = "search"


@dataclass(frozen=True)
class Way:
    """What solves, and within which limits.

    ``solver`` is a QBF solver's name, ``None`` for what is there; ``searches`` says that a game
    is to be searched on its rules instead.
    """

    solver: str | None
    preprocess: Preprocessor | None
    portfolio: bool
    searches: bool
    timeout: float | None
    memory: int | None

    @classmethod
    def of(
        cls,
        solver: str | None,
        preprocess: Preprocessor | None,
        *,
        portfolio: bool,
        timeout: float | None,
        memory: int | None,
    ) -> Way:
        """The way that the options say; raises ``UsageError`` for some that do not fit."""
        if solver is not None and portfolio:
            raise UsageError("found --solver with --portfolio, expected one of them")
        if solver == SEARCH and preprocess is not None:
            raise UsageError("found --preprocess with --solver search, which has no formula")
        searches = solver in (None, SEARCH) and preprocess is None and not portfolio
        named = None if solver == SEARCH else solver
        return cls(named, preprocess, portfolio, searches, timeout, memory)

    def within(self, seconds: float | None) -> Way:
        """The same with another limit of time."""
        from dataclasses import replace

        return replace(self, timeout=seconds)

    def solve(self, formula: Qbf, say: Callable[[str], None]) -> Solved:
        """Decide a formula.

        Raises ``UsageError`` for a solver that is not known or takes no clauses after
        Bloqqer, ``SolverMissingError`` and ``MissingExtraError``.
        """
        from qsage_validate.solvers import bloqqer
        from qsage_validate.solvers.backend import Format, Missing, RunLimits
        from qsage_validate.solvers.backends import get_backend
        from qsage_validate.solvers.solving import available, solve_formula

        clausal = self.preprocess is Preprocessor.BLOQQER
        if self.solver is None:
            backend = available(circuit=not clausal)[0]
        else:
            backend = get_backend(self.solver)
        takes_clauses = Format.QDIMACS in backend.accepts
        if clausal and not takes_clauses:
            raise UsageError(
                f"found --preprocess bloqqer with {backend.name}, which takes circuits"
            )
        preprocessing = clausal
        if self.preprocess is None:
            preprocessing = takes_clauses and not isinstance(bloqqer.availability(), Missing)
        say(f"solving with {'Bloqqer and ' if preprocessing else ''}{backend.name}")
        limits = RunLimits(self.timeout, self.memory)
        return solve_formula(formula, backend, limits, preprocessing=preprocessing)
