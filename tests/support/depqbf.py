"""Formulas decided by DepQBF inside the process: for many small ones."""

from __future__ import annotations

import pytest

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.formats.qdimacs import clausal_form


def depqbf_truth(qbf: Qbf) -> bool:
    """Whether a closed formula is true, by its clauses; skips the test without PyQBF."""
    pytest.importorskip("pyqbf", reason="needs the extra 'solve'")
    from pyqbf.formula import PCNF
    from pyqbf.solvers import Solver

    form = clausal_form(qbf)
    if any(not clause for clause in form.clauses):
        return False
    pcnf = PCNF(from_clauses=[list(c) for c in form.clauses], auto_generate_prefix=False)
    for scope in form.scopes:
        add = pcnf.exists if scope.quantifier is Quantifier.EXISTS else pcnf.forall
        add(*scope.variables)
    with Solver(name="depqbf", bootstrap_with=pcnf) as solver:
        return bool(solver.solve())
