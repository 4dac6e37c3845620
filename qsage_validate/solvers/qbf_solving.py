"""A formula decided by solvers: by one, by several at once, with winning values of its first block.

The other solvers are stopped then.  All answers given by that time must agree.  A program cannot
find out which of two contradicting answers is wrong, so what is needed to find it is kept.
"""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Final

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import inconclusive
from qsage_validate.errors import Exit, MissingExtraError, QsageError, UndecidedError, UsageError
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form, qdimacs_text
from qsage_validate.formats.writing import qcir_text
from qsage_validate.solvers.backend import (
    Backend,
    Missing,
    SolverFormat,
    SolverOutcome,
    SolverStatus,
)
from qsage_validate.solvers.backends import BLOQQER, Preprocessor, backends
from qsage_validate.solvers.bloqqer import Preprocessed
from qsage_validate.system.limits import Deadline, Limits, Progress, now
from qsage_validate.system.programs import workspace
from qsage_validate.system.signals import orderly_termination
from qsage_validate.system.task import Task

# Several solvers on one formula at once: the first confirmed answer counts


class DisagreementError(QsageError):
    """Two solvers contradict each other; the text names the files with their logs."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True)
class SolverRace:
    """The end of a race: the first answer, if there is one, and all runs in their order of ending.

    ``outcomes`` has every contender once, stopped ones included.
    """

    first: SolverOutcome | None
    outcomes: tuple[SolverOutcome, ...]

    @property
    def truth(self) -> bool | None:
        """The truth value, ``None`` where no solver answered."""
        return None if self.first is None else self.first.truth

    @property
    def why(self) -> str:
        """One line: the solver that answered, or the end of each solver's run."""
        if self.first is not None:
            return f"{self.first.solver}: {self.first.why}"
        return "; ".join(f"{outcome.solver}: {outcome.why}" for outcome in self.outcomes)


def race(
    formula: Qbf,
    contenders: Sequence[Backend],
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    *,
    workdir: Path,
    form: ClausalForm | None = None,
    everyone: bool = False,
    outer: bool = True,
    logs: Path | None = None,
) -> SolverRace:
    """Run all ``contenders`` at once until one has an answer.

    ``limits`` are for each contender.  ``form`` is what clause solvers get (a preprocessed
    formula, say); solvers that read only circuits get the formula itself.  With ``everyone``
    no solver is stopped, so that all answers are compared.  When two disagree their logs and the
    formula go to a new folder in ``logs`` (by default where the system keeps temporary files).

    Raises ``UsageError`` without contenders, :class:`SolverMissingError` when one of them is
    not here, and :class:`DisagreementError`.
    """
    if not contenders:
        raise UsageError("found no solver for the portfolio, expected at least one")
    for backend in contenders:
        backend.program()
    decided = threading.Event()
    ended: queue.Queue[SolverOutcome | BaseException] = queue.Queue()

    def run(backend: Backend) -> None:
        given = form if SolverFormat.QDIMACS in backend.accepts else None
        try:
            ended.put(
                backend.solve(
                    formula, limits, workdir=workdir, form=given, outer=outer, stop=decided.is_set
                )
            )
        except BaseException as error:  # noqa: BLE001 (it is raised again below)
            ended.put(error)

    threads = [threading.Thread(target=run, args=(b,), daemon=True) for b in contenders]
    outcomes: list[SolverOutcome] = []
    first: SolverOutcome | None = None
    with orderly_termination():
        try:
            for thread in threads:
                thread.start()
            for _ in threads:
                outcome = ended.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                outcomes.append(outcome)
                if first is None and outcome.truth is not None:
                    first = outcome
                    if not everyone:
                        decided.set()
        finally:
            decided.set()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
    _compare(formula, form, outcomes, logs)
    return SolverRace(first, tuple(outcomes))


def _compare(
    formula: Qbf, form: ClausalForm | None, outcomes: Sequence[SolverOutcome], logs: Path | None
) -> None:
    yes = [o for o in outcomes if o.truth is True]
    no = [o for o in outcomes if o.truth is False]
    if not yes or not no:
        return
    folder = Path(tempfile.mkdtemp(prefix="qsage-disagreement-", dir=logs))
    (folder / "formula.qcir").write_text(qcir_text(formula, cleansed=True), encoding="utf-8")
    if form is not None:
        (folder / "formula.qdimacs").write_text(qdimacs_text(form), encoding="utf-8")
    kept = []
    for outcome in (yes[0], no[0]):
        path = folder / f"{outcome.solver}.log"
        head = f"{' '.join(outcome.command)}\n{outcome.solver} {outcome.version}: {outcome.why}\n"
        path.write_text(f"{head}\n{outcome.log}", encoding="utf-8")
        kept.append(str(path))
    raise DisagreementError(
        f"{yes[0].solver} says true and {no[0].solver} says false; "
        f"their logs and the formula are kept: {' and '.join(kept)}"
    )


# A formula decided by a QBF solver, with a preprocessor before it or not


# After Bloqqer DepQBF solves the most of the games' formulas; circuit solvers need no Bloqqer.
_PREFERRED: Final = ("depqbf", "caqe", "quabs", "cqesto", "qute", "rareqs", "qfun")
PATIENCE: Final = 10.0
"""The seconds that Bloqqer gets where it was chosen by default and no time was set: it runs
endlessly on some formulas that a solver decides at once."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The end of an attempt to decide a formula.

    ``status`` and ``why`` are as in :class:`SolverOutcome`; ``solver`` and ``version`` name who
    answered (the preprocessor, where it decided alone).  ``seconds`` is wall time, preprocessing
    included, ``cpu_seconds`` and ``peak_mb`` are of all programs.  ``outer`` is a winning
    assignment of the outermost block, confirmed by the solver, which only one can give that got
    the formula as it is.  ``outcomes`` are the runs of solvers.
    """

    status: SolverStatus
    why: str
    solver: str
    version: str
    preprocessor: str | None
    seconds: float
    preprocess_seconds: float
    cpu_seconds: float
    peak_mb: float
    outer: Mapping[int, bool] | None = None
    outcomes: tuple[SolverOutcome, ...] = ()

    @property
    def truth(self) -> bool | None:
        """The truth value, ``None`` where there is no answer."""
        return self.status.truth

    @property
    def by(self) -> str:
        """The solver that answered, or should have: name, version and preprocessor."""
        name = f"{self.solver} {self.version}".strip()
        alone = self.preprocessor is None or self.preprocessor == self.solver
        return name if alone else f"{name} after {self.preprocessor}"


def available(circuit: bool = True) -> list[Backend]:
    """The solvers that can be run here, the first choice first.

    Without ``circuit`` only those that read clauses.  Raises ``MissingExtraError`` when there
    is none.
    """
    known = backends()
    names = [*(n for n in _PREFERRED if n in known), *(n for n in known if n not in _PREFERRED)]
    found = [known[name] for name in names]
    found = [b for b in found if circuit or SolverFormat.QDIMACS in b.accepts]
    found = [b for b in found if not isinstance(b.availability(), Missing)]
    if not found:
        raise MissingExtraError("solving formulas", "solve")
    return found


def solve_formula(
    formula: Qbf,
    contenders: Sequence[Backend],
    limits: Limits,
    *,
    preprocessor: Preprocessor | None = None,
    confirmed: bool = True,
    patience: float = inf,
) -> Solved:
    """Decide ``formula`` within ``limits``; with a ``preprocessor`` on what that leaves of it.

    Several ``contenders`` run at once, and the first confirmed answer counts; solvers that read
    circuits only get the formula as it is.  Unless it is to be ``confirmed``, the assignment is
    what was printed, also of what a preprocessor leaves: it may lack variables of the outermost
    block, and need not win.  When the preprocessor takes more than ``patience`` seconds, the
    formula is solved as it is.  Raises ``SolverMissingError`` and ``UsageError`` as solvers do, and
    ``DisagreementError`` when two of them contradict each other.
    """
    started = now()
    with workspace() as folder:
        if preprocessor is None:
            ended = _run(formula, contenders, limits, folder, None)
            solved = _solved(ended, None, started)
            if solved.outer is None or not confirmed:
                return solved
            (backend,) = (b for b in contenders if b.name == solved.solver)
            wins = _confirm(formula, solved, solved.outer, backend, limits, folder)
            return replace(solved, outer=solved.outer if wins else None)
        bounded = replace(limits, deadline=limits.deadline.sooner(patience))
        done = preprocessor.run(_clauses(formula, contenders), bounded, folder)
        if done.status is SolverStatus.TIMEOUT and patience < inf and not limits.deadline.over:
            solved = solve_formula(formula, contenders, limits, confirmed=confirmed)
            return replace(
                solved,
                seconds=now() - started,
                preprocess_seconds=done.seconds,
                cpu_seconds=solved.cpu_seconds + done.cpu_seconds,
            )
        if done.form is None:
            return _decided(done, preprocessor.name, started)
        ended = _run(formula, contenders, limits, folder, done.form, outer=not confirmed)
        solved = _solved(ended, (preprocessor.name, done), started)
        if solved.outer is None:
            return solved
        block = frozenset(formula.merged_scopes()[0].variables)
        return replace(solved, outer={v: x for v, x in solved.outer.items() if v in block})


def conclusive(solved: Solved, encoded: Encoding) -> Solved:
    """The result for an encoding's formula, reduced to what it says about the game.

    Some encodings are one-sided: that COVER is false says nothing.
    """
    why = None if solved.truth is None else inconclusive(encoded.layout, solved.truth)
    return solved if why is None else replace(solved, status=SolverStatus.GAVE_UP, why=why)


def _clauses(formula: Qbf, contenders: Sequence[Backend]) -> ClausalForm:
    """The clausal form that suits the solver best (figures: ``docs/explanation/encodings.md``)."""
    if [backend.name for backend in contenders] == ["depqbf"]:
        return clausal_form(formula, polarity=True, placement="early")
    return clausal_form(formula)


def _run(
    formula: Qbf,
    contenders: Sequence[Backend],
    limits: Limits,
    folder: Path,
    form: ClausalForm | None,
    *,
    outer: bool = True,
) -> SolverRace:
    if len(contenders) == 1:
        (backend,) = contenders
        outcome = backend.solve(formula, limits, workdir=folder, form=form, outer=outer)
        return SolverRace(None if outcome.truth is None else outcome, (outcome,))
    return race(formula, contenders, limits, workdir=folder, form=form, outer=outer)


def _confirm(
    formula: Qbf,
    solved: Solved,
    outer: Mapping[int, bool],
    backend: Backend,
    limits: Limits,
    folder: Path,
) -> bool:
    """True if the solver gives the same answer under its own assignment of the outermost block.

    Assignments are by-products, and not always right: DepQBF prints losing ones of formulas
    that are false by a clause of universals alone.
    """
    fixed = with_outermost(formula, outer)
    outcome = backend.solve(fixed, limits, workdir=folder, outer=False)
    return outcome.truth is not None and outcome.truth is solved.truth


def with_outermost(formula: Qbf, values: Mapping[int, bool]) -> Qbf:
    """The formula with the variables of ``values``, its outermost block, fixed."""
    literals = tuple(v if value else -v for v, value in values.items())
    # Where no choice is left the chooser does not matter.
    scopes = tuple(
        Scope(Quantifier.EXISTS, scope.variables)
        if not values.keys().isdisjoint(scope.variables)
        else scope
        for scope in formula.scopes
    )
    top, gate = formula.max_variable + 1, formula.gates.get(formula.output)
    # A conjunction stays one, so that clauses stay clauses.
    flat = gate is not None and gate.connective is Connective.AND
    inputs = gate.inputs if flat and gate is not None else (formula.output,)
    gates = {**formula.gates, top: Gate(Connective.AND, (*literals, *inputs))}
    return replace(formula, scopes=scopes, gates=gates, output=top)


def _decided(done: Preprocessed, name: str, started: float) -> Solved:
    return Solved(
        done.status,
        done.why,
        name,
        done.version,
        name,
        now() - started,
        done.seconds,
        done.cpu_seconds,
        done.peak_mb,
    )


def _solved(race: SolverRace, before: tuple[str, Preprocessed] | None, started: float) -> Solved:
    name, done = before or (None, None)
    outcomes = race.outcomes
    first = race.first or outcomes[0]
    names = first.solver if race.first or len(outcomes) == 1 else "the portfolio"
    return Solved(
        first.status,
        first.why if len(outcomes) == 1 else race.why,
        names,
        first.version if names == first.solver else "",
        name,
        now() - started,
        0.0 if done is None else done.seconds,
        sum(o.cpu_seconds for o in outcomes) + (0.0 if done is None else done.cpu_seconds),
        max(*(o.peak_mb for o in outcomes), 0.0 if done is None else done.peak_mb),
        first.outer,
        outcomes,
    )


# Winning values of a formula's outermost block, from QBF solvers


Values = Mapping[int, bool]
_NOBODY: Final = "constants alone"
# The seconds that a solver has for the formula without Bloqqer. Little of the formula is left late
# in a play, and Bloqqer would take longer than the solver.
_AS_IT_IS_SECONDS: Final = 1.0


class ValueChangedError(QsageError):
    """A residual formula has another value than the play so far promised.

    ``formula`` is that residual formula; ``by`` says who found its value.
    """

    def __init__(self, formula: Qbf, promised: bool, by: str) -> None:
        self.formula = formula
        self.promised = promised
        self.by = by
        found = "false" if promised else "true"
        super().__init__(
            f"{by} says that what is left of the formula is {found}, but the whole was "
            f"{'true' if promised else 'false'}"
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """Winning values of an outermost block: who found them, in how many seconds, how.

    ``questions`` counts the formulas that were decided for it: one where the solver prints an
    assignment, and one more to confirm it; else one for each value or move that was tried.
    """

    values: Values
    by: str
    seconds: float
    questions: int


@dataclass(frozen=True)
class SolverReplies:
    """Asks ``contenders`` for winning values of outermost blocks, each within ``seconds``.

    A formula is given to them as it is for a second, then after the ``preprocessor``.  What they
    print of the outermost block becomes its values, and another answer confirms what is left: after
    a preprocessor variables may be missing, and the others need not win.  Where nothing is printed,
    values are chosen one by one.  ``task`` is told what is asked; where it is called off,
    ``CancelledError`` is raised.
    """

    contenders: Sequence[Backend]
    seconds: float | None = None
    memory_mb: int | None = None
    preprocessor: Preprocessor | None = BLOQQER
    task: Task = field(default_factory=Task)

    def value(self, formula: Qbf) -> bool:
        """The truth value; raises ``UndecidedError`` when no solver answers in time."""
        return _Question(self, "the value of the formula").decide(formula)[0]

    def reply(self, formula: Qbf, promised: bool) -> Reply:
        """Values of the outermost block by which its owner keeps the value ``promised``.

        The owner is the existential player of a true formula, the universal one of a false one.
        Raises :class:`ValueChangedError` when the formula turns out to have the other value, and
        ``UndecidedError`` when no solver answers in time.
        """
        began, question = now(), _Question(self, "a reply")
        scopes = formula.merged_scopes()
        owner = Quantifier.EXISTS if promised else Quantifier.FORALL
        assert scopes, "there is a turn"
        assert scopes[0].quantifier is owner, "it is the owner's turn"
        block = scopes[0].variables
        if constant_value(formula) is promised:
            return Reply(dict.fromkeys(block, False), _NOBODY, now() - began, 0)
        printed: Values = {}
        if any(backend.gives_outer for backend in self.contenders):
            truth, printed = question.decide(formula)
            if truth is not promised:
                raise ValueChangedError(formula, promised, question.by)
        by = question.by
        values = question.choose(formula, promised, block, printed)
        if values is None and printed:
            values = question.choose(formula, promised, block)
        if values is None:
            raise ValueChangedError(formula, promised, question.by)
        return Reply(values, by or question.by, now() - began, question.asked)


class _Question:
    """One question: ``asked`` counts the formulas that were decided, ``by`` the last one's."""

    def __init__(self, asker: SolverReplies, what: str) -> None:
        self._asker = asker
        self._what = what
        self._deadline = asker.task.deadline(asker.seconds)
        self.by = ""
        self.asked = 0

    def decide(self, formula: Qbf) -> tuple[bool, Values]:
        """The truth value, and the solver's values of the outermost block."""
        constant = constant_value(formula)
        if constant is not None:
            self.by = _NOBODY
            return constant, {}
        asker, deadline = self._asker, self._deadline
        text = self._what if not self.asked else f"{self._what}, question {self.asked + 1}"
        asker.task.tell(Progress(", ".join(b.name for b in asker.contenders), text))
        self.asked += 1
        ways: list[tuple[Preprocessor | None, Deadline]] = [(None, deadline)]
        if asker.preprocessor is not None:
            ways = [(None, deadline.sooner(_AS_IT_IS_SECONDS)), (asker.preprocessor, deadline)]
        for preprocessor, until in ways:
            solved = solve_formula(
                formula,
                asker.contenders,
                Limits(until, asker.memory_mb),
                preprocessor=preprocessor,
                confirmed=False,
            )
            deadline.check_called_off()
            if solved.truth is not None:
                self.by = solved.by
                return solved.truth, solved.outer or {}
        raise UndecidedError(f"{solved.by}: {solved.why}")

    def choose(
        self, formula: Qbf, promised: bool, block: Sequence[int], printed: Values | None = None
    ) -> dict[int, bool] | None:
        """Values of the block that keep the value promised; ``None`` where none were found.

        Where something is ``printed`` of the block or of what is left of it, that is taken, or
        nothing is found.
        """
        left, found, wins = formula, dict[int, bool](), False
        while open_ := [v for v in block if v not in found]:
            values = {v: printed[v] for v in open_ if v in printed} if printed else {}
            tried = residual(left, values or {open_[0]: False})
            truth, outer = self.decide(tried)
            wins = truth is promised
            if values and not wins:
                return None
            if not wins:
                values = {open_[0]: True}
                tried, outer = residual(left, values), {}
            left, printed = tried, None if printed is None else outer
            found.update(values or {open_[0]: False})
        return found if wins or self.decide(left)[0] is promised else None


def constant_value(formula: Qbf) -> bool | None:
    """The matrix's value where it is an empty conjunction or disjunction."""
    gate = formula.gates.get(abs(formula.output))
    if gate is None or gate.inputs or gate.connective not in (Connective.AND, Connective.OR):
        return None
    return (gate.connective is Connective.AND) != (formula.output < 0)
