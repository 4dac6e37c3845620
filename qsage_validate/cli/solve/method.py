"""How a game or a formula is to be solved, from the words of the options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.cli import completion
from qsage_validate.cli.options import LimitOptions
from qsage_validate.cli.parameters import OptionGroup, option
from qsage_validate.errors import Exit, UsageError
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.progress import Tell

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.solvers.qbf.solving import Solved


SEARCH = "search"
# Nodes of a search from which on it matters which engine runs.
_LONG = 8192


class EngineName(str, Enum):
    """The engines of the search, by the words of the option."""

    AUTO = "auto"
    FAST = "fast"
    PURE = "pure"


def word_of(truth: bool | None) -> str:
    """The answer about a formula, or about a win of Black's."""
    return "undecided" if truth is None else "true" if truth else "false"


def exit_of(truth: bool | None) -> Exit:
    """The exit code that says the same."""
    return Exit.UNDECIDED if truth is None else Exit.TRUE if truth else Exit.FALSE


@dataclass(frozen=True)
class MethodOptions(OptionGroup):
    """The options that say what solves."""

    panel = "Solver"

    solver: str | None = option(
        "A QBF solver (see 'qsage info --solvers'), or 'search'.",
        "NAME",
        complete=completion.solvers,
    )
    preprocess: str | None = option(
        "What a formula goes through first: bloqqer, hqspre, qratpre or none; default: bloqqer, "
        "where it is there.",
        "NAME",
        complete=completion.preprocessors,
    )
    engine: EngineName = option(
        "Of the search: 'fast' in machine code (extra 'fast'), 'pure' in Python; 'auto' begins in "
        "Python.",
        default=EngineName.AUTO,
    )
    portfolio: bool = option(
        "Run several solvers at once; the first confirmed answer counts.", default=False
    )


@dataclass(frozen=True)
class SolveMethod:
    """The solver and its limits; the time begins when the options are read.

    ``solver`` is a QBF solver's name, ``None`` for what is there; ``searches`` says that a game
    is to be searched on its rules instead.
    """

    solver: str | None
    preprocess: str | None
    portfolio: bool
    searches: bool
    limits: Limits
    engine: EngineName = EngineName.AUTO

    @classmethod
    def of(cls, options: MethodOptions, limits: LimitOptions) -> SolveMethod:
        """The method that the options say; raises ``UsageError`` for some that do not fit."""
        solver, portfolio = options.solver, options.portfolio
        preprocess = options.preprocess
        if preprocess is not None:
            from qsage_validate.solvers.qbf.backends import preprocessor_named

            preprocessor_named(preprocess)
        if solver is not None and portfolio:
            raise UsageError("found --solver with --portfolio, expected one of them")
        if solver == SEARCH and preprocess is not None:
            raise UsageError("found --preprocess with --solver search, which has no formula")
        if options.engine is not EngineName.AUTO and (
            preprocess is not None or portfolio or solver not in (None, SEARCH)
        ):
            raise UsageError("found --engine with QBF solvers, expected a search on the rules")
        searches = solver in (None, SEARCH) and preprocess is None and not portfolio
        named = None if solver == SEARCH else solver
        return cls(named, preprocess, portfolio, searches, limits.begin(), options.engine)

    def engine_words(self, engine: str, nodes: int) -> str:
        """Which engine ran, where it was asked for or the search was long; else empty."""
        told = self.engine is not EngineName.AUTO or nodes >= _LONG
        return f"engine: {engine}" if told else ""

    def until(self, deadline: Deadline) -> SolveMethod:
        return replace(self, limits=replace(self.limits, deadline=deadline))

    def solve(self, formula: Qbf, tell: Tell) -> Solved:
        """Decide a formula; errors as in :func:`~qsage_validate.api.solving.ask_solvers`."""
        from qsage_validate.api.solving import ask_solvers

        return ask_solvers(
            formula,
            self.limits,
            solver=self.solver,
            preprocessor=self.preprocess,
            portfolio=self.portfolio,
            tell=tell,
        )
