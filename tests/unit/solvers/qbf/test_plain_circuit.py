from __future__ import annotations

from hypothesis import given

from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.solvers.backend import plain_circuit
from tests.support.generated import qbfs
from tests.support.qbf_truth import qbf_truth


@given(qbfs(named=True))
def test_the_truth_and_the_variables_stay(qbf: Qbf) -> None:
    plain = plain_circuit(qbf)
    assert plain.scopes == qbf.merged_scopes()
    again = parse_qcir(qcir_text(plain))
    assert qbf_truth(again) is qbf_truth(qbf)


@given(qbfs())
def test_nothing_degenerate_is_left(qbf: Qbf) -> None:
    plain = plain_circuit(qbf)
    assert plain.output in plain.gates
    for number, gate in plain.gates.items():
        assert gate.connective in (Connective.AND, Connective.OR)
        variables = {abs(x) for x in gate.inputs}
        assert len(variables) == len(gate.inputs)
        assert len(variables) > 1 or number == plain.output


def test_a_plain_circuit_stays_gate_by_gate() -> None:
    text = "#QCIR-G14 5\nexists(1, 2)\nforall(3)\noutput(5)\n4 = or(1, -3)\n5 = and(-2, 4, 3)\n"
    assert qcir_text(plain_circuit(parse_qcir(text))) == text
