"""The rules of an impartial game on plain states, for search: transpositions share an entry."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, cast

from qsage_validate.games.impartial.heap_move import HeapMove
from qsage_validate.games.impartial.moves import State as Values
from qsage_validate.games.impartial.rules import ImpartialRules
from qsage_validate.games.protocol import Kernel, Player, Position, State


class _WithState(Protocol):
    """A position of heaps."""

    @property
    def state(self) -> Values:
        """The tokens of each heap."""


class HeapKernel(Kernel):
    """The rules from ``start`` on; a state is the tuple of values.

    In normal play a move wins that leaves no move; in misère play whoever has no move has won.
    """

    def __init__(self, rules: ImpartialRules, start: Values) -> None:
        self._rules = rules
        self._start = start
        self._numbers: dict[HeapMove, int] = {}
        self._moves: list[HeapMove] = []

    @property
    def initial(self) -> State:
        return self._start

    def successors(self, state: State, player: Player) -> list[tuple[int, State, bool]]:
        normal = not self._rules.misere
        return [
            (self._number(name, arguments), after, normal and self._stuck(after))
            for name, arguments, after in self._all(state)
        ]

    def wins_at_once(self, state: State, player: Player) -> bool:
        if self._rules.misere:
            return self._stuck(cast(Values, state))
        return any(self._stuck(after) for _, _, after in self._all(state))

    def key(self, state: State) -> Hashable:
        return state

    def move(self, number: int, player: Player) -> HeapMove:
        return self._moves[number]

    def state(self, position: Position) -> State:
        return cast(_WithState, position).state

    def _all(self, state: State) -> list[tuple[str, tuple[int, ...], Values]]:
        found = self._rules.moves(cast(Values, state))
        return [(move.name, move.arguments, move.after) for move in found]

    def _stuck(self, state: Values) -> bool:
        return next(self._rules.moves(state), None) is None

    def _number(self, name: str, arguments: tuple[int, ...]) -> int:
        move = HeapMove(name, arguments)
        number = self._numbers.setdefault(move, len(self._moves))
        if number == len(self._moves):
            self._moves.append(move)
        return number
