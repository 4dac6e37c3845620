"""Fluents that look like a grid, and the roles that own the things on it.

``(cell 1 2 x)`` is a grid when two places never hold two things at once.  Nothing but the
drawing depends on it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from qsage_validate.extensions.gdl.machine import State, StateMachine
from qsage_validate.extensions.gdl.model import Ground, term_order, term_text
from qsage_validate.games.protocol import BoardPicture, Square

_PLAYS: Final = 12
_MAX_ROUNDS: Final = 200
_SMALLEST: Final = 4


@dataclass(frozen=True)
class GdlGrid:
    """The fluents ``(functor column row thing)``; rows are drawn upwards.

    ``owners`` has the role that puts a thing there, for those that only one role does.
    """

    functor: str
    columns: tuple[Ground, ...]
    rows: tuple[Ground, ...]
    owners: Mapping[Ground, Ground]

    def things(self, state: State) -> dict[tuple[Ground, Ground], Ground]:
        """The things on the grid, by column and row."""
        return {
            (fluent[1], fluent[2]): fluent[3]
            for fluent in state
            if isinstance(fluent, tuple) and len(fluent) == 4 and fluent[0] == self.functor
        }

    def board(self, state: State, black: Ground) -> BoardPicture:
        """The state as a board: Black's, White's and neutral things."""
        things = self.things(state)
        squares = []
        for row in reversed(self.rows):
            for column in self.columns:
                thing = things.get((column, row))
                owner = None if thing is None else self.owners.get(thing)
                kind = Square.OPEN if owner is None else Square.WHITE
                squares.append(Square.BLACK if owner == black else kind)
        names = tuple(term_text(row) for row in reversed(self.rows))
        columns = tuple(map(term_text, self.columns))
        return BoardPicture(len(columns), len(names), tuple(squares), names=names, columns=columns)

    def square_of(self, move: Ground) -> tuple[int, int] | None:
        """The square, 1-based (x, y) from the top, of the last column and row that are named."""
        words = move[1:] if isinstance(move, tuple) else ()
        for column, row in reversed(list(pairwise(words))):
            if column in self.columns and row in self.rows:
                return self.columns.index(column) + 1, len(self.rows) - self.rows.index(row)
        return None


def find_grid(machine: StateMachine) -> GdlGrid | None:
    """The grid of a game, from a few random plays and its base propositions."""
    states: list[State] = []
    makers: dict[tuple[str, Ground], set[Ground]] = {}
    rng = random.Random(0)
    for _ in range(_PLAYS):
        _play(machine, rng, states, makers)
    candidates: dict[str, set[tuple[Ground, Ground]]] = {}
    broken: set[str] = set()
    for state in states:
        seen: set[tuple[Ground, ...]] = set()
        for functor, place in _places(state):
            if (functor, *place) in seen:
                broken.add(functor)
            seen.add((functor, *place))
            candidates.setdefault(functor, set()).add(place)
    for functor, place in _places(fact[0] for fact in machine.static.facts(("base", 1))):
        if functor in candidates:
            candidates[functor].add(place)
    fitting = {
        functor: places
        for functor, places in candidates.items()
        if functor not in broken and len(places) >= _SMALLEST
    }
    if not fitting:
        return None
    functor, places = max(fitting.items(), key=lambda item: len(item[1]))
    owners = {role: role for role in machine.roles}
    for (name, thing), roles in makers.items():
        if name == functor and len(roles) == 1:
            owners.setdefault(thing, next(iter(roles)))
    columns = sorted({column for column, _ in places}, key=term_order)
    rows = sorted({row for _, row in places}, key=term_order)
    return GdlGrid(functor, tuple(columns), tuple(rows), owners)


def _places(fluents: Iterable[Ground]) -> list[tuple[str, tuple[Ground, Ground]]]:
    return [
        (str(fluent[0]), (fluent[1], fluent[2]))
        for fluent in fluents
        if isinstance(fluent, tuple) and len(fluent) == 4
    ]


def _play(
    machine: StateMachine,
    rng: random.Random,
    states: list[State],
    makers: dict[tuple[str, Ground], set[Ground]],
) -> None:
    """A random play: its states, and the roles that make each thing appear."""
    state = machine.initial
    for _ in range(_MAX_ROUNDS):
        states.append(state)
        legal = {role: machine.legal(state, role) for role in machine.roles}
        if machine.terminal(state) or not all(legal.values()):
            return
        after = machine.successor(state, {role: rng.choice(m) for role, m in legal.items()})
        choosing = [role for role, moves in legal.items() if len(moves) > 1]
        if len(choosing) == 1:
            for fluent in after - state:
                if isinstance(fluent, tuple) and len(fluent) == 4:
                    makers.setdefault((str(fluent[0]), fluent[3]), set()).add(choosing[0])
        state = after
