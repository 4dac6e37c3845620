"""Depth-bounded search on the rules: who wins, in how few plies, and by which moves.

One solver for every game that answers the protocol.  The question is the formula's: does Black
win within the plies of the game?  The solver deepens by plies; an engine looks at the positions,
the general one (``general_search.py``) or one that knows more of some games.

Its tables stay usable after a solve, after an interrupt, and for positions off the best line:
``SearchSolver.winner`` answers for any position of the game, mostly by looking it up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.games.kernel import State
from qsage_validate.games.model_text import languages
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.registry import declared, load
from qsage_validate.solvers.search_engine import (
    NEVER,
    NOT_WITHIN,
    WIN,
    DeclaredEngine,
    LimitError,
    SearchEngine,
    time_over,
)
from qsage_validate.system.limits import Limits, Progress, Tell, nobody, now
from qsage_validate.system.signals import alarm

if TYPE_CHECKING:
    from qsage_validate.games.bddl.rules import BddlGame
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.games.positional.rules import PositionalGame
    from qsage_validate.solvers.positional_search import SearchStage


BLACK, WHITE = Player.BLACK, Player.WHITE

# A position of the table with its bounds, as measured on CPython.
_BYTES_A_POSITION = 150
# The progress is reported whenever so many more nodes have been visited.
_NODES_A_REPORT = 1 << 18
# Small games are prepared also when no time is left, so that what comes of it is told as always.
_LEAST_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    ``winner`` is ``None`` when a limit was reached.  ``critical_plies`` is the critical depth,
    the fewest plies in which Black wins (``None`` when Black does not, or the winner alone was
    asked for).  ``first_moves`` are
    winning first moves of the winner: all of them when they were asked for, else one; none when
    the other player begins.  ``positions`` is the size of the table.  ``never`` says that Black
    would not win in however many plies, as where White has won already.  ``engine`` is ``"pure"``
    for a search in Python, ``"compiled"`` for one in machine code.  ``all_first_moves`` says that
    ``first_moves`` are all that win, where they were asked for.
    """

    winner: Player | None
    reason: str
    critical_plies: int | None
    first_moves: tuple[Move, ...]
    nodes: int
    positions: int
    seconds: float
    never: bool = False
    engine: str = "pure"
    all_first_moves: bool = False


class SearchSolver:
    """The search of one game by an engine, the general one unless another is named.

    ``limits`` hold for all calls together, their memory for the tables; ``tell`` hears now and
    then how many plies deep it is searched.
    """

    def __init__(
        self,
        game: TwoPlayerGame,
        engine: SearchEngine | None = None,
        *,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        tell: Tell = nobody,
    ) -> None:
        self.game = game
        self.limits = limits
        self.tell = tell
        self.engine = engine or _general(game)
        self.engine.watch = self._watch
        self._kernel = self.engine.kernel
        self._started = 0.0
        self._depth = 0
        self._told = 0

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return self.engine.nodes

    @property
    def positions(self) -> int:
        """The number of positions in the tables."""
        return self.engine.positions

    @property
    def _most_positions(self) -> int | None:
        """The largest number of positions in the tables."""
        positions = self.limits.positions
        memory_mb = None if self.engine.replaces else self.limits.memory_mb
        room = None if memory_mb is None else memory_mb * 1_000_000 // _BYTES_A_POSITION
        return min((n for n in (positions, room) if n is not None), default=None)

    # -- questions --------------------------------------------------------------------------

    def solve(self, *, all_first_moves: bool = False, winner_only: bool = False) -> SearchResult:
        """The winner of the game, by searches of growing depth up to its number of plies.

        With ``winner_only`` by one search of all plies where that is sooner (``at_once`` of the
        engine): the critical depth is left open then.  A first move is named where the table has
        one.
        """
        position = self.game.initial
        start, before = now(), self.nodes
        winner: Player | None = None
        plies: int | None = None
        first_moves: list[Move] = []
        never = complete = False
        with self._running():
            at_once = winner_only and self.engine.at_once
            try:
                decide = self._decide_at_once if at_once else self._decide
                winner, plies, reason, never = self._decide_initial(position, decide)
                if at_once:
                    plies = None
                elif plies and position.outcome is None:
                    reason += self.game.without_goal(plies)
                if winner_only:
                    first_moves += self._known_moves(position, winner)
                elif winner is position.to_move and position.outcome is None:
                    if all_first_moves:
                        first_moves.extend(self._winning_moves(position))
                    elif (best := self._best_move(position)) is not None:
                        first_moves = [best]
                complete = all_first_moves
            except LimitError as limit:
                # A limit while the first moves were looked for leaves the verdict standing.
                if winner is None:
                    refuted = 0 if at_once else self._depth - 1
                    reason = f"undecided: {limit} ({self._refuted(refuted)})"
                else:
                    reason += f"; not all first moves were looked at: {limit}"
        return SearchResult(
            winner,
            reason,
            plies,
            tuple(first_moves),
            self.nodes - before,
            self.positions,
            now() - start,
            never,
            self.engine.name,
            complete and winner is not None,
        )

    def winner(self, position: Position) -> Player:
        """The winner from a position of the game; raises ``UndecidedError`` at a limit."""
        outcome = position.outcome
        if outcome is not None:
            return outcome.winner
        known = self._look_up(position)
        if known is not None:
            return known
        with self._running():
            if self.engine.deepens:
                return BLACK if self._decide(position)[0] == WIN else WHITE
            return BLACK if self._search(position, self._plies_left(position)) == WIN else WHITE

    def critical_plies(self, position: Position) -> int | None:
        """In how few plies Black wins from a position; ``None`` where Black does not.

        That White cannot move is seen at White's ply, which counts.  Raises ``UndecidedError`` at
        a limit.
        """
        if position.outcome is not None:
            return position.outcome.plies if position.outcome.winner is BLACK else None
        with self._running():
            result, plies = self._decide(position)
        return plies if result == WIN else None

    def best_move(self, position: Position) -> Move | None:
        """A winning move; for Black one on a shortest way to the win.  ``None``: there is none.

        Raises ``UndecidedError`` at a limit.
        """
        with self._running():
            return self._best_move(position)

    def keeping_move(self, position: Position) -> Move:
        """A move after which the player to move, who wins, still wins within the plies left.

        Not always on a shortest way, and so quicker than :meth:`best_move`.  Raises
        ``UndecidedError`` at a limit, and ``ValueError`` where the player does not win.
        """
        with self._running():
            move = self._best_move(position) if self.engine.deepens else self._kept_by(position)
        if move is None:
            raise ValueError(f"no winning move in {position}")
        return move

    def _kept_by(self, position: Position) -> Move | None:
        player, left = position.to_move, self._plies_left(position) - 1
        successors = self._kernel.successors(self._kernel.state(position), player)
        black, alternates = player is BLACK, self._kernel.alternates
        for number, _, won in successors:
            if won:
                return self._kernel.move(number, player)
        # Known positions are asked first: a move that loses may take long to refute.
        for number, after, _ in successors:
            mover = player.other if alternates else self._kernel.player_to_move(after)
            if self.engine.known(after, mover, left) is black:
                return self._kernel.move(number, player)
        for number, after, _ in successors:
            mover = player.other if alternates else self._kernel.player_to_move(after)
            if (self.engine.search(after, mover, left) == WIN) is black:
                return self._kernel.move(number, player)
        return None

    def within(self, state: State, player: Player, plies: int) -> int:
        """The engine's result for a state and any number of plies.

        Raises ``UndecidedError`` at a limit.
        """
        with self._running():
            result = NOT_WITHIN
            for fewer in self.engine.depths(player, plies) if self.engine.deepens else (plies,):
                result = self.engine.search(state, player, fewer)
                if result != NOT_WITHIN:
                    break
            return result

    # -- deciding a position ----------------------------------------------------------------

    def _plies_left(self, position: Position) -> int:
        return self.game.plies - position.ply + 1

    def _search(self, position: Position, plies: int) -> int:
        return self.engine.search(self._kernel.state(position), position.to_move, plies)

    def _decide(self, position: Position) -> tuple[int, int]:
        """The result for a position that has not ended, and the plies that were searched."""
        left = self._plies_left(position)
        result = plies = 0
        for plies in self.engine.depths(position.to_move, left):
            self._depth = plies
            result = self._search(position, plies)
            self._report()
            if result != NOT_WITHIN:
                break
        if result == NEVER and not self.engine.for_ever:
            return NOT_WITHIN, left
        return result, plies

    def _decide_at_once(self, position: Position) -> tuple[int, int]:
        """Decide by one search of all plies, without deepening."""
        left = self._depth = self._plies_left(position)
        result = self._search(position, left)
        if result == NEVER and not self.engine.for_ever:
            return NOT_WITHIN, left
        return result, left

    def _known_moves(self, position: Position, winner: Player) -> tuple[Move, ...]:
        """A winning move of the winner's, if the table has one."""
        if position.outcome is not None or position.to_move is not winner:
            return ()
        for move in position.legal_moves():
            after = position.play(move)
            outcome = after.outcome
            if (self._look_up(after) if outcome is None else outcome.winner) is winner:
                return (move,)
        return ()

    def _decide_initial(
        self, position: Position, decide: Callable[[Position], tuple[int, int]]
    ) -> tuple[Player, int | None, str, bool]:
        """The winner, Black's plies, the reason, and true if no number of plies suffices."""
        if position.outcome is not None:
            end, black = position.outcome, position.outcome.winner is BLACK
            return end.winner, end.plies if black else None, end.reason, not black
        result, plies = decide(position)
        if result == WIN:
            return BLACK, plies, f"Black wins within {self.game.span(plies)}", False
        if result == NEVER:
            return WHITE, None, self._refuted(None), True
        return WHITE, None, self._refuted(self.game.plies), False

    def _refuted(self, plies: int | None) -> str:
        if plies == 0:
            return "nothing is known"
        return f"Black does not win within {self.game.span(plies)}"

    def _look_up(self, position: Position, left: int | None = None) -> Player | None:
        """The winner as far as the tables tell, with so many plies left (as many as there are)."""
        if left is None:
            left = self._plies_left(position)
        known = self.engine.known(self._kernel.state(position), position.to_move, left)
        return None if known is None else BLACK if known else WHITE

    def _winning_moves(self, position: Position) -> Iterator[Move]:
        """The winning moves of the player to move, as they are found."""
        player = position.to_move
        for move in position.legal_moves():
            after = position.play(move)
            outcome = after.outcome
            winner = self._look_up(after) if outcome is None else outcome.winner
            if winner is None:
                winner = BLACK if self._decide(after)[0] == WIN else WHITE
            if winner is player:
                yield move

    def _best_move(self, position: Position) -> Move | None:
        """A winning move; for Black one on a shortest way to the win."""
        player = position.to_move
        if self.engine.deepens:
            result, plies = self._decide(position)
            if (result == WIN) is not (player is BLACK):
                return None
            number = self.engine.hint(self._kernel.state(position), player, plies)
            if number is not None:
                move = self._kernel.move(number, player)
                if self._keeps(position.play(move), plies - 1, player):
                    return move
        after = [(move, position.play(move)) for move in position.legal_moves()]
        ends = [
            (p.outcome.plies, number)
            for number, (_, p) in enumerate(after)
            if p.outcome is not None and p.outcome.winner is player
        ]
        if ends:
            return after[min(ends)[1]][0]
        after = [(move, p) for move, p in after if p.outcome is None]
        if not after:
            return None
        result, plies = self._decide(position)
        if (result == WIN) is not (player is BLACK):
            return None
        # The move that decided the position is in the table, and is found there first.
        left = plies - 1 if player is BLACK else self._plies_left(after[0][1])
        for move, next_position in after:
            if self._look_up(next_position, left) is player:
                return move
        for move, next_position in after:
            if (self._search(next_position, left) == WIN) is (player is BLACK):
                return move
        raise AssertionError(f"a win in {position}, but no winning move")

    def _keeps(self, after: Position, left: int, player: Player) -> bool:
        """True if a player has won, or still wins, after a move: Black within ``left`` plies."""
        if after.outcome is not None:
            in_time = player is WHITE or after.outcome.plies <= left
            return after.outcome.winner is player and in_time
        left = left if player is BLACK else self._plies_left(after)
        return (self._search(after, left) == WIN) is (player is BLACK)

    # -- the search -------------------------------------------------------------------------

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Starts the clock, makes room for the recursion, and names a limit that is reached."""
        self._started = now()
        # Never lowered again: another thread may be searching.
        need = _stack_depth() + self.engine.frames(self.game.plies)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), need))
        try:
            yield
        except LimitError as limit:
            raise UndecidedError(f"undecided: {limit}") from None

    def _watch(self) -> None:
        deadline, most = self.limits.deadline, self._most_positions
        if deadline.over:
            raise LimitError(time_over(deadline.seconds))
        if most is not None and self.positions > most:
            raise LimitError(f"{counted(most, 'position is', 'positions are')} in the table")
        if self.nodes - self._told >= _NODES_A_REPORT:
            self._told = self.nodes
            self._report()

    def _report(self) -> None:
        stage = f"searching depth {self._depth}"
        text = f"{counted(self.positions, 'position')}, {now() - self._started:.0f} s"
        self.tell(Progress(stage, text, self._depth, self.game.plies))


def _stack_depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


class EngineChoice(Enum):
    """Which engine searches a game: the quickest one, one in machine code, or one in Python."""

    AUTO = "auto"
    FAST = "fast"
    PURE = "pure"


def _stage(
    model: PositionalModel, choice: EngineChoice, memory_mb: int | None
) -> SearchStage | None:
    """The search of full boards, for games of connection."""
    from qsage_validate.games.positional.model import is_hex_board

    if model.network is None and not is_hex_board(model):
        return None
    for one in _quicker():
        stage: SearchStage | None = load(one.stage)(model, choice, memory_mb)
        if stage is not None:
            return stage
    return None


def _quicker() -> tuple[DeclaredEngine, ...]:
    return declared("engines", DeclaredEngine)


def positional_engine(
    game: PositionalGame, choice: EngineChoice, memory_mb: int | None
) -> SearchEngine:
    from qsage_validate.solvers.positional_search import PositionalEngine

    return PositionalEngine(game.model, _stage(game.model, choice, memory_mb), game)


def grid_engine(game: BddlGame, choice: EngineChoice, memory_mb: int | None) -> SearchEngine:
    """The search of a grid game that is a positional one; ``UsageError`` for another."""
    if not game.grounding.is_positional:
        raise UsageError(f"{game.name} is no positional game")
    from qsage_validate.solvers.positional_search import GridEngine

    return GridEngine(game, lambda model: _stage(model, choice, memory_mb))


def engine_for(
    game: TwoPlayerGame, choice: EngineChoice = EngineChoice.AUTO, memory_mb: int | None = None
) -> SearchEngine | None:
    """The engine made for games of a language; ``None`` where the general one is to be taken."""
    place = languages()[game.language].engine if game.language in languages() else None
    try:
        found: SearchEngine | None = None if place is None else load(place)(game, choice, memory_mb)
        return found
    except UsageError:
        # Turns of several stones, a network with too many ways to list, or a grid on which pieces
        # move.
        return None


def _general(game: TwoPlayerGame) -> SearchEngine:
    from qsage_validate.solvers.general_search import Bounds

    return Bounds(game)


def _general_for(game: TwoPlayerGame, choice: EngineChoice, memory_mb: int | None) -> SearchEngine:
    quicker = _quicker()
    if choice is EngineChoice.FAST and not quicker:
        raise UsageError("found the engine fast, expected an installed package that has it")
    takes = [one for one in quicker if game.language in one.languages]
    if choice is EngineChoice.FAST:
        takes = takes or [quicker[0]]  # which says why not
    if not takes:
        return _general(game)
    engine: SearchEngine = load(takes[0].general)(game, choice, memory_mb)
    return engine


def _check_fast(game: TwoPlayerGame, own: SearchEngine) -> None:
    for one in _quicker():
        load(one.check)()
    if not own.at_once:
        raise UsageError(
            f"found the engine fast for {game.name}, which has a search of its own, expected auto "
            "or pure"
        )


def search_for(
    game: TwoPlayerGame,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
    engine: EngineChoice = EngineChoice.AUTO,
) -> SearchSolver:
    """The search by the engine made for the game where it takes it, else the general one.

    A long search of a grid game, a game in GDL or a game of connection goes on in machine code
    where numba is there.  Raises ``UsageError`` if the compiled engine is asked for and does not
    take the game, is not installed, or has a table that does not fit in the memory.  Where the time
    is over before the search has begun, it finds nothing.
    """
    try:
        with alarm(limits.deadline, "the search was prepared", least=_LEAST_SECONDS):
            limits.deadline.check("the search was prepared")
            own = engine_for(game, engine, limits.memory_mb)
            if engine is EngineChoice.FAST and own is not None:
                _check_fast(game, own)
            found = own or _general_for(game, engine, limits.memory_mb)
            return SearchSolver(game, found, limits=limits, tell=tell)
    except UndecidedError as error:
        from qsage_validate.solvers.general_search import UnpreparedSearch

        unprepared = UnpreparedSearch(game, str(error))
    return SearchSolver(game, unprepared, limits=limits, tell=tell)
