"""Winning values of a formula's outermost block, from QBF solvers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.circuit.rewriting import residual
from qsage_validate.errors import QsageError, UndecidedError
from qsage_validate.solvers.qbf.backend import Backend
from qsage_validate.solvers.qbf.preprocessors import BLOQQER, Preprocessor
from qsage_validate.solvers.qbf.solving import solve_formula
from qsage_validate.system.clock import now
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.progress import Progress
from qsage_validate.system.task import Task

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
