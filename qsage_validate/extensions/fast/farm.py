"""The farm: the positions after the first plies, shared among processes.

Each position has bounds: Black wins within ``win`` plies, and does not within ``lose``.  The
bounds of the frontier come from searches; those before it follow from them.  Which position of
the frontier is searched next is told by proof numbers (Allis, van der Meulen and van den Herik
1994): a position where the winner moves needs one successor, where the loser moves all.

The first plies are a graph (:class:`Frontier`); the positions of its frontier are tasks. A task is
searched for a short time, and longer each time that it comes back open.  All other positions are
searched here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar, Final, Protocol

from qsage_validate.errors import QsageError, UndecidedError
from qsage_validate.formats.json_text import Json
from qsage_validate.formats.source import Path
from qsage_validate.games.kernel import ALWAYS, Kernel, State
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.solvers.deepening import AnswerFile, DepthAnswer, Farm, Fields
from qsage_validate.solvers.search import EngineChoice, SearchSolver, search_for
from qsage_validate.solvers.search_engine import (
    NEVER,
    NOT_WITHIN,
    WIN,
    LimitError,
    ManyReplies,
    SearchEngine,
)
from qsage_validate.system.limits import Deadline, Limits, Progress, Stopwatch, Tell, nobody, now
from qsage_validate.system.pool import Crew, WorkerFailedError, check_scheduler, orphaned

# A piece of the search: a position some plies into the play, and what a process finds of it


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


# What a search of many processes knows, in a small JSON file that a later one goes on from


_FORMAT: Final = "qsage frontier 1"


@dataclass(frozen=True, slots=True)
class FarmAnswer(DepthAnswer):
    """The answer whether Black wins within ``plies`` after the moves of ``after``.

    ``never`` says that Black does not in any number of plies.
    """

    after: str = ""
    never: bool = False


class FrontierFile(AnswerFile[FarmAnswer]):
    """The answers about positions of one game."""

    required: ClassVar[Fields] = {
        "after": Json.line,
        "plies": Json.integer,
        "truth": Json.boolean,
        "by": Json.line,
        "seconds": Json.number,
    }
    optional: ClassVar[Fields] = {"never": Json.boolean}
    kind = FarmAnswer

    def __init__(self, file: Path, model: GameModel) -> None:
        head = {
            "format": _FORMAT,
            "game": model.name,
            "model": model.fingerprint(),
            "depth": str(model.depth),
        }
        super().__init__(file, head)

    def contradiction(self, entries: list[FarmAnswer]) -> str | None:
        wins: dict[str, int] = {}
        for entry in entries:
            if entry.truth:
                wins[entry.after] = min(wins.get(entry.after, entry.plies), entry.plies)
        for entry in entries:
            win = wins.get(entry.after)
            if not entry.truth and win is not None and (entry.never or win <= entry.plies):
                where = entry.after or "the first position"
                return f"a win within {win} plies and none within {entry.plies} after {where}"
        return None


# Who searches the tasks: processes on this machine, or the workers of a Dask cluster


class Workers(Protocol):
    """Search tasks, some at a time."""

    @property
    def free(self) -> int:
        """The number of tasks that can be given now."""
        ...

    def give(self, task: FarmTask) -> None:
        """Give a task to one of them."""
        ...

    def done(self, seconds: float) -> Iterator[tuple[FarmTask, FarmReport | WorkerFailedError]]:
        """The tasks that are finished within so many seconds, or sooner if there is any.

        An error says that whoever searched the task is gone.
        """
        ...

    def close(self) -> None:
        """End the work."""
        ...


def processes(question: FarmQuestion, jobs: int) -> Workers:
    """So many processes on this machine."""
    return Crew(work_on, question, jobs)


class DaskWorkers:
    """The workers of the Dask scheduler at an address, one task for each of their threads.

    Raises ``UsageError`` where no scheduler answers.
    """

    def __init__(self, question: FarmQuestion, address: str) -> None:
        check_scheduler(address)
        import distributed

        # Typed in part only, and its calls are not.
        connect: Any = distributed.Client
        self._question = question
        self._address = address
        self._client = connect(address, set_as_default=False)
        self._doing: dict[Any, FarmTask] = {}

    @property
    def free(self) -> int:
        threads: int = sum(self._client.nthreads().values())
        return max(0, threads - len(self._doing))

    def give(self, task: FarmTask) -> None:
        # Not pure: the same task is searched longer the next time.
        future = self._client.submit(work_on, self._question, task, pure=False)
        self._doing[future] = task

    def done(self, seconds: float) -> Iterator[tuple[FarmTask, FarmReport | WorkerFailedError]]:
        import distributed

        if self._client.status not in ("running", "connecting"):
            raise UndecidedError(f"undecided: the Dask scheduler at {self._address} is gone")
        if not self._doing:
            return
        wait: Any = distributed.wait
        try:
            with self._client.as_current():
                wait(list(self._doing), timeout=seconds, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return
        for future in [future for future in self._doing if future.done()]:
            task = self._doing.pop(future)
            if future.cancelled():
                yield task, WorkerFailedError("the task was cancelled", killed=True)
                continue
            error = future.exception()
            if error is None:
                yield task, future.result()
            elif isinstance(error, distributed.KilledWorker):
                yield task, WorkerFailedError(f"{error}".partition("\n")[0], killed=True)
            elif isinstance(error, QsageError):
                raise error
            else:
                raise WorkerFailedError(f"a worker failed: {type(error).__name__}: {error}")

    def close(self) -> None:
        self._client.cancel(list(self._doing))
        self._client.close()


# The first plies of a game as a graph, whose last positions, the frontier, are searched apart


BLACK, WHITE = Player.BLACK, Player.WHITE

MovePath = tuple[str, ...]
"""The moves that lead to a position; one way to it, where there are several."""

_BETWEEN: Final = "; "


def text_of(path: MovePath) -> str:
    return _BETWEEN.join(path)


def path_of(text: str) -> MovePath:
    return tuple(text.split(_BETWEEN)) if text else ()


@dataclass(slots=True, eq=False)
class FrontierNode:
    """A position of the graph; ``after`` is empty on the frontier and where play has ended."""

    state: State
    player: Player
    path: MovePath
    after: list[FrontierNode] = field(default_factory=list)
    win: int = ALWAYS
    lose: int = 0
    proof: float = 1
    disproof: float = 1

    def result(self, plies: int) -> int | None:
        """The result of a search of so many plies, where the bounds tell it."""
        if plies >= self.win:
            return WIN
        if plies <= self.lose:
            return NEVER if self.lose == ALWAYS else NOT_WITHIN
        return None

    def learn(self, plies: int, result: int) -> None:
        """Take the result of a search of so many plies."""
        if result == WIN:
            self.win = min(self.win, plies)
        else:
            self.lose = max(self.lose, plies if result == NOT_WITHIN else ALWAYS)

    def follow(self) -> None:
        """Take what follows from the bounds of the positions after this one."""
        choose_win, choose_lose = (min, min) if self.player is BLACK else (max, max)
        win = choose_win(node.win for node in self.after)
        lose = choose_lose(node.lose for node in self.after)
        self.win = min(self.win, win if win == ALWAYS else win + 1)
        self.lose = max(self.lose, lose if lose == ALWAYS else lose + 1)


class Frontier:
    """The graph of the first plies: as many as are ``wanted``, or give so many positions."""

    def __init__(
        self, kernel: Kernel, first_player: Player, most: int, enough: int, wanted: int | None
    ) -> None:
        self._kernel = kernel
        self.root = FrontierNode(kernel.initial, first_player, ())
        self._look(self.root)
        self._layers = [[self.root]]
        while self.depth < (most if wanted is None else min(wanted, most)):
            layer = self._next_layer()
            if not layer:
                break
            self._layers.append(layer)
            if wanted is None and len(layer) >= enough:
                break
        self._by_path = {node.path: node for layer in self._layers for node in layer}
        self._by_state = {
            (depth, node.player, kernel.key(node.state)): node
            for depth, layer in enumerate(self._layers)
            for node in layer
        }
        self.follow()

    @property
    def depth(self) -> int:
        """The number of plies before the frontier."""
        return len(self._layers) - 1

    @property
    def last(self) -> list[FrontierNode]:
        return self._layers[-1]

    @property
    def positions(self) -> int:
        return sum(map(len, self._layers))

    def find(self, path: MovePath) -> FrontierNode | None:
        """The position that a path leads to, where it is the path of one."""
        return self._by_path.get(path)

    def known(self, state: State, player: Player, plies: int) -> int | None:
        """The result for a state, if a position of the graph tells."""
        key = self._kernel.key(state)
        for depth in range(len(self._layers)):
            node = self._by_state.get((depth, player, key))
            if node is not None and (result := node.result(plies)) is not None:
                return result
        return None

    def _next_layer(self) -> list[FrontierNode]:
        """The positions after those of the last layer, symmetric ones once."""
        found: dict[Hashable, FrontierNode] = {}
        kernel = self._kernel
        for node in self._layers[-1]:
            if node.win <= 1 or node.lose == ALWAYS:
                continue
            for number, state, _ in kernel.successors(node.state, node.player):
                player = node.player.other if kernel.alternates else kernel.player_to_move(state)
                key = player, kernel.key(state)
                if key not in found:
                    path = (*node.path, str(kernel.move(number, node.player)))
                    found[key] = FrontierNode(state, player, path)
                    self._look(found[key])
                node.after.append(found[key])
        return list(found.values())

    def _look(self, node: FrontierNode) -> None:
        """The bounds that need no search, as :mod:`..bounds` has them."""
        kernel, black = self._kernel, node.player is BLACK
        if kernel.wins_at_once(node.state, node.player):
            node.learn(1, WIN if black else NEVER)
        elif not kernel.successors(node.state, node.player):
            node.learn(1, NEVER if black else WIN)
        else:
            node.lose = 1
            bounds = kernel.bounds(node.state, node.player)
            if bounds is not None:
                node.win, node.lose = bounds[0], max(1, bounds[1])

    def follow(self) -> None:
        """Bring the bounds of all positions up to those of the frontier."""
        for layer in reversed(self._layers):
            for node in layer:
                if node.after:
                    node.follow()

    def number(self, plies: int, tries: Mapping[MovePath, int]) -> None:
        """Set the proof numbers for a search of so many plies from the first position.

        A position of the frontier counts the more, the more searches of it came to no end.
        """
        for depth in range(self.depth, -1, -1):
            for node in self._layers[depth]:
                result = node.result(plies - depth)
                if result is not None:
                    node.proof, node.disproof = (0, inf) if result == WIN else (inf, 0)
                elif not node.after:
                    node.proof = node.disproof = 2 ** tries.get(node.path, 0)
                else:
                    proofs = [after.proof for after in node.after]
                    disproofs = [after.disproof for after in node.after]
                    black = node.player is BLACK
                    node.proof = min(proofs) if black else sum(proofs)
                    node.disproof = sum(disproofs) if black else min(disproofs)

    def urgent(self, plies: int, taken: Set[MovePath]) -> FrontierNode | None:
        """The most urgent position of the frontier that is open and not taken, if there is one."""
        seen: set[int] = set()

        def search(node: FrontierNode, depth: int) -> FrontierNode | None:
            if id(node) in seen or node.result(plies - depth) is not None:
                return None
            seen.add(id(node))
            if not node.after:
                return None if node.path in taken else node
            black = node.player is BLACK
            for after in sorted(node.after, key=lambda a: a.proof if black else a.disproof):
                found = search(after, depth + 1)
                if found is not None:
                    return found
            return None

        return search(self.root, 0)


# The search by many processes (a ``SearchEngine``): who wins from the first position


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
        self._tries: dict[MovePath, int] = {}
        self._losses: dict[MovePath, int] = {}
        self._given: dict[MovePath, FrontierNode] = {}
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
                node = frontier.urgent(plies, self._given.keys())
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
        self._given[node.path] = node
        seconds = min(_MOST_SECONDS, FIRST_SECONDS * 2 ** self._tries.get(node.path, 0))
        return FarmTask(node.path, plies, seconds)

    def _take(self, task: FarmTask, report: FarmReport | WorkerFailedError) -> None:
        """Learn what a task has found; one that is lost or open is to be taken again."""
        node = self._given.pop(task.path)
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


# A search of a game by many processes, which end with it


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
