"""Positional games as a hero has them in mind where the formula ignores illegal moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.completion import PlyLiterals, ReferencePlay
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.games.masks import members
from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel


def held(mask: int, size: int) -> list[int]:
    """The literals of the graph that say which of ``size`` positions are in a mask."""
    return [TRUE if mask >> v & 1 else FALSE for v in range(size)]


def completed(builder: AigBuilder, sets: Iterable[int], stones: Sequence[int]) -> list[int]:
    """For each set of positions, whether all of it has a stone."""
    return [builder.and_all(stones[v] for v in members(own)) for own in sets]


def first_true(builder: AigBuilder, literals: Sequence[int]) -> list[int]:
    found = []
    none = TRUE
    for literal in literals:
        found.append(builder.and_(none, literal))
        none = builder.and_(none, literal ^ 1)
    return found


class ClaimsInMind(ReferencePlay):
    """A positional game: who claims a position for the first time has it.

    For a move that does nothing, or one too many, the first open position of the list is made.
    The formula ignores such a move, so the opponent's stones in mind always contain those in the
    formula, and the hero's are the same: the hero's moves are legal in both, and a win in mind is
    one in the formula.
    """

    def __init__(self, model: PositionalModel, builder: AigBuilder, hero: Player) -> None:
        self.builder = builder
        self._taken = frozenset(model.names(model.black | model.white))
        self._claims: dict[str, list[int]] = {}

    def _open(self, ply: Ply) -> list[int]:
        return [
            FALSE if name in self._taken else self.builder.or_all(self._claims.get(name, ())) ^ 1
            for name in ply.moves
        ]

    def fallback(self, ply: Ply) -> Sequence[int]:
        return first_true(self.builder, self._open(ply))

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        is_open = self._open(ply)
        right = [self.builder.and_(a, b) for a, b in zip(made, is_open, strict=True)]
        wrong = self.builder.or_all(right) ^ 1
        return [
            self.builder.or_(a, self.builder.and_(wrong, b))
            for a, b in zip(right, first_true(self.builder, is_open), strict=True)
        ]

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        for name, literal in zip(ply.moves, played.made, strict=True):
            if literal != FALSE:
                self._claims.setdefault(name, []).append(literal)
