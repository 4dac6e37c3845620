"""Prints BDDL models; what is printed parses back to the same model."""

from __future__ import annotations

from enum import Enum

from qsage_validate.games.bddl.model import Action, Condition, Domain, Problem
from qsage_validate.games.protocol import Player


class Dialect(Enum):
    """Which grammar is printed; both are read.

    ``PAPER`` is the grammar of Listings 1 to 3: every condition in parentheses.  ``QSAGE`` is
    what the files of Q-sage look like: ``#blackgoal``, goals without parentheses.
    """

    PAPER = "paper"
    QSAGE = "qsage"


def condition_text(condition: Condition) -> str:
    """The sub-conditions separated by blanks, without outer parentheses."""
    return " ".join(map(str, condition))


def domain_text(domain: Domain) -> str:
    """The text of a domain file (both dialects print domains alike)."""
    lines: list[str] = []
    for player in Player:
        lines.append(f"#{player.value}actions")
        for action in domain.actions(player):
            lines += _action_lines(action)
    return "\n".join(lines) + "\n"


def _action_lines(action: Action) -> list[str]:
    return [
        f":action {action.name}",
        ":parameters (?x,?y)",
        f":precondition ({condition_text(action.precondition)})",
        f":effect ({condition_text(action.effect)})",
    ]


def problem_text(problem: Problem, dialect: Dialect = Dialect.PAPER) -> str:
    """The text of a problem file."""
    bare = dialect is Dialect.QSAGE
    pieces = " ".join(f"{s.name.lower()}({x},{y})" for s, x, y in problem.initial)
    lines = ["#boardsize", f"{problem.width} {problem.height}", "#init"]
    if pieces:
        lines.append(pieces if bare else f"({pieces})")
    lines += ["#depth", str(problem.depth)]
    for player in Player:
        lines.append(f"#{player.value}goal{'' if bare else 's'}")
        for goal in problem.goals(player):
            # An empty condition has no other way to be seen than its parentheses.
            text = condition_text(goal)
            lines.append(text if bare and text else f"({text})")
    if problem.first_player is Player.WHITE:
        lines += ["#blackturn", "second"]
    return "\n".join(lines) + "\n"
