"""What can come about on each square of a board, and moves that make the other player's goal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.games.bddl.ground import Contents, GroundAction, GroundGoal, Grounding
from qsage_validate.games.protocol import Player


class Reachable:
    """The contents that plays can bring to each square, squares taken one by one.

    The delete relaxation of planning: what was once possible on a square stays possible, and
    an action is playable when all its preconditions are possible.  ``playable`` holds the
    numbers of the actions of each player that are playable somewhere.
    """

    def __init__(self, grounding: Grounding) -> None:
        initial = dict(enumerate(grounding.content_sets(grounding.initial_board())))
        self._possible: Contents = initial
        self.playable: dict[Player, set[int]] = {player: set() for player in Player}
        waiting: list[tuple[Player, int, Contents, Contents]] = []
        for player in Player:
            for index, action in enumerate(grounding.model.domain.actions(player)):
                for x, y in grounding.positions(action.precondition, action.effect):
                    before = grounding.contents(action.precondition, x, y)
                    after = grounding.contents(action.effect, x, y)
                    if before is not None and after is not None:
                        waiting.append((player, index, before, after))
        changed = True
        while changed:
            changed = False
            blocked = []
            for player, index, before, after in waiting:
                if not self.allows(before):
                    blocked.append((player, index, before, after))
                    continue
                self.playable[player].add(index)
                for square, content in after.items():
                    if not self._possible[square] & content:
                        self._possible[square] |= content
                        changed = True
            waiting = blocked

    def allows(self, contents: Contents) -> bool:
        """True if each square, taken alone, can have one of the contents asked for."""
        return all(self._possible[square] & allowed for square, allowed in contents.items())


@dataclass(frozen=True, slots=True)
class SanityViolation:
    """On the board ``state`` the mover's action makes ``goal`` of the other player come true."""

    mover: Player
    action: GroundAction
    goal: GroundGoal
    state: int


def sanity_violations(grounding: Grounding) -> Iterator[SanityViolation]:
    """A violation by each player of Definition 9, where there is one; decided exactly."""
    for mover in Player:
        violation = _violation(grounding, mover)
        if violation is not None:
            yield violation


def _violation(grounding: Grounding, mover: Player) -> SanityViolation | None:
    from qsage_validate.circuit.sat import Solver  # reading a model takes none

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
    from qsage_validate.games.masks import members

    return [bit + 1 if value >> bit & 1 else -bit - 1 for bit in members(care)]


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
