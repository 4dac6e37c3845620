"""Proves or refutes winning formulas: the constraints of Definition 6 of the SynMS paper.

Each constraint becomes questions to an SMT solver that are unsatisfiable when it is valid.
Constraints 1 and 3 are quantifier-free, because successors are substituted.  Constraint 2 says
"there is an action"; it is proved by finitely many semi-ground actions that do in every case, and
refuted by a state whose ground actions have all been tried.  Whatever the solver leaves open is
undecided, never proved; a successor must always be legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.impartial.boxes import box_states
from qsage_validate.games.impartial.formula import (
    Comparison,
    Formula,
    Linear,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.games.impartial.model import ImpartialGame, state_text
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.impartial.rules import ImpartialRules, Move
from qsage_validate.synthesis.semi_ground import SemiGround
from qsage_validate.synthesis.smt.smtlib import Question, script
from qsage_validate.synthesis.smt.solver import SmtSolver
from qsage_validate.synthesis.transitions import reaches
from qsage_validate.synthesis.witnesses import MAX_SAMPLE, WitnessSearch
from qsage_validate.system.limits import Deadline

QUESTION_SECONDS: Final = 20.0
"""How long the solver may think about one question."""

_MAX_MOVES: Final = 40
_CLOCK_EVERY: Final = 1000
_MIN_SAMPLE: Final = 100
# Values that a counterexample should not exceed if there is a smaller one: it will be labelled.
_SMALL: Final = (40, 200)
_LARGE: Final = 60


class Status(Enum):
    """What became of a claim."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Verification:
    """The verdict on a claim, with the counterexample or the questions of the proof."""

    status: Status
    reason: str
    state: State | None = None
    constraint: int | None = None
    questions: tuple[Question, ...] = ()
    if_plays_end: bool = False
    """Undecided only because it is not proved that every play ends."""
    witnesses: tuple[SemiGround, ...] = ()
    """Semi-ground actions one of which leads from each winning state to a losing one."""


class _RefutedError(Exception):
    def __init__(self, constraint: int, state: State, reason: str) -> None:
        super().__init__(reason)
        self.constraint, self.state = constraint, state


@dataclass
class Verifier:
    """Verifies formulas of one game; keeps what helps with the next formula of it."""

    rules: ImpartialRules
    solver: SmtSolver
    sample: Sequence[State] = ()
    """Legal states that semi-ground actions are tried on; some of a box join few of them."""
    question_seconds: float = QUESTION_SECONDS
    _questions: list[Question] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.sample) < _MIN_SAMPLE:
            states = box_states(self.game, MAX_SAMPLE)
            self.sample = tuple(dict.fromkeys([*self.sample, *states]))

    @property
    def game(self) -> ImpartialGame:
        return self.rules.game

    def winning_formula(self, formula: Formula, deadline: Deadline) -> Verification:
        """Whether ``formula`` fulfils the three constraints on all legal states of the game.

        The formula is then the winning formula if every play ends, which is another proof:
        :func:`~qsage_validate.synthesis.checks.termination.concluded` puts the two together.
        """
        self._questions = []
        phi = without_not(formula)
        try:
            self._ends(phi, deadline)
            self._losing(phi, deadline)
            witnesses = self._winning(phi, deadline)
        except _RefutedError as refuted:
            return Verification(
                Status.REFUTED,
                str(refuted),
                refuted.state,
                refuted.constraint,
                tuple(self._questions),
            )
        except UndecidedError as error:
            return Verification(Status.UNDECIDED, str(error), questions=tuple(self._questions))
        return Verification(
            Status.PROVED,
            "the three constraints of a winning formula are valid",
            questions=tuple(self._questions),
            witnesses=tuple(witnesses),
        )

    # -- the three constraints --------------------------------------------------------------

    def _ends(self, phi: Formula, deadline: Deadline) -> None:
        game, wins = self.game, self.rules.misere
        wrong = phi.negated() if wins else phi
        state = self.model(
            "constraint 1: legal ending states are " + ("winning" if wins else "losing"),
            (game.constraint, game.ending, wrong),
            deadline,
        )
        if state is not None:
            said = "losing" if wins else "winning"
            raise _RefutedError(1, state, f"{self.shown(state)} is an end, but said to be {said}")

    def _losing(self, phi: Formula, deadline: Deadline) -> None:
        """Every action leads from a losing state to a legal winning one."""
        game, losing = self.game, phi.negated()
        good = conjunction((game.constraint, phi))
        for action in game.actions:
            wrong = reaches(action, good.negated())
            state = self.model(
                f"constraint 3: {action.name} leads from losing states to legal winning states",
                (game.constraint, losing, wrong),
                deadline,
            )
            if state is not None:
                raise _RefutedError(3, state, self._bad_move(phi, state, deadline))
        if self.rules.misere:
            stuck = self._exists(
                "constraint 3: losing states have an action",
                (game.constraint, losing),
                game.constraint,
                lambda state: list(islice(self._moves(state, deadline), _MAX_MOVES)),
                losing,
                deadline,
            )
            if isinstance(stuck, tuple):
                raise _RefutedError(3, stuck, f"{self.shown(stuck)} has no move, but is no win")

    def _moves(self, state: State, deadline: Deadline) -> Iterator[Move]:
        """The applicable ground actions; a state of the solver may have any number of them."""
        for number, move in enumerate(self.rules.applicable(state)):
            if not number % _CLOCK_EVERY:
                deadline.check("moves were tried")
            yield move

    def _bad_move(self, phi: Formula, state: State, deadline: Deadline) -> str:
        for move in self._moves(state, deadline):
            if not self.rules.is_legal(move.after):
                return (
                    f"{self.shown(state)} is said to be losing, but {move} leaves the legal "
                    f"states ({self.shown(move.after)}): Definition 6 allows no such move"
                )
            if not phi.holds(self.game.state(move.after)):
                text = (
                    f"{self.shown(state)} is said to be losing, but {move} leads to "
                    f"{self.shown(move.after)}, which is said to be losing too"
                )
                if self.rules.is_ending(state):
                    text += ", though it leaves an end: Definition 6 allows no such move"
                return text
        raise AssertionError(f"the solver's state {state} is no counterexample")

    def _winning(self, phi: Formula, deadline: Deadline) -> list[SemiGround]:
        """Some action leads from a winning state to a legal losing one."""
        game, losing = self.game, phi.negated()

        def winning_moves(state: State) -> list[Move]:
            moves = self._moves(state, deadline)
            good = (m for m in moves if self._is_losing(phi, m.after))
            return list(islice(good, _MAX_MOVES))

        found = self._exists(
            "constraint 2: winning states have an action to a legal losing state",
            self.to_move(phi),
            conjunction((game.constraint, losing)),
            winning_moves,
            phi,
            deadline,
        )
        if isinstance(found, list):
            return found
        raise _RefutedError(
            2,
            found,
            f"{self.shown(found)} is said to be winning, but no move leads to a losing one",
        )

    def to_move(self, formula: Formula) -> tuple[Formula, ...]:
        """The winning states in which there must be a move: in normal play all of them."""
        if not self.rules.misere:
            return (self.game.constraint, formula)
        running = without_not(self.game.ending).negated()
        return (self.game.constraint, formula, running, self._movable())

    def _is_losing(self, phi: Formula, state: State) -> bool:
        return self.rules.is_legal(state) and not phi.holds(self.game.state(state))

    def _movable(self) -> Formula:
        """That there is a legal move; its parameters are free, each action has its own."""
        parts = []
        for index, action in enumerate(self.game.actions):
            own = {p: _own(p, index) for p in action.parameters}
            parts.append(reaches(action, self.game.constraint).substitute(own))
        return disjunction(parts)

    # -- there is an action -----------------------------------------------------------------

    def _exists(
        self,
        title: str,
        domain: tuple[Formula, ...],
        target: Formula,
        good_moves: Callable[[State], list[Move]],
        sample_test: Formula,
        deadline: Deadline,
    ) -> list[SemiGround] | State:
        """Semi-ground actions that serve all of ``domain``, or a state that none serves."""
        found = WitnessSearch(self, title, domain, target, good_moves, sample_test, deadline)
        return found.run()

    def served(self, one: SemiGround, target: Formula) -> Formula:
        """Where the semi-ground action is applicable and leads to ``target``."""
        return reaches(one.action(self.game), target)

    # -- the solver -------------------------------------------------------------------------

    def model(self, title: str, formulas: Sequence[Formula], deadline: Deadline) -> State | None:
        """A state (the values of the state variables) with all ``formulas``; ``None``: none.

        Raises ``UndecidedError`` when the solver does not know.
        """
        values = self.values(title, formulas, deadline)
        if values is None:
            return None
        return tuple(values.get(name, 0) for name in self.game.variables)

    def values(
        self, title: str, formulas: Sequence[Formula], deadline: Deadline
    ) -> dict[str, int] | None:
        """Like :meth:`model`, with the values of all variables of the formulas."""
        plain = [without_not(formula) for formula in formulas]
        text = script(plain, [title])
        answer = self.solver.check(text, deadline.sooner(self.question_seconds))
        if answer.status == "unsat":
            self._questions.append(Question(title, text))
            return None
        if answer.status == "unknown":
            raise UndecidedError(f"{title}: the solver gave up ({answer.reason})")
        best = answer.model
        names = self.game.variables
        for limit in _SMALL:
            if max(abs(best.get(name, 0)) for name in names) <= _LARGE:
                break
            small = [_between(name, limit) for name in names]
            answer = self.solver.check(script([*plain, *small]), deadline.sooner(2.0))
            if answer.status == "sat":
                best = answer.model
                break
        return best

    @staticmethod
    def question(title: str, formulas: Sequence[Formula]) -> Question:
        """The question whether ``formulas`` have a model."""
        return Question(title, script([without_not(formula) for formula in formulas], [title]))

    def shown(self, state: State) -> str:
        return f"({state_text(self.game.variables, state)})"


def _between(name: str, limit: int) -> Formula:
    variable = Linear.variable(name)
    return conjunction(
        (
            Comparison("<=", variable, Linear((), limit)),
            Comparison(">=", variable, Linear((), -limit)),
        )
    )


def _own(parameter: str, index: int) -> Linear:
    """The parameter under a name that no other action and no state variable has."""
    return Linear.variable(f"{parameter}!{index}")
