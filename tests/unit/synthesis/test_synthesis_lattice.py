"""Formulas of residue classes in two variables, and the actions that prove them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.candidates import Remaining, periods
from qsage_validate.extensions.impartial.model import ImpartialFormula, ImpartialGame, disjunction
from qsage_validate.extensions.impartial.nim import FamilyMove, game
from qsage_validate.extensions.impartial.rules import ImpartialRules, State, box_states
from qsage_validate.extensions.impartial.winning_formula import lattice_formula
from qsage_validate.system.limits import Deadline


def labelled(made: ImpartialGame, states: int) -> dict[State, bool]:
    rules = ImpartialRules(made)
    return {state: rules.winning(state) for state in box_states(made, states)}


def suggested(made: ImpartialGame, states: int = 900) -> ImpartialFormula:
    formula = lattice_formula(made, labelled(made, states))
    assert formula is not None
    return formula


@pytest.mark.parametrize(
    ("name", "states"),
    [("slow-nim-2-l3", 400), ("slow-nim-3-l4-le-2", 900), ("slow-nim-3-l6-le-5", 4000)],
)
def test_the_formula_of_a_box_holds_in_a_larger_one(name: str, states: int) -> None:
    made = families.load(name)
    formula = suggested(made, states)
    rules = ImpartialRules(made)
    for state in box_states(made, 4 * states):
        assert formula.holds(made.state(state)) == rules.winning(state)


def test_a_difference_is_said_as_one() -> None:
    assert str(suggested(families.load("slow-nim-2-l3"))) == "(v1 - v2) % 4 != 0"


def shifted(lowest: int) -> ImpartialGame:
    """Slow Nim with the last token of a heap at ``lowest``."""
    moves = [
        FamilyMove(
            f"take{v}", "k", f"k >= 1 and k <= 2 and {v} - k >= {lowest}", (f"{v} := {v} - k",)
        )
        for v in ("v1", "v2")
    ]
    ending = f"v1 = {lowest} and v2 = {lowest}"
    return game(("v1", "v2"), f"v1 >= {lowest} and v2 >= {lowest}", ending, moves)


@pytest.mark.parametrize("lowest", [-4, 0, 1, 5])
def test_classes_begin_where_the_states_do(lowest: int) -> None:
    made = shifted(lowest)
    labels = labelled(made, 400)
    formula = suggested(made, 400)
    assert all(formula.holds(made.state(state)) == label for state, label in labels.items())


@pytest.mark.parametrize("name", ["nim-2", "take-away-3", "nim-3", "wythoff"])
def test_labels_that_do_not_repeat_suggest_nothing(name: str) -> None:
    made = families.load(name)
    assert lattice_formula(made, labelled(made, 900)) is None


def test_what_is_not_labelled_does_not_count() -> None:
    made = families.load("slow-nim-2-l3")
    labels = {s: label for s, label in labelled(made, 900).items() if s[0] <= s[1]}
    formula = lattice_formula(made, labels)
    assert formula is not None
    assert all(formula.holds(made.state(state)) == label for state, label in labels.items())


def test_what_remains_of_a_sample_is_spread_over_it() -> None:
    made = families.load("slow-nim-2-l3")
    rest = Remaining(made.variables, [(x, 0) for x in range(100)])
    formula = suggested(made)
    rest.take(formula)
    assert rest.states == [(x, 0) for x in range(0, 100, 4)]
    assert rest.some(5) == [(0, 0), (20, 0), (40, 0), (60, 0), (80, 0)]
    rest.take(disjunction((formula, formula.negated())))
    assert rest.some(5) == []


@pytest.mark.parametrize(
    ("name", "most"), [("slow-nim-3-l6-le-2", 14), ("slow-nim-3-l9-le-1", 19), ("nim-2", 2)]
)
def test_few_actions_prove_them(
    name: str, most: int, verified: Callable[[ImpartialGame, ImpartialFormula | None], int]
) -> None:
    made = families.load(name)
    formula = lattice_formula(made, labelled(made, 1500))
    assert verified(made, formula) <= most


@pytest.fixture
def verified() -> Callable[[ImpartialGame, ImpartialFormula | None], int]:
    """Proves a formula (of two equal heaps if there is none); how many actions that took."""
    pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")
    from qsage_validate.extensions.impartial.parser import parse_formula
    from qsage_validate.extensions.impartial.proofs import ClaimStatus, Verifier
    from qsage_validate.extensions.impartial.smt import SmtSolver

    def prove(made: ImpartialGame, formula: ImpartialFormula | None) -> int:
        if formula is None:
            formula = parse_formula("v1 != v2", made.variables)
        with SmtSolver(None) as solver:
            verifier = Verifier(ImpartialRules(made), solver, tuple(box_states(made, 1500)))
            found = verifier.winning_formula(formula, Deadline.after(60.0))
        assert found.status is ClaimStatus.PROVED, found.reason
        return len(found.witnesses)

    return prove


def test_periods_are_seen_along_diagonals() -> None:
    made = families.load("wythoff-set-3-4")
    labels = labelled(made, 1600)
    # Two heaps of one size are losing at 0, 1 and 2 modulo 7; along the axes nothing repeats.
    assert 7 in periods(list(labels), labels)
    nim = labelled(families.load("nim-2"), 900)
    assert periods(list(nim), nim) == []
