"""A small run of ``research/benchmarks/campaign.py``: all solvers and certificates."""

from __future__ import annotations

import os

import pytest

from qsage_validate.circuit.qbf import Qbf
from research.benchmarks import campaign as module
from research.benchmarks.campaign import (
    Count,
    Said,
    Way,
    Work,
    campaign,
    examine,
    read,
    texts,
    ways,
)
from tests.support.random_qbf import truth

COUNT = int(os.environ.get("QSAGE_CAMPAIGN", "10"))
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
    for name in ("certify: bloqqer, weak, depqbf", "certify: bloqqer, weak, qute"):
        assert counts[name].solved > 0, "nothing was lifted from a solver's trace"


def test_every_solver_answers(counts: dict[str, Count]) -> None:
    for name in ("depqbf", "caqe", "rareqs", "bloqqer + caqe", "bloqqer + depqbf"):
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


# Formulas that a way has once stumbled over, shrunk by hand.
ONCE_WRONG = (
    # Bloqqer's trace does not name the unit of the constant gate 8.
    """#QCIR-G14
forall(3, 1, 5, 2, 4)
output(3)
6 = and(-1, 2, -1, 3)
7 = xor(-5, 4)
8 = and()
9 = or(6, -7)
10 = or(-9, 8, -5)
11 = or(9, 10)
12 = or()
13 = and(3, 1)
""",
    # Units that contradict each other, and that a circuit solver has called satisfiable.
    "p cnf 1 3\ne 1 0\n-1 0\n1 0\n-1 -1 0\n",
    # A universal block of a false formula, of which a solver prints a losing assignment.
    """#QCIR-G14
forall(1, 3, 2)
output(-9)
4 = xor(1, -3)
5 = or(2, -3)
6 = or(-2, 5, -4)
7 = and(1, 1)
8 = xor(-4, 2)
9 = or(-2, -3)
""",
    # False by a clause of universals alone: the solver prints any assignment of the block.
    "p cnf 5 3\na 4 2 0\ne 1 0\na 3 5 0\n-5 4 1 0\n1 2 0\n-2 -4 0\n",
)


@pytest.mark.parametrize("number", range(len(ONCE_WRONG)))
def test_what_has_once_gone_wrong(number: int) -> None:
    pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")
    for name, said, right, _ in examine(Work(ONCE_WRONG, ()), number):
        assert right, (name, said)
        assert said.truth is not None, (name, said)
        assert said.certified == name.startswith("certify"), name


def test_ways_are_chosen_by_parts_of_their_names() -> None:
    assert set(ways(["expansion"])) == {"certify: expansion"}
