"""Grid games that are positional, in the search that is made for these.

A grid game is positional when both players may occupy any open square, for good, and goals ask
for own pieces only.  Its grounded rules tell; nothing is known of its name.  The squares become
positions in their own order, so that a state of the grid without its third plane is a state of the
positional game.  The winning sets of a connection game are its chains, and are searched like those
of a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qsage_validate.errors import UsageError
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.kernel import is_positional
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, State
from qsage_validate.solvers.search.bounds import Bounds
from qsage_validate.solvers.search.positional.engine import PositionalEngine, Stage
from qsage_validate.solvers.search.search_engine import ManyReplies

BLACK, WHITE = Player.BLACK, Player.WHITE


def positional_model_of(game: BddlGame) -> PositionalModel:
    """The positional game that a grid game is; position k is square k of the grounding.

    Raises ``UsageError`` for a game that is not positional, that begins with a goal reached (a
    positional game has ended then, a grid game has not), or in which White may lose because the
    board is full (a positional game is White's then).
    """
    grounding = game.grounding
    if not is_positional(grounding):
        raise UsageError(f"{game.name} is no positional game")
    if any(grounding.wins(grounding.initial, player) for player in Player):
        raise UsageError(f"{game.name}: found a goal that is reached at the beginning")
    black = grounding.initial & grounding.plane
    white = grounding.initial >> grounding.squares & grounding.plane
    free = grounding.squares - (black | white).bit_count()
    if game.plies > free and game.player_at(free + 1) is WHITE:
        raise UsageError(f"{game.name}: White cannot move on the full board, and loses")
    return PositionalModel(
        name=game.model.name,
        positions=tuple(
            cell_name(x, y)
            for y in range(1, grounding.height + 1)
            for x in range(1, grounding.width + 1)
        ),
        turns=alternating(game.plies, game.first_player),
        black_wins=_wins(grounding, BLACK),
        white_wins=_wins(grounding, WHITE),
        black=black,
        white=white,
    )


def _wins(grounding: Grounding, player: Player) -> tuple[int, ...]:
    shift = 0 if player is BLACK else grounding.squares
    masks = (goal.value >> shift & grounding.plane for goal in grounding.goals[player])
    return tuple(dict.fromkeys(masks))


StageOf = Callable[[PositionalModel], Stage | None]


def _no_stage(model: PositionalModel) -> None:
    """No other search."""


class GridEngine:
    """The search of a positional game for a grid game (a ``SearchEngine``).

    Raises ``UsageError`` as :func:`positional_model_of` does, and for too many winning sets.
    """

    many: ManyReplies | None = None
    replaces = False

    def __init__(self, game: BddlGame, stage: StageOf = _no_stage) -> None:
        model = positional_model_of(game)
        self._inner = PositionalEngine(PositionalGame(model), stage(model))
        self._general = Bounds(game)
        self.kernel = self._general.kernel
        grounding = game.grounding
        self._size = grounding.squares
        self._planes = (1 << 2 * self._size) - 1
        # With more plies White may lose on the full board.
        stuck = self._stuck(grounding.initial, game.first_player)
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
        """That of the search of positional games."""
        return self._inner.name

    @property
    def at_once(self) -> bool:
        """As the search of positional games does."""
        return self._inner.at_once

    @property
    def deepens(self) -> bool:
        """As the search of positional games does."""
        return self._inner.deepens

    @property
    def watch(self) -> Callable[[], None]:
        """Called every so many nodes, by both searches."""
        return self._inner.watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        self._inner.watch = self._general.watch = watch

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return self._inner.nodes + self._general.nodes

    @property
    def positions(self) -> int:
        """The number of positions in the tables."""
        return self._inner.positions + self._general.positions

    def frames(self, plies: int) -> int:
        """As many as the search of positional games takes."""
        return max(self._inner.frames(plies), self._general.frames(plies))

    def depths(self, player: Player, last: int) -> Iterable[int]:
        """Those of the positional game."""
        return self._inner.depths(player, last)

    def _plies(self, state: State, player: Player, plies: int) -> int | None:
        """The plies without those on a full board; ``None`` where White may lose at these."""
        assert isinstance(state, int)
        free = self._free(state)
        if plies <= free:
            return plies
        return free if self._stuck(state, player) is BLACK else None

    def _free(self, state: int) -> int:
        return self._size - (state >> 2 * self._size).bit_count()

    def _stuck(self, state: int, player: Player) -> Player:
        """The player who is to move on the full board, if nobody wins before."""
        return player.other if self._free(state) % 2 else player

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``."""
        within = self._plies(state, player, plies)
        if within is None:
            return self._general.search(state, player, plies)
        return self._inner.search(self._state(state), player, within)

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the tables do not tell."""
        within = self._plies(state, player, plies)
        if within is None:
            return self._general.known(state, player, plies)
        return self._inner.known(self._state(state), player, within)

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """The number of a move that decided a search; ``None`` when none is known."""
        within = self._plies(state, player, plies)
        if within is None:
            return None
        square = self._inner.hint(self._state(state), player, within)
        return None if square is None else self._numbers[player][square]

    def _state(self, state: State) -> int:
        assert isinstance(state, int)
        return state & self._planes
