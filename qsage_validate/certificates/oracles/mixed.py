"""Single questions to a SAT solver, batches to simulation: quick answers of large certificates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracles.oracle import Choice
from qsage_validate.certificates.oracles.sat import SatOracle
from qsage_validate.certificates.oracles.simulation import SimulationOracle
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CircuitCertificate


class MixedOracle:
    """Answers one question by SAT and many at once by simulation; both agree.

    A reply is one question.  A board is one question for each square: in a certificate of a
    million gates the solver would need seconds for it.
    """

    def __init__(self, certificate: CircuitCertificate, formula: Qbf | None) -> None:
        self._certificate = certificate
        self._formula = formula
        self._sat = SatOracle(certificate, formula)
        self.opponent = self._sat.opponent

    @cached_property
    def _simulation(self) -> SimulationOracle:
        return SimulationOracle(self._certificate, self._formula)

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        return self._sat.values(choice, wanted)

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        if len(choices) <= 1:
            return self._sat.many(choices, wanted)
        return self._simulation.many(choices, wanted)
