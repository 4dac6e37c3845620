"""Asking a circuit certificate by simulation: all plays in one pass, 64 to a machine word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracles.oracle import Choice
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.simulate import Simulator, Words, pack, unpack
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.composition import compose

# Simulators kept for the sets of variables that were asked for: a few a ply.
_MAX_SIMULATORS = 64


class SimulationOracle:
    """Implements :class:`~qsage_validate.certificates.oracles.oracle.Oracle` by evaluation."""

    def __init__(self, certificate: CircuitCertificate, formula: Qbf | None = None) -> None:
        """Compose the certificate with the formula; the formula's gates need the latter."""
        composition = compose(certificate, formula)
        self.opponent = composition.opponent
        names = list(composition.literals)
        self._aig, literals = composition.builder.build(
            [composition.literals[name] for name in names]
        )
        self._literals = dict(zip(names, literals, strict=True))
        self._column = {variable: k for k, variable in enumerate(self.opponent)}
        self._simulators: dict[tuple[int, ...], Simulator] = {}

    def graph(self, wanted: Sequence[int]) -> tuple[Aig, list[int]]:
        """The graph that is evaluated, with the literals of ``wanted``.

        Its inputs are :attr:`opponent`, in this order.
        """
        return self._aig, [self._literals[name] for name in wanted]

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        names = tuple(wanted)
        return dict(zip(names, self.many([choice], names)[0].tolist(), strict=True))

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        plays = np.zeros((len(choices), len(self.opponent)), dtype=np.bool_)
        column = self._column
        for row, choice in zip(plays, choices, strict=True):
            for variable, value in choice.items():
                row[column[variable]] = value
        return unpack(self.run(pack(plays), wanted), len(choices))

    def run(self, plays: Words, wanted: Sequence[int]) -> Words:
        """Packed plays, shape ``(len(opponent), words)``, to packed values of ``wanted``.

        The rows of ``plays`` are in the order of :attr:`opponent`; see
        :func:`qsage_validate.circuit.simulate.pack`.
        """
        return self._simulator(tuple(wanted)).run(plays)

    def _simulator(self, wanted: tuple[int, ...]) -> Simulator:
        simulator = self._simulators.get(wanted)
        if simulator is None:
            simulator = Simulator(self._aig, [self._literals[name] for name in wanted])
            if len(self._simulators) >= _MAX_SIMULATORS:
                del self._simulators[next(iter(self._simulators))]
            self._simulators[wanted] = simulator
        return simulator
