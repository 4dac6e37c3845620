"""Pairings of the maker: Black answers in the pair that White plays in, and so completes a set.

Black's pairs are good where each choice of one position of each pair, with Black's stones, has a
winning set: at the end Black has at least one of each.  In Hex two such pairs are a chain of
bridges.  Pairs and choices are looked for by turns (counterexample-guided): a choice without a
winning set leaves White a set of positions of which some pair has to lie within.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.games.positional.masks import bits, mask_of, members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import Pairing

_SOLVER: Final = "glucose4"
_MOST_CELLS: Final = 25
_MOST_TRIES: Final = 400
_CONFLICTS: Final = 2_000


@dataclass(frozen=True, slots=True)
class MakerPairing:
    """Black's next stone, where one is needed, and the pairs by which Black wins behind it."""

    stone: int | None
    pairing: Pairing


def maker_pairing(
    model: PositionalModel, black: int, white: int, *, begins: bool, tries: int = _MOST_TRIES
) -> MakerPairing | None:
    """Black's pairs in a position of a game of winning sets; ``None`` where none are found soon.

    Where Black ``begins``, a stone comes first.  White's own sets do not matter.  ``tries`` are
    the pairings that are looked at, of all stones together.
    """
    free = model.all & ~(black | white)
    if free.bit_count() > _MOST_CELLS:
        return None
    shapes = [shape & ~black for shape in model.black_wins if not shape & white]
    worth = {bit: sum(1 for shape in shapes if shape & bit) for bit in bits(free)}
    stones = sorted(worth, key=lambda bit: -worth[bit]) if begins else [0]
    left = tries
    for stone in stones:
        search = _Search([shape & ~stone for shape in shapes], free & ~stone)
        for _ in range(left):
            left -= 1
            pairing = search.pairing()
            if pairing is None:
                break
            missed = search.missed(pairing)
            if missed is None:
                needed = search.needed(pairing)
                return MakerPairing(stone.bit_length() - 1 if stone else None, needed)
            search.learn(missed)
        if left <= 0:
            return None
    return None


class _Search:
    """Pairs of the positions ``free`` for what sets miss; some sets may miss nothing."""

    def __init__(self, shapes: Sequence[int], free: int) -> None:
        self._shapes = shapes
        self._free = free
        self._pairs = {
            pair: number for number, pair in enumerate(combinations(members(free), 2), 1)
        }
        self._solver = Solver(name=_SOLVER, bootstrap_with=self._disjoint())

    def _disjoint(self) -> Iterator[list[int]]:
        at: dict[int, list[int]] = {}
        for pair, variable in self._pairs.items():
            for v in pair:
                at.setdefault(v, []).append(variable)
        for here in at.values():
            yield from ([-one, -other] for one, other in combinations(here, 2))

    def pairing(self) -> Pairing | None:
        """Disjoint pairs that answer all choices so far; ``None`` where none are found soon."""
        self._solver.conf_budget(_CONFLICTS)
        if not self._solver.solve_limited():
            return None
        true = set(self._solver.get_model())
        return Pairing(tuple(pair for pair, variable in self._pairs.items() if variable in true))

    def missed(self, pairing: Pairing) -> int | None:
        """Positions that White can have all of, and that all sets meet; ``None`` for none."""
        clauses = [
            [sign * (one + 1), sign * (two + 1)] for one, two in pairing.pairs for sign in (1, -1)
        ]
        for shape in self._shapes:
            if not shape & ~pairing.mask:
                clauses.append([-(v + 1) for v in members(shape)])
        if any(not clause for clause in clauses):
            return None
        with Solver(name=_SOLVER, bootstrap_with=clauses) as solver:
            if not solver.solve():
                return None
            true = set(solver.get_model())
        left = self._free & ~mask_of(v for v in members(pairing.mask) if v + 1 in true)
        # The fewer positions White needs, the more pairings are refuted.
        for bit in bits(left):
            if all(shape & left & ~bit for shape in self._shapes):
                left &= ~bit
        return left

    def learn(self, missed: int) -> None:
        """Some pair lies within a set of White's positions."""
        self._solver.add_clause([self._pairs[pair] for pair in combinations(members(missed), 2)])

    def needed(self, pairing: Pairing) -> Pairing:
        """The pairs without those that Black wins without."""
        kept = pairing.pairs
        for pair in pairing.pairs:
            fewer = tuple(one for one in kept if one != pair)
            if self.missed(Pairing(fewer)) is None:
                kept = fewer
        return Pairing(kept)
