"""Bloqqer: what it leaves has the truth of what it was given."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import install_line
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.solvers.backend import SolverMissingError, SolverProgram, SolverStatus
from qsage_validate.solvers.bloqqer import availability, parse_rest, preprocess
from qsage_validate.system.limits import Deadline, Limits
from tests.support.fake_solvers import script
from tests.support.random_qbf import MAX_VARIABLES, random_clausal, truth
from tests.support.readers import read_qdimacs

FORM = clausal_form(parse_qdimacs("p cnf 3 2\ne 1 0\na 2 0\ne 3 0\n1 2 3 0\n-1 -3 2 0\n"))
# Bloqqer has nothing to do but to introduce and copy, so that something is left.
GENTLE = {"ve": 0, "bce": 0, "cce": 0, "hbce": 0, "ble": 0, "eq": 0, "hte": 0}

# True; with its default options Bloqqer 37 says false.
MINISCOPED = Path("tests", "data", "bloqqer_miniscoping.qdimacs")


@pytest.fixture(autouse=True)
def _bloqqer() -> None:
    if not isinstance(availability(), SolverProgram):
        pytest.skip("no Bloqqer here")


def _random_form(rng: Random, variables: int) -> ClausalForm:
    """A formula that is neither trivial nor large."""
    scopes: list[Scope] = []
    first = 1
    while first <= variables:
        last = min(variables, first + rng.randint(0, 3))
        scopes.append(Scope(rng.choice(list(Quantifier)), tuple(range(first, last + 1))))
        first = last + 1
    clauses = [
        " ".join(str(v * rng.choice((1, -1))) for v in rng.sample(range(1, variables + 1), size))
        for size in rng.choices((3, 4, 5), k=rng.randint(2 * variables, 4 * variables))
    ]
    prefix = "".join(
        f"{'e' if s.quantifier is Quantifier.EXISTS else 'a'} {' '.join(map(str, s.variables))} 0\n"
        for s in scopes
    )
    head = f"p cnf {variables} {len(clauses)}\n"
    return clausal_form(parse_qdimacs(head + prefix + "".join(f"{c} 0\n" for c in clauses)))


def _truth(form: ClausalForm) -> bool:
    return truth(parse_qdimacs(qdimacs_text(form)))


@pytest.mark.parametrize("kind", ["odd", "default", "gentle", "splitting"])
def test_the_truth_stays(tmp_path: Path, kind: str) -> None:
    rng, trace = Random(kind), tmp_path / "trace"
    options = {
        "gentle": {**GENTLE, "axcess": 60},
        "splitting": {**GENTLE, "exp": 0, "split": 3},
    }.get(kind)
    left = introduced = 0
    for _ in range(24):
        if kind == "odd":
            form = clausal_form(random_clausal(rng))
        else:
            form = _random_form(rng, rng.randint(6, 11))
        done = preprocess(form, workdir=tmp_path, trace=trace, options=options)
        expected = _truth(form)
        assert done.trace == trace
        assert trace.exists()
        if done.form is None:
            assert done.status.truth is expected, (done.why, form)
            continue
        assert done.status is SolverStatus.UNKNOWN
        left += 1
        quantified = {v for scope in done.form.scopes for v in scope.variables}
        assert {abs(x) for clause in done.form.clauses for x in clause} <= quantified
        introduced += max(quantified) > form.max_variable
        original = {v: s.quantifier for s in form.scopes for v in s.variables}
        for scope in done.form.scopes:
            assert all(
                original.get(v, scope.quantifier) is scope.quantifier for v in scope.variables
            )
        if len(quantified) <= MAX_VARIABLES:
            assert _truth(done.form) is expected, form
    if kind in ("gentle", "splitting"):
        assert left > 2
        assert introduced > 0
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]


def test_the_option_under_which_it_errs_is_off(tmp_path: Path, repository: Path) -> None:
    form = clausal_form(read_qdimacs(repository / MINISCOPED))
    done = preprocess(form, workdir=tmp_path)
    assert done.status in (SolverStatus.TRUE, SolverStatus.UNKNOWN)
    with_it = preprocess(form, workdir=tmp_path, options={"exp-mini": 1})
    assert with_it.status is SolverStatus.RUBBISH
    assert "errs" in with_it.why


def test_decided_without_a_run(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    scopes = (Scope(Quantifier.EXISTS, (1,)),)
    assert preprocess(ClausalForm(scopes, (), 1), workdir=tmp_path).status is SolverStatus.TRUE
    done = preprocess(ClausalForm(scopes, ((1,), ()), 1), workdir=tmp_path, trace=trace)
    assert done.status is SolverStatus.FALSE
    assert trace.read_bytes() == b""


def test_limits_and_wrong_options(tmp_path: Path) -> None:
    form = _random_form(Random(1), 11)
    late = preprocess(form, Limits(Deadline.after(0.0)), workdir=tmp_path, trace=tmp_path / "t")
    assert late.status is SolverStatus.TIMEOUT
    assert late.trace is None
    wrong = preprocess(form, workdir=tmp_path, options={"none": 1})
    assert wrong.status is SolverStatus.CRASHED
    assert "no option none" in wrong.why
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_trace_on_a_full_disk(tmp_path: Path) -> None:
    done = preprocess(_random_form(Random(4), 11), workdir=tmp_path, trace=Path("/dev/full"))
    assert done.status is SolverStatus.DISK, done.why
    assert (done.form, done.trace) == (None, None)
    assert "No space left" in done.why


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('printf "p cnf 0 1\\ne 1 0\\n1 0\\n" > "$last"; exit 0', SolverStatus.UNKNOWN),
        ('printf "p cnf 0 0\\n" > "$last"; exit 10', SolverStatus.TRUE),
        ('printf "p cnf 0 1\\n0\\n" > "$last"; exit 20', SolverStatus.FALSE),
        ('printf "p cnf 0 1\\n0\\n" > "$last"; exit 10', SolverStatus.RUBBISH),
        ('printf "p cnf 0 2\\ne 1 0\\n1 0\\n" > "$last"; exit 0', SolverStatus.RUBBISH),
        ('printf "p cnf 0 1\\ne 1 0\\n1" > "$last"; exit 0', SolverStatus.RUBBISH),
        ('printf "p cnf 0 1\\ne 0\\n1 0\\n" > "$last"; exit 0', SolverStatus.RUBBISH),
        ("exit 10", SolverStatus.RUBBISH),
        ("exit 0", SolverStatus.RUBBISH),
        ("exit 7", SolverStatus.CRASHED),
        ("kill -SEGV $$", SolverStatus.CRASHED),
    ],
)
def test_a_program_on_the_path_that_does_as_it_likes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, status: SolverStatus
) -> None:
    path = script(tmp_path, "bloqqer", f"for last; do :; done\n{body}")
    monkeypatch.setattr(
        "qsage_validate.solvers.bloqqer.availability", lambda: SolverProgram(str(path), "")
    )
    done = preprocess(FORM, workdir=tmp_path)
    assert done.status is status, done.why
    assert "\n" not in done.why
    assert (done.form is not None) is (status is SolverStatus.UNKNOWN)


def test_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qsage_validate.solvers.bloqqer.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SolverMissingError, match=f"Bloqqer is missing: {re.escape(install_line('solve'))}"
    ):
        preprocess(FORM, workdir=tmp_path)


@pytest.mark.parametrize(
    "text", ["", "p cnf 0", "p dnf 0 0\n", "p cnf 0 1\na 1 0\ne 1 0\n1 0\n", "p cnf 0 1\nx 0\n"]
)
def test_what_is_no_formula(text: str) -> None:
    assert parse_rest(text, 1) is None
