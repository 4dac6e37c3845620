"""Skolem functions by definition: all existentials for all values of the universals to the left."""

from __future__ import annotations

from itertools import product

from pysat.solvers import Solver

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect


def skolem_by_expansion(form: ClausalForm) -> CircuitCertificate | None:
    """The functions of a clausal form with few universals; ``None`` when it is false.

    Each existential has a SAT variable for each assignment of the universals left of it, and
    each clause is there once for each assignment of all universals.
    """
    universals: list[int] = []
    left_of: dict[int, int] = {}
    for scope in form.scopes:
        if scope.quantifier is Quantifier.FORALL:
            universals += scope.variables
        else:
            left_of.update(dict.fromkeys(scope.variables, len(universals)))
    position = {u: k for k, u in enumerate(universals)}
    copies: dict[tuple[int, tuple[bool, ...]], int] = {}

    def copy(variable: int, values: tuple[bool, ...]) -> int:
        key = (variable, values[: left_of[variable]])
        return copies.setdefault(key, len(copies) + 1)

    with Solver("cadical153") as solver:
        for values in product((False, True), repeat=len(universals)):
            for clause in form.clauses:
                decided = [x for x in clause if abs(x) in position]
                if any(values[position[abs(x)]] == (x > 0) for x in decided):
                    continue
                rest = [x for x in clause if abs(x) not in position]
                solver.add_clause([copy(abs(x), values) * (1 if x > 0 else -1) for x in rest])
        if not solver.solve():
            return None
        true = {x for x in solver.get_model() or () if x > 0}
    builder = AigBuilder(len(universals))

    def function(variable: int, values: tuple[bool, ...] = ()) -> int:
        if len(values) == left_of[variable]:
            return int(copies.get((variable, values)) in true)
        then, other = (function(variable, (*values, bit)) for bit in (True, False))
        return builder.ite(builder.inputs[len(values)], then, other)

    literals = [function(variable) for variable in left_of]
    aig, outputs = builder.build(literals)
    functions = dict(zip(left_of, outputs, strict=True))
    return CircuitCertificate(
        CertificateKind.SKOLEM, aig, tuple(universals), functions, Dialect.QBFCERT_ASCII
    )
