"""A small stand-in of OpenSpiel's interface, for where OpenSpiel is not installed.

It has what a game in Python and a bot of theirs use: a state that keeps its history, checks
actions, and is cloned by a deep copy of its attributes, as OpenSpiel does.
"""

from __future__ import annotations

import copy
from types import ModuleType, SimpleNamespace
from typing import Any


class _Record(SimpleNamespace):
    """A bag of the fields that it is made with."""


class _State:
    def __init__(self, game: Any) -> None:
        self._toy_game = game
        self._toy_history: list[int] = []

    def get_game(self) -> Any:
        return self._toy_game

    def history(self) -> list[int]:
        return list(self._toy_history)

    def legal_actions(self, player: int | None = None) -> list[int]:
        own: Any = self
        return [] if own.is_terminal() else own._legal_actions(own.current_player())

    def action_to_string(self, player: int, action: int) -> str:
        own: Any = self
        return str(own._action_to_string(player, action))

    def apply_action(self, action: int) -> None:
        own: Any = self
        assert action in self.legal_actions()
        own._apply_action(action)
        self._toy_history.append(action)

    def clone(self) -> Any:
        made = self._toy_game.new_initial_state()
        for name, value in self.__dict__.items():
            made.__dict__[name] = value if name == "_toy_game" else copy.deepcopy(value)
        return made


class _Game:
    def __init__(self, kind: Any, numbers: Any, parameters: Any) -> None:
        self._toy_numbers = numbers

    def num_distinct_actions(self) -> int:
        return int(self._toy_numbers.num_distinct_actions)


class _Bot:
    pass


def toy_spiel() -> ModuleType:
    """The module in the place of ``pyspiel``."""
    module: Any = ModuleType("pyspiel")
    module.State, module.Game, module.Bot = _State, _Game, _Bot
    module.PlayerId = SimpleNamespace(TERMINAL=-4)
    kinds = {
        "Dynamics": "SEQUENTIAL",
        "ChanceMode": "DETERMINISTIC",
        "Information": "PERFECT_INFORMATION",
        "Utility": "ZERO_SUM",
        "RewardModel": "TERMINAL",
    }
    values = {name: SimpleNamespace(**{word: word}) for name, word in kinds.items()}
    module.GameType = type("GameType", (_Record,), values)
    module.GameInfo = _Record
    found: ModuleType = module
    return found
