"""The general search: AND-OR with bounds on the plies of a win, for any game with a kernel.

A table keeps, for each position and player to move, within how many plies Black is known to win
and within how many known not to.  These bounds are monotone: a win within k plies is a win within
more (Definition 10 of Shaik and van de Pol 2023).  Symmetric positions share an entry, replies
that refuted elsewhere are tried first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from qsage_validate.games.protocol import Game, Kernel, Move, Player, Position, State
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN, WIN, LimitError

BLACK, WHITE = Player.BLACK, Player.WHITE

MAX_PLIES = 900
"""The greatest depth of the search: its recursion has to fit into the stack of a thread."""

# More plies than there are: Black never wins.
_ALWAYS = 1 << 30
# A clock and a count are looked at every so many nodes.
_TICK = 4096
# Finding what is symmetric to a position costs more than searching below this many plies.
_SYMMETRIC_FROM = 4


class PositionKernel(Kernel):
    """Any game as a kernel: the states are its positions.

    A position that has ended counts as won at once by its winner when that is the player to
    move, and has no successors otherwise.  A play that ends because the next player cannot
    move ends with the last move here, one ply earlier than with a kernel of the game's own.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.initial = game.initial
        players = list(map(game.player_at, range(1, game.plies + 1)))
        self.alternates = all(a is not b for a, b in pairwise(players))
        self._numbers = {p: {m: n for n, m in enumerate(game.moves(p))} for p in Player}

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

    def player_to_move(self, state: State) -> Player:
        assert isinstance(state, Position)
        return state.to_move

    def key(self, state: State) -> Hashable:
        return state

    def move(self, number: int, player: Player) -> Move:
        return self._game.moves(player)[number]

    def state(self, position: Position) -> State:
        return position


def _unwatched() -> None:
    """Go on."""


class Bounds:
    """The general search of one game (a ``SearchEngine``)."""

    deepens = False
    for_ever = True

    def __init__(self, game: Game, kernel: Kernel | None = None) -> None:
        self.kernel = kernel or game.kernel() or PositionKernel(game)
        self.watch: Callable[[], None] = _unwatched
        self.nodes = 0
        self._alternates = self.kernel.alternates
        # For a state: Black wins within the first number of plies (or not at all, as far as is
        # known: _ALWAYS), and does not win within the second.
        self._tables: dict[Player, dict[Hashable, tuple[int, int]]] = {BLACK: {}, WHITE: {}}
        self._bounds: dict[tuple[int, int], tuple[int, int]] = {}
        self._history: dict[Player, dict[int, int]] = {BLACK: {}, WHITE: {}}

    @property
    def positions(self) -> int:
        """The number of positions in the table."""
        return sum(map(len, self._tables.values()))

    def frames(self, plies: int) -> int:
        """The stack frames: one for each ply, and some for the caller."""
        return min(plies, MAX_PLIES) + 200

    def depths(self, player: Player, last: int) -> range:
        """All of them."""
        return range(1, last + 1)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``; a limit beyond ``MAX_PLIES``."""
        if plies < 1:
            return NOT_WITHIN
        if plies > MAX_PLIES:
            raise LimitError(f"the search goes {MAX_PLIES} plies deep")
        return self._black(state, plies) if player is BLACK else self._white(state, plies)

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the table does not tell."""
        entry = self._tables[player].get(self._key(state, plies))
        if entry is None:
            return None
        if plies >= entry[0]:
            return True
        return False if plies <= entry[1] else None

    def hint(self, state: State, player: Player, plies: int) -> None:
        """Always ``None``: the caller finds deciding moves by the table's entries after them."""

    def _key(self, state: State, plies: int) -> Hashable:
        return self.kernel.key(state) if plies >= _SYMMETRIC_FROM else state

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
        """The result within ``plies`` (at least 1), with Black to move."""
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self.watch()
        if self.kernel.wins_at_once(state, BLACK):
            return WIN
        if plies == 1:
            return NOT_WITHIN
        key = self.kernel.key(state) if plies >= _SYMMETRIC_FROM else state
        win, lose = self._tables[BLACK].get(key, (_ALWAYS, 0))
        if plies >= win:
            return WIN
        if plies <= lose:
            return NEVER if lose == _ALWAYS else NOT_WITHIN
        successors = self.kernel.candidates(state, BLACK, plies)
        # What is left out cannot win in time, but perhaps later.
        best = NEVER if successors is None else NOT_WITHIN
        if successors is None:
            successors = self.kernel.successors(state, BLACK)
        follow = self._white if self._alternates else self._either
        for number, after, _ in self._ordered(BLACK, successors):
            result = follow(after, plies - 1)
            if result == WIN:
                self._remember(BLACK, number, plies)
                self._store(BLACK, key, plies, lose)
                return WIN
            best = max(best, result)
        self._store(BLACK, key, win, plies if best == NOT_WITHIN else _ALWAYS)
        return best

    def _white(self, state: State, plies: int) -> int:
        """The result within ``plies`` (at least 1), with White to move."""
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self.watch()
        if self.kernel.wins_at_once(state, WHITE):
            return NEVER
        if plies == 1:
            return NOT_WITHIN if self.kernel.successors(state, WHITE) else WIN
        key = self.kernel.key(state) if plies >= _SYMMETRIC_FROM else state
        win, lose = self._tables[WHITE].get(key, (_ALWAYS, 0))
        if plies >= win:
            return WIN
        if plies <= lose:
            return NEVER if lose == _ALWAYS else NOT_WITHIN
        successors = self.kernel.candidates(state, WHITE, plies)
        if successors is None:
            successors = self.kernel.successors(state, WHITE)
        follow = self._black if self._alternates else self._either
        for number, after, _ in self._ordered(WHITE, successors):
            result = follow(after, plies - 1)
            if result != WIN:
                self._remember(WHITE, number, plies)
                self._store(WHITE, key, win, plies if result == NOT_WITHIN else _ALWAYS)
                return result
        self._store(WHITE, key, plies, lose)
        return WIN

    def _either(self, state: State, plies: int) -> int:
        """The result within ``plies`` (at least 1), with either player to move."""
        if self.kernel.player_to_move(state) is BLACK:
            return self._black(state, plies)
        return self._white(state, plies)
