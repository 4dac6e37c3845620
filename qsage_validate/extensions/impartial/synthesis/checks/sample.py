"""States with the label that a formula is to give them, as sets of bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qsage_validate.extensions.impartial.boxes import Bits, Column, columns_of, formula_values
from qsage_validate.extensions.impartial.formula import ImpartialFormula
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.games.masks import members


def to_int(bits: Bits) -> int:
    """The set of the true places: bit ``i`` is place ``i``."""
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


@dataclass(frozen=True)
class StateSample:
    """Positive and negative states: bit ``i`` of ``target`` is the label of ``states[i]``."""

    variables: tuple[str, ...]
    states: tuple[State, ...]
    target: int

    @classmethod
    def of(
        cls, variables: Sequence[str], states: Sequence[State], labels: Sequence[bool]
    ) -> StateSample:
        return cls(tuple(variables), tuple(states), to_int(np.array(labels, dtype=np.bool_)))

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        return columns_of(self.variables, self.states)

    @property
    def mask(self) -> int:
        """The set of all states."""
        return (1 << len(self.states)) - 1

    def values(self, formula: ImpartialFormula) -> int:
        """The set of states in which ``formula`` holds."""
        return to_int(formula_values(formula, self.columns))

    def mistakes(self, formula: ImpartialFormula) -> list[int]:
        """The places of the states that ``formula`` labels wrongly."""
        return list(members(self.values(formula) ^ self.target))


class Remaining:
    """The states of a sample that are left when formulas take theirs away."""

    def __init__(self, variables: Sequence[str], states: Sequence[State]) -> None:
        self._variables = tuple(variables)
        self.states = list(states)

    def take(self, formula: ImpartialFormula) -> None:
        """Drop the states in which ``formula`` holds."""
        if self.states:
            bits = formula_values(formula, columns_of(self._variables, self.states))
            self.states = [
                s for s, gone in zip(self.states, bits.tolist(), strict=True) if not gone
            ]

    def some(self, most: int) -> list[State]:
        """At most so many of the states, from all over the sample."""
        return self.states[:: -(-len(self.states) // most)] if self.states else []
