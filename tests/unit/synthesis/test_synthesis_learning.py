"""From labelled states to formulas: atoms, classification, small formulas, hitting sets."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.candidates import (
    Enumerator,
    StateSample,
    best_cover,
    classify,
    enumerate_atoms,
    hitting_set,
    moduli,
    periods,
    select_atoms,
    smallest_formulas,
)
from qsage_validate.extensions.impartial.model import ImpartialFormula
from qsage_validate.extensions.impartial.parser import parse_formula
from qsage_validate.extensions.impartial.rules import ImpartialRules, box_states
from qsage_validate.extensions.impartial.strategy import (
    coverage,
    expressions,
    greedy_cover,
)
from qsage_validate.extensions.impartial.winning_formula import column_formula
from qsage_validate.games.masks import members
from qsage_validate.system.limits import NEVER, Deadline
from tests.support.impartial_games import VARIABLES, formulas

BOX = [(a, b) for a in range(12) for b in range(12)]


def sample_of(formula: ImpartialFormula) -> StateSample:
    values = [formula.holds(dict(zip(VARIABLES, s, strict=True))) for s in BOX]
    return StateSample.of(VARIABLES, BOX, values)


@settings(max_examples=8)
@given(formulas(depth=1))
def test_whatever_is_learned_gives_the_labels(formula: ImpartialFormula) -> None:
    sample = sample_of(formula)
    literals = enumerate_atoms(sample, 0, [2, 3, 5])
    deadline = Deadline.after(2)
    found = smallest_formulas(sample.target, sample.mask, literals, deadline)
    for learned in (
        *found,
        classify(sample.target, sample.mask, literals, deadline),
        best_cover(sample.target, sample.mask, literals, deadline, most=120),
    ):
        if learned is not None:
            assert not sample.mistakes(learned)


@settings(max_examples=15)
@given(formulas(depth=1))
def test_atoms_are_closed_under_negation_and_told_apart_by_the_sample(
    formula: ImpartialFormula,
) -> None:
    sample = sample_of(formula)
    literals = enumerate_atoms(sample, 0, [2, 3], [formula] if not formula.variables() else [])
    for atom, negation in zip(literals[::2], literals[1::2], strict=True):
        assert atom.bits == sample.values(atom.formula)
        assert negation.bits == sample.mask & ~atom.bits
        assert negation.formula == atom.formula.negated()
    assert len({literal.bits for literal in literals}) == len(literals)
    sizes = [literal.size for literal in literals[::2]]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    "text",
    [
        "v1 % 4 != 0",
        "v1 = v2 or v1 < 3",
        "v1 % 3 = 1 and (v2 < 4 or v1 = v2)",
        "v1 != v2 + 1",
        "(v1 + v2) % 3 != 0 and v1 > 2",
        "v1 < 3 and v2 < 3 and v1 != v2",
    ],
)
def test_small_formulas_are_found_no_larger_than_they_were(text: str) -> None:
    formula = parse_formula(text, VARIABLES)
    sample = sample_of(formula)
    literals = enumerate_atoms(sample, 1, [2, 3, 4])
    found = smallest_formulas(sample.target, sample.mask, literals, Deadline.after(30))
    assert found
    assert found[0].size <= formula.size
    assert not sample.mistakes(found[0])


@settings(max_examples=10)
@given(formulas(depth=1))
def test_the_exhaustive_search_and_the_enumeration_agree_on_the_least_size(
    formula: ImpartialFormula,
) -> None:
    sample = sample_of(formula)
    literals = enumerate_atoms(sample, 0, [2])[:60]
    literals.sort(key=lambda literal: literal.size)
    enumerated = Enumerator(literals, sample.mask).find(sample.target, 10, Deadline.after(20))
    found = smallest_formulas(sample.target, sample.mask, literals, Deadline.after(20), below=10)
    assert (enumerated is None) == (not found)
    if enumerated is not None:
        assert not sample.mistakes(enumerated)
        assert enumerated.size == found[0].size


def test_fewest_atoms_are_selected() -> None:
    formula = parse_formula("v1 % 2 = 0 and v2 % 3 != 1", VARIABLES)
    sample = sample_of(formula)
    literals = enumerate_atoms(sample, 0, [2, 3])
    chosen = select_atoms(sample.target, sample.mask, literals, Deadline.after(10))
    assert chosen is not None
    assert len(chosen) == 2


def test_states_that_no_atom_tells_apart_are_not_classified() -> None:
    sample = StateSample.of(VARIABLES, [(0, 0), (50, 60), (51, 60)], [True, False, True])
    literals = enumerate_atoms(sample, 0, [])
    near = [
        x
        for x in literals
        if x.formula.holds({"v1": 50, "v2": 60}) == x.formula.holds({"v1": 51, "v2": 60})
    ]
    assert select_atoms(sample.target, sample.mask, near, Deadline.after(5)) is None


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True), max_size=8),
    st.lists(st.integers(1, 5), min_size=7, max_size=7),
)
def test_hitting_sets_are_least(clauses: list[list[int]], weights: list[int]) -> None:
    chosen, exact = hitting_set(clauses, weights, seconds=10.0)
    assert exact
    assert all(set(clause) & set(chosen) for clause in clauses)
    least = min(
        sum(weights[i] for i in subset)
        for size in range(8)
        for subset in combinations(range(7), size)
        if all(set(clause) & set(subset) for clause in clauses)
    )
    assert sum(weights[i] for i in chosen) == least


def test_without_time_a_hitting_set_is_still_one() -> None:
    clauses = [[0, 1], [1, 2], [3]]
    chosen, exact = hitting_set(clauses, [1, 1, 1, 1], seconds=0.0)
    assert not exact
    assert all(set(clause) & set(chosen) for clause in clauses)


def hard_hitting_set() -> tuple[list[list[int]], list[int]]:
    """More than a minute's work for RC2."""
    chance = random.Random(1)
    return [chance.sample(range(150), 3) for _ in range(700)], [1] * 150


def test_a_hitting_set_that_time_cuts_short_is_not_called_least() -> None:
    clauses, weights = hard_hitting_set()
    # As good as time allows; also where it is over before the search has a first answer.
    for deadline, seconds in ((NEVER, 0.2), (Deadline.after(0.05), 1.0), (NEVER, 1e-4)):
        chosen, exact = hitting_set(clauses, weights, deadline, seconds)
        assert not exact
        assert all(set(clause) & set(chosen) for clause in clauses)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_in_the_search_is_ctrl_c() -> None:
    clauses, weights = hard_hitting_set()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        hitting_set(clauses, weights, seconds=120.0)
    timer.join()


def test_periods_are_those_of_the_columns() -> None:
    rules = ImpartialRules(families.load("subtract-a-square"))
    states = box_states(rules.game, 60)
    labels = {state: rules.winning(state) for state in states}
    assert periods(states, labels)[0] == 5
    assert 5 in moduli(frozenset({1, 9}), [5], 0)
    assert {2, 9, 10} <= set(moduli(frozenset({1, 9}), [], 1))


def test_columns_become_a_formula() -> None:
    rules = ImpartialRules(families.load("wythoff-3"))
    labels = {state: rules.winning(state) for state in box_states(rules.game, 200)}
    formula = column_formula(rules.game, labels)
    assert formula is not None
    for state, wins in labels.items():
        assert formula.holds(rules.game.state(state)) is wins
    assert column_formula(families.load("two-heap-nim"), labels) is None


def test_semi_ground_actions_cover_what_they_were_read_off() -> None:
    rules = ImpartialRules(families.load("two-heap-nim"))
    states = [s for s in box_states(rules.game, 100) if rules.winning(s)]
    moves = [(n, s, rules.winning_moves(s)) for n, s in enumerate(states)]
    covered = coverage(rules.game, moves)
    everything = (1 << len(states)) - 1
    cover = greedy_cover(covered, everything)
    assert {one.text(rules.game) for one in cover} == {"left(v1 - v2)", "right(v2 - v1)"}
    for one in cover:
        for number in members(covered[one]):
            state = states[number]
            value = one.arguments[0].value(rules.game.state(state))
            assert (one.index, (value,)) in {
                (m.action, m.arguments) for m in rules.winning_moves(state)
            }


def test_expressions_have_the_value_they_are_asked_for() -> None:
    found = expressions(("v1", "v2"), (7, 3), 4)
    assert "v1 - v2" in map(str, found)
    assert "4" in map(str, found)
    assert all(e.value({"v1": 7, "v2": 3}) == 4 for e in found)
    assert found[0].size <= found[-1].size
