"""A piece of the search: a position some plies into the play, and what a process finds of it."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from qsage_validate.errors import UndecidedError
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Kernel, Player, State
from qsage_validate.solvers.search.solver import EngineChoice, SearchSolver, search_for
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.pool import orphaned


@dataclass(frozen=True, slots=True)
class FarmQuestion:
    """What all tasks of a search share: the game, and the engine that searches it."""

    model: GameModel
    engine: EngineChoice
    memory_mb: int | None


@dataclass(frozen=True, slots=True)
class FarmTask:
    """Whether Black wins within ``plies`` after the moves of ``path``, in so many seconds.

    ``path`` has the texts of the moves, the same in every process.
    """

    path: tuple[str, ...]
    plies: int
    seconds: float


@dataclass(frozen=True, slots=True)
class FarmReport:
    """The result of a task, as an engine gives it; ``None`` when the time was not enough.

    ``why`` names another limit that was reached.
    """

    result: int | None
    why: str
    nodes: int
    positions: int
    seconds: float
    engine: str


# The search of the thread's last question: its table serves all tasks of the question.
_kept = threading.local()


def work_on(question: FarmQuestion, task: FarmTask) -> FarmReport:
    """Search a task, with what is in the table from tasks before."""
    watch = Stopwatch()
    solver = _search(question)
    deadline = Deadline.after(task.seconds, orphaned)
    solver.limits = Limits(deadline, question.memory_mb)
    before = solver.nodes
    state, player = _after(solver.engine.kernel, solver.game.first_player, task.path)
    result: int | None = None
    why = ""
    try:
        result = solver.within(state, player, task.plies)
    except UndecidedError as error:
        if not deadline.over:
            why = str(error).removeprefix("undecided: ")
    engine = solver.engine
    nodes = solver.nodes - before
    return FarmReport(result, why, nodes, solver.positions, watch.seconds, engine.name)


def _search(question: FarmQuestion) -> SearchSolver:
    key = (
        question.model.fingerprint(),
        question.model.depth,
        question.engine.value,
        question.memory_mb,
    )
    if getattr(_kept, "key", None) != key:
        limits = Limits(memory_mb=question.memory_mb)
        _kept.solver = search_for(load_game(question.model), limits=limits, engine=question.engine)
        _kept.key = key
    solver: SearchSolver = _kept.solver
    return solver


def _after(kernel: Kernel, player: Player, path: tuple[str, ...]) -> tuple[State, Player]:
    """The state after some moves, and who is to move."""
    state = kernel.initial
    for text in path:
        state = next(
            after
            for number, after, _ in kernel.successors(state, player)
            if str(kernel.move(number, player)) == text
        )
        player = player.other if kernel.alternates else kernel.player_to_move(state)
    return state, player
