"""Proofs that plays end, and plays that do not.

A play that is found is checked move by move with the rules' own words
(:mod:`~qsage_validate.extensions.impartial.rules`); that a growing one goes on for ever is proved
by the SMT solver.

The proof of a winning formula is an induction over plays (Definition 2 of the SynMS paper, whose
games end by assumption (4) of its section 1).  In a game with an endless play two formulas that
contradict each other can both fulfil the three constraints of Definition 6.  A winning formula
is therefore called proved only together with :class:`Terminates`.

A measure gives each state an integer: linear in the state, by cases if need be.  Coefficients are
guessed by an SMT solver from moves that refuted earlier guesses (counterexample-guided), and each
guess is proved or refuted over all moves by the same solver, with the integers of the game's own
semantics.  A lexicographic tuple is found component by component (Bradley, Manna, Sipma: Linear
Ranking with Reachability, 2005): a component never grows in the moves that are left, and falls,
bounded from below, in some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise, permutations, product
from typing import Any, Final

from qsage_validate.errors import UndecidedError, counted
from qsage_validate.extensions.impartial.model import (
    TRUE,
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    atoms,
    conjunction,
    disjunction,
    state_text,
    without_not,
)
from qsage_validate.extensions.impartial.proofs import ClaimStatus, ClaimVerification
from qsage_validate.extensions.impartial.rules import (
    ImpartialMove,
    ImpartialRules,
    Interval,
    State,
    box_states,
    illegality,
    intervals,
)
from qsage_validate.extensions.impartial.smt import SmtAnswer, SmtQuestion, SmtSolver, script, small
from qsage_validate.extensions.impartial.strategy import (
    ActionPlies,
    SemiGround,
    after,
    reaches,
    steps,
)
from qsage_validate.system.limits import Deadline

# Looks for plays without end: a cycle, or moves that can be repeated for ever


_STEP_SECONDS: Final = 2.0
_BOX: Final = 400
_MAX_MOVES: Final = 60_000
_MAX_DEPTH: Final = 200
_MAX_PERIOD: Final = 4
_MAX_RAYS: Final = 12
_PAIRS: Final = 64
_SMALL: Final = 40
_TIME: Final = "t!"


@dataclass(frozen=True)
class EndlessPlay:
    """A play and how it goes on: ``states`` has one more than ``moves``.

    Either the last state is an earlier one, so that the moves between can be repeated, or the
    last moves can be made again and again, with larger and larger numbers.
    """

    states: tuple[State, ...]
    moves: tuple[ImpartialMove, ...]


@dataclass(frozen=True)
class EndlessWalk:
    """A walk through states that met no endless play; ``complete``: through all there are."""

    states: int
    complete: bool


def play_of(rules: ImpartialRules, states: Sequence[State]) -> EndlessPlay:
    """The play through ``states``, each one after a legal move from the one before."""
    moves = tuple(
        next(move for move in rules.moves(before) if move.after == then)
        for before, then in pairwise(states)
    )
    return EndlessPlay(tuple(states), moves)


class EndlessSearch:
    """The search in one game; ``steps`` are all of its plies."""

    def __init__(
        self,
        rules: ImpartialRules,
        steps: Sequence[ActionPlies],
        solver: SmtSolver,
        deadline: Deadline,
    ) -> None:
        self.rules, self.game = rules, rules.game
        self.steps, self.solver, self.deadline = steps, solver, deadline
        self._rays = 0

    # -- walks -----------------------------------------------------------------------------------

    def walk_all(self, ranges: Sequence[range]) -> EndlessPlay | EndlessWalk:
        """Walk through all legal states in the box of ``ranges``, which must be all there are."""
        return self._walk([s for s in product(*ranges) if self.rules.is_legal(s)], None)

    def walk(self) -> EndlessPlay | EndlessWalk:
        """Walk through the small states and what can be reached from there, within limits."""
        return self._walk(box_states(self.game, _BOX), _MAX_MOVES)

    def _walk(self, states: Sequence[State], limit: int | None) -> EndlessPlay | EndlessWalk:
        done: set[State] = set()
        count = 0
        for start in states:
            if start in done:
                continue
            path: list[State] = [start]
            moves: list[ImpartialMove] = []
            waiting: list[Iterator[ImpartialMove]] = [self.rules.moves(start)]
            on_path = {start: 0}
            while path:
                self.deadline.check("plays without end were looked for")
                move = next(waiting[-1], None)
                if move is None:
                    done.add(path.pop())
                    waiting.pop()
                    if moves:
                        moves.pop()
                    on_path.popitem()
                    continue
                count += 1
                if limit is not None and count > limit:
                    return EndlessWalk(len(done), complete=False)
                if move.after in on_path:
                    first = on_path[move.after]
                    return self._checked((*path[first:], move.after), (*moves[first:], move))
                if move.after in done:
                    continue
                if limit is not None and len(path) >= _MAX_DEPTH:
                    found = self._ray(path, moves)
                    if found is not None:
                        return found
                    continue
                path.append(move.after)
                moves.append(move)
                on_path[move.after] = len(path) - 1
                waiting.append(self.rules.moves(move.after))
        return EndlessWalk(len(done), complete=limit is None)

    def _checked(self, states: Sequence[State], moves: Sequence[ImpartialMove]) -> EndlessPlay:
        """The play; an ``AssertionError`` when the rules' words forbid a move of it."""
        for state, move in zip(states, moves, strict=False):
            problem = illegality(self.rules, state, move.name, move.arguments)
            assert problem is None, f"{move} of an endless play: {problem}"
        return EndlessPlay(tuple(states), tuple(moves))

    # -- moves that can be repeated for ever -----------------------------------------------------

    def _ray(self, path: Sequence[State], moves: Sequence[ImpartialMove]) -> EndlessPlay | None:
        """An endless play that begins like the end of a long one."""
        if self._rays >= _MAX_RAYS:
            return None
        self._rays += 1
        for period in range(1, _MAX_PERIOD + 1):
            # From its beginning a play is shown best; often it is only its end that repeats.
            for first in sorted({*range(_MAX_PERIOD), max(0, len(moves) - 2 * period)}):
                states = path[first : first + 2 * period + 1]
                part = moves[first : first + 2 * period]
                actions = [move.action for move in part]
                if len(part) < 2 * period or actions[:period] != actions[period:]:
                    continue
                if self._repeats(states, part, period):
                    return self._checked(states, part)
        last = moves[-1]
        one = SemiGround(last.action, last.name, tuple(Linear((), n) for n in last.arguments))
        if self._stays_possible(one, path[-2]):
            return self._checked(path[-3:], moves[-2:])
        return None

    def _repeats(
        self, states: Sequence[State], moves: Sequence[ImpartialMove], period: int
    ) -> bool:
        """True if the moves go on for ever, all numbers growing as in the first two periods."""
        time = Linear.variable(_TIME)

        def line(first: Sequence[int], second: Sequence[int]) -> list[Linear]:
            return [
                Linear((), one) + time.scaled(two - one)
                for one, two in zip(first, second, strict=True)
            ]

        if any(
            two - one != three - two
            for one, two, three in zip(states[0], states[period], states[-1], strict=True)
        ):
            return False
        lines = [line(states[i], states[i + period]) for i in range(period + 1)]
        return all(
            self._always(
                lines[i],
                moves[i].action,
                line(moves[i].arguments, moves[i + period].arguments),
                lines[i + 1],
            )
            for i in range(period)
        )

    def _always(
        self, before: list[Linear], index: int, arguments: list[Linear], then: list[Linear]
    ) -> bool:
        """True if the action leads from ``before`` to ``then`` at all times from 0 on."""
        names, action = self.game.variables, self.game.actions[index]
        target = conjunction(
            ImpartialComparison("=", Linear.variable(name), value)
            for name, value in zip(names, then, strict=True)
        )
        possible = self._possible(reaches(action, conjunction((self.game.constraint, target))))
        put = dict(zip(names, before, strict=True))
        put |= dict(zip(action.parameters, arguments, strict=True))
        wrong = without_not(possible.substitute(put)).negated()
        return self._has_none(ImpartialComparison(">=", Linear.variable(_TIME)), wrong)

    def _possible(self, ply: ImpartialFormula) -> ImpartialFormula:
        """The condition that the ply is made in a legal state that is no end."""
        running = without_not(self.game.ending).negated()
        return without_not(conjunction((self.game.constraint, running, ply)))

    def _stays_possible(self, one: SemiGround, state: State) -> bool:
        """True if the action is possible in ``state``, and possible again after each use of it."""
        action = one.action(self.game)
        again = self._possible(reaches(action, self.game.constraint))
        if not again.holds(self.game.state(state)):
            return False
        return self._has_none(again, without_not(after(action, again)).negated())

    def _has_none(self, *formulas: ImpartialFormula) -> bool:
        return self._ask(*formulas).status == "unsat"

    def _ask(self, *formulas: ImpartialFormula) -> SmtAnswer:
        return self.solver.ask(self.deadline.sooner(_STEP_SECONDS), *formulas)

    # -- the solver's cycles ---------------------------------------------------------------------

    def ask(self, steps: Sequence[ActionPlies]) -> EndlessPlay | None:
        """A cycle of one or two plies of ``steps``, in states of any size, by the SMT solver."""
        for one in steps:
            back = [
                ImpartialComparison("=", Linear.variable(name), value)
                for name, value in one.values.items()
            ]
            values = self._model(one.holds, *back)
            if values is not None:
                return self._cycle(values, one)
        for first, second in list(product(steps, repeat=2))[:_PAIRS]:
            own = {p: Linear.variable(f"{p}!2") for p in second.action.parameters}
            then = own | first.values
            back = [
                ImpartialComparison("=", Linear.variable(name), value.substitute(then))
                for name, value in second.values.items()
            ]
            values = self._model(first.holds, second.holds.substitute(then), *back)
            if values is not None:
                return self._cycle(values, first, second)
        return None

    def _model(self, *formulas: ImpartialFormula) -> dict[str, int] | None:
        """A model with small numbers if there is one; ``None``: none, or not known."""
        answer = self._ask(*formulas)
        if answer.status != "sat":
            return None
        names = self.game.variables
        if max(abs(answer.model.get(name, 0)) for name in names) > _SMALL:
            better = self._ask(*formulas, *small(names, _SMALL))
            if better.status == "sat":
                return better.model
        return answer.model

    def _cycle(self, values: dict[str, int], *steps: ActionPlies) -> EndlessPlay:
        state = tuple(values.get(name, 0) for name in self.game.variables)
        states, moves = [state], list[ImpartialMove]()
        for number, step in enumerate(steps, start=1):
            names = step.action.parameters
            suffix = "" if number == 1 else f"!{number}"
            chosen = {name: values.get(f"{name}{suffix}", 0) for name in names}
            before = self.game.state(states[-1]) | chosen
            then = tuple(step.values[name].value(before) for name in self.game.variables)
            arguments = tuple(chosen[name] for name in names)
            moves.append(ImpartialMove(step.index, step.action.name, arguments, then))
            states.append(then)
        return self._checked(states, moves)


# Termination of games: a measure that falls with each move, or a play without end


_MEASURE_SECONDS: Final = 3.0
_ROUNDS: Final = 40
_Size = tuple[int, bool]
"""The largest coefficient, and whether a variable's sign must bound it from below by itself."""

_SIZES: Final[tuple[_Size, ...]] = ((1, True), (1, False), (3, False), (12, False))
_OFFSET: Final = 24
_MAX_CASES: Final = 6
_MAX_PARTITIONS: Final = 24
_MAX_SORTED: Final = 3


@dataclass(frozen=True)
class TerminationMeasure:
    """An integer for each state: the value of each case whose condition holds.

    Conditions may overlap: all values that a state can get are compared.  ``name`` is shown
    instead of the cases.
    """

    cases: tuple[tuple[ImpartialFormula, Linear], ...]
    name: str = ""

    def __str__(self) -> str:
        if self.name:
            return self.name
        if len(self.cases) == 1:
            return str(self.cases[0][1])
        parts = [f"{value} where {condition}" for condition, value in self.cases]
        return f"[{', '.join(parts)}]"


Partition = tuple[ImpartialFormula, ...]
"""Conditions on the state, exactly one of which holds in each legal state."""


@dataclass(frozen=True)
class _Sample:
    """A ply that has refuted a guess."""

    step: ActionPlies
    before: dict[str, int]
    after: dict[str, int]


@dataclass
class MeasureSearch:
    """Looks for measures of the plies ``steps_left``; plies with a falling measure are removed.

    ``found`` are the measures in their order, ``questions`` the proof that each one falls.
    """

    game: ImpartialGame
    steps_left: list[ActionPlies]
    solver: SmtSolver
    deadline: Deadline
    found: list[TerminationMeasure] = field(default_factory=list)
    questions: list[SmtQuestion] = field(default_factory=list)
    _samples: list[_Sample] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.steps_left = list(self.steps_left)
        # No measure is found that takes smaller values: any bound will do for a proof, as long
        # as it is one number for all states.
        self.bound = -1000 * (1 + max(self.game.constants(), default=0))
        self.bounds = intervals(self.game)

    # -- the ways to look for measures ---------------------------------------------------------

    def simple(self) -> bool:
        """Try sum, single variables and largest one of those with a lower bound, and distances."""
        names = [name for name in self.game.variables if self.bounds[name].lower is not None]
        sums = [Linear.of(dict.fromkeys(names, 1))] if names else []
        singles = [Linear.variable(name) for name in names] if len(names) > 1 else []
        measures = [TerminationMeasure(((TRUE, value),)) for value in (*sums, *singles)]
        measures += [*_largest(names), *_distances(self.game.variables)]
        while self.steps_left:
            if not any(self._take(measure) for measure in measures):
                return False
        return True

    def linear(self) -> bool:
        """Look for lexicographic measures with linear components."""
        return self._lexicographic((TRUE,), _SIZES)

    def by_cases(self) -> bool:
        """Look for measures that differ by cases; plies of each case may fall on their own."""
        steps, found, questions = self.steps_left, self.found, self.questions
        for partition in self._partitions():
            self.found, self.questions = list(found), list(questions)
            self.steps_left = [
                replace(step, holds=without_not(conjunction((step.holds, condition))))
                for step in steps
                for condition in partition
            ]
            self._samples.clear()
            self._drop_empty()
            if self._covers(partition) and self._lexicographic(partition, _SIZES[:3]):
                return True
        self.steps_left, self.found, self.questions = steps, found, questions
        return False

    def _drop_empty(self) -> None:
        """Leave out the steps that no ply is made by: there is nothing to fall."""
        for step in list(self.steps_left):
            title = f"termination: {step.action.name} has no ply in a case"
            proof = self._ask(title, (step.holds,))
            if proof is not None:
                self.questions.append(proof)
                self.steps_left = [one for one in self.steps_left if one is not step]

    # -- lexicographic tuples ------------------------------------------------------------------

    def _lexicographic(self, partition: Partition, sizes: Sequence[_Size]) -> bool:
        """Add components until all steps are taken out, or no further one is found."""
        while self.steps_left:
            if not any(self._component(partition, size) for size in sizes):
                return False
        return True

    def _component(self, partition: Partition, size: _Size) -> bool:
        """Find a component with coefficients up to this size; remove the steps that lower it."""
        least = len(self.steps_left)
        for _ in range(_ROUNDS):
            measure = self._guess(partition, size, least)
            if measure is None and least > 1:
                least = 1
                measure = self._guess(partition, size, least)
            if measure is None:
                return False
            known = len(self._samples)
            if self._take(measure):
                return True
            if len(self._samples) == known:
                return False  # the solver gave no answer
        return False

    def _take(self, measure: TerminationMeasure) -> bool:
        """Take out the steps in which the measure falls, if it grows in none.

        Plies that refute this are kept: no later guess is refuted by them again.
        """
        self.deadline.check("a measure was looked for")
        falling: list[ActionPlies] = []
        proofs: list[SmtQuestion] = []
        grows = False
        for step in self.steps_left:
            proof = self._prove(measure, step, strict=True)
            if proof is not None:
                falling.append(step)
            else:
                proof = self._prove(measure, step, strict=False)
            if proof is None:
                grows = True
            else:
                proofs.append(proof)
        if grows or not falling:
            return False
        self.found.append(measure)
        self.questions += proofs
        self.steps_left = [s for s in self.steps_left if not any(s is one for one in falling)]
        return True

    # -- guesses ---------------------------------------------------------------------------------

    def _guess(self, partition: Partition, size: _Size, least: int) -> TerminationMeasure | None:
        """A measure that falls in ``least`` steps, as far as the samples tell; ``None``: none."""
        wanted: list[ImpartialFormula] = []
        strict = {id(step): Linear.variable(f"f{i}") for i, step in enumerate(self.steps_left)}
        for flag in strict.values():
            wanted += [
                ImpartialComparison(">=", flag),
                ImpartialComparison("<=", flag, Linear((), 1)),
            ]
        total = Linear()
        for flag in strict.values():
            total += flag
        wanted.append(ImpartialComparison(">=", total, Linear((), least)))
        for case in range(len(partition)):
            for name, interval in self.bounds.items():
                low, high = _signs(interval, size)
                coefficient = Linear.variable(_name(case, name))
                wanted.append(ImpartialComparison(">=", coefficient, Linear((), low)))
                wanted.append(ImpartialComparison("<=", coefficient, Linear((), high)))
            offset = Linear.variable(_name(case, ""))
            most = _OFFSET if len(partition) > 1 else 0
            wanted.append(ImpartialComparison("<=", offset, Linear((), most)))
            wanted.append(ImpartialComparison(">=", offset, Linear((), -most)))
        for sample in self._samples:
            flag_of = strict.get(id(sample.step))
            if flag_of is None:
                continue
            before = self._value(partition, sample.before)
            after = self._value(partition, sample.after)
            wanted.append(ImpartialComparison("<=", after - before + flag_of))
            wanted.append(
                disjunction(
                    (
                        ImpartialComparison("<=", flag_of),
                        ImpartialComparison(">=", before, Linear((), self.bound)),
                    )
                )
            )
        answer = self.solver.ask(self.deadline.sooner(_MEASURE_SECONDS), *wanted)
        if answer.status == "unknown":
            raise UndecidedError(f"the search for a measure was given up ({answer.reason})")
        if answer.status == "unsat":
            return None
        cases = []
        for case, condition in enumerate(partition):
            terms = {n: answer.model.get(_name(case, n), 0) for n in self.game.variables}
            cases.append((condition, Linear.of(terms, answer.model.get(_name(case, ""), 0))))
        return TerminationMeasure(tuple(cases))

    def _value(self, partition: Partition, state: dict[str, int]) -> Linear:
        """The measure of ``state`` as an expression over the unknown coefficients."""
        case = next(i for i, condition in enumerate(partition) if condition.holds(state))
        terms = {_name(case, name): state[name] for name in self.game.variables}
        return Linear.of({**terms, _name(case, ""): 1})

    # -- proofs ----------------------------------------------------------------------------------

    def _prove(
        self, measure: TerminationMeasure, step: ActionPlies, *, strict: bool
    ) -> SmtQuestion | None:
        """The proof that the measure falls and is bounded before it does, or that it stays.

        ``None``: it does not; the ply that shows it is kept.
        """
        wrong: list[ImpartialFormula] = []
        for (here, before), (there, value) in product(measure.cases, repeat=2):
            change = value.substitute(step.values) - before
            bad: ImpartialFormula = ImpartialComparison(">=" if strict else ">", change)
            if strict:
                bad = disjunction((bad, ImpartialComparison("<", before, Linear((), self.bound))))
            wrong.append(conjunction((here, there.substitute(step.values), bad)))
        what = "falls and is bounded from below" if strict else "does not grow"
        title = f"termination: {measure} {what} with {step.action.name}"
        return self._ask(title, (step.holds, disjunction(wrong)), step)

    def _covers(self, partition: Partition) -> bool:
        """The proof that some case holds in each legal state."""
        outside = (condition.negated() for condition in partition)
        proof = self._ask(
            "termination: the cases are all there are", (self.game.constraint, *outside)
        )
        if proof is not None:
            self.questions.append(proof)
        return proof is not None

    def _ask(
        self, title: str, formulas: Sequence[ImpartialFormula], step: ActionPlies | None = None
    ) -> SmtQuestion | None:
        """The question with its title if no model exists; a model is a ply of ``step``."""
        text = script(formulas, title)
        answer = self.solver.check(text, self.deadline.sooner(_MEASURE_SECONDS))
        if answer.status == "sat" and step is not None:
            self._learn(step, answer.model)
        return SmtQuestion(title, text) if answer.status == "unsat" else None

    def _learn(self, step: ActionPlies, model: dict[str, int]) -> None:
        names = (*self.game.variables, *step.action.parameters)
        values = {name: model.get(name, 0) for name in names}
        before = {name: values[name] for name in self.game.variables}
        after = {name: step.values[name].value(values) for name in self.game.variables}
        self._samples.append(_Sample(step, before, after))

    # -- cases -----------------------------------------------------------------------------------

    def _partitions(self) -> Iterator[Partition]:
        """Cases to tell apart: values of flags, comparisons of the file, residues."""
        found: dict[Partition, None] = {}
        for name, one in self.bounds.items():
            if one.lower is None or one.upper is None or one.upper - one.lower >= _MAX_CASES:
                continue
            v = Linear.variable(name)
            values = range(one.lower, one.upper + 1)
            found[tuple(ImpartialComparison("=", v, Linear((), value)) for value in values)] = None
        state = frozenset(self.game.variables)
        for step in self.steps_left:
            for atom in sorted(atoms(step.holds), key=str):
                if atom.variables() <= state and not isinstance(atom, Congruence):
                    found[(atom, atom.negated())] = None
        for name in self.game.variables:
            v = Linear.variable(name)
            for modulus in sorted(c for c in self.game.constants() | {2} if 2 <= c <= _MAX_CASES):
                residues = range(modulus)
                found[tuple(Congruence(v, modulus, Linear((), r)) for r in residues)] = None
        yield from list(found)[:_MAX_PARTITIONS]


def _largest(variables: Sequence[str]) -> Iterator[TerminationMeasure]:
    """The largest variable; moves that divide it fall."""
    if len(variables) < 2:
        return
    own = [Linear.variable(name) for name in variables]
    cases = [
        (conjunction(ImpartialComparison(">=", one, two) for two in own if two is not one), one)
        for one in own
    ]
    yield TerminationMeasure(tuple(cases), f"the largest of {', '.join(variables)}")


def _distances(variables: Sequence[str]) -> Iterator[TerminationMeasure]:
    """The sum of all distances between two variables, if there are few; moves that level fall."""
    if not 2 <= len(variables) <= _MAX_SORTED:
        return
    cases = []
    for order in permutations(map(Linear.variable, variables)):
        sorted_so = conjunction(ImpartialComparison("<=", one, two) for one, two in pairwise(order))
        total = Linear()
        for one, two in combinations(order, 2):
            total += two - one
        cases.append((sorted_so, total))
    yield TerminationMeasure(
        tuple(cases), f"the sum of the distances between {', '.join(variables)}"
    )


def _signs(interval: Interval, size: _Size) -> tuple[int, int]:
    """The coefficients to try for a variable: for a careful guess those that bound it below."""
    weight, careful = size
    if not careful:
        return -weight, weight
    return (0 if interval.upper is None else -weight), (0 if interval.lower is None else weight)


def _name(case: int, variable: str) -> str:
    """The unknown coefficient of a variable, or the unknown constant, in a case."""
    return f"c{case}_{variable}"


SECONDS: Final = 12.0
"""The time for a proof of termination at the most."""

_SHARE: Final = 0.3
MAX_FINITE: Final = 50_000
"""A game with no more states than this is walked through whole."""


@dataclass(frozen=True)
class Terminates:
    """Every play ends: the ``measures`` fall, the first one that changes counts.

    Each measure is bounded from below on the positions where it has to fall.  Without measures
    the game has finitely many legal states, ``states``, and a walk through all of them met no
    cycle.
    """

    measures: tuple[TerminationMeasure, ...] = ()
    states: int | None = None
    questions: tuple[SmtQuestion, ...] = ()
    """Each has no model; together they are the proof that the measures fall."""

    def __str__(self) -> str:
        if not self.measures:
            states = counted(self.states or 0, "legal state")
            return f"every play ends: the graph of the {states} has no cycle"
        if len(self.measures) == 1:
            return f"every play ends: {self.measures[0]} falls with every move"
        parts = ", then ".join(map(str, self.measures))
        return f"every play ends: {parts} falls with every move, lexicographically"


@dataclass(frozen=True)
class Endless:
    """There is a play without end."""

    game: ImpartialGame = field(repr=False)
    play: EndlessPlay = field()

    def __str__(self) -> str:
        names = self.game.variables
        text = f"({state_text(names, self.play.states[0])})"
        for move, state in zip(self.play.moves, self.play.states[1:], strict=True):
            text += f" {move} ({state_text(names, state)})"
        return f"play need not end: {text}, and so on for ever"


@dataclass(frozen=True)
class TerminationUnknown:
    """Neither a measure nor an endless play was found; ``reason`` says why the search ended."""

    reason: str

    def __str__(self) -> str:
        return f"that every play ends is not proved: {self.reason}"


Termination = Terminates | Endless | TerminationUnknown


def prove_termination(game: ImpartialGame, solver: SmtSolver, deadline: Deadline) -> Termination:
    """The attempt to prove that every play from every legal state ends.

    The search takes at most ``SECONDS``, and no more than a part of what is left on ``deadline``.
    Normal and misère play do not differ here.
    """
    deadline = deadline.share(_SHARE).sooner(SECONDS)
    left = steps(game)
    search = MeasureSearch(game, left, solver, deadline)
    play = EndlessSearch(ImpartialRules(game), left, solver, deadline)
    try:
        if search.simple():
            return Terminates(tuple(search.found), questions=tuple(search.questions))
        ranges = _finite(game)
        walk = play.walk() if ranges is None else play.walk_all(ranges)
        if isinstance(walk, EndlessPlay):
            return Endless(game, walk)
        if walk.complete:
            return Terminates(states=walk.states)
        if search.linear():
            return Terminates(tuple(search.found), questions=tuple(search.questions))
        found = play.ask(search.steps_left)
        if found is not None:
            return Endless(game, found)
        if search.by_cases():
            return Terminates(tuple(search.found), questions=tuple(search.questions))
    except UndecidedError as error:
        return TerminationUnknown(str(error))
    names = ", ".join(dict.fromkeys(step.action.name for step in search.steps_left))
    return TerminationUnknown(f"no measure was found that falls with {names}")


def concluded(verification: ClaimVerification, termination: Termination) -> ClaimVerification:
    """The result for a formula or a strategy once the termination of plays is taken into account.

    A refutation stays a refutation.  A proof stays a proof if every play ends; otherwise the named
    winner wins only the plays that end, and the winner of the game is not proved.
    """
    if verification.status is not ClaimStatus.PROVED or isinstance(termination, Terminates):
        return verification
    reason = f"it holds if plays end; {verification.reason}"
    return replace(verification, status=ClaimStatus.UNDECIDED, reason=reason, if_plays_end=True)


def _finite(game: ImpartialGame) -> list[range] | None:
    """The values of each variable where the constraint leaves few states; else ``None``."""
    ranges, points = [], 1
    for one in intervals(game).values():
        if one.lower is None or one.upper is None:
            return None
        ranges.append(range(one.lower, one.upper + 1))
        points *= max(0, one.upper - one.lower + 1)
    return ranges if points <= MAX_FINITE else None


def to_dict(termination: Termination) -> dict[str, Any]:
    """For programs: ``status`` is ``proved``, ``endless`` or ``unknown``."""
    match termination:
        case Terminates(measures, states):
            own = {"measures": list(map(str, measures)), "states": states}
            return {"status": "proved", "reason": str(termination), **own}
        case Endless(game, play):
            shown = {
                "states": [game.state(state) for state in play.states],
                "moves": list(map(str, play.moves)),
            }
            return {"status": "endless", "reason": str(termination), "play": shown}
        case TerminationUnknown():
            return {"status": "unknown", "reason": str(termination)}
