"""Looks for plays without end: a cycle, or moves that can be repeated for ever.

A play that is found is checked move by move with the rules' own words
(:mod:`~qsage_validate.extensions.impartial.rules`); that a growing one goes on for ever is proved
by the SMT solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from qsage_validate.extensions.impartial.boxes import box_states
from qsage_validate.extensions.impartial.formula import (
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    conjunction,
    without_not,
)
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rules import ImpartialMove, ImpartialRules, illegality
from qsage_validate.extensions.impartial.synthesis.semi_ground import SemiGround
from qsage_validate.extensions.impartial.synthesis.smt.solver import SmtAnswer, SmtSolver, small
from qsage_validate.extensions.impartial.synthesis.transitions import ActionPlies, after, reaches
from qsage_validate.system.limits import Deadline

QUESTION_SECONDS: Final = 2.0
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
        return self.solver.ask(self.deadline.sooner(QUESTION_SECONDS), *formulas)

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
