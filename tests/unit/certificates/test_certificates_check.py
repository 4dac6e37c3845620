from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateRefuted,
    CertificateUndecided,
    CheckResult,
    check,
)
from qsage_validate.certificates.definitions import definitions
from qsage_validate.certificates.reader import parse_certificate
from qsage_validate.circuit.aig import Aig, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.sat import Satisfiable, TimedOut, Unsatisfiable
from qsage_validate.circuit.simplify import satisfy
from qsage_validate.errors import Exit, InputError
from qsage_validate.formats.qdimacs import parse_qdimacs
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
    wrong_dependency,
)
from qsage_validate.kernel.composition import NotDefinitionalError, compose
from qsage_validate.system.limits import Deadline
from tests.support.random_certificates import (
    all_choices,
    certified,
    evaluate_aig,
    meaning,
    pedant_text,
)

Case = tuple[Qbf, CircuitCertificate]


def lost(formula: Qbf, certificate: CircuitCertificate, choice: dict[int, bool]) -> bool:
    """Whether the opponent's choice beats the certificate, by definition."""
    value = meaning(formula, certificate, choice)[abs(formula.output)] != (formula.output < 0)
    return value != (certificate.kind is CertificateKind.SKOLEM)


def looks_right(formula: Qbf, certificate: CircuitCertificate) -> bool:
    """Whether the value of some function changes with a variable to the right of its own."""
    level = formula.levels()
    opponent = formula.variables(certificate.kind.decides.dual)
    for choice in all_choices(opponent):
        values = meaning(formula, certificate, choice)
        for flipped in opponent:
            other = meaning(formula, certificate, {**choice, flipped: not choice[flipped]})
            if any(
                level[flipped] > level[v] and values[v] != other[v] for v in certificate.functions
            ):
                return True
    return False


def assert_right(formula: Qbf, certificate: CircuitCertificate, result: CheckResult) -> None:
    """The result is what trying every assignment says."""
    opponent = formula.variables(certificate.kind.decides.dual)
    beaten = any(lost(formula, certificate, choice) for choice in all_choices(opponent))
    if isinstance(result, CertificateProved):
        assert not beaten
        assert not looks_right(formula, certificate)
    else:
        assert isinstance(result, CertificateRefuted)
        if result.choice is None:
            dependency = result.dependency
            assert dependency is not None
            level = formula.levels()
            assert level[dependency.reads] > level[dependency.variable]
        else:
            assert set(result.choice) == set(opponent)
            assert lost(formula, certificate, dict(result.choice))


@given(certified())
@settings(max_examples=100)
def test_the_check_agrees_with_trying_everything(case: Case) -> None:
    formula, certificate = case
    result = check(formula, certificate)
    assert_right(formula, certificate, result)
    if isinstance(result, CertificateProved):
        missing = set(formula.variables(certificate.kind.decides)) - set(certificate.functions)
        assert set(result.dont_cares) == missing


@given(certified())
@settings(max_examples=60)
def test_the_composition_loses_exactly_where_the_certificate_does(case: Case) -> None:
    formula, certificate = case
    opponent = formula.variables(certificate.kind.decides.dual)
    composition = compose(certificate, formula)
    assert composition.output is not None
    wrong = composition.output ^ (certificate.kind is CertificateKind.SKOLEM)
    aig, (literal,) = composition.builder.build([wrong])
    assert aig.num_inputs == len(opponent)
    for choice in all_choices(opponent):
        values = evaluate_aig(aig, list(choice.values()))
        assert values[literal] == lost(formula, certificate, choice)


@given(certified())
@settings(max_examples=60)
def test_a_clause_set_is_checked_like_its_circuit(case: Case) -> None:
    formula, certificate = case
    certificate = replace(certificate, extra={})
    assume(certificate.kind is CertificateKind.SKOLEM and certificate.functions)
    text = pedant_text(certificate, formula.max_variable + 1)
    clauses = parse_certificate(text.encode(), None)
    result = check(formula, clauses)
    assert_right(formula, certificate, result)
    assert type(result) is type(check(formula, certificate))


def copycat(right: bool = True) -> Case:
    """forall 1 exists 2 forall 3 exists 4: 2 copies 1 (or 3) and 4 their exclusive or."""
    builder = AigBuilder(2)
    one, three = builder.inputs
    aig, outputs = builder.build([one if right else three, builder.xor(one, three)])
    formula = Qbf(
        (
            Scope(Quantifier.FORALL, (1,)),
            Scope(Quantifier.EXISTS, (2,)),
            Scope(Quantifier.FORALL, (3,)),
            Scope(Quantifier.EXISTS, (4,)),
        ),
        {5: Gate(Connective.XOR, (2, 3)), 6: Gate(Connective.XOR, (5, -4))},
        6,
        path="copycat.qcir",
    )
    functions = dict(zip((2, 4), outputs, strict=True))
    return formula, CircuitCertificate(CertificateKind.SKOLEM, aig, (1, 3), functions, Dialect.CAQE)


def test_a_right_certificate_is_proved() -> None:
    result = check(*copycat())
    assert isinstance(result, CertificateProved)
    assert result.exit_code is Exit.FINE
    assert str(result) == "proved: the Skolem functions make the formula true"


def test_a_function_that_looks_to_its_right_is_refuted_with_its_path() -> None:
    formula, certificate = copycat(right=False)
    result = check(formula, certificate)
    assert isinstance(result, CertificateRefuted)
    assert result.dependency is not None
    assert (result.dependency.variable, result.dependency.reads) == (2, 3)
    assert str(result) == "refuted: a function of 2 that reads 3"
    assert result.exit_code is Exit.REFUTED


def test_only_real_dependencies_count() -> None:
    # The function of 2 is or(1, and(3, 0)), spelt with gates that a reader keeps.
    formula, _ = copycat()
    left = np.array([4, 3, 2], dtype=np.int32)
    right = np.array([0, 7, 5], dtype=np.int32)
    aig = Aig(2, left, right)
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, aig, (1, 3), {2: 9, 4: 10}, Dialect.CAQE
    )
    assert wrong_dependency(certificate, formula) is None
    seeing = replace(certificate, functions={2: 10})
    found = wrong_dependency(seeing, formula)
    assert found is not None
    assert (found.variable, found.reads, found.path) == (2, 3, (5,))


def test_a_wrong_function_is_refuted_with_the_opponents_choice() -> None:
    formula, certificate = copycat()
    wrong = replace(certificate, functions={2: certificate.functions[2], 4: 0})
    result = check(formula, wrong)
    assert isinstance(result, CertificateRefuted)
    assert result.choice is not None
    assert result.choice[1] != result.choice[3]
    assert "the matrix is false under" in result.reason


def test_dont_cares_are_named_and_played_as_false() -> None:
    formula, certificate = copycat()
    sharing = replace(
        formula, gates={5: Gate(Connective.XOR, (2, 1)), 6: Gate(Connective.OR, (-5,))}
    )
    result = check(sharing, replace(certificate, functions={2: certificate.functions[2]}))
    assert isinstance(result, CertificateProved)
    assert result.dont_cares == (4,)
    assert str(result).endswith("; 1 variable without a function played as false")


def test_certificates_of_another_formula_are_no_results() -> None:
    formula, certificate = copycat()
    with pytest.raises(ValueError, match="the input 2 is no variable of the opponent"):
        check(formula, replace(certificate, inputs=(2, 3)))
    with pytest.raises(ValueError, match="the function of 3 decides a variable of the opponent"):
        check(formula, replace(certificate, inputs=(1, 3), functions={3: 2}))


def pigeons(count: int) -> tuple[Aig, int]:
    """``count + 1`` pigeons in ``count`` holes, one input for each pair: never, and hard."""
    builder = AigBuilder((count + 1) * count)
    rows = [builder.inputs[p * count : (p + 1) * count] for p in range(count + 1)]
    conditions = [builder.or_all(row) for row in rows]
    for hole in range(count):
        for p in range(count + 1):
            conditions += [
                builder.and_(rows[p][hole], rows[q][hole]) ^ 1 for q in range(p + 1, count + 1)
            ]
    aig, (literal,) = builder.build([builder.and_all(conditions)])
    return aig, literal


def test_a_limit_ends_the_search_undecided() -> None:
    aig, literal = pigeons(12)
    assert satisfy(aig, literal, deadline=Deadline.after(0.3)) == TimedOut(0.3)
    assert satisfy(aig, literal, deadline=Deadline.after(0)) == TimedOut(0)
    inputs = tuple(range(1, aig.num_inputs + 1))
    builder_gates = {len(inputs) + 1: Gate(Connective.AND, ())}
    formula = Qbf(
        (Scope(Quantifier.FORALL, inputs), Scope(Quantifier.EXISTS, (1000,))),
        builder_gates | {1001: Gate(Connective.OR, (-1000,))},
        1001,
    )
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, aig, inputs, {1000: literal}, Dialect.CAQE
    )
    result = check(formula, certificate, deadline=Deadline.after(0.3))
    assert isinstance(result, CertificateUndecided)
    assert str(result) == "undecided: no answer within 0.3 seconds"
    assert result.exit_code is Exit.UNDECIDED


def test_satisfy_finds_inputs_and_their_absence() -> None:
    assert satisfy(*pigeons(4)) == Unsatisfiable()
    builder = AigBuilder(3)
    a, _, c = builder.inputs
    aig, (literal,) = builder.build([builder.and_(a, c ^ 1)])
    answer = satisfy(aig, literal)
    assert isinstance(answer, Satisfiable)
    assert (answer.inputs[0], answer.inputs[2]) == (True, False)
    assert satisfy(aig, 0) == Unsatisfiable()
    assert satisfy(aig, 1) == Satisfiable((False, False, False))
    assert satisfy(aig, 2) == Satisfiable((True, False, False))


# --- Clause sets ----------------------------------------------------------------------------


def clauses(text: str) -> ClauseCertificate:
    certificate = parse_certificate(text.encode())
    assert isinstance(certificate, ClauseCertificate)
    return certificate


def echo() -> Qbf:
    """forall 1 2 exists 3: 3 <-> 1."""
    return Qbf(
        (Scope(Quantifier.FORALL, (1, 2)), Scope(Quantifier.EXISTS, (3,))),
        {4: Gate(Connective.XOR, (3, -1))},
        4,
    )


def test_clauses_that_define_the_right_function_are_proved() -> None:
    text = "p cnf 5 5\nc Model for variable 3.\n-5 1 0\n5 -1 0\n-3 5 0\n3 -5 0\n5 -5 0\n"
    assert isinstance(check(echo(), clauses(text)), CertificateProved)


def test_clauses_without_a_solution_are_refuted() -> None:
    text = "p cnf 3 3\nc Model for variable 3.\n3 -1 0\n-3 1 0\n-3 -2 0\n"
    result = check(echo(), clauses(text))
    assert isinstance(result, CertificateRefuted)
    assert result.reason == "the clauses of 3 contradict each other under 1 2"
    assert result.choice == {1: True, 2: True}


def test_clauses_with_several_solutions_prove_nothing() -> None:
    text = "p cnf 3 1\nc Model for variable 3.\n-3 1 0\n"
    result = check(echo(), clauses(text))
    assert isinstance(result, CertificateUndecided)
    assert result.why.startswith("the clauses have several solutions under 1 ")
    assert result.why.endswith(": they leave 3 open, and it loses with one of its values")
    assert result.exit_code is Exit.UNDECIDED
    # Where the clauses are definite, the function is wrong: that is certain.
    wrong = "p cnf 3 1\nc Model for variable 3.\n3 1 0\n"
    assert isinstance(check(echo(), clauses(wrong)), CertificateRefuted)


def free_choice(*clauses: str) -> ClauseCertificate:
    """Clauses for 3 and, behind it, 4."""
    lines = [f"p cnf 4 {len(clauses)}", "c Model for variable 3."]
    lines += [c for c in clauses if "4" not in c]
    lines += ["c Model for variable 4.", *(c for c in clauses if "4" in c), ""]
    certificate = parse_certificate("\n".join(lines).encode())
    assert isinstance(certificate, ClauseCertificate)
    return certificate


def two_outs() -> Qbf:
    """forall 1 2 exists 3 4: 1 -> 3 or 4."""
    return Qbf(
        (Scope(Quantifier.FORALL, (1, 2)), Scope(Quantifier.EXISTS, (3, 4))),
        {5: Gate(Connective.OR, (-1, 3, 4))},
        5,
    )


def test_clauses_may_leave_open_what_makes_no_difference() -> None:
    # 3 is open where 1 is false; 4 is the complement of 3.
    result = check(two_outs(), free_choice("3 -1 0", "4 3 0", "-4 -3 0"))
    assert isinstance(result, CertificateProved)
    assert result.open_variables == (3,)
    assert str(result).endswith(
        "; it wins with either value of 1 variable that the clauses leave open"
    )
    # Nothing is forced at all, and one of the solutions loses.
    result = check(two_outs(), free_choice("3 2 0", "4 -2 -1 3 0", "4 -4 0"))
    assert isinstance(result, CertificateProved)
    result = check(two_outs(), free_choice("3 2 0", "-4 2 0"))
    assert isinstance(result, CertificateUndecided)
    assert "and it loses with one of its values" in result.why


def test_an_open_variable_that_may_lead_to_a_contradiction_proves_nothing() -> None:
    # Where 3 is chosen to be true, 4 must be both.
    result = check(two_outs(), free_choice("3 -1 0", "4 -3 1 0", "-4 -3 0", "-4 3 0"))
    assert isinstance(result, CertificateUndecided)
    assert "and one of its values leads to a contradiction" in result.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "p cnf 4 4\nc Model for variable 3.\n-3 4 0\n3 -4 0\n"
            "c Model for variable 4.\n-4 3 0\n4 -3 0\n",
            "definitions go in a circle",
        ),
        ("p cnf 6 2\nc Model for variable 3.\n-3 6 0\n3 -6 0\n", "6 is used but not defined"),
        ("p cnf 3 2\n1 2 0\nc Model for variable 3.\n3 0\n", "before the first model"),
        (
            "p cnf 3 2\nc Model for variable 3.\n3 0\n1 2 0\n",
            "the clause 1 2 0 defines no variable",
        ),
    ],
)
def test_clauses_that_are_no_definitions_are_undecided(text: str, why: str) -> None:
    result = check(echo(), clauses(text))
    assert isinstance(result, CertificateUndecided)
    assert why in result.why


def test_a_clause_model_that_looks_to_its_right_is_refused_when_read() -> None:
    formula = copycat()[0]
    text = "p cnf 4 2\nc Model for variable 2.\n-2 3 0\n2 -3 0\n"
    with pytest.raises(InputError, match="a model of 2 that depends on 3"):
        parse_certificate(text.encode(), formula)
    assert isinstance(check(formula, clauses(text)), CertificateRefuted)


def test_a_clause_in_the_block_of_another_variable_defines_only_helpers() -> None:
    formula = parse_qdimacs("p cnf 9 2\na 1 0\ne 9 5 0\n-5 1 0\n5 -1 0\n")
    blocks = ("9.\n-9 1 0\n", "5.\n9 -1 0\n-5 1 0\n5 -1 0\n")
    text = "p cnf 9 4\n" + "".join(f"c Model for variable {block}" for block in blocks)
    certificate = parse_certificate(text.encode(), formula)
    assert isinstance(certificate, ClauseCertificate)
    with pytest.raises(NotDefinitionalError, match="the clause 9 -1 0 defines no variable"):
        definitions(certificate, formula)
