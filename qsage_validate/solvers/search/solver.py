"""Depth-bounded search on the rules: who wins, in how few plies, and by which moves.

One solver for every game that answers the protocol.  The question is the formula's: does Black
win within the plies of the game?  The search is an AND-OR search with iterative deepening by
plies; a table keeps, for each position and player to move, within how many plies Black is
known to win and within how many known not to.  These bounds are monotone: a win within k plies
is a win within more (Definition 10 of Shaik and van de Pol 2023).  Symmetric positions share an
entry, replies that refuted elsewhere are tried first.

The table stays usable after a solve, after an interrupt, and for positions off the best line:
``Solver.winner`` answers for any position of the game, mostly by looking it up.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.protocol import Game, Kernel, Move, Player, Position, State
from qsage_validate.system.clock import now
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Progress, Tell, nobody

BLACK, WHITE = Player.BLACK, Player.WHITE

MAX_PLIES = 900
"""How deep the search goes: its recursion has to fit into the stack of a thread."""

# Results of a search with so many plies left.
_WIN = 1
_NOT_WITHIN = 0
_NEVER = -1

# More plies than there are: Black never wins.
_ALWAYS = 1 << 30
# A clock and a count are looked at every so many nodes.
_TICK = 4096
# A position of the table with its bounds, as measured on CPython.
_BYTES_A_POSITION = 150
# Finding what is symmetric to a position costs more than searching below this many plies.
_SYMMETRIC_FROM = 4


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    ``winner`` is ``None`` when a limit was reached.  ``critical_plies`` is the critical depth,
    the fewest plies in which Black wins (``None`` when Black does not).  ``first_moves`` are
    winning first moves of the winner: all of them when they were asked for, else one; none when
    the other player begins.  ``positions`` is the size of the table.  ``never`` says that Black
    would not win in however many plies, as where White has won already.
    """

    winner: Player | None
    reason: str
    critical_plies: int | None
    first_moves: tuple[Move, ...]
    nodes: int
    positions: int
    seconds: float
    never: bool = False


class _LimitError(Exception):
    """A limit was reached; caught within this module."""


class PositionKernel(Kernel):
    """Any game as a kernel: the states are its positions.

    A position that has ended counts as won at once by its winner when that is the player to
    move, and has no successors otherwise.  A play that ends because the next player cannot
    move ends with the last move here, one ply earlier than with a kernel of the game's own.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._numbers = {p: {m: n for n, m in enumerate(game.moves(p))} for p in Player}

    @property
    def initial(self) -> State:
        return self._game.initial

    def successors(self, state: State, player: Player) -> list[tuple[int, State, bool]]:
        assert isinstance(state, Position)
        result: list[tuple[int, State, bool]] = []
        for move in state.legal_moves():
            after = state.play(move)
            outcome = after.outcome
            won = outcome is not None and outcome.winner is player
            result.append((self._numbers[player][move], after, won))
        return result

    def wins_at_once(self, state: State, player: Player) -> bool:
        assert isinstance(state, Position)
        if state.outcome is not None:
            return state.outcome.winner is player
        return any(won for _, _, won in self.successors(state, player))

    @property
    def alternates(self) -> bool:
        game = self._game
        return all(game.player_at(k) is not game.player_at(k + 1) for k in range(1, game.plies))

    def player_to_move(self, state: State) -> Player:
        assert isinstance(state, Position)
        return state.to_move

    def key(self, state: State) -> Hashable:
        return state

    def move(self, number: int, player: Player) -> Move:
        return self._game.moves(player)[number]

    def state(self, position: Position) -> State:
        return position


class Solver:
    """The search of one game with its table.

    ``limits`` hold for all calls together, their memory for the table; ``tell`` hears now and
    then how many plies deep it is searched.
    """

    def __init__(
        self,
        game: Game,
        *,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        tell: Tell = nobody,
    ) -> None:
        self.game = game
        self.limits = limits
        self._tell = tell
        self.nodes = 0
        self._kernel = game.kernel() or PositionKernel(game)
        self._alternates = self._kernel.alternates
        # For a state: Black wins within the first number of plies (or not at all, as far as is
        # known: _ALWAYS), and does not win within the second.
        self._tables: dict[Player, dict[Hashable, tuple[int, int]]] = {BLACK: {}, WHITE: {}}
        self._bounds: dict[tuple[int, int], tuple[int, int]] = {}
        self._history: dict[Player, dict[int, int]] = {BLACK: {}, WHITE: {}}
        self._started = 0.0
        self._depth = 0

    @property
    def positions(self) -> int:
        """How many positions the table holds."""
        return sum(map(len, self._tables.values()))

    @property
    def _most_positions(self) -> int | None:
        """How many positions the table may hold."""
        memory_mb, positions = self.limits.memory_mb, self.limits.positions
        room = None if memory_mb is None else memory_mb * 1_000_000 // _BYTES_A_POSITION
        return min((n for n in (positions, room) if n is not None), default=None)

    # -- questions --------------------------------------------------------------------------

    def solve(self, *, all_first_moves: bool = False) -> SearchResult:
        """Who wins the game, searching deeper and deeper up to its number of plies."""
        position = self.game.initial
        start, before = now(), self.nodes
        winner: Player | None = None
        plies: int | None = None
        first_moves: tuple[Move, ...] = ()
        never = False
        with self._running():
            try:
                winner, plies, reason, never = self._decide_initial(position)
                if winner is position.to_move and position.outcome is None:
                    if all_first_moves:
                        first_moves = tuple(self._winning_moves(position))
                    elif (best := self._best_move(position)) is not None:
                        first_moves = (best,)
            except _LimitError as limit:
                # A limit while the first moves were looked for leaves the verdict standing.
                if winner is None:
                    reason = f"undecided: {limit} ({self._known_so_far(position)})"
                else:
                    reason += f"; not all first moves were looked at: {limit}"
        return SearchResult(
            winner,
            reason,
            plies,
            first_moves,
            self.nodes - before,
            self.positions,
            now() - start,
            never,
        )

    def winner(self, position: Position) -> Player:
        """Who wins from a position of the game; raises ``UndecidedError`` at a limit."""
        outcome = position.outcome
        if outcome is not None:
            return outcome.winner
        known = self._look_up(position)
        if known is not None:
            return known
        with self._running():
            state, left = self._kernel.state(position), self._plies_left(position)
            return BLACK if self._search(state, position.to_move, left) == _WIN else WHITE

    def winning_moves(self, position: Position) -> list[Move]:
        """All moves after which the player to move still wins, in the order of the rules.

        Raises ``UndecidedError`` at a limit.
        """
        with self._running():
            return list(self._winning_moves(position))

    def best_move(self, position: Position) -> Move | None:
        """A winning move; for Black one on a shortest way to the win.  ``None``: there is none.

        Raises ``UndecidedError`` at a limit.
        """
        with self._running():
            return self._best_move(position)

    # -- deciding a position ----------------------------------------------------------------

    def _plies_left(self, position: Position) -> int:
        return self.game.plies - position.ply + 1

    def _search(self, state: State, player: Player, plies: int) -> int:
        if plies < 1:
            return _NOT_WITHIN
        if plies > MAX_PLIES:
            raise _LimitError(f"the search goes {MAX_PLIES} plies deep")
        return self._black(state, plies) if player is BLACK else self._white(state, plies)

    def _decide(self, position: Position) -> tuple[int, int]:
        """The result for a position that has not ended, and the plies that were searched."""
        state, left = self._kernel.state(position), self._plies_left(position)
        result = plies = 0
        for plies in range(1, left + 1):
            self._depth = plies
            result = self._search(state, position.to_move, plies)
            self._report()
            if result != _NOT_WITHIN:
                break
        return result, plies

    def _decide_initial(self, position: Position) -> tuple[Player, int | None, str, bool]:
        """Who wins, within how many plies, why, and whether Black would not in any number."""
        if position.outcome is not None:
            winner = position.outcome.winner
            return winner, 0 if winner is BLACK else None, position.outcome.reason, winner is WHITE
        result, plies = self._decide(position)
        if result == _WIN:
            return BLACK, plies, f"Black wins within {self.game.span(plies)}", False
        if result == _NEVER:
            return WHITE, None, self._refuted(None), True
        return WHITE, None, self._refuted(self.game.plies), False

    def _known_so_far(self, position: Position) -> str:
        state = self._kernel.state(position)
        bounds = self._tables[position.to_move].get(self._key(state, _SYMMETRIC_FROM))
        plain = self._tables[position.to_move].get(state)
        deepest = max((entry[1] for entry in (bounds, plain) if entry is not None), default=0)
        return self._refuted(deepest)

    def _refuted(self, plies: int | None) -> str:
        if plies == 0:
            return "nothing is known"
        return f"Black does not win within {self.game.span(plies)}"

    def _look_up(self, position: Position, left: int | None = None) -> Player | None:
        """The winner as far as the table tells, with so many plies left (as many as there are)."""
        if left is None:
            left = self._plies_left(position)
        key = self._key(self._kernel.state(position), left)
        entry = self._tables[position.to_move].get(key)
        if entry is None:
            return None
        if left >= entry[0]:
            return BLACK
        return WHITE if left <= entry[1] else None

    def _winning_moves(self, position: Position) -> Iterator[Move]:
        """The winning moves of the player to move, as they are found."""
        player = position.to_move
        for move in position.legal_moves():
            after = position.play(move)
            outcome = after.outcome
            winner = self._look_up(after) if outcome is None else outcome.winner
            if winner is None:
                winner = BLACK if self._decide(after)[0] == _WIN else WHITE
            if winner is player:
                yield move

    def _best_move(self, position: Position) -> Move | None:
        """A winning move; for Black one on a shortest way to the win."""
        player = position.to_move
        after = [(move, position.play(move)) for move in position.legal_moves()]
        for move, next_position in after:
            if next_position.outcome is not None and next_position.outcome.winner is player:
                return move
        after = [(move, p) for move, p in after if p.outcome is None]
        if not after:
            return None
        result, plies = self._decide(position)
        if (result == _WIN) is not (player is BLACK):
            return None
        # The move that decided the position is in the table, and is found there first.
        left = plies - 1 if player is BLACK else self._plies_left(after[0][1])
        for move, next_position in after:
            if self._look_up(next_position, left) is player:
                return move
        for move, next_position in after:
            state = self._kernel.state(next_position)
            if (self._search(state, next_position.to_move, left) == _WIN) is (player is BLACK):
                return move
        raise AssertionError(f"a win in {position}, but no winning move")

    # -- the search -------------------------------------------------------------------------

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Starts the clock, makes room for the recursion, and names a limit that is reached."""
        self._started = now()
        # Never lowered again: another thread may be searching.
        need = _stack_depth() + min(self.game.plies, MAX_PLIES) + 200
        sys.setrecursionlimit(max(sys.getrecursionlimit(), need))
        try:
            yield
        except _LimitError as limit:
            raise UndecidedError(f"undecided: {limit}") from None

    def _tick(self) -> None:
        deadline, most = self.limits.deadline, self._most_positions
        if deadline.over:
            raise _LimitError(f"{deadline.seconds:g} seconds are over")
        if most is not None and self.positions > most:
            raise _LimitError(f"{most:,} positions are in the table")
        if not self.nodes & (64 * _TICK - 1):
            self._report()

    def _report(self) -> None:
        stage = f"searching depth {self._depth}"
        text = f"{self.positions:,} positions, {now() - self._started:.0f} s"
        self._tell(Progress(stage, text, self._depth, self.game.plies))

    def _key(self, state: State, plies: int) -> Hashable:
        return self._kernel.key(state) if plies >= _SYMMETRIC_FROM else state

    def _store(self, player: Player, key: Hashable, win: int, lose: int) -> None:
        # Few pairs of bounds occur, so one object serves all positions that share them.
        bounds = (win, lose)
        self._tables[player][key] = self._bounds.setdefault(bounds, bounds)

    def _ordered(
        self, player: Player, successors: Sequence[tuple[int, State, bool]]
    ) -> Sequence[tuple[int, State, bool]]:
        if len(successors) < 2:
            return successors
        history = self._history[player]
        return sorted(successors, key=lambda successor: -history.get(successor[0], 0))

    def _remember(self, player: Player, number: int, plies: int) -> None:
        history = self._history[player]
        history[number] = history.get(number, 0) + plies * plies

    def _black(self, state: State, plies: int) -> int:
        """Whether Black, to move, wins within ``plies`` (at least 1)."""
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self._tick()
        if self._kernel.wins_at_once(state, BLACK):
            return _WIN
        if plies == 1:
            return _NOT_WITHIN
        key = self._kernel.key(state) if plies >= _SYMMETRIC_FROM else state
        win, lose = self._tables[BLACK].get(key, (_ALWAYS, 0))
        if plies >= win:
            return _WIN
        if plies <= lose:
            return _NEVER if lose == _ALWAYS else _NOT_WITHIN
        successors = self._kernel.candidates(state, BLACK, plies)
        # What is left out cannot win in time, but perhaps later.
        best = _NEVER if successors is None else _NOT_WITHIN
        if successors is None:
            successors = self._kernel.successors(state, BLACK)
        follow = self._white if self._alternates else self._either
        for number, after, _ in self._ordered(BLACK, successors):
            result = follow(after, plies - 1)
            if result == _WIN:
                self._remember(BLACK, number, plies)
                self._store(BLACK, key, plies, lose)
                return _WIN
            best = max(best, result)
        self._store(BLACK, key, win, plies if best == _NOT_WITHIN else _ALWAYS)
        return best

    def _white(self, state: State, plies: int) -> int:
        """Whether Black wins within ``plies`` (at least 1), White being to move."""
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self._tick()
        if self._kernel.wins_at_once(state, WHITE):
            return _NEVER
        if plies == 1:
            return _NOT_WITHIN if self._kernel.successors(state, WHITE) else _WIN
        key = self._kernel.key(state) if plies >= _SYMMETRIC_FROM else state
        win, lose = self._tables[WHITE].get(key, (_ALWAYS, 0))
        if plies >= win:
            return _WIN
        if plies <= lose:
            return _NEVER if lose == _ALWAYS else _NOT_WITHIN
        successors = self._kernel.candidates(state, WHITE, plies)
        if successors is None:
            successors = self._kernel.successors(state, WHITE)
        follow = self._black if self._alternates else self._either
        for number, after, _ in self._ordered(WHITE, successors):
            result = follow(after, plies - 1)
            if result != _WIN:
                self._remember(WHITE, number, plies)
                self._store(WHITE, key, win, plies if result == _NOT_WITHIN else _ALWAYS)
                return result
        self._store(WHITE, key, plies, lose)
        return _WIN

    def _either(self, state: State, plies: int) -> int:
        """Whether Black wins within ``plies`` (at least 1), whoever is to move."""
        if self._kernel.player_to_move(state) is BLACK:
            return self._black(state, plies)
        return self._white(state, plies)


class WinningStrategy:
    """What the winner of a game plays, from the table of the search that found it.

    Raises ``UndecidedError`` when a limit of the solver is reached.
    """

    def __init__(self, solver: Solver, player: Player) -> None:
        self.solver = solver
        self._player = player

    @property
    def player(self) -> Player:
        """The winner."""
        return self._player

    def is_win(self, position: Position) -> bool:
        """Whether the strategy's player wins from ``position``, ended or not."""
        return self.solver.winner(position) is self._player

    def winning_moves(self, position: Position) -> list[Move]:
        """All winning moves of the strategy's player, who is to move."""
        self._check_turn(position)
        return self.solver.winning_moves(position)

    def reply(self, history: Sequence[Move]) -> Move:
        """The move after ``history``: Black's is on a shortest way to the win."""
        position = self.solver.game.initial
        for move in history:
            position = position.play(move)
        self._check_turn(position)
        move = self.solver.best_move(position)
        if move is None:
            raise UsageError(f"{self._player} does not win in {position}")
        return move

    def _check_turn(self, position: Position) -> None:
        if position.outcome is not None:
            raise UsageError(f"the play has ended: {position}")
        if position.to_move is not self._player:
            raise UsageError(f"{position.to_move} is to move, expected {self._player}")


def solve(
    game: Game,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
    all_first_moves: bool = False,
) -> SearchResult:
    """Who wins ``game`` within its plies (see ``SearchResult``)."""
    return Solver(game, limits=limits, tell=tell).solve(all_first_moves=all_first_moves)


def winning_strategy(
    game: Game,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
) -> WinningStrategy:
    """The strategy of whoever wins ``game``; raises ``UndecidedError`` at a limit."""
    solver = Solver(game, limits=limits, tell=tell)
    result = solver.solve()
    if result.winner is None:
        raise UndecidedError(result.reason)
    return WinningStrategy(solver, result.winner)


def _stack_depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
