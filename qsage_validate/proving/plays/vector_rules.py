"""The rules of a BDDL game for many positions at once, as masks over machine words.

A position is a row of words: the three planes of :mod:`qsage_validate.games.bddl.ground`
(black, white, occupied), each in as many words as its squares need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.simulate import Words
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player

_WORD: Final = 64
# Comparisons made at a time: positions times conditions.
_AT_A_TIME: Final = 1 << 21

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]


class VectorRules:
    """Legal moves, effects and goals of rows of positions, shape ``(positions, words)``."""

    def __init__(self, game: BddlGame) -> None:
        grounding = game.grounding
        self.game = game
        self.squares = grounding.squares
        self._plane_words = -(-self.squares // _WORD)
        self.initial = self.row(grounding.initial)
        self._actions: dict[Player, tuple[Words, Words, Words, Words]] = {}
        self._goals: dict[Player, tuple[Words, Words]] = {}
        for player in Player:
            actions, goals = grounding.actions[player], grounding.goals[player]
            self._actions[player] = (
                self._rows([a.care for a in actions]),
                self._rows([a.value for a in actions]),
                self._rows([a.keep for a in actions]),
                self._rows([a.put for a in actions]),
            )
            self._goals[player] = (
                self._rows([g.care for g in goals]),
                self._rows([g.value for g in goals]),
            )

    def row(self, state: int) -> Words:
        row: Words = self._rows([state])[0]
        return row

    def state(self, row: Words) -> int:
        """The inverse of :meth:`row`."""
        size, result = self._plane_words, 0
        for k, word in enumerate(row.tolist()):
            plane, number = divmod(k, size)
            result |= word << (plane * self.squares + number * _WORD)
        return result

    def _rows(self, masks: Sequence[int]) -> Words:
        plane = (1 << self.squares) - 1
        rows = [
            [
                (mask >> number * self.squares & plane) >> k * _WORD & ((1 << _WORD) - 1)
                for number in range(3)
                for k in range(self._plane_words)
            ]
            for mask in masks
        ]
        return np.asarray(rows, dtype=np.uint64).reshape(len(masks), 3 * self._plane_words)

    def legal(self, positions: Words, player: Player) -> Flags:
        """The legality of the player's grounded actions; shape ``(positions, actions)``."""
        care, value, _, _ = self._actions[player]
        return _holds(positions, care, value)

    def after(self, positions: Words, player: Player, actions: Indices) -> Words:
        """The positions after the grounded actions ``actions``, one each, which are legal."""
        _, _, keep, put = self._actions[player]
        result: Words = positions & keep[actions] | put[actions]
        return result

    def wins(self, positions: Words, player: Player) -> Flags:
        """True for the positions in which a goal of ``player`` holds."""
        care, value = self._goals[player]
        flags: Flags = np.logical_or.reduce(_holds(positions, care, value), axis=1)
        return flags

    def occupied_and_white(self, positions: Words) -> tuple[Flags, Flags]:
        """The occupied and the white squares, row by row; shapes ``(positions, squares)``."""
        size = self._plane_words
        white, occupied = positions[:, size : 2 * size], positions[:, 2 * size :]
        return self._bits(occupied), self._bits(white)

    def _bits(self, planes: Words) -> Flags:
        octets = np.ascontiguousarray(planes, dtype="<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=self.squares, bitorder="little")
        return bits.astype(np.bool_)


def _holds(positions: Words, care: Words, value: Words) -> Flags:
    """The truth of each condition in each position; shape ``(positions, conditions)``."""
    result = np.ones((len(positions), len(care)), dtype=np.bool_)
    step = max(1, _AT_A_TIME // max(1, len(care)))
    used = [k for k in range(care.shape[1]) if care[:, k].any()]
    for first in range(0, len(positions), step):
        rows = slice(first, first + step)
        for k in used:
            result[rows] &= positions[rows, k, None] & care[None, :, k] == value[None, :, k]
    return result
