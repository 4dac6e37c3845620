"""A small QBF evaluator for tests: search over the prefix with unit propagation.

It shares nothing with encoders, searches and certificates but the formula type.
"""

from __future__ import annotations

from pysat.solvers import Solver

from qsage_validate.circuit.qbf import Qbf, Quantifier


def qbf_truth(qbf: Qbf) -> bool:
    """Whether a closed QBF is true; for formulas of a few dozen variables."""
    quantifiers = qbf.quantifiers()
    order = [v for scope in qbf.scopes for v in scope.variables]
    with Solver("minicard", bootstrap_with=list(qbf.clauses())) as solver:

        def value(assumptions: list[int], index: int) -> bool:
            consistent, implied = solver.propagate(assumptions)
            assert consistent, "definitions of gates never conflict"
            known = set(implied)
            if qbf.output in known:
                return True
            if -qbf.output in known:
                return False
            if index == len(order):
                # Constants (gates without inputs) are not among what is implied.
                return bool(solver.solve(assumptions=[*assumptions, qbf.output]))
            if quantifiers[order[index]] is Quantifier.EXISTS:
                # Existentials that cannot keep the output true need no branching.
                solver_says = solver.solve(assumptions=[*assumptions, qbf.output])
                if not solver_says:
                    return False
            branches = (value([*assumptions, x], index + 1) for x in (order[index], -order[index]))
            return (any if quantifiers[order[index]] is Quantifier.EXISTS else all)(branches)

        return value([], 0)
