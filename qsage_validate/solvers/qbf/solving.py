"""A formula decided by a QBF solver, with a preprocessor before it or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Final

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.layout import inconclusive
from qsage_validate.errors import MissingExtraError
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.solvers.qbf.backend import Backend, Missing, SolverFormat
from qsage_validate.solvers.qbf.backends import backends
from qsage_validate.solvers.qbf.bloqqer import Preprocessed
from qsage_validate.solvers.qbf.outcome import SolverOutcome, SolverStatus
from qsage_validate.solvers.qbf.portfolio import SolverRace, race
from qsage_validate.solvers.qbf.preprocessors import Preprocessor
from qsage_validate.system.clock import now
from qsage_validate.system.limits import Limits
from qsage_validate.system.programs import workspace

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
            wins = _confirm(formula, solved, backend, limits, folder)
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


def _confirm(formula: Qbf, solved: Solved, backend: Backend, limits: Limits, folder: Path) -> bool:
    """True if the solver gives the same answer under its own assignment of the outermost block.

    Assignments are by-products, and not always right: DepQBF prints losing ones of formulas
    that are false by a clause of universals alone.
    """
    assert solved.outer is not None
    fixed = with_outermost(formula, solved.outer)
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
