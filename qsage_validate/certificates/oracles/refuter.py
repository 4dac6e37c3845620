"""Refutation of a certificate in a play: one SAT call finds a win of the opponent, or none."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Protocol

from qsage_validate.certificates.oracles.lazy_circuit import LazyCircuit
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.kernel.certificate import CircuitCertificate, Kind
from qsage_validate.kernel.composition import compose


class Refutes(Protocol):
    """Says whether the opponent can still win."""

    def refutation(
        self, fixed: Mapping[int, bool], reply: Mapping[int, bool]
    ) -> dict[int, bool] | None:
        """Values of the opponent's variables, ``fixed`` among them, that win; ``None``: none do.

        ``reply`` are the answers that were given to what is fixed.
        """
        ...


class Refuter:
    """Looks for values of the opponent's variables that break the certificate's promise.

    Against a Skolem certificate these make the matrix false, against a Herbrand certificate
    they make it true.
    """

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
        (matrix,) = circuit.load([output])
        self._broken = -matrix if certificate.kind is Kind.SKOLEM else matrix

    def refutation(
        self, fixed: Mapping[int, bool], reply: Mapping[int, bool]
    ) -> dict[int, bool] | None:
        """Values of all of the opponent's variables, ``fixed`` among them, that win.

        ``None`` when there are none: the certificate wins every play that begins so.  Its
        functions give the replies, so that those in ``reply`` are not looked at.
        """
        number = self._number
        assumptions = [number[v] if value else -number[v] for v, value in fixed.items()]
        if not self._solver.solve(assumptions=[*assumptions, self._broken]):
            return None
        true = {literal for literal in self._solver.get_model() or () if literal > 0}
        return {variable: k in true for variable, k in number.items()}
