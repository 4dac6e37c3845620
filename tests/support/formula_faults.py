"""Single faults of a formula's matrix: an input less, an input negated, or the other connective."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from qsage_validate.circuit.qbf import Connective, Gate, Qbf

_OTHER = {Connective.AND: Connective.OR, Connective.OR: Connective.AND}


def gate_faults(qbf: Qbf) -> Iterator[tuple[str, Qbf]]:
    """The formula with one fault in one gate, each with its name."""
    for number, gate in qbf.gates.items():
        for what, changed in _faults(gate):
            yield f"gate {number} {what}", replace(qbf, gates={**qbf.gates, number: changed})


def _faults(gate: Gate) -> Iterator[tuple[str, Gate]]:
    inputs = gate.inputs
    if gate.connective in _OTHER:
        for k, literal in enumerate(inputs):
            yield f"without {literal}", replace(gate, inputs=inputs[:k] + inputs[k + 1 :])
        if len(inputs) > 1:
            yield "of the other connective", replace(gate, connective=_OTHER[gate.connective])
    for k, literal in enumerate(inputs):
        yield f"with {-literal}", replace(gate, inputs=(*inputs[:k], -literal, *inputs[k + 1 :]))


def some_faults(qbf: Qbf, count: int, seed: int) -> list[tuple[str, Qbf]]:
    """So many of the faults, drawn by a seed; all of them where there are no more."""
    found = list(gate_faults(qbf))
    return found if len(found) <= count else Random(seed).sample(found, count)
