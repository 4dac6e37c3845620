"""Search made for positional games in which the players claim one position a turn.

It answers the same questions as :class:`~qsage_validate.solvers.search.solver.Solver`, by what
holds in positional games only: threats and zones, pairing strategies, the sum of Erdős and
Selfridge, and for maker-maker games the maker-breaker game of Black's sets (``maker_breaker``
and ``maker_maker``).  Black's stones are counted instead of plies, for nothing happens in
White's last ply.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from qsage_validate.errors import UsageError
from qsage_validate.games.positional.keys import CanonicalKeys
from qsage_validate.games.positional.masks import minimal
from qsage_validate.games.positional.pairing import Pairing
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.positional.preprocessing import without_dead_sets, without_long_sets
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.positional.symmetry import key_symmetries
from qsage_validate.games.protocol import Move, Player, Position, State
from qsage_validate.solvers.search.positional.maker_breaker import MakerBreaker
from qsage_validate.solvers.search.positional.maker_maker import MakerMaker
from qsage_validate.solvers.search.positional.table import NEVER, NOT_WITHIN
from qsage_validate.solvers.search.positional.winning_sets import WinningSets, alive
from qsage_validate.solvers.search.solver import Solver, _stack_depth
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Tell, nobody

BLACK, WHITE = Player.BLACK, Player.WHITE

MOST_SETS = 5_000
"""With more winning sets, listing and moving them costs more than the search gains."""

# How often the clock is looked at: a node takes longer than one of the general search.
_TICK = 256


class PositionalSolver(Solver):
    """The search of one positional game with its tables; limits as in ``Solver``.

    Positions that do not arise from the first stones are left to the general search.  Raises
    ``UsageError`` for games with turns of several stones, and with more than ``MOST_SETS`` winning
    sets or minimal ways of a network.
    """

    def __init__(
        self,
        game: PositionalGame,
        *,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        tell: Tell = nobody,
    ) -> None:
        super().__init__(game, limits=limits, tell=tell)
        model = game.model
        if not model.alternates:
            raise UsageError(f"{model.name}: found turns of several stones, expected of one")
        self._model = model
        self._size = len(model.positions)
        # The sets that the first stones leave, and that the stones of the play are enough for.
        short = without_long_sets(without_dead_sets(with_winning_sets(model, MOST_SETS)))
        if max(len(short.black_wins), len(short.white_wins)) > MOST_SETS:
            raise UsageError(f"{model.name}: found more than {MOST_SETS:,} winning sets")
        keys = CanonicalKeys(self._size, key_symmetries(short, game.arrangement))
        # Left out are sets that more stones could complete: what holds for ever holds without them.
        self._cut = model.network is not None or len(short.black_wins) < len(
            without_dead_sets(model).black_wins
        )
        self._sets = WinningSets(minimal(short.black_wins), self._size)
        self._engine: MakerBreaker | MakerMaker
        if short.white_wins:
            whites = WinningSets(minimal(short.white_wins), self._size)
            self._engine = MakerMaker(self._sets, whites, keys, self._count)
            self._maker = self._engine.maker
        else:
            self._engine = self._maker = MakerBreaker(self._sets, keys, self._count)

    @property
    def positions(self) -> int:
        """How many positions the tables hold."""
        tables = [*self._maker.tables]
        if isinstance(self._engine, MakerMaker):
            tables += self._engine.tables
        return sum(map(len, tables))

    def pairing(self, position: Position) -> Pairing | None:
        """Pairs of open positions with which White holds for ever, whoever is to move.

        ``None`` when there are none; White may hold all the same.
        """
        model = self._model
        black, white = self._pieces(self._kernel.state(position))
        if position.outcome is not None or model.black & ~black or model.white & ~white:
            return None
        layers = self._sets.layers(black, white)
        if self._cut:
            return None
        found = self._maker.pairing.find(black | white, alive(layers, len(layers)))
        return None if found is None else Pairing(found)

    def winner(self, position: Position) -> Player:
        """Who wins from a position of the game; raises ``UndecidedError`` at a limit."""
        if position.outcome is not None:
            return position.outcome.winner
        known = self._look_up(position)
        if known is not None:
            return known
        with self._running():
            return BLACK if self._decide(position)[0] > 0 else WHITE

    # -- what the general search asks -------------------------------------------------------

    def _count(self) -> None:
        self.nodes += 1
        if not self.nodes & (_TICK - 1):
            self._tick()

    @contextmanager
    def _running(self) -> Iterator[None]:
        # A ply may take a step of each of the searches that are made of one another.
        need = _stack_depth() + 4 * self.game.plies + 400
        sys.setrecursionlimit(max(sys.getrecursionlimit(), need))
        with super()._running():
            yield

    def _stones(self, player: Player, plies: int) -> int:
        """How many of the next plies are Black's."""
        return (plies + 1) // 2 if player is BLACK else plies // 2

    def _fits(self, state: State, stones: int) -> bool:
        """Whether a position arises from the first stones, as the sets at hand expect."""
        model = self._model
        black, white = self._pieces(state)
        placed = (black & ~model.black).bit_count(), (white & ~model.white).bit_count()
        kept = not model.black & ~black and not model.white & ~white
        return (
            kept
            and placed[0] + stones <= model.moves_of(BLACK)
            and placed[1] + stones <= model.moves_of(WHITE) + 1
        )

    def _pieces(self, state: State) -> tuple[int, int]:
        assert isinstance(state, int)
        return state & self._model.all, state >> self._size

    def _search(self, state: State, player: Player, plies: int) -> int:
        stones = self._stones(player, plies)
        if not self._fits(state, stones):
            return super()._search(state, player, plies)
        if not stones:
            return NOT_WITHIN
        black, white = self._pieces(state)
        result = self._engine.search(black, white, stones, blacks_turn=player is BLACK)
        return min(result, 1)

    def _decide(self, position: Position) -> tuple[int, int]:
        result = plies = 0
        state, left = self._kernel.state(position), self._plies_left(position)
        player = position.to_move
        for plies in range(1, left + 1):
            # Black's stones are what counts: a ply of White's more makes no difference.
            if plies < left and self._stones(player, plies) == self._stones(player, plies - 1):
                continue
            self._depth = plies
            result = self._search(state, player, plies)
            self._report()
            if result != NOT_WITHIN:
                break
        if result == NEVER and self._cut:
            return NOT_WITHIN, left
        return result, plies

    def _known_so_far(self, position: Position) -> str:
        return self._refuted(self._depth - 1)

    def _look_up(self, position: Position, left: int | None = None) -> Player | None:
        if left is None:
            left = self._plies_left(position)
        state, player = self._kernel.state(position), position.to_move
        stones = self._stones(player, left)
        if not self._fits(state, stones):
            return super()._look_up(position, left)
        black, white = self._pieces(state)
        known = self._engine.known(black, white, stones, blacks_turn=player is BLACK)
        return None if known is None else BLACK if known else WHITE

    def _best_move(self, position: Position) -> Move | None:
        """A winning move; the one that decided the position, where it is known."""
        player = position.to_move
        result, plies = self._decide(position)
        if (result > 0) is not (player is BLACK):
            return None
        state = self._kernel.state(position)
        stones = self._stones(player, plies)
        if self._fits(state, stones):
            black, white = self._pieces(state)
            hint = self._engine.hint(black, white, stones, blacks_turn=player is BLACK)
            if hint:
                move = self._kernel.move(hint.bit_length() - 1, player)
                after = position.play(move)
                if self._keeps(after, plies - 1, player):
                    return move
        return super()._best_move(position)

    def _keeps(self, after: Position, left: int, player: Player) -> bool:
        """Whether a player has won by a move, or goes on to win: Black as soon as can be."""
        if after.outcome is not None:
            return after.outcome.winner is player
        if player is WHITE:
            left = self._plies_left(after)
        result = self._search(self._kernel.state(after), after.to_move, left)
        return (result > 0) is (player is BLACK)
