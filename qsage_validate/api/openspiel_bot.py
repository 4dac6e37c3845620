"""A strategy as a bot of OpenSpiel."""

from __future__ import annotations

from functools import cache
from typing import Any

from qsage_validate.api.matches import Match
from qsage_validate.api.openspiel import PLAYERS, pyspiel
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Player


def spiel_bot(match: Match, player: Player) -> Any:
    """A ``pyspiel.Bot`` that answers as the strategy of a play does, for ``player``.

    It plays states whose actions have the texts of our moves.  Its ``step`` raises ``UsageError``
    for another state, and for one that the strategy does not lead to.
    """
    return _bot_class()(match, player)


@cache
def _bot_class() -> Any:
    spiel = pyspiel()

    class SpielBot(spiel.Bot):  # type: ignore[misc,name-defined]
        """A strategy; what it has answered once is kept."""

        def __init__(self, match: Match, player: Player) -> None:
            super().__init__()
            self._match = match
            self._player = PLAYERS.index(player)

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
