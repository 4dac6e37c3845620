"""Termination of games: a measure that falls with each move, or a play without end.

The proof of a winning formula is an induction over plays (Definition 2 of the SynMS paper, whose
games end by assumption (4) of its section 1).  In a game with an endless play two formulas that
contradict each other can both fulfil the three constraints of Definition 6.  A winning formula
is therefore called proved only together with :class:`Terminates`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.impartial.boxes import intervals
from qsage_validate.games.impartial.model import ImpartialGame, state_text
from qsage_validate.games.impartial.rules import ImpartialRules
from qsage_validate.synthesis.checks.endless import EndlessPlay, EndlessSearch
from qsage_validate.synthesis.checks.formula import Status, Verification
from qsage_validate.synthesis.checks.measures import Measure, MeasureSearch
from qsage_validate.synthesis.smt.smtlib import Question
from qsage_validate.synthesis.smt.solver import SmtSolver
from qsage_validate.synthesis.transitions import steps
from qsage_validate.system.limits import Deadline

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

    measures: tuple[Measure, ...] = ()
    states: int | None = None
    questions: tuple[Question, ...] = ()
    """Each has no model; together they are the proof that the measures fall."""

    def __str__(self) -> str:
        if not self.measures:
            return f"every play ends: the graph of the {self.states:,} legal states has no cycle"
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
class Unknown:
    """Neither a measure nor an endless play was found; ``reason`` says why the search ended."""

    reason: str

    def __str__(self) -> str:
        return f"that every play ends is not proved: {self.reason}"


Termination = Terminates | Endless | Unknown


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
        return Unknown(str(error))
    names = ", ".join(dict.fromkeys(step.action.name for step in search.steps_left))
    return Unknown(f"no measure was found that falls with {names}")


def concluded(verification: Verification, termination: Termination) -> Verification:
    """The result for a formula or a strategy once the termination of plays is taken into account.

    A refutation stays a refutation.  A proof stays a proof if every play ends; otherwise the named
    winner wins only the plays that end, and the winner of the game is not proved.
    """
    if verification.status is not Status.PROVED or isinstance(termination, Terminates):
        return verification
    reason = f"it holds if plays end; {verification.reason}"
    return replace(verification, status=Status.UNDECIDED, reason=reason, if_plays_end=True)


def _finite(game: ImpartialGame) -> list[range] | None:
    """The values of each variable where the constraint leaves few states; else ``None``."""
    ranges, points = [], 1
    for one in intervals(game).values():
        if one.lower is None or one.upper is None:
            return None
        ranges.append(range(one.lower, one.upper + 1))
        points *= max(0, one.upper - one.lower + 1)
    return ranges if points <= MAX_FINITE else None


def as_json(termination: Termination) -> dict[str, Any]:
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
        case Unknown():
            return {"status": "unknown", "reason": str(termination)}
