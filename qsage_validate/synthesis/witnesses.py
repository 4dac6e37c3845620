"""Looks for semi-ground actions one of which serves each state of a set, or a state without one.

An action serves a state when it is applicable there and leads to the target.  Actions are read
off ground moves in known states; a state that the solver names, and that none serves yet, gives
further ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from qsage_validate.errors import UndecidedError
from qsage_validate.games.impartial.formula import Formula, Linear, without_not
from qsage_validate.games.impartial.model import ImpartialGame
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.impartial.rules import ImpartialRules, Move
from qsage_validate.synthesis.checks.sample import Remaining
from qsage_validate.synthesis.semi_ground import SemiGround, coverage, greedy_cover
from qsage_validate.system.limits import Deadline

MAX_SAMPLE: Final = 400
"""So many states of the sample are looked at before the solver is asked."""

_MAX_INSTANCES: Final = 150
# After an answer of the solver so many states of the sample join at once.
_MAX_FRESH: Final = 40
_MAX_NUMBERS: Final = 100
_NUMBER_SECONDS: Final = 8.0

_Known = tuple[int, State, list[Move]]


class Asker(Protocol):
    """A game with states to try actions on, and a solver that is asked about it."""

    sample: Sequence[State]

    @property
    def rules(self) -> ImpartialRules: ...

    @property
    def game(self) -> ImpartialGame: ...

    def served(self, one: SemiGround, target: Formula) -> Formula:
        """Where the semi-ground action is applicable and leads to ``target``."""

    def model(self, title: str, formulas: Sequence[Formula], deadline: Deadline) -> State | None:
        """A state in which all ``formulas`` hold; ``None``: there is none."""


@dataclass
class WitnessSearch:
    """One such question; ``good_moves`` lists the ground moves that serve a state.

    ``domain`` is the set of states as conditions; a legal state of the sample belongs to it when
    ``sample_test`` holds (in misère play also when it is no end and has a move).
    """

    verifier: Asker
    title: str
    domain: tuple[Formula, ...]
    target: Formula
    good_moves: Callable[[State], list[Move]]
    sample_test: Formula
    deadline: Deadline
    _known: list[_Known] = field(default_factory=list)
    _covered: dict[SemiGround, int] = field(default_factory=dict)
    _chosen: list[SemiGround] = field(default_factory=list)
    _where: list[Formula] = field(default_factory=list)

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
        for state in verifier.sample[:MAX_SAMPLE]:
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
        """Let states that are not served have their say; one that has no good move is returned."""
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

    def _served(self, one: SemiGround) -> Formula:
        return without_not(self.verifier.served(one, self.target))

    def _unserved(self, where: Sequence[Formula], deadline: Deadline) -> State | None:
        """A state of the domain in which none of the formulas holds, by the solver."""
        outside = (formula.negated() for formula in where)
        return self.verifier.model(self.title, (*self.domain, *outside), deadline)

    def _numbers(self) -> list[SemiGround]:
        """Actions with plain numbers that serve the whole domain; none if that is not proved.

        Where few numbers are played they often do, and better than many expressions.
        """
        rest = self._domain_sample()
        moves = (move for state in rest.some(MAX_SAMPLE) for move in self.good_moves(state))
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
