"""Grid games that are positional, in the search that is made for these.

See :mod:`qsage_validate.games.bddl.positional`.  The winning sets of a connection game are its
chains, and are searched like those of a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.positional import as_positional
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, State
from qsage_validate.solvers.search.bounds import Bounds
from qsage_validate.solvers.search.positional.engine import PositionalEngine, SearchStage
from qsage_validate.solvers.search.search_engine import (
    NEVER,
    NOT_WITHIN,
    WIN,
    ManyReplies,
    SearchEngine,
)

BLACK, WHITE = Player.BLACK, Player.WHITE


def positional_model_of(game: BddlGame) -> PositionalModel:
    """The positional game that a grid game is; position k is square k of the grounding.

    Raises ``UsageError`` for a game that is not positional, that begins with a goal reached (a
    positional game has ended then, a grid game has not), or in which White may lose because the
    board is full (a positional game is White's then).
    """
    model = _up_to_the_full_board(game)
    if game.plies > model.open.bit_count() and _stuck(model.open, game.first_player) is WHITE:
        raise UsageError(f"{game.name}: White cannot move on the full board, and loses")
    return model


def _stuck(free: int, player: Player) -> Player:
    """The player who is to move on the full board, if nobody wins before; ``free`` are open."""
    return player.other if free.bit_count() % 2 else player


def _up_to_the_full_board(game: BddlGame) -> PositionalModel:
    if not game.grounding.is_positional:
        raise UsageError(f"{game.name} is no positional game")
    model = as_positional(game.grounding)
    if any(game.grounding.wins(game.grounding.initial, player) for player in Player):
        raise UsageError(f"{game.name}: found a goal that is reached at the beginning")
    return model


def _reversed(model: PositionalModel, plies: int, first: Player) -> PositionalModel:
    """The game with the colours exchanged: does White win within so many plies?"""
    return replace(
        model,
        turns=alternating(plies, first.other),
        black_wins=model.white_wins,
        white_wins=model.black_wins,
        black=model.white,
        white=model.black,
    )


StageOf = Callable[[PositionalModel], SearchStage | None]


def _no_stage(model: PositionalModel) -> None: ...


class GridEngine:
    """The search of a positional game for a grid game (a ``SearchEngine``).

    Who loses on a full board is White: then Black wins if White does not, which the same search
    tells with the colours exchanged.  Raises ``UsageError`` for a game that is not positional,
    begins with a goal reached, or has too many winning sets.
    """

    many: ManyReplies | None = None
    replaces = False

    def __init__(self, game: BddlGame, stage: StageOf = _no_stage) -> None:
        model = _up_to_the_full_board(game)
        self._inner = PositionalEngine(PositionalGame(model), stage(model))
        free, first = model.open.bit_count(), game.first_player
        self._beyond = game.plies > free and _stuck(model.open, first) is WHITE
        self._white: PositionalEngine | None = None
        if model.white_wins and self._beyond:
            self._white = PositionalEngine(PositionalGame(_reversed(model, free, first)))
        self._general = Bounds(game)
        reverse = [] if self._white is None else [self._white]
        self._engines: list[SearchEngine] = [self._inner, self._general, *reverse]
        self.kernel = self._general.kernel
        grounding = game.grounding
        self._size = grounding.squares
        self._planes = (1 << 2 * self._size) - 1
        self._whites = bool(model.white_wins)
        # With more plies White may lose on the full board.
        stuck = _stuck(model.open, game.first_player)
        self.for_ever = self._inner.for_ever and stuck is BLACK
        # The plane of occupied squares, which an action changes whoever moves.
        self._numbers = {
            player: {
                (action.put >> 2 * self._size).bit_length() - 1: action.number
                for action in grounding.actions[player]
            }
            for player in Player
        }

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def at_once(self) -> bool:
        return self._inner.at_once

    @property
    def deepens(self) -> bool:
        return self._inner.deepens

    @property
    def watch(self) -> Callable[[], None]:
        """Called every so many nodes, by all searches."""
        return self._inner.watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        for engine in self._engines:
            engine.watch = watch

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return sum(engine.nodes for engine in self._engines)

    @property
    def positions(self) -> int:
        return sum(engine.positions for engine in self._engines)

    def frames(self, plies: int) -> int:
        """As many as the search of positional games takes."""
        return max(self._inner.frames(plies), self._general.frames(plies))

    def depths(self, player: Player, last: int) -> Iterable[int]:
        """The depths of the positional game; all depths where the full board may decide."""
        return range(1, last + 1) if self._beyond else self._inner.depths(player, last)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``."""
        free = self._free(state)
        if plies <= free.bit_count() or _stuck(free, player) is BLACK:
            within = min(plies, free.bit_count())
            result = self._inner.search(self._state(state), player, within)
            # What Black does not reach on the board may come when it is full.
            return max(result, NOT_WITHIN) if self._beyond else result
        if self._white is None:
            # White has no goal, or the position is of a longer game.
            return self._general.search(state, player, plies) if self._whites else WIN
        loses = self._white.search(self._mirrored(state), player.other, free.bit_count())
        return NEVER if loses == WIN else WIN

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the tables do not tell."""
        free = self._free(state)
        if plies <= free.bit_count() or _stuck(free, player) is BLACK:
            return self._inner.known(self._state(state), player, min(plies, free.bit_count()))
        if self._white is None:
            return self._general.known(state, player, plies) if self._whites else True
        loses = self._white.known(self._mirrored(state), player.other, free.bit_count())
        return None if loses is None else not loses

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """The number of a move that decided a search; ``None`` when none is known."""
        free = self._free(state)
        if plies > free.bit_count() and _stuck(free, player) is WHITE:
            return None
        within = min(plies, free.bit_count())
        square = self._inner.hint(self._state(state), player, within)
        return None if square is None else self._numbers[player][square]

    def _free(self, state: State) -> int:
        """The open squares."""
        assert isinstance(state, int)
        return ~(state >> 2 * self._size) & (1 << self._size) - 1

    def _state(self, state: State) -> int:
        assert isinstance(state, int)
        return state & self._planes

    def _mirrored(self, state: State) -> int:
        """The state of the game with the colours exchanged."""
        black, white = self._state(state) & (1 << self._size) - 1, self._state(state) >> self._size
        return white | black << self._size
