"""Several solvers at once: first come first served, and no contradiction goes unseen."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from qsage_validate.errors import Exit, UsageError
from qsage_validate.solvers.backend import Missing, SolverMissingError, SolverStatus
from qsage_validate.solvers.backends import backends
from qsage_validate.solvers.qbf_solving import DisagreementError, race
from qsage_validate.system.limits import Deadline, Limits
from tests.support.fake_solvers import fake_backend, small_formula
from tests.support.random_qbf import random_qbf, truth


def test_the_first_answer_counts_and_the_rest_is_stopped(tmp_path: Path) -> None:
    quick = fake_backend(tmp_path, "echo SAT; exit 10", name="quick")
    slow = fake_backend(tmp_path, "sleep 1000", name="slow")
    wrong = fake_backend(tmp_path, "echo UNSAT; exit 10", name="wrong")
    ended = race(small_formula(), [slow, wrong, quick], workdir=tmp_path)
    assert ended.truth is True
    assert ended.first is not None
    assert ended.first.solver == "quick"
    assert ended.why.startswith("quick: ")
    assert {o.solver: o.status for o in ended.outcomes}["slow"] is SolverStatus.STOPPED
    assert len(ended.outcomes) == 3


def test_nobody_answers(tmp_path: Path) -> None:
    first = fake_backend(tmp_path, "exit 0", name="first")
    second = fake_backend(tmp_path, "sleep 1000", name="second")
    ended = race(small_formula(), [first, second], Limits(Deadline.after(0.3)), workdir=tmp_path)
    assert ended.first is None
    assert ended.truth is None
    assert "first: exit code 0" in ended.why
    assert "second: no answer within" in ended.why


def test_contradictions_are_an_error_that_keeps_the_logs(tmp_path: Path) -> None:
    yes = fake_backend(tmp_path, "echo 'c it is'; echo SAT; exit 10", name="yes")
    no = fake_backend(tmp_path, "sleep 0.2; echo UNSAT; exit 20", name="no")
    logs = tmp_path / "logs"
    logs.mkdir()
    with pytest.raises(DisagreementError, match="yes says true and no says false") as raised:
        race(small_formula(), [yes, no], workdir=tmp_path, everyone=True, logs=logs)
    assert raised.value.exit_code is Exit.REFUTED
    assert "\n" not in str(raised.value)
    (folder,) = logs.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["formula.qcir", "no.log", "yes.log"]
    assert "c it is" in (folder / "yes.log").read_text(encoding="utf-8")
    for name in ("yes.log", "no.log"):
        assert str(folder / name) in str(raised.value)


def test_who_is_missing_is_named_before_anything_runs(tmp_path: Path) -> None:
    here = fake_backend(tmp_path, f"touch {tmp_path}/ran; echo SAT; exit 10", name="here")
    gone = fake_backend(tmp_path, "", name="gone")
    (tmp_path / "gone").unlink()
    with pytest.raises(SolverMissingError, match="gone"):
        race(small_formula(), [here, gone], workdir=tmp_path)
    assert not (tmp_path / "ran").exists()
    with pytest.raises(UsageError, match="no solver"):
        race(small_formula(), [], workdir=tmp_path)


def test_a_full_disk_of_ours_is_raised_and_nothing_goes_on(tmp_path: Path) -> None:
    slow = fake_backend(tmp_path, "sleep 1000", name="slow")
    with pytest.raises(FileNotFoundError):
        race(small_formula(), [slow], workdir=tmp_path / "none")


def test_the_real_ones_agree(tmp_path: Path) -> None:
    here = [b for b in backends().values() if not isinstance(b.availability(), Missing)]
    if len(here) < 2:
        pytest.skip("fewer than two solvers here")
    rng = Random(7)
    for k in range(20):
        formula = random_qbf(rng)
        ended = race(
            formula, here, Limits(Deadline.after(60)), workdir=tmp_path, everyone=k % 2 == 0
        )
        assert ended.truth is truth(formula), ended.why
        assert len(ended.outcomes) == len(here)
