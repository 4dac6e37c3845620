"""Gates that are enough for a formula to be false: a core of its expansion by SAT.

Each copy of a gate in the expansion is a variable; clauses say what it is as long as the gate is
assumed.  Where the clauses contradict each other, the formula is false whatever all gates that are
not assumed are.  Gates are left out one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier, tseitin
from qsage_validate.circuit.rewriting import residual
from qsage_validate.circuit.sat import Solver
from qsage_validate.system.limits import NEVER, Deadline

_SOLVER: Final = "cadical195"
_MOST_INPUTS: Final = 100_000
"""Inputs of gates in an expansion: some tenths of a second."""
_SLICE: Final = 500


def deciding_gates(
    formula: Qbf, values: Mapping[int, bool], deadline: Deadline = NEVER
) -> tuple[int, ...]:
    """Gates, none of which can be left out, that make the formula false under ``values``.

    They are gates of what the values leave of the formula, and of all where nothing is left.  At
    the deadline some may be too many.  Nothing where the formula is true, where its expansion is
    too large, or where no core was found in time.
    """
    from qsage_validate.judging.residuals import expansion_size, trimmed

    formula = trimmed(formula)
    left = residual(formula, values)
    undecided = set(left.gates) - {abs(left.output)}
    ask = set(left.gates if undecided else formula.gates)
    if expansion_size(formula, values) > _MOST_INPUTS:
        return ()
    with Solver(_SOLVER) as solver:
        chosen = _load(solver, formula, values)
        of_gate = {literal: gate for gate, literal in chosen.items()}
        sure = [literal for gate, literal in chosen.items() if gate not in ask]
        for literal in sure:
            solver.add_clause([literal])
        asked = [chosen[gate] for gate in formula.gates if gate in ask]
        core = _core(solver, asked, deadline) or ()
        for literal in core:
            if literal in core:
                core = _core(solver, [x for x in core if x != literal], deadline) or core
        kept = {of_gate[literal] for literal in core}
    return tuple(gate for gate in formula.gates if gate in kept)


def _core(solver: Solver, assumed: Sequence[int], deadline: Deadline) -> list[int] | None:
    """Those of ``assumed`` that contradict each other; ``None`` where none were found."""
    while not deadline.over:
        solver.conf_budget(_SLICE)
        answer = solver.solve_limited(assumptions=assumed)
        if answer is not None:
            return None if answer else list(solver.get_core() or ())
    return None


def _load(solver: Solver, formula: Qbf, values: Mapping[int, bool]) -> dict[int, int]:
    """Add the clauses of the expansion; the result is the literal that assumes each gate."""
    from qsage_validate.judging.residuals import stages_of

    stages, gates = stages_of(formula, values)
    chosen = {gate: number for number, gate in enumerate(formula.gates, 2)}
    last = len(formula.gates) + 1
    solver.add_clause([1])
    known = {v: 1 if value else -1 for v, value in values.items()}

    def new() -> int:
        nonlocal last
        last += 1
        return last

    def copies(stage: int) -> None:
        if stage == len(stages):
            sign = 1 if formula.output > 0 else -1
            solver.add_clause([sign * known[abs(formula.output)]])
            return
        quantifier, variables = stages[stage]
        for value in (-1, 1) if quantifier is Quantifier.FORALL else (0,):
            known.update((v, value or new()) for v in variables)
            for number, gate in gates[stage].items():
                known[number] = new()
                inputs = [known[abs(x)] * (1 if x > 0 else -1) for x in gate.inputs]
                for clause in tseitin(known[number], replace(gate, inputs=tuple(inputs))):
                    solver.add_clause([-chosen[number], *clause])
            copies(stage + 1)

    copies(0)
    return chosen
