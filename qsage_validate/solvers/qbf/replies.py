"""Winning values of a formula's outermost block, from QBF solvers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.circuit.residual import residual
from qsage_validate.errors import QsageError, UndecidedError
from qsage_validate.solvers.qbf.backend import Backend
from qsage_validate.solvers.qbf.solving import solve_formula
from qsage_validate.system.clock import now
from qsage_validate.system.limits import Deadline, Limits

Values = Mapping[int, bool]
Tell = Callable[[str], None]
_NOBODY: Final = "constants alone"
# The part of the time that a solver has to print an assignment of a formula as it is.
_FIRST_SHARE: Final = 1 / 3


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


class SolverReplies:
    """Asks solvers for winning values of outermost blocks, each within ``seconds``.

    A solver that prints an assignment of the outermost block is asked for it.  Where there is
    none, or it printed none, the block is decided value by value, or move by move where
    ``candidates`` are given; then with ``preprocessing``, which keeps a formula's value and not
    its assignments.
    """

    def __init__(
        self,
        contenders: Sequence[Backend],
        seconds: float | None = None,
        *,
        memory_mb: int | None = None,
        preprocessing: bool = True,
    ) -> None:
        self._contenders = tuple(contenders)
        self._printing = tuple(b for b in contenders if b.gives_outer)
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._preprocessing = preprocessing
        self.answered_by = ""

    def value(self, formula: Qbf, deadline: Deadline | None = None) -> bool:
        """The truth value; raises ``UndecidedError`` when nobody answers in time."""
        constant = constant_value(formula)
        if constant is not None:
            self.answered_by = _NOBODY
            return constant
        solved = solve_formula(
            formula,
            self._contenders,
            self._limits(deadline or Deadline.after(self._seconds)),
            preprocessing=self._preprocessing,
        )
        if solved.truth is None:
            raise UndecidedError(f"{solved.by}: {solved.why}")
        self.answered_by = solved.by
        return solved.truth

    def _limits(self, deadline: Deadline) -> Limits:
        return Limits(deadline, self._memory_mb)

    def reply(self, formula: Qbf, promised: bool, candidates: Sequence[Values] = ()) -> Reply:
        """Values of the outermost block by which its owner keeps the value ``promised``.

        The owner is the existential player of a true formula, the universal one of a false one.
        ``candidates`` are values of the whole block one of which is asked for.  Raises
        :class:`ValueChangedError` when the formula turns out to have the other value, and
        ``UndecidedError`` when nobody answers in time.
        """
        began, deadline = now(), Deadline.after(self._seconds)
        scopes = formula.merged_scopes()
        owner = Quantifier.EXISTS if promised else Quantifier.FORALL
        assert scopes, "there is a turn"
        assert scopes[0].quantifier is owner, "it is the owner's turn"
        block = scopes[0].variables
        constant = constant_value(formula)
        if constant is not None:
            if constant is not promised:
                raise ValueChangedError(formula, promised, _NOBODY)
            return Reply(dict.fromkeys(block, False), _NOBODY, now() - began, 0)
        questions = 0
        if self._printing:
            first = self._limits(deadline.share(_FIRST_SHARE))
            solved = solve_formula(formula, self._printing, first, preprocessing=False)
            questions += len(solved.outcomes)
            if solved.truth is not None and solved.truth is not promised:
                raise ValueChangedError(formula, promised, solved.by)
            if solved.outer is not None:
                printed = {v: solved.outer.get(v, False) for v in block}
                return Reply(printed, solved.by, now() - began, questions + 1)
        decide = self._by_moves if candidates else self._by_values
        singles = candidates or [{v: False} for v in block]
        values, asked = decide(formula, promised, singles, deadline)
        return Reply(values, self.answered_by, now() - began, questions + asked)

    def _by_moves(
        self, formula: Qbf, promised: bool, candidates: Sequence[Values], deadline: Deadline
    ) -> tuple[Values, int]:
        for number, values in enumerate(candidates, start=1):
            if self.value(residual(formula, values), deadline) is promised:
                return values, number
        raise ValueChangedError(formula, promised, self.answered_by)

    def _by_values(
        self, formula: Qbf, promised: bool, singles: Sequence[Values], deadline: Deadline
    ) -> tuple[Values, int]:
        found: dict[int, bool] = {}
        asked, left, certain = 0, formula, True
        for single in singles:
            ((variable, value),) = single.items()
            tried = residual(left, single)
            asked += 1
            certain = self.value(tried, deadline) is promised
            found[variable] = value if certain else not value
            left = tried if certain else residual(left, {variable: not value})
        if not certain:
            asked += 1
            if self.value(left, deadline) is not promised:
                raise ValueChangedError(left, promised, self.answered_by)
        return found, asked


def constant_value(formula: Qbf) -> bool | None:
    """The matrix's value where it is an empty conjunction or disjunction."""
    gate = formula.gates.get(abs(formula.output))
    if gate is None or gate.inputs or gate.connective not in (Connective.AND, Connective.OR):
        return None
    return (gate.connective is Connective.AND) != (formula.output < 0)
