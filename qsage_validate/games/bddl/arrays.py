"""The grounded rules of a grid game for many positions at once, on arrays of machine words.

Positions are columns: an array for each word of the three planes of :mod:`.ground` (black, white,
occupied), shape ``(words, positions)``.  A condition is compared with the words that it asks about,
one after the other: most ask about one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.protocol import Player

WORD: Final = 64

Words: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]
Columns: TypeAlias = "Words | Sequence[Words]"
ArrayCondition: TypeAlias = "tuple[tuple[int, np.uint64, np.uint64], ...]"
"""The words that are asked about: number, care and value of each."""


class ArrayRules:
    """Legal moves, effects and goals of columns of positions.

    Of each player: ``actions`` and ``goals`` are the conditions of the grounding, in its order;
    ``keep`` and ``put`` are the effects of the actions, shape ``(words, actions)``.
    """

    def __init__(self, grounding: Grounding) -> None:
        self.grounding = grounding
        self.plane_words = -(-grounding.squares // WORD)
        self.initial = self.columns([grounding.initial])
        self.actions: dict[Player, tuple[ArrayCondition, ...]] = {}
        self.goals: dict[Player, tuple[ArrayCondition, ...]] = {}
        self.keep: dict[Player, Words] = {}
        self.put: dict[Player, Words] = {}
        for player in Player:
            actions, goals = grounding.actions[player], grounding.goals[player]
            self.actions[player] = tuple(self._condition(a.care, a.value) for a in actions)
            self.goals[player] = tuple(self._condition(g.care, g.value) for g in goals)
            self.keep[player] = self.columns([a.keep for a in actions])
            self.put[player] = self.columns([a.put for a in actions])

    def columns(self, masks: Sequence[int]) -> Words:
        """Masks of three planes, such as states, as columns."""
        squares, plane, word = self.grounding.squares, self.grounding.plane, (1 << WORD) - 1
        rows = [
            [
                (mask >> number * squares & plane) >> k * WORD & word
                for number in range(3)
                for k in range(self.plane_words)
            ]
            for mask in masks
        ]
        found = np.asarray(rows, dtype=np.uint64).reshape(len(masks), 3 * self.plane_words)
        return np.ascontiguousarray(found.T)

    def state(self, column: Words) -> int:
        """The state of one position, the inverse of :meth:`columns`."""
        result = 0
        for k, word in enumerate(column.tolist()):
            plane, number = divmod(k, self.plane_words)
            result |= word << (plane * self.grounding.squares + number * WORD)
        return result

    def _condition(self, care: int, value: int) -> ArrayCondition:
        """A condition without what follows: a black square is occupied and not white."""
        squares, plane = self.grounding.squares, self.grounding.plane
        cares = [care >> k * squares & plane for k in range(3)]
        values = [value >> k * squares & plane for k in range(3)]
        whole = cares[0] & cares[1] & cares[2]
        cares[0] &= ~whole | values[0]
        cares[1] &= ~whole | values[1]
        cares[2] &= ~whole | ~values[2]
        masks = [sum(one << k * squares for k, one in enumerate(own)) for own in (cares, values)]
        asked, expected = self.columns(masks).T
        return tuple((k, asked[k], expected[k] & asked[k]) for k in np.flatnonzero(asked).tolist())

    # -- positions --------------------------------------------------------------------------

    def legal(self, positions: Columns, player: Player) -> Flags:
        """The legality of the player's grounded actions; shape ``(positions, actions)``."""
        actions = self.actions[player]
        result = np.empty((len(positions[0]), len(actions)), dtype=np.bool_)
        for number, action in enumerate(actions):
            result[:, number] = holds(action, positions)
        return result

    def can_move(self, positions: Columns, player: Player) -> Flags:
        """True for the positions in which the player has a legal move."""
        return self._some(self.actions[player], positions)

    def wins(self, positions: Columns, player: Player) -> Flags:
        """True for the positions in which a goal of the player's holds."""
        return self._some(self.goals[player], positions)

    @staticmethod
    def _some(conditions: Sequence[ArrayCondition], positions: Columns) -> Flags:
        result = np.zeros(len(positions[0]), dtype=np.bool_)
        for condition in conditions:
            result |= holds(condition, positions)
        return result

    def after(self, positions: Words, player: Player, actions: Indices) -> Words:
        """The positions after the grounded actions ``actions``, one each, which are legal."""
        result: Words = positions & self.keep[player][:, actions] | self.put[player][:, actions]
        return result

    def occupied_and_white(self, positions: Words) -> tuple[Flags, Flags]:
        """The occupied and the white squares; shapes ``(positions, squares)``."""
        size = self.plane_words
        return self._bits(positions[2 * size :]), self._bits(positions[size : 2 * size])

    def _bits(self, plane: Words) -> Flags:
        octets = np.ascontiguousarray(plane.T, dtype="<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=self.grounding.squares, bitorder="little")
        return bits.astype(np.bool_)


def holds(condition: ArrayCondition, positions: Columns) -> Flags:
    """True for the positions in which a condition holds."""
    result: Flags | None = None
    for word, care, value in condition:
        found = positions[word] & care == value
        result = found if result is None else result & found
    return np.ones(len(positions[0]), dtype=np.bool_) if result is None else result
