"""What can be reached from a state: how many states, how long plays are, how large heaps grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from qsage_validate.games.impartial.moves import State, compile_successors
from qsage_validate.games.impartial.rules import EndlessGameError, ImpartialRules

MAX_MOVES: Final = 200_000
"""No more moves are followed than this (some tenths of a second)."""


@dataclass(frozen=True)
class Reach:
    """The legal states that plays from a state lead to, in the order in which they end.

    ``longest`` is the length of the longest play in plies; ``smallest`` and ``largest`` are the
    extreme values of variables.
    """

    states: tuple[State, ...]
    longest: int

    @property
    def smallest(self) -> int:
        return min(min(state) for state in self.states)

    @property
    def largest(self) -> int:
        return max(max(state) for state in self.states)


def reach(rules: ImpartialRules, start: State, max_moves: int = MAX_MOVES) -> Reach | None:
    """Everything that can be reached from ``start``; ``None`` when there are too many moves.

    Raises ``EndlessGameError`` for a state that leads back to itself.
    """
    longest: dict[State, int] = {}
    successors = compile_successors(rules.game)

    def following(state: State) -> Iterator[State]:
        if rules.is_ending(state):
            return iter(())
        return (after for after in successors(state) if rules.is_legal(after))

    path: dict[State, tuple[Iterator[State], int]] = {start: (following(start), 0)}
    followed = 0
    while path:
        state, (moves, plies) = path.popitem()
        for after in moves:
            followed += 1
            if followed > max_moves:
                return None
            if after in path or after == state:
                passed = [*path, state]
                raise EndlessGameError(rules.game, [*passed[passed.index(after) :], after])
            known = longest.get(after)
            if known is None:
                path[state] = (chain((after,), moves), plies)
                path[after] = (following(after), 0)
                break
            plies = max(plies, known + 1)
        else:
            longest[state] = plies
    return Reach(tuple(longest), longest[start])
