"""A game of ours as one of OpenSpiel's, which has no types and is loaded late (an extra)."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any, Final

from qsage_validate.errors import MissingExtraError
from qsage_validate.games.protocol import Player, Position, Square, TwoPlayerGame

PLAYERS: Final = (Player.BLACK, Player.WHITE)
_PLANES: Final = (Square.BLACK, Square.WHITE, Square.OPEN)


def pyspiel() -> Any:
    """The module; raises ``MissingExtraError`` where it is not installed."""
    try:
        return import_module("pyspiel")
    except ImportError:
        raise MissingExtraError("OpenSpiel", "openspiel") from None


class ActionTable:
    """The moves of a game by OpenSpiel's numbers of actions: Black's first, then White's others.

    Copying it gives the same table: OpenSpiel copies all that a state has.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game
        texts = (str(move) for player in PLAYERS for move in game.moves(player))
        self.texts = tuple(dict.fromkeys(texts))
        self.number = {text: number for number, text in enumerate(self.texts)}

    def __deepcopy__(self, memo: object) -> ActionTable:
        return self

    def legal(self, position: Position) -> list[int]:
        return sorted(self.number[str(move)] for move in position.legal_moves())

    def observed(self, position: Position) -> list[float]:
        """Planes of Black's squares, of White's and of open ones; then 1 if Black is to move."""
        squares = position.board.squares
        planes = [float(square is kind) for kind in _PLANES for square in squares]
        return [*planes, float(position.to_move is Player.BLACK)]


def spiel_game(game: TwoPlayerGame) -> Any:
    """The game as a ``pyspiel.Game``, which plays as :class:`ActionTable` numbers its moves.

    Returns are 1 and -1: every play has a winner, since White has held out at the last ply.
    Raises ``MissingExtraError`` without OpenSpiel.
    """
    return _game_class()(ActionTable(game))


@cache
def _game_class() -> Any:
    spiel = pyspiel()

    class SpielState(spiel.State):  # type: ignore[misc,name-defined]
        """A position; what OpenSpiel calls on it has OpenSpiel's names."""

        def __init__(self, game: Any, table: ActionTable) -> None:
            super().__init__(game)
            self.table = table
            self.position = table.game.initial

        def current_player(self) -> int:
            if self.is_terminal():
                return int(spiel.PlayerId.TERMINAL)
            return PLAYERS.index(self.position.to_move)

        def _legal_actions(self, player: int) -> list[int]:
            return self.table.legal(self.position)

        def _apply_action(self, action: int) -> None:
            self.position = self.position.play(
                self.table.game.parse_move(self.table.texts[action], self.position.to_move)
            )

        def _action_to_string(self, player: int, action: int) -> str:
            return self.table.texts[action]

        def is_terminal(self) -> bool:
            return self.position.outcome is not None

        def returns(self) -> list[float]:
            outcome = self.position.outcome
            if outcome is None:
                return [0.0, 0.0]
            return [1.0, -1.0] if outcome.winner is Player.BLACK else [-1.0, 1.0]

        def __str__(self) -> str:
            return str(self.position)

    class SpielObserver:
        """Everything of a position: its text, and the numbers of :meth:`ActionTable.observed`."""

        def __init__(self, table: ActionTable) -> None:
            import numpy as np

            self.tensor = np.zeros(len(table.observed(table.game.initial)), np.float32)
            self.dict = {"observation": self.tensor}

        def set_from(self, state: Any, player: int) -> None:
            self.tensor[:] = state.table.observed(state.position)

        def string_from(self, state: Any, player: int) -> str:
            return str(state)

    class SpielGame(spiel.Game):  # type: ignore[misc,name-defined]
        """A game of this package."""

        def __init__(self, table: ActionTable) -> None:
            game = table.game
            kind = spiel.GameType(
                short_name="qsage_" + re.sub(r"\W+", "_", game.name).strip("_"),
                long_name=game.name,
                dynamics=spiel.GameType.Dynamics.SEQUENTIAL,
                chance_mode=spiel.GameType.ChanceMode.DETERMINISTIC,
                information=spiel.GameType.Information.PERFECT_INFORMATION,
                utility=spiel.GameType.Utility.ZERO_SUM,
                reward_model=spiel.GameType.RewardModel.TERMINAL,
                max_num_players=2,
                min_num_players=2,
                provides_information_state_string=True,
                provides_information_state_tensor=False,
                provides_observation_string=True,
                provides_observation_tensor=True,
                parameter_specification={},
            )
            numbers = spiel.GameInfo(
                num_distinct_actions=len(table.texts),
                max_chance_outcomes=0,
                num_players=2,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=game.plies,
            )
            super().__init__(kind, numbers, {})
            self.table = table

        def new_initial_state(self) -> SpielState:
            return SpielState(self, self.table)

        def make_py_observer(self, kind: Any = None, params: Any = None) -> SpielObserver:
            return SpielObserver(self.table)

    return SpielGame
