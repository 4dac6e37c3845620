"""Semantic checks of BDDL models: what parses but makes no sense, or less than was meant.

Errors are models whose rules cannot be executed or encoded; ``read_model`` raises the first.
Warnings are sound: what is called impossible is impossible.  (What is possible may still be
impossible for deeper reasons.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.errors import InputError, one_line
from qsage_validate.formats.source import Place
from qsage_validate.games.bddl.ground import (
    MAX_SQUARES,
    Grounding,
)
from qsage_validate.games.bddl.model import Action, Anchor, Condition, Model
from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.games.bddl.reachable import Reachable

_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?=[A-Za-z0-9_]))*")


class Severity(Enum):
    """The severity of a diagnostic; a model with an error cannot be used."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something found in a model; ``place`` is ``None`` for models that come from no file."""

    severity: Severity
    found: str
    expected: str
    place: Place | None = None

    def __str__(self) -> str:
        """``file:line:column: warning: found X, expected Y``."""
        place = self.place
        before = "" if place is None else f"{place.file or '<input>'}:{place.line}:{place.column}: "
        return one_line(
            f"{before}{self.severity.value}: found {self.found}, expected {self.expected}"
        )

    def error(self) -> InputError:
        if self.place is None:
            return InputError(None, None, None, self.found, self.expected)
        return self.place.error(self.found, self.expected)


def check_model(model: Model) -> list[Diagnostic]:
    """All diagnostics of a model, errors first, each kind in the order of the files.

    Models with errors are not looked at for what is of no use, because their rules are not
    well defined.
    """
    local, grounding = _local_checks(model)
    if any(d.severity is Severity.ERROR for d in local):
        return sorted(local, key=lambda d: d.severity is Severity.WARNING)
    if grounding is not None:
        return [*local, *_check_use(model, grounding), *_check_sanity(model, grounding)]
    problem = model.problem
    return [
        *local,
        _warning(
            f"a board of {problem.width}x{problem.height} squares, too large to look for "
            "conflicting effects and for goals and actions without use",
            f"at most {MAX_SQUARES} squares for these checks",
            problem.places.size if problem.places else None,
        ),
    ]


def require_valid(model: Model) -> None:
    """Raises the first error of a model as ``InputError``."""
    for diagnostic in _local_checks(model)[0]:
        if diagnostic.severity is Severity.ERROR:
            raise diagnostic.error()


def _local_checks(model: Model) -> tuple[list[Diagnostic], Grounding | None]:
    """All checks that can find errors, and the grounded model unless that is not possible."""
    found = [*_check_board(model), *_check_actions(model), *_check_coordinates(model)]
    broken = any(d.severity is Severity.ERROR for d in found)
    if broken or model.problem.width * model.problem.height > MAX_SQUARES:
        return found, None
    grounding = Grounding(model)
    return found + list(_check_conflicts(model, grounding)), grounding


def _error(found: str, expected: str, place: Place | None) -> Diagnostic:
    return Diagnostic(Severity.ERROR, found, expected, place)


def _warning(found: str, expected: str, place: Place | None) -> Diagnostic:
    return Diagnostic(Severity.WARNING, found, expected, place)


# -- the board ------------------------------------------------------------------------------


def _check_board(model: Model) -> Iterator[Diagnostic]:
    problem = model.problem
    places = problem.places
    board = f"{problem.width}x{problem.height}"
    if problem.width < 1 or problem.height < 1:
        yield _error(f"a board of {board}", "sides from 1", places.size if places else None)
    if problem.plies < 1:
        yield _error(
            f"depth {problem.depth}"
            + (" without Black's first move" if problem.first_player is Player.WHITE else ""),
            "at least one ply to play",
            places.depth if places else None,
        )
    taken: dict[tuple[int, int], str] = {}
    for number, (content, x, y) in enumerate(problem.initial):
        piece = f"{content.name.lower()}({x},{y})"
        place = places.initial[number] if places else None
        if not (1 <= x <= problem.width and 1 <= y <= problem.height):
            yield _error(piece, f"a square of the {board} board", place)
        elif (x, y) in taken:
            yield _error(f"{piece} besides {taken[x, y]}", "one piece a square", place)
        else:
            taken[x, y] = piece


# -- actions by themselves ------------------------------------------------------------------


def _check_actions(model: Model) -> Iterator[Diagnostic]:
    for player in Player:
        actions = model.domain.actions(player)
        if not actions:
            yield _warning(
                f"no actions of {player}", f"at least one: {player} loses by not moving", None
            )
        count = Counter[str]()
        for action in actions:
            count[action.name] += 1
            if count[action.name] == 2:
                yield _error(
                    f"a second action {action.name} of {player}",
                    "different names: moves are told apart by them",
                    action.place,
                )
            if not _NAME.fullmatch(action.name):
                yield _error(
                    f"an action called {action.name!r}",
                    "letters, digits, underscores and inner hyphens",
                    action.place,
                )
            for part in action.effect:
                if part.negated:
                    yield _error(
                        f"the effect {part} of {action.name}",
                        "what stands on the square afterwards",
                        part.place,
                    )


def _check_coordinates(model: Model) -> Iterator[Diagnostic]:
    for player in Player:
        for action in model.domain.actions(player):
            yield from _absolute(
                model, action.precondition + action.effect, f"of {action.name}", in_domain=True
            )
    for player in Player:
        for goal in model.problem.goals(player):
            yield from _absolute(model, goal, f"in a goal of {player}", in_domain=False)


def _absolute(
    model: Model, condition: Condition, where: str, *, in_domain: bool
) -> Iterator[Diagnostic]:
    problem = model.problem
    for part in condition:
        axes = ((part.x, problem.width), (part.y, problem.height))
        numbers = [(c.offset, size) for c, size in axes if c.anchor is Anchor.ABSOLUTE]
        if any(not 1 <= number <= size for number, size in numbers):
            yield _error(
                f"{part} {where}",
                f"squares of the {problem.width}x{problem.height} board",
                part.place,
            )
        elif numbers and in_domain:
            yield _warning(
                f"the absolute position {part} {where}",
                "positions relative to (?x,?y) or to the edges, as a domain has no board size",
                part.place,
            )


def _check_conflicts(model: Model, grounding: Grounding) -> Iterator[Diagnostic]:
    for player in Player:
        for action in model.domain.actions(player):
            for x, y in grounding.positions(action.precondition, action.effect):
                if grounding.contents(action.precondition, x, y) is None:
                    continue
                if grounding.contents(action.effect, x, y) is None:
                    yield _error(
                        f"effects of {action.name} that put two contents on one square when it "
                        f"is played at ({x},{y})",
                        "one content a square",
                        action.effect[0].place or action.place,
                    )
                    break


# -- actions and goals that are of no use ---------------------------------------------------


def _check_use(model: Model, grounding: Grounding) -> Iterator[Diagnostic]:
    from qsage_validate.games.bddl.reachable import Reachable

    reachable = Reachable(grounding)
    for player in Player:
        for index, action in enumerate(model.domain.actions(player)):
            why = _why_unplayable(grounding, reachable, player, index, action)
            if why is not None:
                yield _warning(
                    f"action {action.name} of {player}, which can never be played: {why}",
                    "an action that can be played",
                    action.place,
                )
    for player in Player:
        for index, goal in enumerate(model.problem.goals(player)):
            place = _goal_place(model, player, index)
            why = _why_hopeless(grounding, reachable, goal)
            if why is not None:
                yield _warning(
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
    from qsage_validate.games.bddl.reachable import sanity_violations

    for player in Player:
        for goal in grounding.goals[player]:
            if grounding.initial & goal.care == goal.value:
                yield _warning(
                    f"goal {goal.condition + 1} of {player} that holds at ({goal.x},{goal.y}) on "
                    "the initial board",
                    "an initial board that nobody has won (Definition 9); it does not end the play",
                    _goal_place(model, player, goal.condition),
                )
                break
    for violation in sanity_violations(grounding):
        name = model.domain.actions(violation.mover)[violation.action.action].name
        action, goal = violation.action, violation.goal
        yield _warning(
            f"goal {goal.condition + 1} of {violation.mover.other} that comes true at "
            f"({goal.x},{goal.y}) by {violation.mover}'s {name}({action.x},{action.y}) on "
            f"{grounding.board_of(violation.state)}",
            "goals that come true by their player's own moves only (Definition 9); such a win "
            "does not count until the player's next move",
            _goal_place(model, violation.mover.other, goal.condition),
        )


# For all boards, reachable or not: no move of a player makes a goal of the other come true on a
# board where none of the other's goals held.  An effect that touches no square of a goal, or
# contradicts it, cannot do that; for the pairs that are left a SAT solver looks for a board.
