"""What can be true, and be played, at each time step: bounds without looking at any play.

Two views of the same clauses bound the unknown state from above and from below, each looking at
the other for what is negated.  So a fluent like ``(control xplayer)`` that follows a fixed rhythm
is known exactly, and with it whose turn it is: this is how section 3.3's order of play is found
(He, Saffidine and Thielscher 2024), instead of by a theorem prover.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.games.gdl.datalog import ACTION, DOES, STATE, TRUE, View
from qsage_validate.games.gdl.joins import Fact, Facts
from qsage_validate.games.gdl.machine import State, StateMachine
from qsage_validate.games.gdl.model import Ground, Key, term_order

_LEGAL: Key = ("legal", 2)
_NEXT: Key = ("next", 1)


@dataclass(frozen=True)
class Step:
    """Bounds at a time step, for plays that have not ended before it.

    ``possible`` are the fluents that can be true, ``certain`` those that are; ``moves`` has for
    each role the moves that can be legal, in a fixed order; ``ended`` says that every play has
    ended by now.
    """

    possible: State
    certain: State
    moves: Mapping[Ground, tuple[Ground, ...]]
    ended: bool


def horizon(machine: StateMachine, steps: int) -> Iterator[Step]:
    """The bounds at time 1, 2, and so on; fewer than ``steps`` when every play has ended."""
    possible = certain = machine.initial
    for _ in range(steps):
        upper, lower = _states(machine, possible, certain)
        legal = upper.facts(_LEGAL)
        moves = {
            role: tuple(sorted((move for r, move in legal if r == role), key=term_order))
            for role in machine.roles
        }
        ended = bool(lower.facts(("terminal", 0))) or not all(moves.values())
        yield Step(possible, certain, moves, ended)
        if ended:
            return
        # A role that is known to have one legal move makes it.
        forced: set[Fact] = {(role, one[0]) for role, one in moves.items() if len(one) == 1}
        above = View(machine.program, ACTION, {DOES: legal}, upper)
        below = View(machine.program, ACTION, {DOES: forced}, lower)
        above.negated, below.negated = below, above
        possible, certain = _fluents(above.facts(_NEXT)), _fluents(below.facts(_NEXT))


def _states(machine: StateMachine, possible: State, certain: State) -> tuple[View, View]:
    upper = View(machine.program, STATE, {TRUE: {(f,) for f in possible}}, machine.static)
    lower = View(machine.program, STATE, {TRUE: {(f,) for f in certain}}, machine.static)
    upper.negated, lower.negated = lower, upper
    return upper, lower


def _fluents(facts: Facts) -> State:
    return frozenset(fact[0] for fact in facts)


def turn_order(steps: Sequence[Step]) -> tuple[Ground | None, ...] | None:
    """Who can have a choice at each step (``None``: nobody), for a strictly turn-taking game.

    ``None`` when at some step more than one role may have a choice as far as the bounds tell:
    the turn depends on the position, or the game is not turn-taking.
    """
    order: list[Ground | None] = []
    for step in steps:
        choosing = [role for role, moves in step.moves.items() if len(moves) > 1]
        if len(choosing) > 1:
            return None
        order.append(choosing[0] if choosing else None)
    return tuple(order)


def move_domains(steps: Sequence[Step]) -> dict[Ground, tuple[Ground, ...]]:
    """For each role the moves that can be legal at any of the steps."""
    found: dict[Ground, set[Ground]] = {}
    for step in steps:
        for role, moves in step.moves.items():
            found.setdefault(role, set()).update(moves)
    return {role: tuple(sorted(moves, key=term_order)) for role, moves in found.items()}
