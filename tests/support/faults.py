"""Faults put into formulas that have a layout."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.circuit.qbf import Gate, Qbf
from qsage_validate.encodings.layout_reader import layout_from_comments


def negated_gate(formula: Qbf, name: str) -> Qbf:
    """The formula in which a gate that the layout names is read the other way round."""
    layout = layout_from_comments(formula)
    assert layout is not None
    gate = abs(layout.gates[name])

    def turned(literal: int) -> int:
        return -literal if abs(literal) == gate else literal

    gates = {
        number: Gate(each.connective, tuple(map(turned, each.inputs)))
        for number, each in formula.gates.items()
    }
    return replace(formula, gates=gates, output=turned(formula.output))
