"""A search of a game by many processes, which end with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from qsage_validate.extensions.fast.farm.engine import FarmEngine
from qsage_validate.extensions.fast.farm.file import FrontierFile
from qsage_validate.extensions.fast.farm.tasks import FarmQuestion
from qsage_validate.extensions.fast.farm.workers import DaskWorkers, Workers, processes
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.solvers.search.search_engine import Farm
from qsage_validate.solvers.search.solver import EngineChoice, SearchSolver, search_for
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Tell, nobody


@contextmanager
def farmed(
    model: GameModel,
    farm: Farm,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
    engine: EngineChoice = EngineChoice.AUTO,
) -> Iterator[SearchSolver]:
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
    question = FarmQuestion(model, engine, memory_mb)
    workers: Workers = (
        processes(question, farm.jobs)
        if farm.address is None
        else DaskWorkers(question, farm.address)
    )
    try:
        found = FarmEngine(game, local, workers, split=farm.split, file=file, tell=tell)
        yield SearchSolver(game, found, limits=limits)
    finally:
        workers.close()
