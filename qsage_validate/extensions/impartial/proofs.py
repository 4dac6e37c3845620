"""What is proved of a model, a winning formula and a strategy.

Each constraint becomes questions to an SMT solver that are unsatisfiable when it is valid.
Constraints 1 and 3 are quantifier-free, because successors are substituted.  Constraint 2 says
"there is an action"; it is proved by finitely many semi-ground actions that do in every case, and
refuted by a state whose ground actions have all been tried.  Whatever the solver leaves open is
undecided, never proved; a successor must always be legal.

For every rule: where its condition holds on winning states, the action is applicable and leads
to a legal losing state (winning); wherever the action does so, the condition holds (complete).
For the whole: the conditions together are the winning formula (in misère play: on states from
which there is a move at all).

A constraint that no state fulfils makes every formula right and is an error; actions that leave
the legal states, ends that no legal state has, and effects that contradict each other are
warnings, because the published files have some of them.  Games that need not end are told by
:mod:`~qsage_validate.extensions.impartial.termination`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Final

from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.extensions.impartial.candidates import Remaining
from qsage_validate.extensions.impartial.model import (
    ImpartialAction,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    conjunction,
    disjunction,
    state_text,
    without_not,
)
from qsage_validate.extensions.impartial.rules import (
    ImpartialMove,
    ImpartialRules,
    State,
    box_states,
)
from qsage_validate.extensions.impartial.smt import SmtQuestion, SmtSolver, script, small
from qsage_validate.extensions.impartial.strategy import (
    ImpartialRule,
    ImpartialStrategy,
    SemiGround,
    after,
    coverage,
    greedy_cover,
    reaches,
)
from qsage_validate.system.limits import Deadline

# Proves or refutes winning formulas: the constraints of Definition 6 of the SynMS paper


QUESTION_SECONDS: Final = 20.0
"""The time limit of the solver for one question, in seconds."""

_MAX_MOVES: Final = 40
_CLOCK_EVERY: Final = 1000
_MIN_SAMPLE: Final = 100
# Values that a counterexample should not exceed if there is a smaller one: it will be labelled.
_SMALL: Final = (40, 200)
_LARGE: Final = 60


# The states of the sample that are looked at before the solver is asked.
_MAX_SAMPLE: Final = 400
_MAX_INSTANCES: Final = 150
# After an answer of the solver so many states of the sample join at once.
_MAX_FRESH: Final = 40
_MAX_NUMBERS: Final = 100
_NUMBER_SECONDS: Final = 8.0

_Known = tuple[int, State, list[ImpartialMove]]


class ClaimStatus(Enum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class ClaimVerification:
    """The verdict on a claim, with the counterexample or the questions of the proof."""

    status: ClaimStatus
    reason: str
    state: State | None = None
    constraint: int | None = None
    questions: tuple[SmtQuestion, ...] = ()
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
    _questions: list[SmtQuestion] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.sample) < _MIN_SAMPLE:
            states = box_states(self.game, _MAX_SAMPLE)
            self.sample = tuple(dict.fromkeys([*self.sample, *states]))

    @property
    def game(self) -> ImpartialGame:
        return self.rules.game

    def winning_formula(self, formula: ImpartialFormula, deadline: Deadline) -> ClaimVerification:
        """The check that ``formula`` fulfils the three constraints on all legal states of the game.

        The formula is then the winning formula if every play ends, which is another proof:
        ``concluded`` in ``termination.py`` puts the two together.
        """
        self._questions = []
        phi = without_not(formula)
        try:
            self._ends(phi, deadline)
            self._losing(phi, deadline)
            witnesses = self._winning(phi, deadline)
        except _RefutedError as refuted:
            found = refuted.state, refuted.constraint, tuple(self._questions)
            return ClaimVerification(ClaimStatus.REFUTED, str(refuted), *found)
        except UndecidedError as error:
            return ClaimVerification(
                ClaimStatus.UNDECIDED, str(error), questions=tuple(self._questions)
            )
        return ClaimVerification(
            ClaimStatus.PROVED,
            "the three constraints of a winning formula are valid",
            questions=tuple(self._questions),
            witnesses=tuple(witnesses),
        )

    # -- the three constraints --------------------------------------------------------------

    def _ends(self, phi: ImpartialFormula, deadline: Deadline) -> None:
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

    def _losing(self, phi: ImpartialFormula, deadline: Deadline) -> None:
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

    def _moves(self, state: State, deadline: Deadline) -> Iterator[ImpartialMove]:
        """The applicable ground actions; a state of the solver may have any number of them."""
        for number, move in enumerate(self.rules.applicable(state)):
            if not number % _CLOCK_EVERY:
                deadline.check("moves were tried")
            yield move

    def _bad_move(self, phi: ImpartialFormula, state: State, deadline: Deadline) -> str:
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

    def _winning(self, phi: ImpartialFormula, deadline: Deadline) -> list[SemiGround]:
        """Some action leads from a winning state to a legal losing one."""
        game, losing = self.game, phi.negated()

        def winning_moves(state: State) -> list[ImpartialMove]:
            moves = self._moves(state, deadline)
            good = (
                m
                for m in moves
                if self.rules.is_legal(m.after) and not phi.holds(game.state(m.after))
            )
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

    def to_move(self, formula: ImpartialFormula) -> tuple[ImpartialFormula, ...]:
        """The winning states in which there must be a move: in normal play all of them."""
        if not self.rules.misere:
            return (self.game.constraint, formula)
        running = without_not(self.game.ending).negated()
        return (self.game.constraint, formula, running, self._movable())

    def _movable(self) -> ImpartialFormula:
        """The condition that there is a legal move; each action has free parameters of its own."""
        parts = []
        for index, action in enumerate(self.game.actions):
            own = {p: _own(p, index) for p in action.parameters}
            parts.append(reaches(action, self.game.constraint).substitute(own))
        return disjunction(parts)

    # -- there is an action -----------------------------------------------------------------

    def _exists(
        self,
        title: str,
        domain: tuple[ImpartialFormula, ...],
        target: ImpartialFormula,
        good_moves: Callable[[State], list[ImpartialMove]],
        sample_test: ImpartialFormula,
        deadline: Deadline,
    ) -> list[SemiGround] | State:
        """Semi-ground actions that serve all of ``domain``, or a state that none serves."""
        found = _WitnessSearch(self, title, domain, target, good_moves, sample_test, deadline)
        return found.run()

    def served(self, one: SemiGround, target: ImpartialFormula) -> ImpartialFormula:
        """The formula of the states where the action is applicable and leads to ``target``."""
        return reaches(one.action(self.game), target)

    # -- the solver -------------------------------------------------------------------------

    def model(
        self, title: str, formulas: Sequence[ImpartialFormula], deadline: Deadline
    ) -> State | None:
        """A state (the values of the state variables) with all ``formulas``; ``None``: none.

        Raises ``UndecidedError`` when the solver does not know.
        """
        values = self.values(title, formulas, deadline)
        if values is None:
            return None
        return tuple(values.get(name, 0) for name in self.game.variables)

    def values(
        self, title: str, formulas: Sequence[ImpartialFormula], deadline: Deadline
    ) -> dict[str, int] | None:
        """:meth:`model` with the values of all variables of the formulas."""
        question = self.question(title, formulas)
        answer = self.solver.check(question.text, deadline.sooner(self.question_seconds))
        if answer.status == "unsat":
            self._questions.append(question)
            return None
        if answer.status == "unknown":
            raise UndecidedError(f"{title}: the solver gave up ({answer.reason})")
        best = answer.model
        names = self.game.variables
        for limit in _SMALL:
            if max(abs(best.get(name, 0)) for name in names) <= _LARGE:
                break
            answer = self.solver.ask(deadline.sooner(2.0), *formulas, *small(names, limit))
            if answer.status == "sat":
                best = answer.model
                break
        return best

    @staticmethod
    def question(title: str, formulas: Sequence[ImpartialFormula]) -> SmtQuestion:
        """The question whether ``formulas`` have a model."""
        return SmtQuestion(title, script(formulas, title))

    def shown(self, state: State) -> str:
        return f"({state_text(self.game.variables, state)})"


def _own(parameter: str, index: int) -> Linear:
    """The parameter under a name that no other action and no state variable has."""
    return Linear.variable(f"{parameter}!{index}")


@dataclass
class _WitnessSearch:
    """Looks for semi-ground actions one of which serves each state of a set, or a state without.

    An action serves a state when it is applicable there and leads to the target.  Actions are
    read off ground moves in known states; a state that the solver names, and that none serves
    yet, gives further ones.  ``good_moves`` lists the ground moves that serve a state.

    ``domain`` is the set of states as conditions; a legal state of the sample belongs to it when
    ``sample_test`` holds (in misère play also when it is no end and has a move).
    """

    verifier: Verifier
    title: str
    domain: tuple[ImpartialFormula, ...]
    target: ImpartialFormula
    good_moves: Callable[[State], list[ImpartialMove]]
    sample_test: ImpartialFormula
    deadline: Deadline
    _known: list[_Known] = field(default_factory=list)
    _covered: dict[SemiGround, int] = field(default_factory=dict)
    _chosen: list[SemiGround] = field(default_factory=list)
    _where: list[ImpartialFormula] = field(default_factory=list)

    def run(self) -> list[SemiGround] | State:
        """The actions, or a state that none serves.

        Raises ``UndecidedError`` when there is no time, or when too many actions did not do.
        """
        stuck = self._begin()
        if stuck is not None:
            return stuck
        rest: Remaining | None = None
        taken = 0
        while True:
            found = self._unserved(self._where, self.deadline)
            if found is None:
                return self._chosen
            if rest is None:
                numbers = self._numbers()
                if numbers:
                    return numbers
                rest = self._domain_sample()
            states = [found]
            while states:
                stuck = self._join(states)
                if stuck is not None:
                    return stuck
                # Where the solver finds one state, the whole sample may show others, at less cost.
                for formula in self._where[taken:]:
                    rest.take(formula)
                taken = len(self._where)
                states = rest.some(_MAX_FRESH)
            if len(self._chosen) > _MAX_INSTANCES:
                raise UndecidedError(
                    f"more than {_MAX_INSTANCES} semi-ground actions did not serve all states"
                )

    def _begin(self) -> State | None:
        """Read actions off the first states of the sample; a state that has none ends it all."""
        verifier, rules = self.verifier, self.verifier.rules
        for state in verifier.sample[:_MAX_SAMPLE]:
            if not self.sample_test.holds(verifier.game.state(state)):
                continue
            if rules.misere and rules.is_ending(state):
                continue
            moves = self.good_moves(state)
            if moves:
                self._known.append((len(self._known), state, moves))
            elif not rules.misere or any(True for _ in rules.moves(state)):
                return state
            self.deadline.check("moves were tried")
        known = self._known
        # Should there be too many candidates, small and large states have been seen alike.
        order = [one for start in range(7) for one in known[start::7]]
        self._covered = coverage(verifier.game, order)
        self._choose((1 << len(known)) - 1)
        return None

    def _join(self, states: Sequence[State]) -> State | None:
        """Add actions that serve further states; a state without a good move is returned."""
        fresh: list[_Known] = []
        for number, state in enumerate(states, len(self._known)):
            self.deadline.check("moves were tried")
            moves = self.good_moves(state)
            if not moves:
                return state
            fresh.append((number, state, moves))
        self._known += fresh
        for candidate, bits in coverage(self.verifier.game, fresh).items():
            self._covered[candidate] = self._covered.get(candidate, 0) | bits
        before = len(self._chosen)
        self._choose(sum(1 << number for number, _, _ in fresh))
        assert len(self._chosen) > before, f"the states {states} are served already"
        return None

    def _choose(self, wanted: int) -> None:
        """Add few actions that serve the known states of the set ``wanted``."""
        more = greedy_cover(self._covered, wanted, self._chosen)
        self._chosen += more
        self._where += map(self._served, more)

    def _served(self, one: SemiGround) -> ImpartialFormula:
        return without_not(self.verifier.served(one, self.target))

    def _unserved(self, where: Sequence[ImpartialFormula], deadline: Deadline) -> State | None:
        """A state of the domain in which none of the formulas holds, by the solver."""
        outside = (formula.negated() for formula in where)
        return self.verifier.model(self.title, (*self.domain, *outside), deadline)

    def _numbers(self) -> list[SemiGround]:
        """Actions with plain numbers that serve the whole domain; none if that is not proved.

        Where few numbers are played they often do, and better than many expressions.
        """
        rest = self._domain_sample()
        moves = (move for state in rest.some(_MAX_SAMPLE) for move in self.good_moves(state))
        count = Counter((move.action, move.name, move.arguments) for move in moves)
        if not 0 < len(count) <= _MAX_NUMBERS:
            return []
        chosen, where = [], []
        for (index, name, values), _ in count.most_common():
            before = len(rest.states)
            one = SemiGround(index, name, tuple(Linear((), value) for value in values))
            formula = self._served(one)
            rest.take(formula)
            if len(rest.states) < before:
                chosen.append(one)
                where.append(formula)
        if rest.states:
            return []
        try:
            found = self._unserved(where, self.deadline.sooner(_NUMBER_SECONDS))
        except UndecidedError:
            return []
        return chosen if found is None else []

    def _domain_sample(self) -> Remaining:
        """The states of the whole sample that belong to the domain."""
        verifier, rules = self.verifier, self.verifier.rules
        rest = Remaining(verifier.game.variables, verifier.sample)
        rest.take(without_not(self.sample_test).negated())
        if rules.misere:
            rest.states = [s for s in rest.states if any(True for _ in rules.moves(s))]
        return rest


# Proves or refutes strategies: Definition 7 of the SynMS paper, relative to a proved formula


Claim = tuple[str, tuple[ImpartialFormula, ...], str]
"""A title, formulas that have no model together, and what a model of them shows."""


def rule_claims(
    verifier: Verifier, formula: ImpartialFormula, rule: ImpartialRule
) -> Iterator[Claim]:
    game, text = verifier.game, rule.text(verifier.game)
    target = conjunction((game.constraint, without_not(formula).negated()))
    served = without_not(verifier.served(rule.action, target))
    condition = without_not(rule.condition)
    yield (
        f"the rule is winning: {text}",
        (game.constraint, formula, condition, served.negated()),
        "the rule's action is not applicable or does not lead to a legal losing state",
    )
    yield (
        f"the rule is complete: {text}",
        (game.constraint, served, condition.negated()),
        "the rule's action leads to a legal losing state, but its condition does not hold",
    )


def whole_claims(
    verifier: Verifier, formula: ImpartialFormula, rules: Sequence[ImpartialRule]
) -> Iterator[Claim]:
    game = verifier.game
    some = without_not(disjunction(rule.condition for rule in rules))
    yield (
        "the conditions hold on winning states only",
        (game.constraint, some, without_not(formula).negated()),
        "a condition holds, but the state is losing",
    )
    yield (
        "each winning state has a rule",
        (*verifier.to_move(formula), some.negated()),
        "the state is winning, but no rule's condition holds",
    )


def verify_strategy(
    verifier: Verifier,
    formula: ImpartialFormula,
    strategy: ImpartialStrategy,
    deadline: Deadline,
    *,
    complete: bool = True,
) -> ClaimVerification:
    """The check that ``strategy`` is winning and complete.

    ``formula`` is the proved winning formula.
    With ``complete=False`` the single rules need not be complete, only the whole.
    """
    questions: list[SmtQuestion] = []
    claims: list[Claim] = []
    for rule in strategy.rules:
        of_rule = list(rule_claims(verifier, formula, rule))
        claims += of_rule if complete else of_rule[:1]
    claims += whole_claims(verifier, formula, strategy.rules)
    for title, formulas, meaning in claims:
        try:
            state = verifier.model(title, formulas, deadline)
        except UndecidedError as error:
            return ClaimVerification(ClaimStatus.UNDECIDED, str(error), questions=tuple(questions))
        if state is not None:
            reason = f"{verifier.shown(state)}: {meaning} ({title})"
            return ClaimVerification(ClaimStatus.REFUTED, reason, state, questions=tuple(questions))
        questions.append(verifier.question(title, formulas))
    return ClaimVerification(
        ClaimStatus.PROVED,
        "all rules are winning and complete" if complete else "all rules are winning",
        questions=tuple(questions),
    )


def difference(
    verifier: Verifier, one: ImpartialFormula, other: ImpartialFormula, deadline: Deadline
) -> State | None:
    """A legal state in which the two formulas differ; ``None`` when they are equal.

    Raises ``UndecidedError`` when the solver does not know.
    """
    plain, second = without_not(one), without_not(other)
    differ = disjunction(
        (conjunction((plain, second.negated())), conjunction((second, plain.negated())))
    )
    return verifier.model("the formulas are equal", (verifier.game.constraint, differ), deadline)


# Checks of a game as a whole, with a state of the SMT solver for each finding


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
