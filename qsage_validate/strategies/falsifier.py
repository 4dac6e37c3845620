"""Whether the matrix can still become true in a play, against a Herbrand certificate."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from pysat.solvers import Solver

from qsage_validate.certificates.certificate import CircuitCertificate
from qsage_validate.certificates.composition import compose
from qsage_validate.certificates.lazy_circuit import LazyCircuit
from qsage_validate.circuit.qbf import Qbf


class Falsifier:
    """Looks for existential values that satisfy the matrix against the Herbrand functions."""

    def __init__(self, certificate: CircuitCertificate, formula: Qbf) -> None:
        """Compose certificate and matrix into one circuit and hand it to a SAT solver."""
        composition = compose(certificate, formula)
        assert composition.output is not None, "composed with a formula"
        aig, (output,) = composition.builder.build([composition.output])
        self._solver = Solver(name="glucose4")
        fresh = count(1)
        self._number = {variable: next(fresh) for variable in composition.opponent}
        false = next(fresh)
        self._solver.add_clause([-false])
        circuit = LazyCircuit(aig, list(self._number.values()), false, self._solver, fresh)
        (self._output,) = circuit.load([output])

    def satisfying(self, fixed: Mapping[int, bool]) -> dict[int, bool] | None:
        """Values of the existentials, ``fixed`` among them, that make the matrix true.

        ``None`` when there are none: the certificate has won every such play.
        """
        number = self._number
        assumptions = [number[v] if value else -number[v] for v, value in fixed.items()]
        if not self._solver.solve(assumptions=[*assumptions, self._output]):
            return None
        true = {literal for literal in self._solver.get_model() or () if literal > 0}
        return {variable: k in true for variable, k in number.items()}
