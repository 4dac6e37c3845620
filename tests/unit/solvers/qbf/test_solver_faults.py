"""Solvers that are missing, crash, lie, stop halfway or are stopped: one clear line each."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.errors import Exit, UsageError
from qsage_validate.solvers.backend import SolverMissingError, SolverOutcome, SolverStatus
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.programs import MARK, workspace
from tests.support.fake_solvers import fake_backend, small_formula


def _run(
    tmp_path: Path,
    body: str,
    *,
    kind: str = "depqbf",
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    trace: Path | None = None,
    trace_mb: int | None = None,
) -> SolverOutcome:
    backend = fake_backend(tmp_path, body, kind=kind)
    work = tmp_path / "work"
    work.mkdir()
    with workspace(work) as folder:
        outcome = backend.solve(
            small_formula(), limits, workdir=folder, trace=trace, trace_mb=trace_mb
        )
        left = [file for file in folder.iterdir() if file.name != MARK]
    assert left == [], "files of the run are gone"
    assert "\n" not in outcome.why
    return outcome


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("echo SAT; exit 10", SolverStatus.TRUE),
        ("echo UNSAT; exit 20", SolverStatus.FALSE),
        ("echo 's cnf 1 3 2'; exit 10", SolverStatus.TRUE),
        ("echo SAT; exit 20", SolverStatus.RUBBISH),
        ("echo UNSAT; exit 10", SolverStatus.RUBBISH),
        ("echo SAT; exit 0", SolverStatus.RUBBISH),
        ("echo SAT; echo UNSAT; exit 10", SolverStatus.RUBBISH),
        ("exit 10", SolverStatus.RUBBISH),
        ("echo SATX; exit 10", SolverStatus.RUBBISH),
        ("printf 's cnf'; exit 20", SolverStatus.RUBBISH),
        ("head -c 5000 /dev/zero; exit 20", SolverStatus.RUBBISH),
        ("exit 0", SolverStatus.GAVE_UP),
        ("echo what >&2; exit 1", SolverStatus.CRASHED),
        ("kill -SEGV $$", SolverStatus.CRASHED),
        ("kill -KILL $$", SolverStatus.CRASHED),
        ("echo SAT; kill -ABRT $$", SolverStatus.CRASHED),
        ("echo SAT; kill -XFSZ $$", SolverStatus.DISK),
        ("echo 'unknown option --qdo' >&2; exit 2", SolverStatus.CRASHED),
        ("echo 'No space left on device' >&2; exit 1", SolverStatus.DISK),
        ("echo std::bad_alloc >&2; exit 1", SolverStatus.CRASHED),
    ],
)
def test_an_answer_is_an_exit_code_and_a_verdict_that_agree(
    tmp_path: Path, body: str, status: SolverStatus
) -> None:
    outcome = _run(tmp_path, body)
    assert outcome.status is status, outcome.why
    assert outcome.truth is {SolverStatus.TRUE: True, SolverStatus.FALSE: False}.get(status)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        # As Qubi's README and main function have them: a line of result, always exit code 0.
        ("echo 'Result: TRUE'", SolverStatus.TRUE),
        ("echo 'Result: FALSE'", SolverStatus.FALSE),
        ("echo 'Result: TRUE'; echo 'Result: FALSE'", SolverStatus.RUBBISH),
        ("echo 'Result: TRUE'; exit 255", SolverStatus.RUBBISH),
        ("echo 'Result: TRUE'; exit 10", SolverStatus.RUBBISH),
        ("echo 'Results: TRUE'", SolverStatus.GAVE_UP),
        ("echo SAT", SolverStatus.GAVE_UP),
        ("true", SolverStatus.GAVE_UP),
    ],
)
def test_qubi_answers_by_a_line_alone(tmp_path: Path, body: str, status: SolverStatus) -> None:
    outcome = _run(tmp_path, f"{body}", kind="qubi")
    assert outcome.status is status, outcome.why
    assert outcome.command[1] == "-v=0"


@pytest.mark.parametrize(
    ("kind", "body", "truth"),
    [
        # As the main functions of QuAbS and CQESTO have it: a line of result, exit code 10 or 20.
        ("quabs", "echo 'V 1 0'; echo 'r SAT'; exit 10", True),
        ("quabs", "echo 'r UNSAT'; exit 20", False),
        ("cqesto", "echo 'c solved 0.1'; echo 's cnf 1'; exit 10", True),
        ("cqesto", "echo 's cnf 0'; exit 20", False),
    ],
)
def test_circuit_solvers_answer_by_line_and_exit_code(
    tmp_path: Path, kind: str, body: str, truth: bool
) -> None:
    backend = fake_backend(tmp_path, body, kind=kind, circuit=True)
    outcome = backend.solve(small_formula(), workdir=tmp_path)
    assert outcome.truth is truth, outcome.why
    assert ("--partial-assignment" in outcome.command) == (kind == "quabs")


@pytest.mark.parametrize(("code", "digit"), [(10, 1), (20, 0)])
def test_qesto_answers_as_qdimacs_has_it(tmp_path: Path, code: int, digit: int) -> None:
    body = f"echo 'c reading from f'; echo 's cnf {digit}'; exit {code}"
    assert _run(tmp_path, body, kind="qesto").truth is bool(digit)


def test_why_names_what_the_solver_said(tmp_path: Path) -> None:
    assert "cannot read" in _run(tmp_path, "echo 'cannot read it' >&2; exit 1").why


def test_a_time_limit(tmp_path: Path) -> None:
    outcome = _run(tmp_path, "echo SAT; sleep 1000", limits=Limits(Deadline.after(0.2)))
    assert outcome.status is SolverStatus.TIMEOUT


def test_a_memory_limit(tmp_path: Path) -> None:
    body = "echo 'terminate called: std::bad_alloc' >&2; kill -ABRT $$"
    assert _run(tmp_path, body, limits=Limits(memory_mb=1000)).status is SolverStatus.MEMORY


def test_a_program_that_vanished(tmp_path: Path) -> None:
    backend = fake_backend(tmp_path, "exit 0")
    (tmp_path / "fake").unlink()
    with pytest.raises(SolverMissingError, match="the solver fake is missing") as raised:
        backend.solve(small_formula(), workdir=tmp_path)
    assert raised.value.exit_code is Exit.BAD_INPUT


def test_a_program_for_another_machine(tmp_path: Path) -> None:
    backend = fake_backend(tmp_path, "")
    (tmp_path / "fake").write_bytes(b"\x7fELF of another kind\0" * 9)
    outcome = backend.solve(small_formula(), workdir=tmp_path)
    assert outcome.status is SolverStatus.CRASHED
    assert "could not be started" in outcome.why


# --- Assignments of the outermost block ------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "outer"),
    [
        ("V 1 0", {1: True}),
        ("V -1 0", {1: False}),
        ("V  -1", {1: False}),
        ("", None),
        ("V 1 0\nV -1 0", None),
        ("V 1 -1 0", None),
        ("V 2 0", None),
        ("V 1 x 0", None),
        ("V 1 0 0", None),
    ],
)
def test_assignments(tmp_path: Path, printed: str, outer: dict[int, bool] | None) -> None:
    outcome = _run(tmp_path, f"printf 's cnf 1 3 2\\n%s\\n' '{printed}'; exit 10")
    assert outcome.status is SolverStatus.TRUE
    assert outcome.outer == outer


def test_the_loser_has_no_assignment(tmp_path: Path) -> None:
    assert _run(tmp_path, "echo 's cnf 0'; echo 'V 1 0'; exit 20").outer is None


# --- Traces ----------------------------------------------------------------------------------


def test_a_trace_that_ends_with_its_verdict(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    outcome = _run(tmp_path, "echo 'p qrp 3 2'; echo 'r SAT'; exit 10", trace=trace)
    assert outcome.trace == trace
    assert trace.read_bytes() == b"p qrp 3 2\nr SAT\n"


def test_a_truncated_trace_is_no_answer_and_goes(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    outcome = _run(tmp_path, "echo 'p qrp 3 2'; echo '1 2 0 0'; exit 10", trace=trace)
    assert outcome.status is SolverStatus.RUBBISH
    assert outcome.trace is None
    assert not trace.exists()


def test_a_trace_that_grows_too_large_goes(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    outcome = _run(tmp_path, "yes", trace=trace, trace_mb=1)
    assert outcome.status is SolverStatus.DISK
    assert not trace.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_trace_on_a_full_disk_is_no_answer(tmp_path: Path) -> None:
    body = "echo 'p qrp 3 2' 2>/dev/null; echo 'r SAT' 2>/dev/null; exit 10"
    outcome = _run(tmp_path, body, trace=Path("/dev/full"))
    assert outcome.status is SolverStatus.RUBBISH
    assert Path("/dev/full").exists()


def test_a_trace_that_a_solver_cannot_write(tmp_path: Path) -> None:
    backend = fake_backend(tmp_path, "exit 0", kind="caqe")
    with pytest.raises(UsageError, match="writes no traces"):
        backend.solve(small_formula(), workdir=tmp_path, trace=tmp_path / "t")


# --- What is handed over ---------------------------------------------------------------------


def test_clause_solvers_get_clauses(tmp_path: Path) -> None:
    outcome = _run(tmp_path, 'for f; do :; done; cat "$f"; echo UNSAT; exit 20')
    assert outcome.log.startswith("p cnf 3 2\ne 1 0\n")
    assert outcome.command[-1].endswith("formula.qdimacs")


def test_circuit_solvers_get_the_circuit(tmp_path: Path) -> None:
    body = 'for f; do :; done; cat "$f"; echo UNSAT; exit 20'
    backend = fake_backend(tmp_path, body, kind="cqesto", circuit=True)
    outcome = backend.solve(small_formula(), workdir=tmp_path)
    assert outcome.log.startswith("#QCIR-G14")
    with pytest.raises(UsageError, match="reads circuits"):
        backend.solve(small_formula(), workdir=tmp_path, trace=tmp_path / "t")
