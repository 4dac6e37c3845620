"""Winning values of the outermost block, from solvers that print them and from others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.errors import CancelledError, UndecidedError
from qsage_validate.solvers import qbf_solving
from qsage_validate.solvers.backend import Missing, SolverStatus
from qsage_validate.solvers.backends import Preprocessor, get_backend
from qsage_validate.solvers.qbf_solving import Solved, SolverReplies, ValueChangedError
from qsage_validate.system.limits import Stopwatch
from tests.support.fake_solvers import fake_backend
from tests.support.random_qbf import circuits, truth


def solved(
    value: bool | None, outer: Mapping[int, bool] | None = None, why: str = "told"
) -> Solved:
    status = {True: SolverStatus.TRUE, False: SolverStatus.FALSE, None: SolverStatus.TIMEOUT}[value]
    return Solved(status, why, "table", "1", None, 0.0, 0.0, 0.0, 0.0, outer)


@pytest.fixture
def by_table(monkeypatch: pytest.MonkeyPatch) -> list[Qbf]:
    """Formulas are decided by their truth tables; the list has all that were."""
    asked: list[Qbf] = []

    def decide(formula: Qbf, *_: Any, **__: Any) -> Solved:
        asked.append(formula)
        return solved(truth(formula))

    monkeypatch.setattr(qbf_solving, "solve_formula", decide)
    return asked


@given(circuits())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_values_are_tried_one_by_one_where_none_are_printed(
    by_table: list[Qbf], formula: Qbf
) -> None:
    promised = truth(formula)
    owner = Quantifier.EXISTS if promised else Quantifier.FORALL
    scopes = formula.merged_scopes()
    if not scopes or scopes[0].quantifier is not owner:
        return
    asker = SolverReplies([])
    reply = asker.reply(formula, promised)
    assert reply.values.keys() == set(scopes[0].variables)
    assert truth(residual(formula, reply.values)) is promised
    assert reply.questions <= len(scopes[0].variables) + 1


@given(circuits(), st.randoms())
@settings(max_examples=150)
def test_what_is_printed_is_a_candidate(formula: Qbf, generator: Random) -> None:
    """A solver that prints any values of some of the outermost variables, winning or not."""
    promised = truth(formula)
    owner = Quantifier.EXISTS if promised else Quantifier.FORALL
    scopes = formula.merged_scopes()
    if not scopes or scopes[0].quantifier is not owner:
        return

    def decide(left: Qbf, *_: Any, **__: Any) -> Solved:
        block = left.merged_scopes()[0].variables if left.scopes else ()
        some = [v for v in block if generator.random() < 0.7]
        return solved(truth(left), {v: generator.random() < 0.5 for v in some})

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(qbf_solving, "solve_formula", decide)
        reply = SolverReplies([fake_backend(Path(folder), "exit 1")]).reply(formula, promised)
    assert reply.values.keys() == set(scopes[0].variables)
    assert truth(residual(formula, reply.values)) is promised


E, A = Quantifier.EXISTS, Quantifier.FORALL
EQUAL = Qbf((Scope(E, (1,)), Scope(A, (2,)), Scope(E, (3,))), {4: Gate(Connective.XOR, (2, 3))}, 4)


def test_a_printed_assignment_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[bool] = []

    def decide(*_: Any, preprocessor: Preprocessor | None, **__: Any) -> Solved:
        runs.append(preprocessor is not None)
        return solved(None if preprocessor is None else True, {1: True})

    monkeypatch.setattr(qbf_solving, "solve_formula", decide)
    printing = fake_backend(tmp_path, "exit 1")
    reply = SolverReplies([printing], 9.0).reply(EQUAL, promised=True)
    assert (reply.values, reply.by, reply.questions) == ({1: True}, "table 1", 2)
    assert runs == [False, True, False, True], "Bloqqer is for what is not decided as it is"


def test_another_value_than_promised(by_table: list[Qbf], tmp_path: Path) -> None:
    false = Qbf((Scope(E, (1,)), Scope(A, (2,))), {4: Gate(Connective.XOR, (1, 2))}, 4)
    for contenders in ([], [fake_backend(tmp_path, "exit 1")]):
        with pytest.raises(ValueChangedError) as changed:
            SolverReplies(contenders).reply(false, promised=True)
        assert "is false, but the whole was true" in str(changed.value)
        assert not truth(changed.value.formula)
    constant = Qbf((Scope(E, (1,)),), {2: Gate(Connective.OR, ())}, 2)
    with pytest.raises(ValueChangedError, match="constants alone"):
        SolverReplies([]).reply(constant, promised=True)


def test_who_is_called_off_answers_nothing(tmp_path: Path) -> None:
    """The solver's process ends with the task, long before it would."""
    begun = tmp_path / "begun"
    slow = fake_backend(tmp_path, f"touch {begun}; sleep 60")
    asker = SolverReplies([slow])

    def cancel() -> None:
        while not begun.exists():
            sleep(0.01)
        asker.task.cancel()

    watcher = Thread(target=cancel)
    watch = Stopwatch()
    with asker.task:
        watcher.start()
        with pytest.raises(CancelledError):
            asker.reply(EQUAL, promised=True)
    watcher.join()
    assert watch.seconds < 30
    assert asker.task.seconds is None
    assert not asker.task.deadline(None).over, "the next question is another one"
    asker.task.close()
    with pytest.raises(CancelledError):
        asker.reply(EQUAL, promised=True)


def test_no_answer_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qbf_solving, "solve_formula", lambda *_, **__: solved(None, why="time-out"))
    with pytest.raises(UndecidedError, match="table 1: time-out"):
        SolverReplies([]).reply(EQUAL, promised=True)


@pytest.mark.parametrize("name", ["depqbf", "caqe", "qute", "rareqs", "qfun"])
def test_real_solvers(name: str) -> None:
    backend = get_backend(name)
    found = backend.availability()
    if isinstance(found, Missing):
        pytest.skip(f"{name}: {found.reason}")
    gates = {5: Gate(Connective.XOR, (3, 4)), 6: Gate(Connective.ITE, (1, 5, -2))}
    formula = Qbf((Scope(E, (1, 2)), Scope(A, (3,)), Scope(E, (4,))), gates, 6)
    asker = SolverReplies([backend], 20.0)
    assert asker.value(formula) is True
    reply = asker.reply(formula, promised=True)
    assert truth(residual(formula, reply.values)) is True
    assert reply.questions > 0
