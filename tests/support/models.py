"""Tiny random BDDL models, for properties that hold of every game."""

from __future__ import annotations

from hypothesis import strategies as st

from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    Condition,
    Coordinate,
    Domain,
    Model,
    Problem,
    SubCondition,
)
from qsage_validate.games.protocol import Player, Square


def coordinates(*, absolute: int | None = None) -> st.SearchStrategy[Coordinate]:
    """Coordinates near the parameter, at an edge, or (``absolute``) a number up to it."""
    options = [
        st.builds(Coordinate, st.just(Anchor.PARAMETER), st.integers(-1, 1)),
        st.just(Coordinate(Anchor.MINIMUM)),
        st.just(Coordinate(Anchor.MAXIMUM)),
    ]
    if absolute is not None:
        numbers = st.integers(1, absolute)
        options.append(st.builds(Coordinate, st.just(Anchor.ABSOLUTE), numbers))
    # Parameters are what models are about.
    return st.one_of(options[0], options[0], *options)


def conditions(
    predicates: st.SearchStrategy[Square], most: int, x: int | None = None, y: int | None = None
) -> st.SearchStrategy[Condition]:
    """Conjunctions of one to ``most`` sub-conditions."""
    part = st.builds(
        SubCondition, predicates, coordinates(absolute=x), coordinates(absolute=y), st.booleans()
    )
    return st.lists(part, min_size=1, max_size=most).map(tuple)


@st.composite
def actions(draw: st.DrawFn, name: str) -> Action:
    """An action whose effects are positive and never contradict each other."""
    precondition = draw(conditions(st.sampled_from(Square), 2))
    offsets = st.tuples(st.integers(-1, 1), st.integers(-1, 1))
    squares = draw(st.dictionaries(offsets, st.sampled_from(Square), min_size=1, max_size=2))
    effect = tuple(
        SubCondition(square, Coordinate(Anchor.PARAMETER, dx), Coordinate(Anchor.PARAMETER, dy))
        for (dx, dy), square in squares.items()
    )
    return Action(name, precondition, effect)


@st.composite
def models(draw: st.DrawFn, max_side: int = 3, max_depth: int = 3) -> Model:
    """A model on at most ``max_side`` squares a side; it need not be a sensible game.

    Goals need the player's own pieces, as in Definition 9's games.
    """
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    squares = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    pieces = st.sampled_from([Square.BLACK, Square.WHITE])
    initial = draw(st.dictionaries(st.sampled_from(squares), pieces, max_size=4))

    def goals(own: Square) -> tuple[Condition, ...]:
        return tuple(
            draw(
                st.lists(
                    conditions(st.just(own), 3, width, height).map(
                        lambda goal: tuple(SubCondition(p.predicate, p.x, p.y) for p in goal)
                    ),
                    max_size=2,
                )
            )
        )

    domain = Domain(
        tuple(draw(actions(f"b{k}")) for k in range(draw(st.integers(1, 3)))),
        tuple(draw(actions(f"w{k}")) for k in range(draw(st.integers(1, 3)))),
    )
    problem = Problem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(initial.items())),
        draw(st.integers(1, max_depth)),
        goals(Square.BLACK),
        goals(Square.WHITE),
        draw(st.sampled_from(Player)),
    )
    return Model(domain, problem, "random")
