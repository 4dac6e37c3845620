"""The general search: AND-OR with bounds on the plies of a win, for any game with a kernel.

A table keeps, for each position and player to move, within how many plies Black is known to win
and within how many known not to.  These bounds are monotone: a win within k plies is a win within
more (Definition 10 of Shaik and van de Pol 2023).  Symmetric positions share an entry, replies
that refuted elsewhere are tried first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from qsage_validate.games.kernel import ALWAYS, Kernel, State, kernel_of
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solvers.search_engine import (
    MAX_PLIES,
    NEVER,
    NOT_WITHIN,
    WIN,
    LimitError,
    ManyReplies,
    unwatched,
)

BLACK, WHITE = Player.BLACK, Player.WHITE

# A clock and a count are looked at every so many nodes.
_TICK = 4096
# Bounds are asked for after so many nodes: to prepare them takes as long as these.
_BOUNDS_FROM = 4096
# Finding what is symmetric to a position costs more than searching below this many plies.
_SYMMETRIC_FROM = 4


class PositionKernel(Kernel):
    """Any game as a kernel: the states are its positions.

    A position that has ended counts as won at once by its winner when that is the player to
    move, and has no successors otherwise.  A play that ends because the next player cannot
    move ends with the last move here, one ply earlier than with a kernel of the game's own.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
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


def _first_two(one: tuple[int, int, int, State]) -> tuple[int, int]:
    return one[:2]


def _unknown(state: State, player: Player) -> None: ...


class Bounds:
    """The general search of one game (a ``SearchEngine``).

    The bounds that the kernel knows at once are asked for after ``bounds_from`` nodes, without
    ``with_bounds`` not at all.
    """

    deepens = False
    at_once = True
    many: ManyReplies | None = None
    replaces = False
    name = "pure"
    for_ever = True

    def __init__(
        self,
        game: TwoPlayerGame,
        kernel: Kernel | None = None,
        *,
        with_bounds: bool = True,
        bounds_from: int = _BOUNDS_FROM,
    ) -> None:
        self.kernel = kernel or kernel_of(game) or PositionKernel(game)
        self.watch: Callable[[], None] = unwatched
        self.nodes = 0
        self._alternates = self.kernel.alternates
        self._bounds_from = bounds_from
        self._bounded = self._bounds_later if with_bounds else _unknown
        # For a state: Black wins within the first number of plies (or not at all, as far as is
        # known: ALWAYS), and does not win within the second.
        self._tables: dict[Player, dict[Hashable, tuple[int, int]]] = {BLACK: {}, WHITE: {}}
        self._pairs: dict[tuple[int, int], tuple[int, int]] = {}
        self._history: dict[Player, dict[int, int]] = {BLACK: {}, WHITE: {}}

    @property
    def positions(self) -> int:
        return sum(map(len, self._tables.values()))

    def frames(self, plies: int) -> int:
        """The stack frames: one for each ply, and some for the caller."""
        return min(plies, MAX_PLIES) + 200

    def depths(self, player: Player, last: int) -> range:
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
        win, lose = self._tables[player].get(self._key(state, plies), (ALWAYS, 0))
        if plies >= win:
            return True
        if plies <= lose:
            return False
        if self.kernel.wins_at_once(state, player):
            return player is BLACK
        result = self._by_bounds(state, player, plies)
        return None if result is None else result == WIN

    def hint(self, state: State, player: Player, plies: int) -> None:
        """Always ``None``: the caller finds deciding moves by the table's entries after them."""

    def _bounds_later(self, state: State, player: Player) -> tuple[int, int] | None:
        if self.nodes < self._bounds_from:
            return None
        self._bounded = self.kernel.bounds
        return self._bounded(state, player)

    def _key(self, state: State, plies: int) -> Hashable:
        return self.kernel.key(state) if plies >= _SYMMETRIC_FROM else state

    def _store(self, player: Player, key: Hashable, win: int, lose: int) -> None:
        # Few pairs of bounds occur, so one object serves all positions that share them.
        bounds = (win, lose)
        self._tables[player][key] = self._pairs.setdefault(bounds, bounds)

    def _ordered(
        self, player: Player, successors: Sequence[tuple[int, State, bool]]
    ) -> Sequence[tuple[int, State]]:
        history = self._history[player]
        found = [(number, after) for number, after, _ in successors]
        if len(found) > 1:
            found.sort(key=lambda successor: -history.get(successor[0], 0))
        return found

    def _remember(self, player: Player, number: int, plies: int) -> None:
        history = self._history[player]
        history[number] = history.get(number, 0) + plies * plies

    def _black(self, state: State, plies: int, *, looked_at: bool = False) -> int:
        """The result within ``plies`` (at least 1), with Black to move.

        ``looked_at`` says that Black does not win at once and that no bound decides.
        """
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self.watch()
        if not looked_at:
            if self.kernel.wins_at_once(state, BLACK):
                return WIN
            if plies == 1:
                return NOT_WITHIN
            known = self._by_bounds(state, BLACK, plies)
            if known is not None:
                return known
        key = self.kernel.key(state) if plies >= _SYMMETRIC_FROM else state
        win, lose = self._tables[BLACK].get(key, (ALWAYS, 0))
        if plies >= win:
            return WIN
        if plies <= lose:
            return NEVER if lose == ALWAYS else NOT_WITHIN
        successors, best, looked_at = self._to_look_at(state, BLACK, plies)
        follow = self._white if self._alternates else self._either
        for number, after in successors:
            result = follow(after, plies - 1, looked_at=looked_at)
            if result == WIN:
                self._remember(BLACK, number, plies)
                self._store(BLACK, key, plies, lose)
                return WIN
            best = max(best, result)
        if best == WIN:
            self._store(BLACK, key, plies, lose)
        else:
            self._store(BLACK, key, win, plies if best == NOT_WITHIN else ALWAYS)
        return best

    def _white(self, state: State, plies: int, *, looked_at: bool = False) -> int:
        """The result within ``plies`` (at least 1), with White to move."""
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self.watch()
        if not looked_at:
            if self.kernel.wins_at_once(state, WHITE):
                return NEVER
            if plies == 1:
                return NOT_WITHIN if self.kernel.successors(state, WHITE) else WIN
            known = self._by_bounds(state, WHITE, plies)
            if known is not None:
                return known
        key = self.kernel.key(state) if plies >= _SYMMETRIC_FROM else state
        win, lose = self._tables[WHITE].get(key, (ALWAYS, 0))
        if plies >= win:
            return WIN
        if plies <= lose:
            return NEVER if lose == ALWAYS else NOT_WITHIN
        successors, best, looked_at = self._to_look_at(state, WHITE, plies)
        follow = self._black if self._alternates else self._either
        for number, after in successors:
            result = follow(after, plies - 1, looked_at=looked_at)
            if result != WIN:
                self._remember(WHITE, number, plies)
                best = result
                break
        if best == WIN:
            self._store(WHITE, key, plies, lose)
        else:
            self._store(WHITE, key, win, plies if best == NOT_WITHIN else ALWAYS)
        return best

    def _by_bounds(self, state: State, player: Player, plies: int) -> int | None:
        """The result that the bounds give, ``None`` where they leave it open."""
        bounds = self._bounded(state, player)
        if bounds is None:
            return None
        if plies >= bounds[0]:
            return WIN
        if plies <= bounds[1]:
            return NEVER if bounds[1] == ALWAYS else NOT_WITHIN
        return None

    def _to_look_at(
        self, state: State, player: Player, plies: int
    ) -> tuple[Sequence[tuple[int, State]], int, bool]:
        """The successors to search, the result of the others, and whether these are looked at.

        No successor is left when the others decide.
        """
        candidates = self.kernel.candidates(state, player, plies)
        if candidates is not None:
            # The moves left out cannot win in time, but perhaps later.
            return self._ordered(player, candidates), NOT_WITHIN if player is BLACK else WIN, False
        quiet = self.kernel.quiet_successors(state, player)
        if quiet is None:
            successors = self.kernel.successors(state, player)
            return self._ordered(player, successors), NEVER if player is BLACK else WIN, False
        return self._undecided(quiet, player, plies - 1)

    def _undecided(
        self, quiet: Sequence[tuple[int, State, bool]], player: Player, plies: int
    ) -> tuple[Sequence[tuple[int, State]], int, bool]:
        """Of quiet successors, with so many plies left, those that no bound decides."""
        best = NEVER if player is BLACK else WIN
        if plies == 1:
            if player is BLACK:
                for _, after, _ in quiet:
                    if not self.kernel.successors(after, WHITE):
                        return (), WIN, True
                    best = NOT_WITHIN
                return (), best, True
            return (), NOT_WITHIN if quiet else WIN, True
        history = self._history[player]
        left: list[tuple[int, int, int, State]] = []
        for number, after, _ in quiet:
            bounds = self._bounded(after, player.other)
            lose = 0
            if bounds is not None:
                win, lose = bounds
                if plies >= win:
                    if player is BLACK:
                        return (), WIN, True
                    continue
                if plies <= lose:
                    result = NEVER if lose == ALWAYS else NOT_WITHIN
                    if player is WHITE:
                        return (), result, True
                    best = max(best, result)
                    continue
            left.append(
                (lose if player is BLACK else -lose, -history.get(number, 0), number, after)
            )
        left.sort(key=_first_two)
        return [(number, after) for _, _, number, after in left], best, True

    def _either(self, state: State, plies: int, *, looked_at: bool = False) -> int:
        """The result within ``plies`` (at least 1), with either player to move."""
        if self.kernel.player_to_move(state) is BLACK:
            return self._black(state, plies, looked_at=looked_at)
        return self._white(state, plies, looked_at=looked_at)


class UnpreparedSearch(Bounds):
    """The engine of a search whose time was over before it had begun."""

    def __init__(self, game: TwoPlayerGame, why: str) -> None:
        super().__init__(game)
        self._why = why

    def search(self, state: State, player: Player, plies: int) -> int:
        raise LimitError(self._why)
