"""Pairing strategies: White answers a claim of one of two positions by claiming the other.

When each black set that is alive contains one of some disjoint pairs of open positions, Black
never completes any: White has one of each set at the end.  Pairs are found by a SAT solver, which
keeps what it has learned for the next position.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from qsage_validate.games.masks import members
from qsage_validate.solvers.search.positional.winning_sets import WinningSets

if TYPE_CHECKING:
    from qsage_validate.circuit.sat import Solver

_SOLVER = "minisat22"
# Larger problems take longer to set up than they save.
_MOST_CELLS = 64
_MOST_SETS = 2_000
# That no pairs exist is a pigeonhole problem: it is given up after so many conflicts, later where
# few positions are claimed, for much depends on these.
_CONFLICTS = 60
_AT_FIRST = {0: 20_000, 1: 20_000, 2: 20_000, 3: 20_000, 4: 300, 5: 300}

Pairs = tuple[tuple[int, int], ...]


class BoardPairingFinder:
    """Finds pairs for the sets of one board, position after position."""

    def __init__(self, sets: WinningSets) -> None:
        self._sets = sets
        self.possible = sets.size <= _MOST_CELLS and 0 < len(sets.sets) <= _MOST_SETS
        self._solver: Solver | None = None
        self._pairs: dict[tuple[int, int], int] = {}
        self._first_set = sets.size + 1

    def holds(self, claimed: int, alive: int, *, surely: bool = False) -> bool:
        """True if pairs of unclaimed positions are found that the sets ``alive`` contain.

        Unless ``surely``, ``False`` may also mean that none were found soon.
        """
        if not self.possible:
            return False
        solver = self._made()
        assumptions = [-(v + 1) for v in members(claimed)]
        assumptions += [self._first_set + number for number in members(alive)]
        if surely:
            return bool(solver.solve(assumptions))
        solver.conf_budget(_AT_FIRST.get(claimed.bit_count(), _CONFLICTS))
        return solver.solve_limited(assumptions) is True

    def find(self, claimed: int, alive: int) -> Pairs | None:
        """The pairs, or ``None`` when there are none."""
        if not self.holds(claimed, alive, surely=True):
            return None
        true = set(self._made().get_model())
        return tuple(pair for pair, variable in self._pairs.items() if variable in true)

    def _made(self) -> Solver:
        if self._solver is None:
            # SAT solvers take longer to load than small boards to search.
            from qsage_validate.circuit.sat import Solver

            self._solver = Solver(name=_SOLVER, bootstrap_with=self._clauses())
        return self._solver

    def _clauses(self) -> list[list[int]]:
        """Variables: positions that are open, then sets that are alive, then pairs."""
        following = self._first_set + len(self._sets.sets)
        at: list[list[int]] = [[] for _ in range(self._sets.size)]
        clauses: list[list[int]] = []
        for number, mask in enumerate(self._sets.sets):
            chosen = [-(self._first_set + number)]
            for pair in combinations(members(mask), 2):
                if pair not in self._pairs:
                    self._pairs[pair] = following
                    for v in pair:
                        at[v].append(following)
                        clauses.append([-following, v + 1])
                    following += 1
                chosen.append(self._pairs[pair])
            clauses.append(chosen)
        for pairs in at:
            clauses += [[-one, -two] for one, two in combinations(pairs, 2)]
        return clauses
