"""The sanity conditions of Definition 9, decided exactly.

For all boards, reachable or not: no move of a player makes a goal of the other come true on a
board where none of the other's goals held.  An effect that touches no square of a goal, or
contradicts it, cannot do that; for the pairs that are left a SAT solver looks for a board.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.games.bddl.ground import GroundAction, GroundGoal, Grounding
from qsage_validate.games.protocol import Player


@dataclass(frozen=True, slots=True)
class SanityViolation:
    """On the board ``state`` the mover's action makes ``goal`` of the other player come true."""

    mover: Player
    action: GroundAction
    goal: GroundGoal
    state: int


def sanity_violations(grounding: Grounding) -> Iterator[SanityViolation]:
    """A violation by each player, where there is one."""
    for mover in Player:
        violation = _violation(grounding, mover)
        if violation is not None:
            yield violation


def _violation(grounding: Grounding, mover: Player) -> SanityViolation | None:
    pairs = list(_suspects(grounding, mover))
    if not pairs:
        return None
    bits = 3 * grounding.squares
    with Solver(name="cadical153") as solver:
        for square in range(grounding.squares):
            black, white, occupied = (1 + square + plane * grounding.squares for plane in range(3))
            # The third plane is the union of the other two, which have no square in common.
            solver.append_formula(
                [
                    [-black, occupied],
                    [-white, occupied],
                    [black, white, -occupied],
                    [-black, -white],
                ]
            )
        for goal in grounding.goals[mover.other]:
            solver.add_clause([-literal for literal in _literals(goal.care, goal.value)])
        for action, goal in pairs:
            kept = goal.care & action.keep
            assumptions = _literals(action.care, action.value)
            assumptions += _literals(kept, goal.value & kept)
            if solver.solve(assumptions=assumptions):
                model = solver.get_model() or []
                state = sum(1 << (v - 1) for v in model if 0 < v <= bits)
                return SanityViolation(mover, action, goal, state)
    return None


def _literals(care: int, value: int) -> list[int]:
    """The bits of a condition as literals; bit k is variable k + 1."""
    result = []
    while care:
        low = care & -care
        variable = low.bit_length()
        result.append(variable if value & low else -variable)
        care ^= low
    return result


def _suspects(grounding: Grounding, mover: Player) -> Iterator[tuple[GroundAction, GroundGoal]]:
    """Moves and goals of the other player such that the move changes a part of the goal."""
    by_bit: dict[int, list[GroundGoal]] = defaultdict(list)
    for goal in grounding.goals[mover.other]:
        for literal in _literals(goal.care, goal.value):
            by_bit[abs(literal) - 1].append(goal)
    full = (1 << 3 * grounding.squares) - 1
    seen = set()
    for action in grounding.actions[mover]:
        if action.meaning in seen:
            continue
        seen.add(action.meaning)
        changed = full & ~action.keep
        touched: dict[tuple[int, int], GroundGoal] = {}
        for literal in _literals(changed, 0):
            for goal in by_bit[-literal - 1]:
                touched[goal.care, goal.value] = goal
        for goal in touched.values():
            if not (goal.value ^ action.put) & goal.care & changed:
                yield action, goal
