from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from qsage_validate.certificates.oracle import NoAnswerError, Oracle
from qsage_validate.certificates.reader import parse_certificate
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.certificates.simulation_oracle import SimulationOracle, WholeOracle
from qsage_validate.circuit.aig import Aig, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from tests.support.random_certificates import all_choices, certified, meaning, pedant_text

Case = tuple[Qbf, CircuitCertificate]


@given(certified())
@settings(max_examples=60)
def test_sat_and_simulation_answer_what_the_functions_say(case: Case) -> None:
    formula, certificate = case
    wanted = [*formula.quantifiers(), *formula.gates, *certificate.extra]
    oracles: list[Oracle] = [
        SimulationOracle(certificate, formula),
        SatOracle(certificate, formula),
        SatOracle(certificate, formula, simplify=True, solver="cadical195"),
        WholeOracle(certificate, formula),
    ]
    opponent = formula.variables(certificate.kind.decides.dual)
    choices = list(all_choices(opponent))
    expected = [[meaning(formula, certificate, c)[v] for v in wanted] for c in choices]
    for oracle in oracles:
        assert oracle.opponent == opponent
        assert oracle.many(choices, wanted).tolist() == expected
        # One by one, in reverse, so that the definitions come in another order.
        for name in reversed(wanted):
            assert oracle.values(choices[-1], [name]) == {name: expected[-1][wanted.index(name)]}


@given(certified())
@settings(max_examples=60)
def test_a_clause_set_answers_like_its_circuit(case: Case) -> None:
    formula, certificate = case
    certificate = replace(certificate, extra={})
    assume(certificate.kind is CertificateKind.SKOLEM and certificate.functions)
    text = pedant_text(certificate, formula.max_variable + 1)
    # The reader refuses functions that look to their right; the oracle answers them as well.
    clauses = parse_certificate(text.encode(), None)
    wanted = [*formula.quantifiers(), *formula.gates]
    choices = list(all_choices(formula.variables(Quantifier.FORALL)))
    expected = SimulationOracle(certificate, formula).many(choices, wanted)
    assert np.array_equal(SatOracle(clauses, formula).many(choices, wanted), expected)


def skolem() -> Case:
    """forall 1 2 exists 3 4 5: 3 <-> (1 and 2), 4 free and unused, 5 a don't-care."""
    builder = AigBuilder(2)
    aig, (f,) = builder.build([builder.and_(*builder.inputs)])
    formula = Qbf(
        (Scope(Quantifier.FORALL, (1, 2)), Scope(Quantifier.EXISTS, (3, 4, 5))),
        {6: Gate(Connective.AND, (3, -5)), 7: Gate(Connective.OR, (6, -1, -2))},
        7,
    )
    return formula, CircuitCertificate(
        CertificateKind.SKOLEM, aig, (1, 2), {3: f, 4: 1}, Dialect.CAQE
    )


@pytest.mark.parametrize("make", [SimulationOracle, SatOracle, WholeOracle])
def test_left_out_choices_and_dont_cares_are_false(make: type[SatOracle]) -> None:
    formula, certificate = skolem()
    oracle = make(certificate, formula)
    assert oracle.values({1: True}, [1, 2, 3, 4, 5, 6, 7]) == {
        1: True,
        2: False,
        3: False,
        4: True,
        5: False,
        6: False,
        7: True,
    }
    assert oracle.values({}, []) == {}
    assert oracle.many([], [3]).shape == (0, 1)


@pytest.mark.parametrize("make", [SimulationOracle, SatOracle, WholeOracle])
def test_unknown_names_and_foreign_choices_are_key_errors(make: type[SatOracle]) -> None:
    formula, certificate = skolem()
    oracle = make(certificate, formula)
    with pytest.raises(KeyError):
        oracle.values({}, [8])
    with pytest.raises(KeyError):
        oracle.values({3: True}, [3])
    assert oracle.values({1: True, 2: True}, [3])[3]


@pytest.mark.parametrize("make", [SimulationOracle, SatOracle, WholeOracle])
def test_without_a_formula_the_functions_answer(make: type[SatOracle]) -> None:
    _, certificate = skolem()
    oracle = make(certificate)
    assert oracle.opponent == (1, 2)
    assert oracle.values({1: True, 2: True}, [3, 4, 2]) == {3: True, 4: True, 2: True}
    with pytest.raises(KeyError):
        oracle.values({}, [5])


def test_a_gate_of_the_formula_wins_over_a_function_of_the_same_name() -> None:
    formula, certificate = skolem()
    # The clausal form's Tseitin variable 6 need not be the circuit's gate 6.
    certificate = replace(certificate, extra={6: 1, 9: 1})
    oracles: list[Oracle] = [
        SimulationOracle(certificate, formula),
        SatOracle(certificate, formula),
        WholeOracle(certificate, formula),
    ]
    for oracle in oracles:
        assert oracle.values({}, [6, 9]) == {6: False, 9: True}


def test_clauses_without_a_solution_are_no_answer() -> None:
    text = b"p cnf 2 2\nc Model for variable 2.\n2 -1 0\n-2 -1 0\n"
    oracle = SatOracle(parse_certificate(text, path="c.cnf"))
    assert oracle.opponent == (1,)
    assert oracle.values({1: False}, [2]) == {2: False}
    with pytest.raises(NoAnswerError, match=r"^c\.cnf: its clauses leave no answer to 1$"):
        oracle.values({1: True}, [2])


def test_helpers_of_a_clause_set_do_not_meet_the_gates_of_the_formula() -> None:
    formula, _ = skolem()
    # Variable 6 is a helper here and a gate there, and they disagree.
    text = b"p cnf 6 3\nc Model for variable 3.\n-6 0\n3 6 0\n-3 -6 0\n"
    oracle = SatOracle(parse_certificate(text, formula), formula)
    assert oracle.values({}, [3, 5, 6]) == {3: True, 5: False, 6: True}


def test_deep_circuits_need_no_recursion() -> None:
    depth = 30_000
    left = np.array([2] + [2 if k % 2 else 4 for k in range(depth)], dtype=np.int32)
    right = np.array([4] + [2 * (3 + k) + 1 for k in range(depth)], dtype=np.int32)
    aig = Aig(2, left, right)
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, aig, (1, 2), {3: 2 * aig.num_variables}, Dialect.CAQE
    )
    choices = list(all_choices((1, 2)))
    expected = SimulationOracle(certificate).many(choices, [3])
    for simplify in (False, True):
        with SatOracle(certificate, simplify=simplify) as oracle:
            assert np.array_equal(oracle.many(choices, [3]), expected)
