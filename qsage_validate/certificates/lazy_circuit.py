"""An and-inverter graph whose gates go to a SAT solver when they are first needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from qsage_validate.circuit.aig import Aig

# Gates handed over at a time; a block's clauses are Python lists and weigh 100 times as much.
_BLOCK: Final = 1 << 14


class LazyCircuit:
    """Adds Tseitin clauses cone by cone; each gate once."""

    def __init__(
        self,
        aig: Aig,
        inputs: Sequence[int],
        false: int,
        solver: Any,
        fresh: Iterator[int],
    ) -> None:
        """Prepare ``aig`` for ``solver`` (PySAT's); nothing is added yet.

        ``inputs`` are the solver literals of the inputs, ``false`` is a solver literal that
        is false, ``fresh`` yields solver variables that nobody else uses.
        """
        self._solver = solver
        self._fresh = fresh
        self._first = aig.num_inputs + 1
        self._left: list[int] = aig.fanin0.tolist()
        self._right: list[int] = aig.fanin1.tolist()
        # The solver literal of each AIG variable, 0 while it has none.
        self._literals = [false, *inputs] + [0] * aig.num_gates

    def load(self, literals: Iterable[int]) -> list[int]:
        """Add the cones of AIG literals; returns their solver literals."""
        wanted = list(literals)
        roots = [literal >> 1 for literal in wanted]
        self._add(self._cone(roots))
        found = self._literals
        return [-found[x >> 1] if x & 1 else found[x >> 1] for x in wanted]

    def _cone(self, roots: list[int]) -> list[int]:
        """The gates below ``roots`` that the solver does not have; they get variables."""
        new: list[int] = []
        pending = roots
        found, fresh, first = self._literals, self._fresh, self._first
        while pending:
            variable = pending.pop()
            if not found[variable]:
                found[variable] = next(fresh)
                new.append(variable)
                pending.append(self._left[variable - first] >> 1)
                pending.append(self._right[variable - first] >> 1)
        return new

    def _add(self, gates: list[int]) -> None:
        found, first, left, right = self._literals, self._first, self._left, self._right
        rest = iter(gates)
        while block := list(islice(rest, _BLOCK)):
            clauses: list[list[int]] = []
            for variable in block:
                a, b = left[variable - first], right[variable - first]
                x = -found[a >> 1] if a & 1 else found[a >> 1]
                y = -found[b >> 1] if b & 1 else found[b >> 1]
                z = found[variable]
                clauses += ([-z, x], [-z, y], [z, -x, -y])
            self._solver.append_formula(clauses)
