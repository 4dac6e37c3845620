"""The solvers that are here, against truth by definition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier
from qsage_validate.errors import UsageError, install_line
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import ClausalForm, parse_qdimacs, qdimacs_text
from qsage_validate.solvers.backend import (
    Backend,
    Missing,
    SolverFormat,
    SolverMissingError,
    SolverStatus,
)
from qsage_validate.solvers.backends import backends, get_backend
from qsage_validate.system.limits import Deadline, Limits
from tests.support.random_qbf import random_circuit, random_clausal, truth


def limits() -> Limits:
    return Limits(Deadline.after(60), 4000)


CLAUSES = "p cnf 4 3\ne 1 2 0\na 3 0\ne 4 0\n1 3 4 0\n-1 -2 0\n2 -3 -4 0\n"
NAMES = tuple(backends())


@pytest.fixture(params=NAMES)
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = get_backend(request.param)
    missing = found.availability()
    if isinstance(missing, Missing):
        pytest.skip(f"{found.name}: {missing.reason}")
    return found


def _wins(formula: Qbf, outer: Mapping[int, bool]) -> bool:
    """Whether the owner of the outermost block wins by this assignment of it."""
    literals = [v if value else -v for v, value in outer.items()]
    first = formula.merged_scopes()[0]
    assert set(outer) == set(first.variables)
    gates, new = dict(formula.gates), formula.max_variable + 1
    exists = first.quantifier is Quantifier.EXISTS
    if exists:
        gates[new] = Gate(Connective.AND, (formula.output, *literals))
    else:
        gates[new] = Gate(Connective.OR, (formula.output, *(-x for x in literals)))
    return truth(replace(formula, gates=gates, output=new)) is exists


@pytest.mark.parametrize("kind", ["clauses", "circuit"])
def test_answers_are_the_truth(backend: Backend, tmp_path: Path, kind: str) -> None:
    rng = Random(f"{backend.name} {kind}")
    make = random_clausal if kind == "clauses" else random_circuit
    assignments = 0
    for _ in range(20):
        formula = make(rng)
        outcome = backend.solve(formula, limits(), workdir=tmp_path)
        assert outcome.truth is truth(formula), (outcome.why, formula)
        if outcome.outer is not None:
            assignments += 1
            assert _wins(formula, outcome.outer), (outcome.log, formula)
    assert bool(assignments) is backend.gives_outer
    assert list(tmp_path.iterdir()) == []


def test_traces_say_the_truth(backend: Backend, tmp_path: Path) -> None:
    if not backend.traces:
        pytest.skip("it writes none")
    rng, trace = Random(backend.name), tmp_path / "trace"
    binary = backend.dialect.binary_trace is not None
    for k in range(30):
        formula = random_clausal(rng)
        outcome = backend.solve(
            formula, limits(), workdir=tmp_path, trace=trace, binary_trace=binary and k % 2 == 1
        )
        assert outcome.truth is truth(formula), (outcome.why, formula)
        assert outcome.trace == trace
        assert trace.stat().st_size > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p cnf 0 0\n", True),
        ("p cnf 0 1\n0\n", False),
        ("p cnf 2 0\ne 1 0\na 2 0\n", True),
        ("p cnf 2 2\ne 1 0\na 2 0\n1 0\n0\n", False),
        ("p cnf 2 1\na 1 2 0\n1 2 0\n", False),
        ("p cnf 2 1\na 1 2 0\n1 2 -1 0\n", True),
        ("p cnf 3 2\na 0\ne 2 0\na 1 0\ne 0\n3 1 0\n-3 2 0\n", True),
        ("p cnf 9 1\ne 9 0\n9 0\n", True),
    ],
)
def test_odd_formulas(backend: Backend, tmp_path: Path, text: str, expected: bool) -> None:
    """No clauses, empty clauses, tautologies, free variables, empty scopes, gaps."""
    outcome = backend.solve(parse_qdimacs(text), limits(), workdir=tmp_path)
    assert outcome.truth is expected, (outcome.why, outcome.log)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exists(1)\noutput(-2)\n2 = and(1, -1)\n", True),
        ("exists(1)\noutput(2)\n2 = and(1, -1)\n", False),
        ("forall(1)\noutput(1)\n", False),
        ("exists(1)\noutput(-1)\n", True),
        ("output(1)\n1 = or()\n", False),
        ("exists(1)\nforall()\nexists(2)\noutput(4)\n3 = xor(1, 2)\n4 = ite(3, 1, 2)\n", True),
    ],
)
def test_odd_circuits(backend: Backend, tmp_path: Path, text: str, expected: bool) -> None:
    outcome = backend.solve(parse_qcir(f"#QCIR-G14\n{text}"), limits(), workdir=tmp_path)
    assert outcome.truth is expected, (outcome.why, outcome.log)


def test_a_form_that_is_given_is_what_is_solved(backend: Backend, tmp_path: Path) -> None:
    if SolverFormat.QDIMACS not in backend.accepts:
        pytest.skip("it reads circuits only")
    formula = parse_qdimacs(CLAUSES)
    form = ClausalForm(formula.merged_scopes(), ((1,), (-1,)), 4)
    outcome = backend.solve(formula, limits(), workdir=tmp_path, form=form)
    assert outcome.truth is False, qdimacs_text(form)


def test_a_time_limit_holds(backend: Backend, tmp_path: Path) -> None:
    outcome = backend.solve(parse_qdimacs(CLAUSES), Limits(Deadline.after(0.0)), workdir=tmp_path)
    assert outcome.status in (SolverStatus.TIMEOUT, SolverStatus.TRUE)
    assert outcome.outer is None or outcome.status is SolverStatus.TRUE


def test_names_are_told_when_one_is_wrong() -> None:
    with pytest.raises(UsageError, match="'minisat', expected one of depqbf, qute"):
        get_backend("minisat")
    assert get_backend("DepQBF").name == "depqbf"


def test_without_pyqbf_the_line_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("qsage_validate.solvers.backend.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    backend = get_backend("depqbf")
    assert backend.availability() == Missing(install_line("solve"))
    with pytest.raises(SolverMissingError, match=re.escape(install_line("solve"))):
        backend.solve(parse_qdimacs(CLAUSES), workdir=tmp_path)
