"""Tiny random BDDL models, for properties that hold of every game."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    BddlProblem,
    Condition,
    Coordinate,
    Domain,
    Model,
    SubCondition,
)
from qsage_validate.games.protocol import Player, Square

# Strategies are made once: to make and validate one takes longer than to draw from it.
_SQUARES = st.sampled_from(Square)
_PIECES = st.sampled_from([Square.BLACK, Square.WHITE])
_EFFECTS = st.dictionaries(
    st.sampled_from([(dx, dy) for dx in (0, 1, -1) for dy in (0, 1, -1)]),
    _SQUARES,
    min_size=1,
    max_size=2,
)


@cache
def coordinates(absolute: int | None = None) -> st.SearchStrategy[Coordinate]:
    """Coordinates near the parameter, at an edge, or (``absolute``) a number up to it."""
    near = [Coordinate(Anchor.PARAMETER, offset) for offset in (0, 1, -1)]
    edges = [[Coordinate(Anchor.MINIMUM)], [Coordinate(Anchor.MAXIMUM)]]
    numbers = [Coordinate(Anchor.ABSOLUTE, k) for k in range(1, (absolute or 0) + 1)]
    # Parameters are what models are about.
    options = [near, near, near, *edges, numbers]
    return st.one_of([st.sampled_from(option) for option in options if option])


@cache
def conditions(
    own: Square | None, most: int, x: int | None = None, y: int | None = None
) -> st.SearchStrategy[Condition]:
    """Conjunctions of one to ``most`` sub-conditions, about the player's ``own`` pieces or any."""
    predicates = _SQUARES if own is None else st.just(own)
    negated = st.booleans() if own is None else st.just(False)
    part = st.tuples(predicates, coordinates(x), coordinates(y), negated)
    return st.lists(part.map(lambda p: SubCondition(*p)), min_size=1, max_size=most).map(tuple)


@cache
def goals(own: Square, width: int, height: int) -> st.SearchStrategy[tuple[Condition, ...]]:
    """At most two conditions for a player's own pieces."""
    return st.lists(conditions(own, 3, width, height), max_size=2).map(tuple)


@cache
def initials(width: int, height: int) -> st.SearchStrategy[dict[tuple[int, int], Square]]:
    """At most four pieces to begin with."""
    squares = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    return st.dictionaries(st.sampled_from(squares), _PIECES, max_size=4)


def action(draw: st.DrawFn, name: str) -> Action:
    """An action whose effects are positive and never contradict each other."""
    precondition = draw(conditions(None, 2))
    effect = tuple(
        SubCondition(square, Coordinate(Anchor.PARAMETER, dx), Coordinate(Anchor.PARAMETER, dy))
        for (dx, dy), square in draw(_EFFECTS).items()
    )
    return Action(name, precondition, effect)


@st.composite
def models(draw: st.DrawFn, max_side: int = 3, max_depth: int = 3) -> Model:
    """A model on at most ``max_side`` squares a side; it need not be a sensible game.

    Goals need the player's own pieces, as in Definition 9's games.
    """
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    initial = draw(initials(width, height))
    domain = Domain(
        tuple(action(draw, f"b{k}") for k in range(draw(st.integers(1, 3)))),
        tuple(action(draw, f"w{k}") for k in range(draw(st.integers(1, 3)))),
    )
    problem = BddlProblem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(initial.items())),
        draw(st.integers(1, max_depth)),
        draw(goals(Square.BLACK, width, height)),
        draw(goals(Square.WHITE, width, height)),
        draw(st.sampled_from(Player)),
    )
    return Model(domain, problem, "random")
