"""A small run of ``benchmarks/campaign.py``: every solver and every certificate path is right."""

from __future__ import annotations

import os

import pytest

from benchmarks import campaign as module
from benchmarks.campaign import Count, Said, Way, campaign, read, texts, ways
from qsage_validate.circuit.qbf import Qbf
from tests.support.random_qbf import truth

COUNT = int(os.environ.get("QSAGE_CAMPAIGN", "16"))
"""How many formulas; set the variable for a long run."""


@pytest.fixture(scope="module")
def counts() -> dict[str, Count]:
    pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")
    return campaign(COUNT, seed=2026)[0]


def test_nothing_that_is_said_is_wrong(counts: dict[str, Count]) -> None:
    assert {name: count.wrong for name, count in counts.items() if count.wrong} == {}


def test_every_formula_is_certified_on_every_path(counts: dict[str, Count]) -> None:
    paths = {name: count for name, count in counts.items() if name.startswith("certify")}
    assert len(paths) >= 8
    for name, count in paths.items():
        assert (count.certified, dict(count.silent)) == (COUNT, {}), name


def test_every_solver_answers(counts: dict[str, Count]) -> None:
    for name in ("depqbf, clauses", "bloqqer + caqe", "bloqqer + depqbf", "rareqs, clauses"):
        assert sum(counts[name].right.values()) == COUNT, name


def test_what_is_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def liar(formula: Qbf) -> Said:
        return Said(not truth(formula))

    def one_sided(formula: Qbf) -> Said:
        return Said(True)

    def broken(formula: Qbf) -> Said:
        return Said(None, certified=True, why="the second check says no")

    made: dict[str, Way] = {"liar": liar, "one-sided": one_sided, "certify: broken": broken}
    monkeypatch.setattr(module, "ways", lambda only: made)
    found, failures = campaign(10, seed=3)
    true = sum(truth(read(text)) for text in texts(10, 3))
    assert 0 < true < 10
    assert len(found["liar"].wrong) == 10
    assert len(found["one-sided"].wrong) == 10 - true
    assert len(found["certify: broken"].wrong) == 10
    assert len(failures) == 10


def test_ways_are_chosen_by_parts_of_their_names() -> None:
    assert set(ways(["expansion"])) == {"certify: expansion"}
