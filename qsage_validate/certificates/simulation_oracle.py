"""Asking a circuit certificate by simulation: all plays in one pass, 64 to a machine word.

:class:`WholeOracle` asks a large circuit by evaluating all of it, gate by gate as the file has
them. Composing a million gates with the formula's, equal ones merged, takes seconds and several
hundred megabytes before the first answer, and a simulator for each set of names as much again.  A
person asks little: there one simulator serves every question, in a few hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracle import Choice
from qsage_validate.circuit.aig import Aig, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.simulate import GraphSimulator, Words, pack, unpack
from qsage_validate.kernel.certificate import CircuitCertificate, opponent_variables
from qsage_validate.kernel.composition import compose
from qsage_validate.system.limits import stage

# Simulators kept for the sets of variables that were asked for: a few a ply.
_MAX_SIMULATORS = 64


class SimulationOracle:
    """Implements :class:`~qsage_validate.certificates.oracle.Oracle` by evaluation."""

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
        self._simulators: dict[tuple[int, ...], GraphSimulator] = {}

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

    def _simulator(self, wanted: tuple[int, ...]) -> GraphSimulator:
        simulator = self._simulators.get(wanted)
        if simulator is None:
            simulator = GraphSimulator(self._aig, [self._literals[name] for name in wanted])
            if len(self._simulators) >= _MAX_SIMULATORS:
                del self._simulators[next(iter(self._simulators))]
            self._simulators[wanted] = simulator
        return simulator


# One word of plays at a time in a circuit of a million gates: that takes 16 MB.
_BYTES_PER_PASS: Final = 1 << 24


class WholeOracle:
    """Implements :class:`~qsage_validate.certificates.oracle.Oracle` for large circuits."""

    def __init__(self, certificate: CircuitCertificate, formula: Qbf | None = None) -> None:
        """Put the certificate's gates in order, and the formula's in a graph of their own."""
        stage("putting the gates in order")
        self.opponent = opponent_variables(certificate, formula)
        self._row = {variable: row for row, variable in enumerate(self.opponent)}
        outside = {**certificate.extra, **certificate.functions}
        self._functions = GraphSimulator(certificate.aig, list(outside.values()), _BYTES_PER_PASS)
        self._inputs = certificate.inputs
        first = len(self.opponent)
        self._row.update((name, first + k) for k, name in enumerate(outside))
        # Behind what the certificate tells comes a row of zeros, for what it leaves open.
        self._open = first + len(outside)
        self._gates: GraphSimulator | None = None
        if formula is None:
            return
        for variable in formula.variables(certificate.kind.decides):
            self._row.setdefault(variable, self._open)
        prefix = list(formula.quantifiers())
        self._prefix = [self._row[variable] for variable in prefix]
        builder = AigBuilder(len(prefix))
        literals = dict(zip(prefix, builder.inputs, strict=True))
        formula.add_to(builder, literals)
        gates = list(formula.gates)
        aig, outputs = builder.build([literals[gate] for gate in gates])
        self._gates = GraphSimulator(aig, outputs)
        self._row.update((gate, self._open + 1 + k) for k, gate in enumerate(gates))

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        names = tuple(wanted)
        return dict(zip(names, self.many([choice], names)[0].tolist(), strict=True))

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        plays = np.zeros((len(choices), len(self.opponent)), dtype=np.bool_)
        column = {variable: k for k, variable in enumerate(self.opponent)}
        for row, choice in zip(plays, choices, strict=True):
            for variable, value in choice.items():
                row[column[variable]] = value
        rows = [self._row[name] for name in wanted]
        return unpack(self._run(pack(plays))[rows], len(choices))

    def _run(self, plays: Words) -> Words:
        """The rows of all names for packed plays of the opponent's variables."""
        none = np.zeros((1, plays.shape[1]), dtype=np.uint64)
        known = np.concatenate((plays, none))
        # An input of the certificate's own, which clauses leave open, reads as false.
        read = [self._row.get(name, len(plays)) for name in self._inputs]
        told = np.concatenate((plays, self._functions.run(known[read]), none))
        if self._gates is None:
            return told
        return np.concatenate((told, self._gates.run(told[self._prefix])))
