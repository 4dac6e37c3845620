"""The method synms does what its paper prints: Example 2, Theorem 3, Algorithms 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import lcm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.extensions.impartial import families, report
from qsage_validate.extensions.impartial.candidates import SampledLiteral, StateSample, hitting_set
from qsage_validate.extensions.impartial.methods import (
    characteristic_formula,
    distinguishing_atoms,
    exact_classifier,
    hard_constraints,
    synms_formula,
)
from qsage_validate.extensions.impartial.model import (
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
)
from qsage_validate.extensions.impartial.report import (
    SynthesisMethod,
    SynthesisOptions,
    Verdict,
    synthesise,
)
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.extensions.impartial.smt import SmtSolver
from qsage_validate.extensions.impartial.winning_formula import Technique
from qsage_validate.system.limits import NEVER, Deadline

pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")

V = Linear.variable("v")
TAKE_AWAY = StateSample.of(("v",), [(1,), (2,), (3,), (0,), (4,)], [True, True, True, False, False])


@pytest.fixture(scope="module")
def solver() -> Iterator[SmtSolver]:
    with SmtSolver() as one:
        yield one


def literals(sample: StateSample, *atoms: ImpartialFormula) -> list[SampledLiteral]:
    return [SampledLiteral(atom, sample.values(atom), atom.size) for atom in atoms]


def test_example_2_has_the_constraints_and_the_formula_of_the_paper() -> None:
    atoms = literals(
        TAKE_AWAY,
        ImpartialComparison("=", V, Linear((), 0)),
        *(Congruence(V, modulus, Linear((), 0)) for modulus in (2, 3, 4)),
    )
    clauses = hard_constraints(TAKE_AWAY, atoms, NEVER)
    # Table 1: 1-0, 1-4, 2-0, 2-4, 3-0, 3-4, each with the atoms that differ; 1-4 needs 2 or 4.
    assert {frozenset(clause) for clause in clauses} == {
        frozenset({0, 1, 2, 3}),
        frozenset({1, 3}),
        frozenset({0, 2, 3}),
        frozenset({3}),
        frozenset({0, 1, 3}),
        frozenset({1, 2, 3}),
    }
    chosen, exact = hitting_set(clauses, [1] * 4)
    assert (chosen, exact) == ([3], True)
    assert str(characteristic_formula(TAKE_AWAY, [atoms[3]])) == "v % 4 != 0"


def test_the_characteristic_formula_lists_the_patterns_of_positive_states() -> None:
    atoms = literals(
        TAKE_AWAY, Congruence(V, 2, Linear((), 0)), ImpartialComparison("<=", V, Linear((), 3))
    )
    formula = characteristic_formula(TAKE_AWAY, atoms)
    assert str(formula) == "(v % 2 = 0 and v <= 3) or (v % 2 != 0 and v <= 3)"


def test_states_that_no_atom_tells_apart_have_no_formula() -> None:
    """Theorem 3: numbers far beyond those of the game, of the same residues."""
    game = families.load("take-away-3")
    far = lcm(*range(2, 17))
    sample = StateSample.of(("v",), [(1000,), (1000 + far,)], [True, False])
    assert distinguishing_atoms(game, sample, NEVER) is None
    assert exact_classifier(game, sample, NEVER) is None


@given(labels=st.lists(st.booleans(), min_size=1, max_size=25))
@settings(max_examples=40, deadline=None)
def test_a_classifier_is_exact(labels: list[bool]) -> None:
    states = list(product(range(5), repeat=2))[: len(labels)]
    sample = StateSample.of(("v1", "v2"), states, labels)
    formula = exact_classifier(families.load("two-heap-nim"), sample, NEVER)
    assert formula is not None
    assert sample.mistakes(formula) == []


def test_atoms_come_up_to_the_least_size_that_tells_all_states_apart() -> None:
    game = families.load("take-away-3")
    few = StateSample.of(("v",), [(1,), (0,)], [True, False])
    atoms = distinguishing_atoms(game, few, NEVER)
    assert atoms is not None
    assert {atom.size for atom in atoms} == {3}
    more = StateSample.of(("v",), [(16,), (17,)], [False, True])
    atoms = distinguishing_atoms(game, more, NEVER)
    assert atoms is not None
    assert max(atom.size for atom in atoms) == 4


def test_take_away_3_ends_with_the_formula_of_table_2(solver: SmtSolver) -> None:
    rules = ImpartialRules(families.load("take-away-3"))
    result = synms_formula(rules, solver, Deadline.after(60))
    assert str(result.formula) == "v % 4 != 0"
    assert result.technique is Technique.CLASSIFICATION
    assert 1 < result.rounds < 20
    assert len(result.labels) < 20  # a box would have thousands


def test_its_strategy_has_the_kinds_of_rules_of_table_3(solver: SmtSolver) -> None:
    game = families.load("take-away-3")
    result = synthesise(
        game, SynthesisOptions(SynthesisMethod.SYNMS, strategy=True, seconds=60), solver=solver
    )
    strategy = report.proved_strategy(result)
    assert strategy is not None
    texts = strategy.text(game).splitlines()
    for line in (f"v % 4 = {k} -> take({k})" for k in (1, 2, 3)):
        assert line in texts
    assert result.checked is not None
    assert result.checked.agrees


@pytest.mark.parametrize("name", ["two-heap-nim", "two-row-chomp", "odd-wythoff", "wythoff-3"])
def test_formulas_and_strategies_agree_with_backward_induction(
    name: str, solver: SmtSolver
) -> None:
    options = SynthesisOptions(SynthesisMethod.SYNMS, strategy=True, seconds=60)
    result = synthesise(families.load(name), options, solver=solver)
    assert result.verdict is Verdict.PROVED
    assert result.strategy is not None
    assert result.strategy.proved
    assert result.checked is not None
    assert result.checked.agrees
    assert result.checked.states > 500


def test_a_game_without_a_formula_is_impossible(solver: SmtSolver) -> None:
    from qsage_validate.extensions.impartial.nim import PUBLISHED

    result = synthesise(
        families.load("transfer-3-le-1", PUBLISHED),
        SynthesisOptions(SynthesisMethod.SYNMS),
        solver=solver,
    )
    assert result.verdict is Verdict.IMPOSSIBLE


def test_a_synthesis_without_time_is_undecided(solver: SmtSolver) -> None:
    result = synthesise(
        families.load("wythoff-3"),
        SynthesisOptions(SynthesisMethod.SYNMS, strategy=True, seconds=0.0),
        solver=solver,
    )
    assert result.verdict is Verdict.UNDECIDED
    assert result.strategy is None
