"""Definitions 4 to 10 of the paper, word by word and slowly, to hold the rules against."""

from __future__ import annotations

from qsage_validate.games.bddl.model import Anchor, Condition, Model, SubCondition
from qsage_validate.games.protocol import Player, Square

State = dict[tuple[int, int], Square]


def bounds(model: Model, condition: Condition) -> set[tuple[int, int]]:
    """BD(C) of Definition 4, with the erratum n - u_y."""
    m, n = model.problem.width, model.problem.height
    result = {(i, j) for i in range(1, m + 1) for j in range(1, n + 1)}
    for c in condition:
        lx = -c.x.offset if c.x.anchor is Anchor.PARAMETER and c.x.offset < 0 else 0
        ux = c.x.offset if c.x.anchor is Anchor.PARAMETER and c.x.offset > 0 else 0
        ly = -c.y.offset if c.y.anchor is Anchor.PARAMETER and c.y.offset < 0 else 0
        uy = c.y.offset if c.y.anchor is Anchor.PARAMETER and c.y.offset > 0 else 0
        result &= {(i, j) for i in range(1 + lx, m - ux + 1) for j in range(1 + ly, n - uy + 1)}
    return result


def square(model: Model, c: SubCondition, i: int, j: int) -> tuple[int, int]:
    """(e1[i], e2[j]) of Definition 6."""
    m, n = model.problem.width, model.problem.height
    values = {
        Anchor.PARAMETER: (i + c.x.offset, j + c.y.offset),
        Anchor.MINIMUM: (1, 1),
        Anchor.MAXIMUM: (m, n),
        Anchor.ABSOLUTE: (c.x.offset, c.y.offset),
    }
    return values[c.x.anchor][0], values[c.y.anchor][1]


def holds(model: Model, s: State, i: int, j: int, condition: Condition) -> bool:
    """s, (i, j) |= C of Definition 6."""
    return all((s[square(model, c, i, j)] is c.predicate) != c.negated for c in condition)


def initial(model: Model) -> State:
    """s_0 of Definition 5."""
    m, n = model.problem.width, model.problem.height
    s = {(i, j): Square.OPEN for i in range(1, m + 1) for j in range(1, n + 1)}
    s.update({(x, y): content for content, x, y in model.problem.initial})
    return s


def transitions(model: Model, s: State, player: Player) -> dict[tuple[str, int, int], State]:
    """Definition 7: the moves of a player in s, with the states that they lead to."""
    result = {}
    for a in model.domain.actions(player):
        for i, j in bounds(model, a.precondition) & bounds(model, a.effect):
            if not holds(model, s, i, j, a.precondition):
                continue
            after = {**s, **{square(model, c, i, j): c.predicate for c in a.effect}}
            # Effects that contradict each other hold in no state.
            if holds(model, after, i, j, a.effect):
                result[a.name, i, j] = after
    return result


def won(model: Model, s: State, player: Player) -> bool:
    """Definition 8."""
    return any(
        holds(model, s, i, j, goal)
        for goal in model.problem.goals(player)
        for i, j in bounds(model, goal)
    )


def black_wins(model: Model, s: State, player: Player, k: int) -> bool:
    """Definition 10, s in W_k, with White to move and even k read in the same way."""
    if k == 0:
        return False
    after = transitions(model, s, player).values()
    if player is Player.BLACK:
        return any(
            won(model, t, Player.BLACK) or black_wins(model, t, Player.WHITE, k - 1) for t in after
        )
    return all(
        not won(model, t, Player.WHITE) and black_wins(model, t, Player.BLACK, k - 1) for t in after
    )
