"""The search by many processes (a ``SearchEngine``): who wins from the first position.

The first plies are a graph (``frontier.py``); the positions of its frontier are tasks. A task is
searched for a short time, and longer each time that it comes back open.  All other positions are
searched here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from qsage_validate.extensions.fast.farm.file import FarmAnswer, FrontierFile
from qsage_validate.extensions.fast.farm.frontier import (
    Frontier,
    FrontierNode,
    Path,
    path_of,
    text_of,
)
from qsage_validate.extensions.fast.farm.tasks import FarmReport, FarmTask
from qsage_validate.extensions.fast.farm.workers import Workers
from qsage_validate.games.protocol import Kernel, Player, State, TwoPlayerGame
from qsage_validate.solvers.search.search_engine import (
    NEVER,
    NOT_WITHIN,
    WIN,
    LimitError,
    ManyReplies,
    SearchEngine,
)
from qsage_validate.system.clock import now
from qsage_validate.system.pool import WorkerFailedError
from qsage_validate.system.progress import Progress, Tell, nobody

FIRST_SECONDS: Final = 1.0
"""The time for a task when it is searched first; it doubles with each search of it."""

# A task that is no longer wanted keeps its worker for so long at most.
_MOST_SECONDS: Final = 30.0
_MOST_LOSSES: Final = 3
_POLL_SECONDS: Final = 0.2
# Positions of the frontier, where the number of plies before it is not said.
ENOUGH: Final = 24
# A frontier so near to the end leaves nothing to search.
_LEAST_LEFT: Final = 3


class FarmEngine:
    """The search of one game by ``workers``, with ``local`` for what is not asked of them.

    ``split`` is the number of plies before the frontier.  ``file`` keeps what is known of it.
    """

    deepens = False
    at_once = True

    def __init__(
        self,
        game: TwoPlayerGame,
        local: SearchEngine,
        workers: Workers,
        *,
        split: int | None = None,
        file: FrontierFile | None = None,
        tell: Tell = nobody,
    ) -> None:
        self._local = local
        self._workers = workers
        self._file = file
        self._tell = tell
        self.kernel: Kernel = local.kernel
        self.for_ever = local.for_ever
        self._first = game.first_player
        most = max(0, game.plies - _LEAST_LEFT)
        ended = game.initial.outcome is not None
        self._frontier = Frontier(self.kernel, self._first, 0 if ended else most, ENOUGH, split)
        self._tries: dict[Path, int] = {}
        self._losses: dict[Path, int] = {}
        self._given: set[Path] = set()
        self._nodes = 0
        self._tasks = 0
        self._engine: str | None = None
        self._started = now()
        if file is not None:
            for found in file.entries:
                node = self._frontier.find(path_of(found.after))
                if node is not None:
                    result = WIN if found.truth else NEVER if found.never else NOT_WITHIN
                    node.learn(found.plies, result)
            self._frontier.follow()

    @property
    def name(self) -> str:
        """The name of the engine that searched the last task, or that searches here."""
        return self._engine or self._local.name

    @property
    def many(self) -> ManyReplies | None:
        return self._local.many

    @property
    def replaces(self) -> bool:
        return self._local.replaces

    @property
    def nodes(self) -> int:
        """The number of positions that were visited by all of them."""
        return self._nodes + self._local.nodes

    @property
    def positions(self) -> int:
        """The number of positions before the frontier and on it, and in the table here."""
        return self._frontier.positions + self._local.positions

    @property
    def watch(self) -> Callable[[], None]:
        """Called now and then, while workers search too."""
        return self._local.watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        self._local.watch = watch

    def frames(self, plies: int) -> int:
        """As many as the search here takes."""
        return self._local.frames(plies)

    def depths(self, player: Player, last: int) -> Iterable[int]:
        return self._local.depths(player, last)

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        return self._local.hint(state, player, plies)

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """Whether Black wins within ``plies``; ``None`` if neither graph nor table knows it."""
        result = self._frontier.known(state, player, plies)
        return self._local.known(state, player, plies) if result is None else result == WIN

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``."""
        known = self._frontier.known(state, player, plies)
        if known is not None:
            return known
        begins = state == self.kernel.initial and player is self._first
        if not begins or plies < self._frontier.depth + _LEAST_LEFT:
            return self._search_here(state, player, plies)
        return self._farm(plies)

    def _search_here(self, state: State, player: Player, plies: int) -> int:
        result = NOT_WITHIN
        for fewer in self._local.depths(player, plies) if self._local.deepens else (plies,):
            result = self._local.search(state, player, fewer)
            if result != NOT_WITHIN:
                break
        return result

    # -- tasks -------------------------------------------------------------------------------

    def _farm(self, plies: int) -> int:
        frontier, workers = self._frontier, self._workers
        left = plies - frontier.depth
        while (result := frontier.root.result(plies)) is None:
            frontier.number(plies, self._tries)
            while workers.free:
                node = frontier.urgent(plies, self._given)
                if node is None:
                    break
                workers.give(self._task(node, left))
            self._report(plies)
            for task, report in workers.done(_POLL_SECONDS):
                self._take(task, report)
            self.watch()
        self._report(plies)
        return result

    def _task(self, node: FrontierNode, plies: int) -> FarmTask:
        self._given.add(node.path)
        seconds = min(_MOST_SECONDS, FIRST_SECONDS * 2 ** self._tries.get(node.path, 0))
        return FarmTask(node.path, plies, seconds)

    def _take(self, task: FarmTask, report: FarmReport | WorkerFailedError) -> None:
        """Learn what a task has found; one that is lost or open is to be taken again."""
        self._given.discard(task.path)
        if isinstance(report, WorkerFailedError):
            losses = self._losses[task.path] = self._losses.get(task.path, 0) + 1
            if losses == _MOST_LOSSES:
                raise LimitError(f"{report}, {losses} times at {text_of(task.path)}")
            return
        self._nodes += report.nodes
        self._engine = report.engine
        if report.why:
            raise LimitError(report.why)
        if report.result is None:
            self._tries[task.path] = self._tries.get(task.path, 0) + 1
            return
        node = self._frontier.find(task.path)
        assert node is not None, "a task's path is that of a position"
        self._tasks += 1
        result = report.result
        if result == NEVER and not self.for_ever:
            result = NOT_WITHIN
        node.learn(task.plies, result)
        self._frontier.follow()
        if self._file is not None:
            moves, by = text_of(task.path), f"search, {report.engine}"
            self._file.add(
                FarmAnswer(
                    task.plies,
                    result == WIN,
                    by,
                    report.seconds,
                    after=moves,
                    never=result == NEVER,
                )
            )

    def _report(self, plies: int) -> None:
        frontier = self._frontier
        left = plies - frontier.depth
        decided = sum(node.result(left) is not None for node in frontier.last)
        of = len(frontier.last)
        text = (
            f"{decided} of {of} positions after {frontier.depth} plies decided, "
            f"{len(self._given)} searched now, {self.nodes:,} nodes, "
            f"{now() - self._started:.0f} s"
        )
        self._tell(Progress(f"searching depth {plies}", text, decided, of))
