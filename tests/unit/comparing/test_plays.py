"""Faulty encodings against the sound one: told apart by a play, or proved to be won as well."""

from __future__ import annotations

import shlex

import pytest

from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.comparing.compare import FormulaRelation, relation
from qsage_validate.comparing.exact import Loses
from qsage_validate.comparing.plays import ComparedSide, transfer_by_plays
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.registry import find_command
from qsage_validate.problems import load as problems
from qsage_validate.problems.load import Files
from research.benchmarks.compare_faults import back
from research.benchmarks.faults import MODELS, faulty_encodings
from tests.support.certifying import certify_game


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("goal counter-example dropped", FormulaRelation.EQUIVALENT),
        ("gate 'black 3 ply' dropped", FormulaRelation.STRONGER),
        ("bounds negated", FormulaRelation.DIFFERENT),
    ],
)
def test_faults_are_told_apart(fault: str, expected: FormulaRelation) -> None:
    model = find_command(tuple(shlex.split(MODELS["domino"])))
    assert isinstance(model, Model)
    sound = certify_game(model)
    own = problems.of(sound.encoding, sound.certificate, Files())
    faulty = dict(faulty_encodings(model))[fault]
    there = transfer_by_plays(
        own.on_board, ComparedSide.of(sound.encoding, faulty.qbf), RouteOptions()
    )
    here = back(faulty, sound.encoding, RouteOptions())
    assert relation(there, here) is expected
    for outcome in (there, here):
        if isinstance(outcome, Loses):
            assert outcome.play or "is no move" in outcome.why
