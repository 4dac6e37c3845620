"""What is wrong with a game as a whole, with a state of the SMT solver for each finding.

A constraint that no state fulfils makes every formula right and is an error; actions that leave
the legal states, ends that no legal state has, effects that contradict each other and games that
need not end are warnings, because the published files have some of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.games.impartial.boxes import intervals
from qsage_validate.games.impartial.formula import (
    Comparison,
    Formula,
    Linear,
    conjunction,
    without_not,
)
from qsage_validate.games.impartial.model import Action, ImpartialGame, state_text
from qsage_validate.games.impartial.moves import State
from qsage_validate.synthesis.clock import Clock
from qsage_validate.synthesis.smt import SmtSolver
from qsage_validate.synthesis.smtlib import script
from qsage_validate.synthesis.transitions import after, outcomes

_SECONDS = 5.0
_MAX_WEIGHT = 3


@dataclass(frozen=True)
class GameWarning:
    """Something about the game that the user should know; ``state`` shows it."""

    text: str
    state: State | None = None


def check_game(game: ImpartialGame, solver: SmtSolver, clock: Clock) -> list[GameWarning]:
    """The warnings about a game.

    Raises ``InputError`` when no state is legal.
    """
    return list(_Checker(game, solver, clock).warnings())


@dataclass(frozen=True)
class _Transition:
    """One outcome of one action between legal states."""

    action: Action
    holds: Formula
    values: dict[str, Linear]


class _Checker:
    def __init__(self, game: ImpartialGame, solver: SmtSolver, clock: Clock) -> None:
        self.game, self.solver, self.clock = game, solver, clock
        self.constraint = without_not(game.constraint)

    def ask(self, *formulas: Formula) -> dict[str, int] | None:
        """A model of the formulas; ``None``: there is none.  ``UndecidedError``: not known."""
        plain = [without_not(formula) for formula in formulas]
        answer = self.solver.check(script(plain), self.clock.left(_SECONDS))
        if answer.status == "unknown":
            raise UndecidedError(f"a check of the game was given up ({answer.reason})")
        return answer.model if answer.status == "sat" else None

    def state(self, values: dict[str, int]) -> State:
        return tuple(values.get(name, 0) for name in self.game.variables)

    def move(self, action: Action, values: dict[str, int]) -> str:
        arguments = ",".join(str(values.get(name, 0)) for name in action.parameters)
        return (
            f"{action.name}({arguments}) at {state_text(self.game.variables, self.state(values))}"
        )

    def warnings(self) -> Iterator[GameWarning]:
        for check in (self._states, self._ends, self._legal, self._effects, self._endless):
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
                    differ = Comparison("!=", one.expression, other.expression)
                    values = self.ask(
                        self.constraint, action.precondition, one.condition, other.condition, differ
                    )
                    if values is not None:
                        yield GameWarning(
                            f"two effects of {self.move(action, values)} put different values for "
                            f"{one.variable}: the first one counts",
                            self.state(values),
                        )

    # -- does every play end? ---------------------------------------------------------------

    def _endless(self) -> Iterator[GameWarning]:
        left = self._unranked(self._transitions())
        if not left:
            return
        for one in left:
            same = [Comparison("=", Linear.variable(name), one.values[name]) for name in one.values]
            values = self.ask(one.holds, *same)
            if values is not None:
                text = f"play need not end: {self.move(one.action, values)} leads back to the state"
                yield GameWarning(text, self.state(values))
                return
        for first, second in product(left, repeat=2):
            values = self.ask(*self._there_and_back(first, second))
            if values is not None:
                text = (
                    f"play need not end: {self.move(first.action, values)} and then "
                    f"{second.action.name} lead back to the state"
                )
                yield GameWarning(text, self.state(values))
                return
        names = ", ".join(dict.fromkeys(one.action.name for one in left))
        yield GameWarning(f"play may not end: no measure that decreases was found for {names}")

    def _transitions(self) -> list[_Transition]:
        found = []
        for action in self.game.actions:
            for outcome in outcomes(action):
                legal = self.constraint.substitute(outcome.assignment)
                holds = conjunction(
                    (self.constraint, action.precondition, outcome.guard, without_not(legal))
                )
                values = {
                    name: outcome.assignment.get(name, Linear.variable(name))
                    for name in self.game.variables
                }
                found.append(_Transition(action, holds, values))
        return found

    def _unranked(self, transitions: Sequence[_Transition]) -> list[_Transition]:
        """Those for which no lexicographic measure of linear parts was found."""
        left = list(transitions)
        measures = list(self._measures())
        progress = True
        while left and progress:
            progress = False
            for measure in measures:
                strict = []
                for one in left:
                    change = measure.substitute(one.values) - measure
                    if self.ask(one.holds, Comparison(">=", change)) is None:
                        strict.append(one)
                    elif self.ask(one.holds, Comparison(">", change)) is not None:
                        break
                else:
                    if strict:
                        left = [one for one in left if one not in strict]
                        progress = True
                        break
        return left

    def _measures(self) -> Iterator[Linear]:
        """Sums of variables with small weights that are bounded below on legal states."""
        bounds = intervals(self.game)
        names = [n for n in self.game.variables if bounds[n].lower is not None]
        highest = 1 if len(names) > 3 else _MAX_WEIGHT
        weights = sorted(
            product(range(highest + 1), repeat=len(names)), key=lambda w: (max(w, default=0), w)
        )
        for choice in weights:
            if any(choice):
                yield Linear.of(dict(zip(names, choice, strict=True)))

    def _there_and_back(self, first: _Transition, second: _Transition) -> list[Formula]:
        own = {p: Linear.variable(f"{p}!2") for p in second.action.parameters}
        back = own | first.values
        same = [
            Comparison("=", Linear.variable(name), second.values[name].substitute(back))
            for name in self.game.variables
        ]
        return [first.holds, second.holds.substitute(back), *same]
