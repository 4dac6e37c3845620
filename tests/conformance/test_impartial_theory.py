"""Answers of the literature are proved on the published files, and wrong ones are refuted.

The losing sets are classical (take-away, Nim, Welter, Chomp, staircase and circular Nim); what is
checked is that files, semantics and proofs agree with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qsage_validate.extensions.impartial.parser import parse_formula, read_game
from qsage_validate.extensions.impartial.proofs import ClaimStatus, Verifier
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.extensions.impartial.smt import SmtSolver
from qsage_validate.extensions.impartial.winning_formula import (
    FormulaOutcome,
    synthesise_formula,
)
from qsage_validate.system.limits import Deadline

pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")

PROVED = [
    ("1.1", "Take-away-15", "v1 % 16 != 0"),
    ("1.2", "Subtraction-(1,4,7)", "v1 % 8 != 0 and v1 % 8 != 2 and v1 % 8 != 5"),
    ("1.3", "T,d-I-Mark-Game{3,3}", "not (v1 < 9 and v1 % 3 = 0 or v1 > 9 and v1 % 3 = 1)"),
    ("2.1", "Two-piled-nim", "v1 != v2"),
    ("2.2", "Monotonic-3-piled-Nim", "v3 - v2 != v1"),
    ("2.17", "Three-staircase", "v1 != v3"),
    ("2.18", "CircularNim(3,2)", "not (v1 = v2 and v2 = v3)"),
    ("2.18", "CircularNim(4,2)", "not (v1 = v3 and v2 = v4)"),
    ("3.1", "Welter(n=2)", "not (v1 % 2 = 0 and v2 = v1 + 1 or v2 % 2 = 0 and v1 = v2 + 1)"),
    ("5.1", "Two-rowed-Chomp_game", "v1 != v2 + 1"),
]

WRONG = [
    ("1.1", "Take-away-15", "v1 % 15 != 0"),
    ("2.17", "Three-staircase", "v1 != v3 or v2 != 0"),
    ("2.18", "CircularNim(4,2)", "not (v1 = v2 and v3 = v4)"),
    ("5.1", "Two-rowed-Chomp_game", "v1 != v2"),
]


@pytest.fixture(scope="module")
def solver() -> Iterator[SmtSolver]:
    with SmtSolver() as made:
        yield made


def published(data: Path, family: str, name: str) -> Path:
    found = sorted(data.glob(f"impartial/*/{family} */{name}.pddl"))
    if not found:
        pytest.skip(f"{name} is not among the files of other tools")
    return found[0]


@pytest.mark.parametrize(("family", "name", "formula"), PROVED)
def test_known_answers_are_proved(
    solver: SmtSolver, shared_data: Path, family: str, name: str, formula: str
) -> None:
    game = read_game(published(shared_data, family, name))
    verifier = Verifier(ImpartialRules(game), solver)
    verdict = verifier.winning_formula(parse_formula(formula, game.variables), Deadline.after(120))
    assert verdict.status is ClaimStatus.PROVED, verdict.reason


@pytest.mark.parametrize(("family", "name", "formula"), WRONG)
def test_wrong_answers_are_refuted(
    solver: SmtSolver, shared_data: Path, family: str, name: str, formula: str
) -> None:
    game = read_game(published(shared_data, family, name))
    verifier = Verifier(ImpartialRules(game), solver)
    verdict = verifier.winning_formula(parse_formula(formula, game.variables), Deadline.after(120))
    assert verdict.status is ClaimStatus.REFUTED, verdict.reason


@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("2.12", "One-piled-odd-or-even-nim"),
        ("2.14", "Three-piled-pointed_NIm(v_3-1)"),
        ("2.16", "Three-piled-loop-End-nim-v3-1"),
    ],
)
def test_defective_files_have_no_formula(
    solver: SmtSolver, shared_data: Path, family: str, name: str
) -> None:
    game = read_game(published(shared_data, family, name))
    result = synthesise_formula(ImpartialRules(game), solver, Deadline.after(60))
    assert result.outcome is FormulaOutcome.IMPOSSIBLE
    assert result.flaw is not None
