"""Obligations as CNFs, against the graph's values under all inputs."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder, embed
from qsage_validate.kernel.claims import Claim, first_failure
from qsage_validate.kernel.lrat import check_steps, read_cnf
from qsage_validate.kernel.obligation import Obligation, joined
from qsage_validate.kernel.player import FindingKind
from qsage_validate.proving.formula_cnf import NotProvedError, refutation
from tests.support.lrat import satisfiable
from tests.support.random_certificates import evaluate_aig, random_aig


def claim(wrong: int, ply: int = 1) -> Claim:
    return Claim(FindingKind.END_DIFFERS, ply, wrong, f"claim of ply {ply}")


@st.composite
def obligations(draw: st.DrawFn) -> tuple[Obligation, Aig, list[int], list[int]]:
    """A graph of up to four inputs, claims and assumptions that are any of its literals."""
    inputs = draw(st.integers(0, 4))
    aig = random_aig(draw, inputs)
    literal = st.integers(0, 2 * aig.num_variables + 1)
    wrong = draw(st.lists(literal, max_size=4))
    assumed = draw(st.lists(literal, max_size=3))
    builder = AigBuilder(inputs, rewrite=draw(st.booleans()))
    built = embed(builder, aig, list(builder.inputs), [*wrong, *assumed])
    plies = [draw(st.integers(1, 3)) for _ in wrong]
    claims = [claim(x, ply) for x, ply in zip(built, plies, strict=False)]
    return Obligation(builder, claims, built[len(wrong) :]), aig, wrong, assumed


@given(obligations())
@settings(max_examples=150)
def test_the_cnf_is_satisfiable_exactly_when_a_claim_is_wrong(
    case: tuple[Obligation, Aig, list[int], list[int]],
) -> None:
    obligation, aig, wrong, assumed = case
    fails = False
    for values in product((False, True), repeat=aig.num_inputs):
        of = evaluate_aig(aig, list(values))
        fails |= any(of[x] for x in wrong) and all(of[x] for x in assumed)
    cnf = obligation.cnf()
    assert max((abs(x) for clause in cnf.clauses for x in clause), default=0) <= cnf.variables
    failure = first_failure(obligation.builder, obligation.claims, obligation.assumed)
    assert fails == (failure is not None)
    if fails:
        with pytest.raises(NotProvedError):
            refutation(cnf)
    else:
        clauses = read_cnf("cnf", [line.encode() for line in cnf.lines()])
        lines = [line.encode() for line in refutation(cnf).lines()]
        assert check_steps(clauses, lines, "lrat").clauses == len(cnf.clauses)
    if cnf.variables <= 12:
        assert satisfiable(list(cnf.clauses)) == fails


@given(st.lists(obligations(), max_size=3))
@settings(max_examples=80)
def test_joined_obligations_are_met_exactly_when_each_is(
    cases: list[tuple[Obligation, Aig, list[int], list[int]]],
) -> None:
    found = [case[0] for case in cases]
    together = joined(found)
    assert [c.text for c in together.claims] == [c.text for o in found for c in o.claims]
    fails = [first_failure(o.builder, o.claims, o.assumed) is not None for o in found]
    assert (first_failure(together.builder, together.claims) is not None) == any(fails)
    assert together.builder.build([])[0].num_inputs == sum(case[1].num_inputs for case in cases)


def test_the_last_clause_has_the_claims_in_the_order_of_their_plies() -> None:
    builder = AigBuilder(3)
    x, y, z = builder.inputs
    found = Obligation(builder, [claim(z, 2), claim(y, 1), claim(x, 3)], (x ^ 1,))
    cnf = found.cnf()
    assert [c.ply for c in found.in_order()] == [1, 2, 3]
    assert cnf.clauses[-1] == (2, 3, 1)
    assert cnf.clauses[-2] == (-1,)
    spans = [(s.first, s.last) for s in cnf.clause_spans]
    assert spans[-2:] == [(len(cnf.clauses) - 1,) * 2, (len(cnf.clauses),) * 2]


@pytest.mark.parametrize(
    ("claims", "assumed", "proved"),
    [
        ([], [], True),
        ([FALSE], [], True),
        ([FALSE, FALSE], [TRUE], True),
        ([TRUE], [], False),
        ([TRUE], [FALSE], True),
        ([TRUE], [TRUE], False),
    ],
)
def test_constants(claims: list[int], assumed: list[int], proved: bool) -> None:
    """No claim, or claims that the graph has decided: no empty clause, which checkers dislike."""
    cnf = Obligation(AigBuilder(1), list(map(claim, claims)), assumed).cnf()
    assert all(cnf.clauses)
    assert satisfiable(list(cnf.clauses)) != proved


def test_clauses_that_are_always_true_are_left_out() -> None:
    """ACL2's checker refuses them, and a wide conjunction can have one."""
    builder = AigBuilder(2, rewrite=False)
    x, y = builder.inputs
    both = builder.and_(builder.and_(x, y), builder.and_(x ^ 1, y))
    for clause in Obligation(builder, [claim(both)]).cnf().clauses:
        assert len({abs(x) for x in clause}) == len(clause)
