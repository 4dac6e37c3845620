"""A formula decided by fake solvers, with a preprocessor before them that does as it is told."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from math import inf
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.api.solving import ask_solvers
from qsage_validate.certificates import by_expansion
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import MissingExtraError, UndecidedError, install_line
from qsage_validate.formats.qdimacs import ClausalForm, parse_qdimacs
from qsage_validate.solvers import qbf_solving
from qsage_validate.solvers.backend import SolverDialect, SolverStatus, value_lines
from qsage_validate.solvers.backends import BLOQQER
from qsage_validate.solvers.bloqqer import Preprocessed
from qsage_validate.solvers.qbf_solving import available, solve_formula, with_outermost
from qsage_validate.system.limits import Deadline, Limits
from tests.support.commands import run_qsage
from tests.support.fake_solvers import fake_backend, small_formula
from tests.support.random_qbf import circuits, qbfs, truth


@pytest.fixture
def bloqqer(monkeypatch: pytest.MonkeyPatch) -> list[Preprocessed]:
    """What Bloqqer is to say, by turns; the limits that it got are not looked at."""
    answers: list[Preprocessed] = []

    def preprocess(form: ClausalForm, limits: Limits, **options: Any) -> Preprocessed:
        return answers.pop(0)

    monkeypatch.setattr("qsage_validate.solvers.bloqqer.preprocess", preprocess)
    return answers


def preprocessed(status: SolverStatus, form: ClausalForm | None = None) -> Preprocessed:
    return Preprocessed(status, f"it says {status.value}", form, None, 0.5, 0.4, 90.0, "", "37")


@pytest.mark.parametrize(
    "status", [SolverStatus.TRUE, SolverStatus.FALSE, SolverStatus.TIMEOUT, SolverStatus.CRASHED]
)
def test_where_the_preprocessor_ends_it_no_solver_is_run(
    tmp_path: Path, bloqqer: list[Preprocessed], status: SolverStatus
) -> None:
    bloqqer.append(preprocessed(status))
    solver = fake_backend(tmp_path, f"touch {tmp_path}/ran; echo SAT; exit 10")
    solved = solve_formula(small_formula(), [solver], Limits(), preprocessor=BLOQQER)
    assert (solved.status, solved.truth) == (status, status.truth)
    assert (solved.solver, solved.by, solved.why) == (
        "bloqqer",
        "bloqqer 37",
        f"it says {status.value}",
    )
    assert (solved.preprocess_seconds, solved.peak_mb, solved.outcomes) == (0.5, 90.0, ())
    assert not (tmp_path / "ran").exists()


def test_a_formula_on_which_bloqqer_takes_too_long_is_solved_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Limits] = []

    def preprocess(form: ClausalForm, limits: Limits, **options: Any) -> Preprocessed:
        given.append(limits)
        return preprocessed(SolverStatus.TIMEOUT)

    monkeypatch.setattr("qsage_validate.solvers.bloqqer.preprocess", preprocess)
    solver = fake_backend(tmp_path, "echo UNSAT; exit 20")
    solved = solve_formula(small_formula(), [solver], Limits(), preprocessor=BLOQQER, patience=3.0)
    assert (solved.truth, solved.solver) == (False, solver.name)
    assert solved.preprocessor is None, "the answer is about the formula itself"
    assert (solved.preprocess_seconds, solved.cpu_seconds >= 0.4) == (0.5, True)
    (limits,) = given
    assert 0 < limits.deadline.left() <= 3


@pytest.mark.parametrize(
    ("options", "patience"),
    [
        ({}, qbf_solving.PATIENCE),
        ({"preprocessor": "bloqqer"}, inf),
        ({"limits": Limits(Deadline.after(60))}, inf),
    ],
)
def test_bloqqer_is_bounded_where_nobody_asked_for_it_or_set_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], patience: float
) -> None:
    asked: list[float] = []

    def solve(*words: Any, patience: float, **rest: Any) -> None:
        asked.append(patience)

    monkeypatch.setattr(qbf_solving, "available", lambda circuit: [fake_backend(tmp_path, "")])
    monkeypatch.setattr(qbf_solving, "solve_formula", solve)
    ask_solvers(small_formula(), **{"limits": Limits(), **options})
    assert asked == [patience]


def test_the_solver_gets_what_is_left_and_is_not_asked_for_the_outermost_block(
    tmp_path: Path, bloqqer: list[Preprocessed]
) -> None:
    formula = small_formula()
    rest = ClausalForm((), ((),), 0)
    bloqqer.append(preprocessed(SolverStatus.UNKNOWN, rest))
    solver = fake_backend(tmp_path, 'grep -q "p cnf 0 1" "$1" && echo UNSAT && exit 20; exit 1')
    solved = solve_formula(formula, [solver], Limits(), preprocessor=BLOQQER)
    assert solved.truth is False
    assert solved.preprocessor == "bloqqer"
    assert solved.by.endswith(" after bloqqer")
    assert solved.outer is None
    assert solved.cpu_seconds >= 0.4
    assert solved.peak_mb >= 90.0


def test_a_portfolio_in_which_nobody_answers(tmp_path: Path) -> None:
    contenders = [fake_backend(tmp_path, f"exit {n}", name=f"s{n}") for n in (1, 2)]
    solved = solve_formula(small_formula(), contenders, Limits())
    assert (solved.truth, solved.by) == (None, "the portfolio")
    assert "s1: exit code 1" in solved.why
    assert "s2: exit code 2" in solved.why


def test_a_portfolio_names_who_answered(tmp_path: Path) -> None:
    slow = fake_backend(tmp_path, "sleep 1000", name="slow")
    quick = fake_backend(tmp_path, "echo UNSAT; exit 20", name="quick")
    solved = solve_formula(small_formula(), [slow, quick], Limits())
    assert (solved.truth, solved.solver) == (False, "quick")
    assert {outcome.solver for outcome in solved.outcomes} == {"slow", "quick"}


@pytest.mark.parametrize(("confirmed", "outer"), [(10, {1: True}), (20, None), (1, None)])
def test_an_assignment_counts_when_it_is_confirmed(
    tmp_path: Path, confirmed: int, outer: dict[int, bool] | None
) -> None:
    formula = parse_qdimacs("p cnf 2 2\ne 1 0\na 2 0\n1 2 0\n1 -2 0\n")
    # The formula has two clauses, and three once the block is fixed.
    first = 'grep -q "p cnf 2 2" "$1" && echo "s cnf 1 2 2" && echo "V 1 0" && exit 10'
    again = {10: "s cnf 1", 20: "s cnf 0", 1: "crash"}[confirmed]
    script = f'{first}; echo "{again}"; exit {confirmed}'
    solver = replace(
        fake_backend(tmp_path, script), dialect=SolverDialect(outer=(), literals=value_lines)
    )
    solved = solve_formula(formula, [solver], Limits())
    assert (solved.truth, solved.outer) == (True, outer)


@given(st.one_of(qbfs(), circuits()).filter(lambda f: f.num_variables > 0))
def test_fixing_the_outermost_block(formula: Qbf) -> None:
    block = [v for scope in formula.merged_scopes()[:1] for v in scope.variables]
    exists = formula.quantifiers()[block[0]] is Quantifier.EXISTS
    answers = [
        truth(with_outermost(formula, dict(zip(block, bits, strict=True))))
        for bits in product((False, True), repeat=len(block))
    ]
    assert (any if exists else all)(answers) is truth(formula)


def test_preprocessing_uses_up_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def preprocess(form: ClausalForm, limits: Limits, **options: Any) -> Preprocessed:
        sleep(limits.deadline.left())
        return preprocessed(SolverStatus.UNKNOWN, form)

    monkeypatch.setattr("qsage_validate.solvers.bloqqer.preprocess", preprocess)
    solver = fake_backend(tmp_path, "sleep 1000")
    limits = Limits(Deadline.after(0.3))
    solved = solve_formula(small_formula(), [solver], limits, preprocessor=BLOQQER)
    assert solved.status is SolverStatus.TIMEOUT
    assert solved.outcomes[0].seconds < 0.3


def test_nothing_that_can_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qbf_solving, "backends", dict)
    with pytest.raises(MissingExtraError, match=re.escape(install_line("solve"))):
        available()


@pytest.mark.parametrize(("last", "truth"), [("", True), ("1 -2 0\n", False)])
def test_a_small_formula_needs_no_solver(
    last: str, truth: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``certify`` expanded it, and ``solve`` asked for an extra."""
    monkeypatch.setattr(qbf_solving, "backends", dict)
    clauses = 3 if last else 2
    text = f"p cnf 2 {clauses}\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n{last}"
    formula = parse_qdimacs(text)
    solved = ask_solvers(formula, Limits())
    assert (solved.truth, solved.by) == (truth, "expansion")
    (tmp_path / "f.qdimacs").write_text(text)
    assert run_qsage(["solve", str(tmp_path / "f.qdimacs")]) == (10 if truth else 20)
    with pytest.raises(MissingExtraError):
        ask_solvers(formula, Limits(), portfolio=True)

    def too_large(*_: object, **named: object) -> None:
        raise UndecidedError("the graph has more than 2 gates")

    monkeypatch.setattr(by_expansion, "expand", too_large)
    with pytest.raises(MissingExtraError):
        ask_solvers(formula, Limits())
