"""The formula of a game in GDL as clauses, with its atoms quantified in one of three ways.

Source: He, Saffidine and Thielscher 2024, Definitions 6, 7 and 9.  A gate's variable is
existential and depends on its inputs alone, so it may stand in any block from that of its inputs
on; the definitions differ in how far to the left.  Constraints are clauses of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier, Scope, tseitin
from qsage_validate.encodings.gdl.formula import GdlEncoding
from qsage_validate.formats.qdimacs import ClausalForm


class Quantification(Enum):
    """The place of atoms in the prefix; the values are the paper's names."""

    NAIVE = "GN"
    TIME = "GT"
    DEPENDENCY = "GD"


def gdl_clauses(
    encoding: GdlEncoding,
    quantification: Quantification = Quantification.DEPENDENCY,
    *,
    also: Iterable[int] = (),
) -> ClausalForm:
    """The clauses of an encoding; its variables keep their numbers, gates too.

    Gates that no constraint needs are left out, except those in ``also``.
    """
    qbf = encoding.qbf
    constraints = _asserted(qbf)
    needed = _needed(qbf, (*also, *(abs(x) for clause in constraints for x in clause)))
    clauses = [
        tuple(clause)
        for number in qbf.gates
        if number in needed
        for clause in tseitin(number, qbf.gates[number])
    ]
    levels = _levels(qbf, quantification, encoding.times)
    blocks: dict[int, list[int]] = {}
    for scope, block in zip(qbf.scopes, encoding.blocks, strict=True):
        blocks.setdefault(block, []).extend(scope.variables)
    places = {v: block for block, numbers in blocks.items() for v in numbers}
    for number, gate in qbf.gates.items():
        inner = max((places[abs(x)] for x in gate.inputs), default=0)
        # A universal block is followed by an existential one.
        places[number] = max(inner + inner % 2, levels.get(number, 0))
        if number in needed:
            blocks.setdefault(places[number], []).append(number)
    scopes = tuple(
        Scope(Quantifier.FORALL if block % 2 else Quantifier.EXISTS, tuple(blocks[block]))
        for block in sorted(blocks)
    )
    prefix = Qbf(scopes, {}, qbf.output).merged_scopes()
    return ClausalForm(prefix, tuple(clauses) + tuple(constraints), qbf.max_variable)


def _levels(qbf: Qbf, quantification: Quantification, times: Mapping[int, int]) -> dict[int, int]:
    """The block in which a gate stands at least."""
    last = 2 * max(times.values(), default=0)
    if quantification is Quantification.NAIVE:
        return dict.fromkeys(qbf.gates, last)
    if quantification is Quantification.TIME:
        return {gate: 2 * time for gate, time in times.items()}
    return {}


def _asserted(qbf: Qbf) -> list[tuple[int, ...]]:
    """The clauses that say that the output is true, over variables and gates."""
    clauses: list[tuple[int, ...]] = []
    waiting = [qbf.output]
    while waiting:
        literal = waiting.pop()
        gate = qbf.gates.get(abs(literal))
        kind = None if gate is None else (gate.connective, literal > 0)
        if gate is not None and kind == (Connective.AND, True):
            waiting += gate.inputs
        elif gate is not None and kind == (Connective.OR, False):
            waiting += (-x for x in gate.inputs)
        elif gate is not None and kind == (Connective.OR, True):
            clauses.append(tuple(gate.inputs))
        elif gate is not None and kind == (Connective.AND, False):
            clauses.append(tuple(-x for x in gate.inputs))
        else:
            clauses.append((literal,))
    return list(dict.fromkeys(reversed(clauses)))


def _needed(qbf: Qbf, roots: Iterable[int]) -> set[int]:
    """The gates that the values of some literals depend on."""
    needed = {root for root in roots if root in qbf.gates}
    waiting = list(needed)
    while waiting:
        for literal in qbf.gates[waiting.pop()].inputs:
            if abs(literal) in qbf.gates and abs(literal) not in needed:
                needed.add(abs(literal))
                waiting.append(abs(literal))
    return needed
