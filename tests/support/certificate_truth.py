"""A short certificate check for tests: one SAT call, no sharing with the project's own."""

from __future__ import annotations

from pysat.solvers import Solver

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate


def falsifying_choice(qbf: Qbf, certificate: CircuitCertificate) -> dict[int, bool] | None:
    """The opponent's assignment under which the certificate fails, or ``None`` if it is valid."""
    top = qbf.max_variable
    number = {k + 1: v for k, v in enumerate(certificate.inputs)}
    aig = certificate.aig

    def literal(x: int) -> int:
        variable = number.get(x >> 1, top + 1 + (x >> 1))
        return -variable if x & 1 else variable

    with Solver("cadical153", bootstrap_with=list(qbf.clauses())) as solver:
        solver.add_clause([literal(1)])
        for gate in range(aig.num_gates):
            out = literal(2 * (aig.num_inputs + 1 + gate))
            a, b = literal(int(aig.fanin0[gate])), literal(int(aig.fanin1[gate]))
            for clause in ([-out, a], [-out, b], [out, -a, -b]):
                solver.add_clause(clause)
        for variable in qbf.variables(certificate.kind.decides):
            function = literal(certificate.functions.get(variable, 0))
            solver.add_clause([-variable, function])
            solver.add_clause([variable, -function])
        wrong = -qbf.output if certificate.kind is CertificateKind.SKOLEM else qbf.output
        if not solver.solve(assumptions=[wrong]):
            return None
        model = set(solver.get_model() or [])
        return {v: v in model for v in certificate.inputs}
