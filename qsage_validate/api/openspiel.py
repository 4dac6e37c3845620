"""Games and strategies for OpenSpiel: a game of ours as one of theirs, a certificate as a bot.

OpenSpiel has no types and is loaded when a game or a bot is asked for (extra ``openspiel``).
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import MissingExtraError, UsageError
from qsage_validate.games.protocol import Player, Position, Square, TwoPlayerGame

if TYPE_CHECKING:
    from qsage_validate.api.matches import Match

_PLAYERS: Final = (Player.BLACK, Player.WHITE)
_PLANES: Final = (Square.BLACK, Square.WHITE, Square.OPEN)


def _spiel() -> Any:
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
        texts = (str(move) for player in _PLAYERS for move in game.moves(player))
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
    spiel = _spiel()

    class SpielState(spiel.State):  # type: ignore[misc] # OpenSpiel has no types
        """A position; what OpenSpiel calls on it has OpenSpiel's names."""

        def __init__(self, game: Any, table: ActionTable) -> None:
            super().__init__(game)
            self.table = table
            self.position = table.game.initial

        def current_player(self) -> int:
            if self.is_terminal():
                return int(spiel.PlayerId.TERMINAL)
            return _PLAYERS.index(self.position.to_move)

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

    class SpielGame(spiel.Game):  # type: ignore[misc] # OpenSpiel has no types
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


def spiel_bot(match: Match, player: Player) -> Any:
    """A ``pyspiel.Bot`` that answers as the strategy of a play does, for ``player``.

    It plays states whose actions have the texts of our moves.  Its ``step`` raises ``UsageError``
    for another state, and for one that the strategy does not lead to.
    """
    return _bot_class()(match, player)


@cache
def _bot_class() -> Any:
    spiel = _spiel()

    class SpielBot(spiel.Bot):  # type: ignore[misc] # OpenSpiel has no types
        """A strategy; what it has answered once is kept."""

        def __init__(self, match: Match, player: Player) -> None:
            super().__init__()
            self._match = match
            self._player = _PLAYERS.index(player)

        def player_id(self) -> int:
            return self._player

        def provides_policy(self) -> bool:
            return True

        def restart_at(self, state: Any) -> None:
            """Nothing to do: each step looks at the whole play."""

        def inform_action(self, state: Any, player: int, action: int) -> None:
            """Nothing to do: each step looks at the whole play."""

        def step(self, state: Any) -> int:
            reply = self._reply(_texts_of(state))
            texts = {state.action_to_string(self._player, a): a for a in state.legal_actions()}
            if reply not in texts:
                raise UsageError(f"found no action {reply} in the state, which the strategy plays")
            return int(texts[reply])

        def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
            action = self.step(state)
            return [(each, float(each == action)) for each in state.legal_actions()], action

        def _reply(self, made: list[tuple[int, str]]) -> str:
            match = self._match
            match.restart()
            for number, (player, text) in enumerate(made):
                if player != self._player:
                    match.push(text)
                elif match.moves[number : number + 1] != (text,):
                    shown = " ".join(text for _, text in made)
                    raise UsageError(f"found the play {shown}, expected one against this strategy")
            if len(match.moves) <= len(made):
                raise UsageError("found a state in which the strategy makes no move")
            return match.moves[len(made)]

    return SpielBot


def _texts_of(state: Any) -> list[tuple[int, str]]:
    """The moves that led to a state, each with its player."""
    walked, found = state.get_game().new_initial_state(), list[tuple[int, str]]()
    for action in state.history():
        player = walked.current_player()
        found.append((player, walked.action_to_string(player, action)))
        walked.apply_action(action)
    return found
