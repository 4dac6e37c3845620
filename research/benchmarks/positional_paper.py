"""Sizes that Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023 print: Tables 1 to 3.

Numbers and formulas as they stand there; ``docs/explanation/positional-encodings.md`` says where
they differ from what the encoders here count, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Final

from qsage_validate.games.masks import width_for


@dataclass(frozen=True, slots=True)
class Instance:
    """What the formulas speak of.

    ``positions`` (eta), ``depth`` (d), ``wins`` winning sets with ``members`` positions in all,
    ``edges`` (both directions of a pair of neighbours), ``start`` and ``end`` border positions.
    """

    positions: int
    depth: int
    wins: int = 0
    members: int = 0
    edges: int = 0
    start: int = 0
    end: int = 0

    @property
    def bits(self) -> int:
        """The bits of a position's number."""
        return width_for(self.positions)

    @property
    def log(self) -> float:
        """The logarithm of the positions, which Table 1 does not round."""
        return log2(self.positions)


Formula = Callable[[Instance], float]


@dataclass(frozen=True, slots=True)
class Dominant:
    """A row of Table 1: the dominant terms of the variables, and of the clauses or gates."""

    alternations: Callable[[int], int]
    variables: Formula
    elements: Formula
    of_gates: bool


def _same(depth: int) -> int:
    return depth


def _one_more(depth: int) -> int:
    return depth + 1


def _board(i: Instance) -> float:
    return i.depth * i.positions * i.log / 2


def _witness(i: Instance) -> float:
    return 1.5 * i.depth * i.log


TABLE_1: Final[dict[str, Dominant]] = {
    "ea": Dominant(
        _same,
        lambda i: i.depth * i.positions + i.wins,
        lambda i: _board(i) + i.depth * i.wins,
        of_gates=False,
    ),
    "en": Dominant(_same, lambda i: 1.5 * i.depth * i.positions, _board, of_gates=False),
    "et": Dominant(
        _same,
        lambda i: i.depth * i.positions,
        lambda i: _board(i) + i.edges,
        of_gates=False,
    ),
    "la": Dominant(
        _one_more, _witness, lambda i: i.depth * i.positions / 2 + i.wins, of_gates=True
    ),
    "ln": Dominant(
        _one_more,
        _witness,
        lambda i: 4 * i.depth * i.log + 4 * i.positions,
        of_gates=True,
    ),
    "sa": Dominant(
        _same,
        _witness,
        lambda i: i.depth**2 * i.bits + i.depth * i.positions / 2 + i.wins,
        of_gates=True,
    ),
    "sn": Dominant(
        _same,
        _witness,
        lambda i: i.depth**2 * i.bits + i.depth * i.positions / 2,
        of_gates=True,
    ),
}
"""Quantifier alternations, variables, and clauses (QDIMACS) or gates (QCIR), by encoding."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Thousands of variables and of clauses, cut off behind the thousand."""

    variables: int
    clauses: int


TABLE_2_DEPTHS: Final = (45, 91, 181, 361)

TABLE_2: Final[dict[str, tuple[Counted, ...]]] = {
    "en": (Counted(25, 122), Counted(50, 246), Counted(100, 488), Counted(199, 972)),
    "et": (Counted(17, 100), Counted(34, 200), Counted(67, 395), Counted(134, 785)),
    "ln": (Counted(5, 22), Counted(9, 33), Counted(17, 54), Counted(32, 97)),
    "sn": (Counted(53, 261), Counted(167, 720), Counted(560, 2182), Counted(2027, 7342)),
}
"""The empty 19x19 Hex board as QDIMACS, as generated, by encoding and depth."""

TABLE_2_BLOQQER: Final[dict[str, tuple[Counted | None, ...]]] = {
    "en": (Counted(25, 105), Counted(50, 242), Counted(100, 510), Counted(199, 1044)),
    "et": (Counted(17, 100), Counted(34, 199), Counted(67, 394), Counted(134, 784)),
    "ln": (Counted(5, 7), Counted(9, 12), Counted(17, 21), Counted(32, 39)),
    "sn": (Counted(53, 122), Counted(167, 316), None, None),
}
"""The same after Bloqqer; ``None`` where it took more than 30 minutes."""


@dataclass(frozen=True, slots=True)
class Exact:
    """A row of Table 3: variables, and clauses of two, of three and of more literals."""

    variables: Formula
    binary: Formula
    ternary: Formula
    long: Formula


TABLE_3: Final[dict[str, Exact]] = {
    "board": Exact(
        lambda i: (i.depth + 1) * i.positions + i.depth * i.bits,
        lambda i: i.depth * i.positions + i.positions * i.bits,
        lambda i: (i.depth - 1) / 2 * i.positions * i.bits,
        lambda i: (i.depth - 1) / 2 * i.positions,
    ),
    "ea": Exact(lambda i: i.wins, lambda i: i.members, lambda i: 0, lambda i: 1),
    "en": Exact(
        lambda i: (i.depth + 1) / 2 * i.positions,
        lambda i: (i.depth + 1) / 2 * i.positions,
        lambda i: 0,
        lambda i: 1 + (i.positions - i.end) * (i.depth - 1) / 2,
    ),
    "et": Exact(lambda i: i.positions, lambda i: i.start, lambda i: i.edges, lambda i: 0),
}
"""The explicit board, and what each goal adds to it (appendix C)."""
