"""Checks of models that look at plays: what is of no use, and Definition 9."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from qsage_validate.formats.source import Place
from qsage_validate.games.bddl.ground import (
    MAX_SQUARES,
    Contents,
    GroundAction,
    GroundGoal,
    Grounding,
)
from qsage_validate.games.bddl.model import Action, Condition, Model
from qsage_validate.games.bddl.parser import Diagnostic, Severity, local_checks, warning
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


def check_model(model: Model) -> list[Diagnostic]:
    """All diagnostics of a model, errors first, each kind in the order of the files.

    Models with errors are not looked at for what is of no use, because their rules are not
    well defined.
    """
    local, grounding = local_checks(model)
    if any(d.severity is Severity.ERROR for d in local):
        return sorted(local, key=lambda d: d.severity is Severity.WARNING)
    if grounding is not None:
        return [*local, *_check_use(model, grounding), *_check_sanity(model, grounding)]
    problem = model.problem
    return [
        *local,
        warning(
            f"a board of {problem.width}x{problem.height} squares, too large to look for "
            "conflicting effects and for goals and actions without use",
            f"at most {MAX_SQUARES} squares for these checks",
            problem.places.size if problem.places else None,
        ),
    ]


# -- actions and goals that are of no use ---------------------------------------------------


def _check_use(model: Model, grounding: Grounding) -> Iterator[Diagnostic]:
    reachable = Reachable(grounding)
    for player in Player:
        for index, action in enumerate(model.domain.actions(player)):
            why = _why_unplayable(grounding, reachable, player, index, action)
            if why is not None:
                yield warning(
                    f"action {action.name} of {player}, which can never be played: {why}",
                    "an action that can be played",
                    action.place,
                )
    for player in Player:
        for index, goal in enumerate(model.problem.goals(player)):
            place = _goal_place(model, player, index)
            why = _why_hopeless(grounding, reachable, goal)
            if why is not None:
                yield warning(
                    f"goal {index + 1} of {player}, which can never hold: {why}",
                    "a goal that can be reached",
                    place,
                )


def _goal_place(model: Model, player: Player, index: int) -> Place | None:
    places = model.problem.places
    return places.goals(player)[index] if places else None


def _why_unplayable(
    grounding: Grounding, reachable: Reachable, player: Player, index: int, action: Action
) -> str | None:
    board = f"{grounding.width}x{grounding.height}"
    if not any(True for _ in grounding.positions(action.precondition, action.effect)):
        return f"its bounds are empty on the {board} board"
    if not any(ground.action == index for ground in grounding.actions[player]):
        return "its preconditions contradict each other"
    if index not in reachable.playable[player]:
        return "no play brings about what its preconditions ask for"
    return None


def _why_hopeless(grounding: Grounding, reachable: Reachable, goal: Condition) -> str | None:
    positions = list(grounding.meanings(goal))
    if not positions:
        return f"its bounds are empty on the {grounding.width}x{grounding.height} board"
    possible = [c for c in (grounding.contents(goal, x, y) for x, y in positions) if c is not None]
    if not possible:
        return "its conditions contradict each other"
    if not any(reachable.allows(contents) for contents in possible):
        return "no play brings about what it asks for"
    return None


# -- Definition 9 ---------------------------------------------------------------------------


def _check_sanity(model: Model, grounding: Grounding) -> Iterator[Diagnostic]:
    for player in Player:
        for goal in grounding.goals[player]:
            if grounding.initial & goal.care == goal.value:
                yield warning(
                    f"goal {goal.condition + 1} of {player} that holds at ({goal.x},{goal.y}) on "
                    "the initial board",
                    "an initial board that nobody has won (Definition 9); it does not end the play",
                    _goal_place(model, player, goal.condition),
                )
                break
    for violation in sanity_violations(grounding):
        name = model.domain.actions(violation.mover)[violation.action.action].name
        action, goal = violation.action, violation.goal
        yield warning(
            f"goal {goal.condition + 1} of {violation.mover.other} that comes true at "
            f"({goal.x},{goal.y}) by {violation.mover}'s {name}({action.x},{action.y}) on "
            f"{grounding.board_of(violation.state)}",
            "goals that come true by their player's own moves only (Definition 9); such a win "
            "does not count until the player's next move",
            _goal_place(model, violation.mover.other, goal.condition),
        )
