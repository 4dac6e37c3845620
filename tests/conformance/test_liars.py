"""Lies about small games: nothing false is called proved, and nothing true is refuted.

``tests/support/liars`` makes the files, changes them at random and knows the truth by brute force
that shares nothing with the product.  ``benchmarks/liars.py`` does the same 100,000 times
(``docs/liars.md``); set ``QSAGE_LIARS`` for more cases here.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from benchmarks import liars as benchmark
from tests.support.liars.campaign import CLASSES, Counts, from_json, run, table
from tests.support.liars.formula import (
    UnreadableError,
    plain_truth,
    read_formula,
    solve,
    truth,
)
from tests.support.liars.functions import Judged, circuit_of, random_circuit, read_circuit
from tests.support.liars.law import Case, judge
from tests.support.liars.product import Answer
from tests.support.liars.recipes import random_game
from tests.support.random_qbf import random_qcir, random_qdimacs

SEEDS = int(os.environ.get("QSAGE_LIARS", "60"))
"""Seeds of each class; refused files are asked about again, so that there are more cases."""

SHARD = 20

GATE = (
    "honest",
    "prefix",
    "matrix",
    "layout",
    "certificate",
    "clauses",
    "model",
    "encoding",
    "mixed",
    "text",
    "trace",
    "formula",
)
"""The classes of the gate."""


@pytest.mark.parametrize("first", range(0, SEEDS, SHARD))
@pytest.mark.parametrize("name", GATE)
def test_no_lie_is_believed(name: str, first: int) -> None:
    if "gdl" in CLASSES[name].kinds:
        pytest.importorskip("clingo", reason="games in GDL need the extra 'gdl'")
    counts = run(name, range(first, min(first + SHARD, SEEDS)))
    assert [(s.name, s.seed, s.attempt, s.broken) for s in counts.slips] == []
    assert sum(counts.outcomes.values()) >= min(SHARD, SEEDS - first)


# --- The judges ----------------------------------------------------------------------------------


def _formulas(count: int) -> list[str]:
    rng = Random(1)
    return [
        random_qcir(rng, most=6, named=False) if k % 2 else random_qdimacs(rng, most=6)
        for k in range(count)
    ]


def test_the_judge_of_formulas_agrees_with_the_definition() -> None:
    values = []
    for text in _formulas(200):
        formula = read_formula(text)
        values.append(truth(formula))
        assert values[-1] is plain_truth(formula), text
        assert truth(read_formula(formula.text())) is values[-1], text
    assert {True, False} == set(values)


def test_the_functions_of_the_judge_win() -> None:
    rng = Random(2)
    for text in _formulas(100):
        formula = read_formula(text)
        solved = solve(formula, rng)
        circuit = circuit_of(formula, solved)
        assert read_circuit(circuit.text()) == circuit
        judged = Judged(formula, circuit)
        assert judged.wins(), text
        assert not judged.peeks()
        assert not judged.mentions_right()


def test_functions_at_random_are_judged_by_all_assignments() -> None:
    rng = Random(3)
    seen = set()
    for text in _formulas(100):
        formula = read_formula(text)
        circuit = random_circuit(formula, rng.random() < 0.5, rng)
        judged = Judged(formula, circuit)
        if judged.wins() and not judged.mentions_right():
            assert truth(formula) is circuit.skolem, text
        seen.add((judged.wins(), judged.peeks()))
    assert len(seen) == 4


@pytest.mark.parametrize("kind", ["bddl", "positional", "gdl"])
def test_both_players_win_games_at_random(kind: str) -> None:
    rng = Random(4)
    winners = [random_game(kind, rng).who() for _ in range(12)]
    assert {True, False} == set(winners)


def test_what_cannot_be_read_is_no_formula() -> None:
    for text in ("", "output(1)\n", "exists(1)\n", "exists(1)\noutput(2)\n", "p cnf 1 1\nx 0\n"):
        with pytest.raises(UnreadableError):
            read_formula(text)


# --- The law -------------------------------------------------------------------------------------

_TRUE = {"f.qcir": "#QCIR-G14\nexists(1)\noutput(1)\n"}


def _report(**fields: object) -> Answer:
    report = {"levels": [], "verdict": "valid", "statements": [], **fields}
    return Answer(0, json.dumps(report), "")


def _formula(value: bool) -> dict[str, object]:
    return {"about": "formula", "text": f"the formula is {str(value).lower()}", "value": value}


def test_the_law_knows_a_lie() -> None:
    case = Case(_TRUE, ("f.qcir",))
    assert judge(case, _report(statements=[_formula(True)])).broken == ()
    assert judge(case, _report(statements=[_formula(False)])).broken != ()
    assert judge(case, _report()).broken == ("exit code 0, and nothing is said",)
    said = Answer(0, "f.qcir: valid: the formula is false (dependencies, formula)\n", "")
    assert judge(case, said).broken != ()
    game = {"about": "game", "text": "Black wins g within 3 plies", "winner": "black", "plies": 3}
    assert judge(case, _report(statements=[game])).broken != ()


def test_the_law_knows_bad_manners() -> None:
    case = Case(_TRUE, ("f.qcir",), harmless=True)
    assert judge(case, Answer(70, "", "qsage: internal error: KeyError: 1\n")).broken != ()
    assert judge(case, Answer(2, "", "Traceback\nKeyError\n")).broken != ()
    assert judge(case, Answer(2, "", "f.qcir:1:1: found 'x', expected 'y'\n")).broken == ()
    refuted = _report(verdict="refuted", statements=[])
    assert judge(case, Answer(1, refuted.out, "")).broken != ()


def test_a_campaign_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    first = benchmark.campaign(["formula"], 5, checkpoint=path)
    again = benchmark.campaign(["formula"], 5, checkpoint=path)
    assert first["formula"].outcomes == again["formula"].outcomes
    assert path.read_text(encoding="utf-8").count("\n") == 1
    assert table(again).count("\n") == 4


def test_counts_survive_a_checkpoint() -> None:
    line = (
        '{"outcomes": {"accepted": 2}, "untrue": 1, "slips": [["layout", 3, 0, ["lie"], ["step"]]]}'
    )
    counts = from_json(line)
    total = Counts()
    total.add(counts)
    assert total.slips[0].seed == 3
    assert total.outcomes["accepted"] == 2
