"""HQSpre and QRATPre+ by programs in their place: what is left decides, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.errors import UsageError
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.solvers.backend import Missing, SolverMissingError, SolverStatus
from qsage_validate.solvers.backends import PREPROCESSORS, preprocessor_named
from qsage_validate.solvers.bloqqer import Preprocessed
from qsage_validate.solvers.qbf_solving import solve_formula
from qsage_validate.system.limits import Deadline, Limits
from tests.support.commands import run_qsage
from tests.support.fake_solvers import fake_backend, small_formula

PROGRAMS = {"hqspre": ("hqspre", "--pipe"), "qratpre": ("qratpre+", "--print-formula")}
# What the programs get: two clauses, printed as they came.
ALL = 'cat "$2"'


@pytest.fixture(params=PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def put(name: str, body: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of that name on the PATH; its first argument must be the documented one."""
    program, word = PROGRAMS[name]
    path = folder / "bin" / program
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\n[ "$1" = "{word}" ] || exit 99\n{body}\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")


def form() -> ClausalForm:
    return clausal_form(small_formula())


def run(name: str, tmp_path: Path, limits: Limits | None = None) -> Preprocessed:
    first = PREPROCESSORS[name]
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    done = first.run(form(), limits or Limits(), work)
    assert list(work.iterdir()) == []
    assert "\n" not in done.why
    return done


def test_what_is_left_is_what_is_solved(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(name, f"{ALL}; exit 0", tmp_path, monkeypatch)
    done = run(name, tmp_path)
    assert done.status is SolverStatus.UNKNOWN
    assert done.form is not None
    assert done.form.clauses == form().clauses
    assert done.form.scopes == form().scopes


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("echo 'p cnf 0 0'; exit 10", SolverStatus.TRUE),
        ("echo 'p cnf 0 0'; exit 0", SolverStatus.TRUE),
        ("echo 'p cnf 0 1'; echo 0; exit 20", SolverStatus.FALSE),
        ("echo 'p cnf 0 1'; echo 0; exit 0", SolverStatus.FALSE),
        ("echo 'p cnf 0 0'; exit 20", SolverStatus.RUBBISH),
        ("echo 'p cnf 0 1'; echo 0; exit 10", SolverStatus.RUBBISH),
        (f"{ALL}; exit 10", SolverStatus.RUBBISH),
        (f"{ALL}; exit 20", SolverStatus.RUBBISH),
        ("exit 0", SolverStatus.RUBBISH),
        ("echo 'p cnf 1 1'; echo 'e 1 0'; exit 0", SolverStatus.RUBBISH),  # a clause is missing
        ("echo 'p cnf 1 1'; echo '1 0'; exit 0", SolverStatus.RUBBISH),  # no quantifier of 1
        ("printf 'p cnf 1 1\\ne 1 0\\n1'; exit 0", SolverStatus.RUBBISH),  # cut
        ("echo 'p cnf 0 0'; exit 1", SolverStatus.CRASHED),
        ("echo what >&2; kill -SEGV $$", SolverStatus.CRASHED),
    ],
)
def test_an_answer_is_a_formula_and_an_exit_code_that_agree(
    name: str, body: str, status: SolverStatus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(name, body, tmp_path, monkeypatch)
    done = run(name, tmp_path)
    assert done.status is status, done.why
    assert done.form is None


def test_a_time_limit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(name, "sleep 1000", tmp_path, monkeypatch)
    assert run(name, tmp_path, Limits(Deadline.after(0.2))).status is SolverStatus.TIMEOUT


def test_a_formula_that_is_decided_already_needs_no_program(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(name, "exit 99", tmp_path, monkeypatch)
    empty = ClausalForm((), (), 0)
    assert PREPROCESSORS[name].run(empty, Limits(), tmp_path).status is SolverStatus.TRUE


def test_without_the_program_one_line_names_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    first = PREPROCESSORS[name]
    assert isinstance(first.availability(), Missing)
    with pytest.raises(
        SolverMissingError, match=f"no program '{PROGRAMS[name][0]}'".replace("+", r"\+")
    ):
        first.run(form(), Limits(), tmp_path)


def test_a_solver_gets_what_is_left(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(name, f"{ALL}; exit 0", tmp_path, monkeypatch)
    solver = fake_backend(tmp_path, "echo SAT; exit 10", kind="caqe")
    solved = solve_formula(small_formula(), [solver], Limits(), preprocessor=PREPROCESSORS[name])
    assert solved.truth is True
    assert solved.by.endswith(f"after {name}")
    put(name, "echo 'p cnf 0 1'; echo 0; exit 0", tmp_path, monkeypatch)
    solved = solve_formula(small_formula(), [solver], Limits(), preprocessor=PREPROCESSORS[name])
    assert solved.truth is False
    assert solved.by == name


def test_the_command_takes_them(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pyqbf", reason="pyqbf (the extra 'solve') is not installed")
    put(name, f"{ALL}; exit 0", tmp_path, monkeypatch)
    formula = tmp_path / "f.qdimacs"
    formula.write_text("p cnf 2 2\na 1 0\ne 2 0\n1 -2 0\n-1 2 0\n")
    words = ["solve", str(formula), "--solver", "depqbf", "--preprocess", name]
    assert run_qsage(words) == 10
    assert f"after {name}" in capsys.readouterr().out


def test_names_are_told_when_one_is_wrong() -> None:
    assert preprocessor_named("none") is None
    with pytest.raises(
        UsageError, match=r"did you mean 'hqspre'\?.*bloqqer, hqspre, qratpre, none"
    ):
        preprocessor_named("hqpre")
