"""Lifting: what comes through a trace is a certificate of the original formula, or refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.check import CertificateProved, check, dependencies
from qsage_validate.certificates.qrat import (
    LiftingError,
    QratAction,
    QratStep,
    QratTrace,
    lift,
    parse_qrat,
)
from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.grid import encode_lifted
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from tests.support.bloqqer_runs import run_bloqqer
from tests.support.by_name import resolve_model
from tests.support.random_qbf import random_qcir, random_qdimacs, truth
from tests.support.skolem_by_expansion import skolem_by_expansion

pytestmark = pytest.mark.slow


def form_of(text: str) -> tuple[Qbf, ClausalForm]:
    """A formula as clauses, and its clausal form, from lines without the header."""
    lines = text.split("\n")
    clauses = [line for line in lines if line and line[0] not in "ae"]
    qbf = parse_qdimacs(f"p cnf 20 {len(clauses)}\n{text}\n")
    return qbf, clausal_form(qbf)


def lifted(text: str, trace: str, output: str | None = None) -> CircuitCertificate:
    """The certificate of ``text`` by way of ``trace``, checked."""
    qbf, form = form_of(text)
    rest = None if output is None else form_of(output)[1]
    certificate = lift(
        form, parse_qrat(trace), rest, None if rest is None else skolem_by_expansion(rest)
    )
    result = check(qbf, certificate)
    assert isinstance(result, CertificateProved), str(result)
    return certificate


# --- One technique each --------------------------------------------------------------------


def test_units_and_pure_literals() -> None:
    lifted("e 1 2 3 0\n1 0\n-2 3 0", "d 1 0 unit\n-2 0 existential pure\nd -2 3 0 unit or pure\n"
           "d -2 0 existential pure\n")  # fmt: skip


def test_blocked_clauses_read_the_universals_left_of_the_pivot() -> None:
    found = lifted("a 1 0\ne 2 0\n2 1 0\n-2 -1 0", "d 2 1 0 blocked clause\nd -2 -1 0 blocked\n")
    assert found.aig.num_gates == 0
    assert found.functions == {2: 3}  # not 1


def test_a_blocked_clause_with_literals_right_of_the_pivot() -> None:
    """The pivot may not read 4; it reads what the other clause's outer part says."""
    lifted(
        "a 1 0\ne 2 0\na 3 0\ne 4 0\n2 1 4 0\n-2 -1 0\n-4 3 0\n4 -3 0",
        "d 2 1 4 0 blocked clause\n-2 0 existential pure\nd -2 -1 0 unit or pure\n"
        "d -2 0 existential pure\n",
        "a 3 0\ne 4 0\n-4 3 0\n4 -3 0",
    )


def test_elimination_takes_the_side_with_fewer_literals() -> None:
    text = "a 1 2 3 0\ne 4 5 0\n5 1 4 0\n5 2 4 0\n5 3 4 0\n-5 -4 0"
    eliminated = (
        "d 5 1 4 0 var elimination\nd 5 2 4 0 var elimination\n"
        "d 5 3 4 0 var elimination\nd -5 -4 0 var elimination\n"
    )
    found = lifted(text, eliminated)
    assert found.aig.num_gates == 0


def test_elimination_of_a_variable_that_is_not_innermost() -> None:
    lifted(
        "a 1 0\ne 2 0\na 3 0\ne 4 0\n2 1 0\n-2 -1 4 0\n4 3 0",
        "d 2 1 0 var elimination\nd -2 -1 4 0 var elimination\n",
        "a 3 0\ne 4 0\n4 3 0",
    )


def test_expansion_makes_the_original_one_of_two_copies() -> None:
    found = lifted(
        "a 1 2 0\ne 3 0\n3 -1 -2 0\n3 1 2 0\n-3 -1 2 0\n-3 1 -2 0",
        "-4 2 3 0 expansion: adding new variable\n4 2 -3 0 expansion: adding new variable\n"
        "2 1 4 0 expansion: adding renamed clause\nd 3 1 2 0 expansion: rm orig clause\n"
        "2 -1 -4 0 expansion: adding renamed clause\nd -3 -1 2 0 expansion: rm orig clause\n"
        "d 3 -4 2 0 expansion: removing var definition\n"
        "d -3 4 2 0 expansion: removing var definition\n"
        "u 2 1 4 0 expansion: removal pivot pos\nu 2 -1 -4 0 expansion: removal pivot pos\n"
        "u -2 3 -1 0 expansion removal\nu -2 -3 1 0 expansion removal\n",
        "a 1 0\ne 3 4 0\n1 4 0\n-1 -4 0\n3 -1 0\n-3 1 0",
    )
    assert found.aig.num_gates == 3  # exclusive or


def test_covered_literals_change_the_pivot_that_covers() -> None:
    lifted(
        "e 1 2 3 4 0\n1 2 0\n-1 3 0\n-3 4 0\n-2 -4 3 0",
        "1 2 3 0 asymmetric or covered literal addition\n"
        "d 1 2 0 asymmetric or covered literal rm\n",
        "e 1 2 3 4 0\n1 2 3 0\n-1 3 0\n-3 4 0\n-2 -4 3 0",
    )


def test_what_was_done_before_the_trace() -> None:
    """Bloqqer reduces, strengthens and drops clauses while they are read, without lines."""
    lifted("e 1 2 0\na 3 0\n1 3 0\n-1 2 0\n1 2 3 0", "d 2 0 unit\nd 1 0 unit\n")


def test_a_first_line_with_a_pivot_from_before_the_trace() -> None:
    """Bloqqer's first line may begin with a literal that it has not forgotten, here 2."""
    found = lifted("e 1 2 0\n1 0\n2 -1 0", "d 2 1 0 unit\nd 2 0 unit\n")
    assert found.functions == {1: TRUE, 2: TRUE}


def test_equal_clauses_and_clauses_that_were_dropped_without_a_line() -> None:
    lifted("e 1 2 3 0\n1 2 0", "2 1 0\n-3 2 1 0 dropped\nd 1 2 0\nd 2 1 0 blocked clause\n")


def test_equivalences_in_which_a_unit_turned_up() -> None:
    """Bloqqer's line ``d -3 4`` is no step of QRAT: it would make the unit 3 false."""
    lifted(
        "a 9 0\ne 1 2 3 4 0\n4 2 0\n2 -1 0\n-2 3 0\n-3 4 0\n-4 1 0",
        "1 0 equivalence substitution\nd 4 2 0 equivalence substitution\n"
        "-1 3 0 eq subst: adding resolvent\n3 0 trivial clause\n"
        "d -1 3 0 trivial clause assigned\nd 2 -1 0 eq subst: rm first antecedent\n"
        "d -2 3 0 eq subst: rm second antecedent\nd -3 4 0 eq subst: rm second antecedent\n"
        "d -4 1 0 eq subst: rm second antecedent\nd 1 0 unit\nd 3 0 unit\n",
    )


def test_equivalences_of_opposite_literals_and_of_a_universal() -> None:
    found = lifted(
        "a 1 0\ne 2 3 4 0\n2 1 0\n-1 -2 0\n2 3 0\n-2 -3 0\n4 -3 0\n4 -2 0",
        "d 3 2 0 eq subst: rm first antecedent\nd -3 -2 0 eq subst: rm second antecedent\n"
        "d 2 1 0 eq subst: rm first antecedent\nd -2 -1 0 eq subst: rm second antecedent\n"
        "d 4 -3 0 blocked clause\nd 4 -2 0 blocked clause\n",
    )
    assert found.functions == {2: 3, 3: 2, 4: 1}  # not 1, 1, true


def test_empty_clauses_among_the_steps() -> None:
    trace = "d 0 var elimination\nd 1 0 var elimination\n0\nd 0 eq subst: rm first antecedent\n"
    lifted("e 1 0\n1 0", trace)


def test_without_clauses() -> None:
    qbf, form = form_of("e 1 0\na 2 0")
    certificate = lift(form, QratTrace(()), None)
    assert certificate.functions == {}
    assert isinstance(check(qbf, certificate), CertificateProved)


# --- What does not fit ---------------------------------------------------------------------


def test_a_trace_of_another_formula() -> None:
    _, form = form_of("a 1 0\ne 2 3 0\n2 1 0\n3 2 0")
    with pytest.raises(LiftingError, match="found the clause 3 2 in the formula, expected one"):
        lift(form, parse_qrat("d 2 1 0 unit\n"), None)


def test_variables_of_nowhere() -> None:
    _, form = form_of("a 1 0\ne 2 0\n2 1 0")
    with pytest.raises(InputError, match=r"t:2: found variable 7, expected a variable of the"):
        lift(form, parse_qrat("d 2 1 0 unit\nd 7 0\n", "t"), None)
    with pytest.raises(InputError, match=r"t:1: found variable 2000000000"):
        lift(form, parse_qrat("2000000000 0\nd 2 1 0 unit\n", "t"), None)
    with pytest.raises(LiftingError, match="found the clause 9 in the preprocessed formula"):
        lift(form, QratTrace(()), replace(form, clauses=((9,),)), None)


def test_certificates_of_the_wrong_kind_or_none() -> None:
    _, form = form_of("e 2 0\n2 0")
    with pytest.raises(ValueError, match="has clauses and no certificate"):
        lift(form, QratTrace(()), form)
    herbrand = CircuitCertificate(
        CertificateKind.HERBRAND, AigBuilder().build([])[0], (), {}, Dialect.CAQE
    )
    with pytest.raises(ValueError, match="only Skolem certificates"):
        lift(form, QratTrace(()), form, herbrand)


def test_a_wrong_certificate_does_not_become_right() -> None:
    qbf, form = form_of("a 1 0\ne 2 3 0\n2 1 0\n-2 -1 0\n3 2 0\n-3 -2 0")
    rest = form_of("a 1 0\ne 2 0\n2 1 0\n-2 -1 0")[1]
    right = skolem_by_expansion(rest)
    assert right is not None
    trace = parse_qrat("d 3 2 0 blocked clause\nd -3 -2 0 blocked clause\n")
    assert isinstance(check(qbf, lift(form, trace, rest, right)), CertificateProved)
    wrong = replace(right, functions={2: TRUE})
    assert not isinstance(check(qbf, lift(form, trace, rest, wrong)), CertificateProved)


_TECHNIQUES = (
    "",
    "var elimination",
    "eq subst: rm first antecedent",
    "expansion: removing var definition",
    "asymmetric or covered literal rm",
    "asymmetric taut or subs",
)
_LITERALS = st.sampled_from([x * sign for x in range(1, 11) for sign in (1, -1)])
_STEPS = st.builds(
    QratStep,
    st.sampled_from(QratAction),
    st.lists(_LITERALS, max_size=4).map(tuple),
    st.sampled_from(_TECHNIQUES),
    st.just(1),
)


@given(st.lists(_STEPS, max_size=14))
@settings(max_examples=100)
def test_any_steps_are_refused_or_give_functions_that_are_functions(steps: list[QratStep]) -> None:
    """No other exception, and no function reads what is right of it, whatever a trace says."""
    blocks = ((1, 2), (3, 4), (5,), (6,), (7, 8))
    quantifiers = (Quantifier.EXISTS, Quantifier.FORALL)
    scopes = tuple(Scope(quantifiers[k % 2], block) for k, block in enumerate(blocks))
    # Without clauses, so that none is missed at the beginning.
    form = ClausalForm(scopes, (), 8)
    trace = QratTrace(tuple(s for s in steps if s.literals or s.action is not QratAction.REDUCE))
    try:
        found = lift(form, trace, None)
    except InputError:
        return
    gates = Gate(Connective.AND, ())
    assert not dependencies(Qbf(scopes, {9: gates}, 9), found)


# --- Through Bloqqer -----------------------------------------------------------------------


def alternating(rng: Random) -> ClausalForm:
    """A random formula that is large enough for Bloqqer to leave something, some universals."""
    scopes: list[Scope] = []
    count = universals = 0
    quantifier = rng.choice(list(Quantifier))
    for _ in range(rng.choice((4, 5, 6))):
        if quantifier is Quantifier.FORALL:
            size = min(rng.randint(1, 4), 7 - universals)
            universals += size
        else:
            size = rng.randint(5, 50)
        scopes.append(Scope(quantifier, tuple(range(count + 1, count + size + 1))))
        count += size
        quantifier = quantifier.dual
    size = rng.randint(30, 80)
    scopes.append(Scope(Quantifier.EXISTS, tuple(range(count + 1, count + size + 1))))
    count += size
    own = [v for s in scopes if s.quantifier is Quantifier.EXISTS for v in s.variables]
    others = [v for s in scopes if s.quantifier is Quantifier.FORALL for v in s.variables]
    clauses = set()
    for _ in range(int(len(own) * rng.uniform(2.0, 2.9))):
        size = rng.choice((2, 3, 3, 4, 5))
        chosen = set(rng.sample(own, rng.randint(2, size)))
        while len(chosen) < size:
            chosen.add(rng.choice(others) if rng.random() < 0.6 else rng.choice(own))
        clauses.add(tuple(v * rng.choice((1, -1)) for v in sorted(chosen)))
    scopes = list(Qbf(tuple(scopes), {}, 1).merged_scopes())
    return ClausalForm(tuple(scopes), tuple(sorted(clauses)), count)


def small_formulas(seeds: range) -> list[tuple[Qbf, ClausalForm]]:
    """Random formulas, clauses and circuits, with clauses none of which is empty."""
    formulas = []
    for seed in seeds:
        rng = Random(seed)
        text = random_qdimacs(rng, most=rng.choice((6, 9, 14)))
        qbf = parse_qdimacs(text) if seed % 2 else parse_qcir(random_qcir(rng))
        form = clausal_form(qbf)
        if form.clauses and all(form.clauses):
            formulas.append((qbf, form))
    return formulas


def test_random_formulas_that_bloqqer_decides(tmp_path: Path) -> None:
    pytest.importorskip("pyqbf", reason="Bloqqer comes with PyQBF")
    formulas = small_formulas(range(200))
    lifted_ones = 0
    runs = run_bloqqer([form for _, form in formulas], tmp_path)
    for (qbf, form), (answer, trace) in zip(formulas, runs, strict=True):
        assert answer is truth(qbf)
        if answer is not True:
            continue
        certificate = lift(form, trace, None)
        result = check(parse_qdimacs(qdimacs_text(form)), certificate)
        assert isinstance(result, CertificateProved), (qdimacs_text(form), str(result))
        lifted_ones += 1
    assert lifted_ones > 80


def test_random_formulas_that_bloqqer_leaves_open(tmp_path: Path) -> None:
    """Also: what is left, under the prefix that the trace gives, has the original's truth."""
    pytest.importorskip("pyqbf", reason="Bloqqer comes with PyQBF")
    forms = [alternating(Random(seed)) for seed in (2, 4, 5, 10)]
    left = with_copies = with_universals = 0
    for form, (answer, trace) in zip(forms, run_bloqqer(forms, tmp_path), strict=True):
        if answer is False:
            continue
        rest = None if answer is True else answer
        certificate = None if rest is None else skolem_by_expansion(rest)
        if rest is not None:
            if certificate is None:
                assert skolem_by_expansion(form) is None
                continue
            left += 1
            with_copies += rest.max_variable > form.max_variable
            with_universals += any(s.quantifier is Quantifier.FORALL for s in rest.scopes)
        result = check(parse_qdimacs(qdimacs_text(form)), lift(form, trace, rest, certificate))
        assert isinstance(result, CertificateProved), (qdimacs_text(form), str(result))
    assert min(left, with_copies, with_universals) > 1


def test_games_that_bloqqer_decides(tmp_path: Path) -> None:
    """The functions are also small: three thousand gates where copies of copies are merged."""
    pytest.importorskip("pyqbf", reason="Bloqqer comes with PyQBF")
    games = [
        ("httt", {"size": "3x3", "shape": "domino", "depth": 3}, 4_000),
        ("evader-pursuer", {"size": "4x4", "pursuer": "2,3", "depth": 3}, 5_000),
    ]
    formulas = [encode_lifted(resolve_model([name], options)).qbf for name, options, _ in games]
    forms = [clausal_form(qbf) for qbf in formulas]
    runs = run_bloqqer(forms, tmp_path)
    for qbf, form, (answer, trace), (_, _, most) in zip(formulas, forms, runs, games, strict=True):
        assert answer is True
        found = lift(form, trace, None)
        own = {v: f for v, f in found.functions.items() if v in qbf.quantifiers()}
        assert isinstance(check(qbf, replace(found, functions=own)), CertificateProved)
        assert found.aig.num_gates < most


def test_damaged_traces_are_refused_or_lead_to_a_certificate_that_the_check_decides(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pyqbf", reason="Bloqqer comes with PyQBF")
    formulas = small_formulas(range(1000, 1100))
    refused = proved = refuted = 0
    runs = run_bloqqer([form for _, form in formulas], tmp_path)
    for seed, ((_, form), (answer, trace)) in enumerate(zip(formulas, runs, strict=True)):
        if answer is not True:
            continue
        qbf = parse_qdimacs(qdimacs_text(form))
        rng = Random(seed)
        for _ in range(5):
            steps = damaged(rng, list(trace.steps))
            try:
                found = lift(form, QratTrace(tuple(steps), "t"), None)
            except (LiftingError, InputError):
                refused += 1
                continue
            if isinstance(check(qbf, found), CertificateProved):
                proved += 1
            else:
                refuted += 1
    assert min(refused, proved, refuted) > 5


def damaged(rng: Random, steps: list[QratStep]) -> list[QratStep]:
    """Some steps dropped, doubled, swapped, or with another literal."""
    for _ in range(rng.randint(1, 4)):
        if not steps:
            break
        at = rng.randrange(len(steps))
        match rng.randrange(4):
            case 0:
                del steps[at : at + rng.randint(1, 30)]
            case 1:
                steps.insert(at, rng.choice(steps))
            case 2:
                other = rng.randrange(len(steps))
                steps[at], steps[other] = steps[other], steps[at]
            case _:
                literals = list(steps[at].literals)
                if literals:
                    literals[rng.randrange(len(literals))] *= -1
                    steps[at] = steps[at]._replace(literals=tuple(literals))
    return steps
