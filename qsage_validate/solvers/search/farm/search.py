"""A search of a game by many processes, which end with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.solvers.search.farm.engine import FarmEngine
from qsage_validate.solvers.search.farm.file import FrontierFile
from qsage_validate.solvers.search.farm.tasks import Question
from qsage_validate.solvers.search.farm.workers import DaskWorkers, Workers, processes
from qsage_validate.solvers.search.solver import EngineChoice, Solver, search_for
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Tell, nobody


@dataclass(frozen=True, slots=True)
class Farm:
    """Who searches: ``jobs`` processes here, or a Dask scheduler's workers at ``address``.

    ``split`` is the number of plies before the positions that are searched apart, ``resume`` a
    file that keeps what is known of them.
    """

    jobs: int = 1
    address: str | None = None
    split: int | None = None
    resume: str | None = None


@contextmanager
def farmed(
    model: GameModel,
    farm: Farm,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
    engine: EngineChoice = EngineChoice.AUTO,
) -> Iterator[Solver]:
    """The search of a model by a farm; the limit on memory is for all processes here together.

    Raises ``InputError`` for a file that cannot be gone on from, and ``UsageError`` where no
    scheduler answers and where the engine does not take the game.
    """
    game = load_game(model)
    memory_mb = limits.memory_mb
    if memory_mb is not None and farm.address is None:
        memory_mb = max(1, memory_mb // (farm.jobs + 1))
    own = Limits(limits.deadline, memory_mb, limits.positions)
    local = search_for(game, limits=own, engine=engine).engine
    file = None if farm.resume is None else FrontierFile(farm.resume, model)
    question = Question(model, engine, memory_mb)
    workers: Workers = (
        processes(question, farm.jobs)
        if farm.address is None
        else DaskWorkers(question, farm.address)
    )
    try:
        found = FarmEngine(game, local, workers, split=farm.split, file=file, tell=tell)
        yield Solver(game, found, limits=limits)
    finally:
        workers.close()
