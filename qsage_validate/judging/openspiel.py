"""Games of OpenSpiel as simulators: two players, in turn, without chance or secrets."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from qsage_validate.errors import MissingExtraError, UsageError
from qsage_validate.games.protocol import Player

_PLAYERS: Final = (Player.BLACK, Player.WHITE)


class OpenSpielSimulator:
    """A game by its name in OpenSpiel, as ``hex(board_size=3)``; player 0 is Black.

    Black wins where the play ends with a positive return for player 0; a draw is White's.  A state
    is the tuple of the actions that led to it, since OpenSpiel promises no other key.  ``plies``
    is the largest number of plies that are looked at, by default all.

    Raises ``UsageError`` for a name that OpenSpiel does not know, and for a game that is none of
    two players with open information and without chance; ``MissingExtraError`` without OpenSpiel.
    """

    def __init__(self, name: str, plies: int | None = None) -> None:
        try:
            spiel: Any = import_module("pyspiel")
        except ImportError:
            raise MissingExtraError("a game of OpenSpiel", "openspiel") from None
        try:
            self._game = spiel.load_game(name)
        except spiel.SpielError as error:
            raise UsageError(f"OpenSpiel: {str(error).splitlines()[0]}") from None
        kind = self._game.get_type()
        wrong = [
            text
            for holds, text in (
                (self._game.num_players() == 2, "two players"),
                (kind.dynamics == spiel.GameType.Dynamics.SEQUENTIAL, "moves in turn"),
                (kind.chance_mode == spiel.GameType.ChanceMode.DETERMINISTIC, "no chance"),
                (
                    kind.information == spiel.GameType.Information.PERFECT_INFORMATION,
                    "open information",
                ),
            )
            if not holds
        ]
        if wrong:
            raise UsageError(f"found the OpenSpiel game {name}, expected one with {wrong[0]}")
        self.name = name
        longest: int = self._game.max_game_length()
        self.plies = longest if plies is None else min(plies, longest)
        self._states: dict[tuple[int, ...], Any] = {(): self._game.new_initial_state()}

    def start(self) -> tuple[int, ...]:
        return ()

    def to_move(self, state: tuple[int, ...]) -> Player:
        return _PLAYERS[self._state(state).current_player()]

    def legal_moves(self, state: tuple[int, ...]) -> Sequence[str]:
        """OpenSpiel's texts of actions."""
        return list(self._actions(state))

    def play(self, state: tuple[int, ...], move: str) -> tuple[int, ...]:
        """The actions with one more."""
        return (*state, self._actions(state)[move])

    def winner(self, state: tuple[int, ...]) -> Player | None:
        """Black for a positive return of player 0, at the end."""
        own = self._state(state)
        if not own.is_terminal():
            return None
        return Player.BLACK if own.returns()[0] > 0 else Player.WHITE

    def text(self, state: tuple[int, ...]) -> str:
        return str(self._state(state))

    def _actions(self, state: tuple[int, ...]) -> dict[str, int]:
        own = self._state(state)
        if own.is_terminal():
            return {}
        player = own.current_player()
        # Some games end the texts of actions with a semicolon.
        return {own.action_to_string(player, a).rstrip(" ;"): a for a in own.legal_actions()}

    def _state(self, actions: tuple[int, ...]) -> Any:
        found = self._states.get(actions)
        if found is None:
            found = self._state(actions[:-1]).child(actions[-1])
            self._states[actions] = found
        return found
