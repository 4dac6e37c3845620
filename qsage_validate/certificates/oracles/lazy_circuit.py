"""An and-inverter graph whose gates go to a SAT solver when they are first needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.circuit.clauses import ClauseReceiver, circuit_clauses, load


class LazyCircuit:
    """Adds Tseitin clauses cone by cone, chains of gates as one wide conjunction."""

    def __init__(
        self,
        aig: Aig,
        inputs: Sequence[int],
        false: int,
        solver: ClauseReceiver,
        fresh: Iterator[int],
    ) -> None:
        """Prepare ``aig`` for ``solver`` (PySAT's); nothing is added yet.

        ``inputs`` are the solver literals of the inputs, ``false`` is a solver literal that
        is false, ``fresh`` yields solver variables that are used nowhere else, in a row.
        """
        self._aig = aig
        self._inputs = inputs
        self._solver = solver
        self._fresh = fresh
        # The solver literal of each AIG variable, 0 while it has none.
        self._known: Literals = np.zeros(aig.num_variables + 1, dtype=np.int32)
        self._known[0] = false
        self._known[1 : aig.num_inputs + 1] = inputs

    def load(self, literals: Iterable[int]) -> list[int]:
        """Add the cones of AIG literals; returns their solver literals."""
        wanted = list(literals)
        missing = [literal for literal in wanted if not self._known[literal >> 1]]
        if missing:
            self._add(missing)
        found = self._known[[literal >> 1 for literal in wanted]].tolist()
        return [-x if literal & 1 else x for x, literal in zip(found, wanted, strict=True)]

    def _add(self, literals: list[int]) -> None:
        first = next(self._fresh)
        clauses = circuit_clauses(
            self._aig, inputs=self._inputs, keep=literals, first=first, known=self._known
        )
        # The variables behind the first are taken as well.
        taken = max(0, clauses.max_variable - first)
        for _ in islice(self._fresh, taken):
            pass
        load(self._solver, clauses.literals)
        self._known = clauses.sat_of
