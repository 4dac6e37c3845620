"""Is there an input under which a literal of a graph is true?  One SAT call, with a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, Aig
from qsage_validate.circuit.clauses import circuit_clauses, load
from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.system.limits import NEVER, Deadline

# Conflicts between two looks at the clock and at pending signals: some tenths of a second.
# CaDiCaL goes on where it stopped, so that slices cost nothing.
_SLICE: Final = 500
_SOLVER: Final = "cadical195"


@dataclass(frozen=True, slots=True)
class Satisfiable:
    """``inputs`` make the literal true, one value an input of the graph."""

    inputs: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """The literal is false under every input."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The limit of ``seconds`` was reached first."""

    seconds: float


Answer = Satisfiable | Unsatisfiable | TimedOut


def satisfy(aig: Aig, literal: int, *, deadline: Deadline = NEVER) -> Answer:
    """Search for an input that makes ``literal`` true, until the deadline."""
    if literal == FALSE:
        return Unsatisfiable()
    if literal == TRUE:
        return Satisfiable((False,) * aig.num_inputs)
    clauses = circuit_clauses(aig, keep=[literal])
    with Solver(name=_SOLVER) as solver:
        load(solver, clauses.literals)
        solver.add_clause([clauses.literal(literal)])
        while not deadline.over:
            solver.conf_budget(_SLICE)
            answer = solver.solve_limited()
            if answer is not None:
                if not answer:
                    return Unsatisfiable()
                true = {x for x in solver.get_model() if x > 0}
                values = (int(clauses.sat_of[k]) for k in range(1, aig.num_inputs + 1))
                return Satisfiable(tuple(v in true for v in values))
    return TimedOut(deadline.seconds)
