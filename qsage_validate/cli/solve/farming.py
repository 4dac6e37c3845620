"""``qsage solve --jobs`` and ``--scheduler``: a search by many processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.cli.parameters import OptionGroup, option
from qsage_validate.cli.solve.method import SolveMethod
from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.solvers.search.solver import SearchSolver
    from qsage_validate.system.progress import Tell


@dataclass(frozen=True)
class FarmOptions(OptionGroup):
    """Where a search is made: by so many processes, or on a cluster."""

    panel = "Processes and machines"

    jobs: int | None = option("Search by N processes.", "N", min=1)
    scheduler: str | None = option("Search on a Dask cluster: tcp://host:8786.", "ADDRESS")
    scheduler_file: str | None = option(
        "Search on the Dask cluster whose scheduler wrote FILE.", "FILE"
    )
    split: int | None = option(
        "The plies before the positions that are searched apart; else as many as give enough.",
        "PLIES",
        min=1,
    )

    @property
    def given(self) -> str | None:
        """The option that asks for many processes, if one does."""
        names = {
            "--jobs": self.jobs,
            "--scheduler": self.scheduler,
            "--scheduler-file": self.scheduler_file,
        }
        return next((name for name, value in names.items() if value is not None), None)

    def check(self, *, searches: bool, alternates: bool) -> None:
        """Raise ``UsageError`` for options that do not fit."""
        given = self.given
        if self.scheduler is not None and self.scheduler_file is not None:
            raise UsageError("found --scheduler with --scheduler-file, expected one of them")
        if self.jobs is not None and (self.scheduler or self.scheduler_file):
            raise UsageError(
                "found --jobs with --scheduler: its workers say how many run at a time"
            )
        if self.split is not None and given is None:
            raise UsageError("found --split without --jobs or --scheduler, expected one of them")
        if given is not None and alternates:
            raise UsageError(f"found {given} with --alternate, expected one of them")
        if given is not None and not searches:
            raise UsageError(f"found {given} without a search on the rules, expected one")

    def rests_on(self, resume: str | None) -> str:
        """The words about a file of answers that there is before the search; else empty."""
        from qsage_validate.solvers.answer_file import rests_on

        known = self.given is not None and resume is not None and os.path.exists(resume)
        return rests_on(resume) if known and resume is not None else ""

    @contextmanager
    def searching(
        self, method: SolveMethod, tell: Tell, resume: str | None
    ) -> Iterator[Callable[[GameModel], SearchSolver]]:
        """What makes the search of a model; its processes end with the context."""
        from qsage_validate.games.languages import load_game
        from qsage_validate.solvers.search.solver import EngineChoice, search_for

        engine, limits = EngineChoice(method.engine.value), method.limits
        if self.given is None:
            yield lambda model: search_for(
                load_game(model), limits=limits, tell=tell, engine=engine
            )
            return
        from qsage_validate.cli.common import address_in
        from qsage_validate.registry import declared, load
        from qsage_validate.solvers.search.engine import DeclaredEngine, Farm
        from qsage_validate.system.signals import orderly_termination

        file = self.scheduler_file
        address = self.scheduler if file is None else address_in(file)
        quicker = declared("engines", DeclaredEngine)
        if not quicker:
            raise UsageError(f"found {self.given}, expected an installed package that farms")
        farmed = load(quicker[0].farm)
        farm = Farm(self.jobs or 1, address, self.split, resume)
        with orderly_termination(), ExitStack() as stack:
            yield lambda model: stack.enter_context(
                farmed(model, farm, limits=limits, tell=tell, engine=engine)
            )
