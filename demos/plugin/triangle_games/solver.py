"""A solver of QDIMACS by trying both values of each variable, for formulas of a few variables."""

import sys

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.rewriting import residual
from qsage_validate.formats.formula import read_formula
from qsage_validate.solvers.backend import Backend, SolverDialect, SolverFormat, on_path


def value(formula: Qbf) -> bool:
    """The value of a closed formula."""
    if not formula.gates[abs(formula.output)].inputs:
        return formula.truth({v: False for scope in formula.scopes for v in scope.variables})
    scope = formula.scopes[0]
    either = any if scope.quantifier is Quantifier.EXISTS else all
    return either(value(residual(formula, {scope.variables[0]: bit})) for bit in (True, False))


def main() -> int:
    """The program: the verdict as QBF solvers print it, and its exit code."""
    true = value(read_formula(sys.argv[-1]))
    print("s cnf 1" if true else "s cnf 0")
    return 10 if true else 20


SOLVERS = (
    Backend(
        name="triangle-brute",
        accepts=frozenset({SolverFormat.QDIMACS, SolverFormat.QCIR}),
        traces=frozenset(),
        help="tries both values of each variable",
        dialect=SolverDialect(),
        find=lambda: on_path("triangle-brute"),
    ),
)
