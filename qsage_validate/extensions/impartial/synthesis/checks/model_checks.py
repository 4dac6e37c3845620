"""Checks of a game as a whole, with a state of the SMT solver for each finding.

A constraint that no state fulfils makes every formula right and is an error; actions that leave
the legal states, ends that no legal state has, and effects that contradict each other are
warnings, because the published files have some of them.  Games that need not end are told by
:mod:`~qsage_validate.extensions.impartial.synthesis.checks.termination`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.extensions.impartial.formula import (
    ImpartialComparison,
    ImpartialFormula,
    without_not,
)
from qsage_validate.extensions.impartial.model import ImpartialAction, ImpartialGame, state_text
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.synthesis.smt.solver import SmtSolver
from qsage_validate.extensions.impartial.synthesis.transitions import after
from qsage_validate.system.limits import Deadline

_SECONDS = 5.0


@dataclass(frozen=True)
class GameWarning:
    """A warning about the game's rules; ``state`` is an example."""

    text: str
    state: State | None = None


def check_game(game: ImpartialGame, solver: SmtSolver, deadline: Deadline) -> list[GameWarning]:
    """The warnings about a game.

    Raises ``InputError`` when no state is legal.
    """
    return list(_ModelChecker(game, solver, deadline).warnings())


class _ModelChecker:
    def __init__(self, game: ImpartialGame, solver: SmtSolver, deadline: Deadline) -> None:
        self.game, self.solver, self.deadline = game, solver, deadline
        self.constraint = without_not(game.constraint)

    def ask(self, *formulas: ImpartialFormula) -> dict[str, int] | None:
        """A model of the formulas; ``None``: there is none.  ``UndecidedError``: not known."""
        answer = self.solver.ask(self.deadline.sooner(_SECONDS), *formulas)
        if answer.status == "unknown":
            raise UndecidedError(f"a check of the game was given up ({answer.reason})")
        return answer.model if answer.status == "sat" else None

    def state(self, values: dict[str, int]) -> State:
        return tuple(values.get(name, 0) for name in self.game.variables)

    def move(self, action: ImpartialAction, values: dict[str, int]) -> str:
        arguments = ",".join(str(values.get(name, 0)) for name in action.parameters)
        return (
            f"{action.name}({arguments}) at {state_text(self.game.variables, self.state(values))}"
        )

    def warnings(self) -> Iterator[GameWarning]:
        for check in (self._states, self._ends, self._legal, self._effects):
            try:
                yield from check()
            except UndecidedError as error:
                yield GameWarning(str(error))
                return

    def _states(self) -> Iterator[GameWarning]:
        if self.ask(self.constraint) is None:
            raise InputError(
                self.game.file, None, None, "a constraint that no state fulfils", "legal states"
            )
        yield from ()

    def _ends(self) -> Iterator[GameWarning]:
        if self.ask(self.constraint, self.game.ending) is None:
            yield GameWarning(
                "no legal state is an ending state: play ends only where no move is left"
            )

    def _legal(self) -> Iterator[GameWarning]:
        for action in self.game.actions:
            leaves = without_not(after(action, self.constraint)).negated()
            values = self.ask(self.constraint, action.precondition, leaves)
            if values is not None:
                text = f"{self.move(action, values)} leaves the legal states"
                yield GameWarning(text, self.state(values))

    def _effects(self) -> Iterator[GameWarning]:
        for action in self.game.actions:
            for i, one in enumerate(action.effects):
                for other in action.effects[i + 1 :]:
                    if one.variable != other.variable or one.expression == other.expression:
                        continue
                    differ = ImpartialComparison("!=", one.expression, other.expression)
                    values = self.ask(
                        self.constraint, action.precondition, one.condition, other.condition, differ
                    )
                    if values is not None:
                        yield GameWarning(
                            f"two effects of {self.move(action, values)} put different values for "
                            f"{one.variable}: the first one counts",
                            self.state(values),
                        )
