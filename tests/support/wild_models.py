"""Random BDDL models that need not be sensible: all that can be executed."""

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
from qsage_validate.games.library.grid import positional_domain
from qsage_validate.games.protocol import Player, Square

SQUARES = st.sampled_from(Square)


def coordinates(size: int | None) -> st.SearchStrategy[Coordinate]:
    """Any coordinate; absolute ones up to ``size``."""
    options: list[st.SearchStrategy[Coordinate]] = [
        st.just(Coordinate(Anchor.PARAMETER)),
        st.builds(Coordinate, st.just(Anchor.PARAMETER), st.integers(-2, 2)),
        st.sampled_from([Coordinate(Anchor.MINIMUM), Coordinate(Anchor.MAXIMUM)]),
    ]
    if size is not None:
        options.append(st.builds(Coordinate, st.just(Anchor.ABSOLUTE), st.integers(1, size)))
    return st.one_of(options)


def conditions(
    width: int | None,
    height: int | None,
    *,
    most: int = 3,
    negated: st.SearchStrategy[bool] | None = None,
) -> st.SearchStrategy[Condition]:
    """Conjunctions, the empty one included."""
    part = st.builds(
        SubCondition,
        SQUARES,
        coordinates(width),
        coordinates(height),
        st.booleans() if negated is None else negated,
    )
    return st.lists(part, max_size=most).map(tuple)


@st.composite
def wild_models(draw: st.DrawFn, max_side: int = 3, max_depth: int = 6) -> Model:
    """Models with mixed and negated goals, effects that conflict at some positions, no actions.

    Nothing is sane: goals may hold at the beginning or come true by the opponent's moves.
    """
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    squares = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    pieces = st.sampled_from([Square.BLACK, Square.WHITE])
    initial = draw(st.dictionaries(st.sampled_from(squares), pieces, max_size=5))
    actions = st.builds(
        lambda precondition, effect: (precondition, effect),
        conditions(width, height, most=2),
        conditions(width, height, most=2, negated=st.just(False)),
    )
    black, white = (
        tuple(
            Action(f"{player.value}-{number}", *parts)
            for number, parts in enumerate(draw(st.lists(actions, max_size=3)), start=1)
        )
        for player in Player
    )
    goals = st.lists(conditions(width, height).filter(len), max_size=2).map(tuple)
    first = draw(SQUARES.map(lambda s: Player.WHITE if s is Square.OPEN else Player.BLACK))
    problem = Problem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(initial.items())),
        draw(st.integers(2 if first is Player.WHITE else 1, max_depth)),
        draw(goals),
        draw(goals),
        first,
    )
    return Model(Domain(black, white), problem, "wild")


@st.composite
def positional_models(draw: st.DrawFn, most_squares: int = 7) -> Model:
    """Positional games with random winning sets for both players, and pieces to begin with.

    Goals may hold or be dead at the beginning; plies may be more than there are open squares.
    """
    width = draw(st.integers(1, 4))
    height = draw(st.integers(1, max(1, most_squares // width)))
    squares = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    pieces = st.sampled_from([Square.BLACK, Square.WHITE])
    initial = draw(st.dictionaries(st.sampled_from(squares), pieces, max_size=2))
    sets = st.lists(
        st.sets(st.sampled_from(squares), min_size=1, max_size=4).map(sorted), max_size=6
    )

    def goals(colour: Square) -> tuple[Condition, ...]:
        return tuple(
            tuple(
                SubCondition(colour, Coordinate(Anchor.ABSOLUTE, x), Coordinate(Anchor.ABSOLUTE, y))
                for x, y in cells
            )
            for cells in draw(sets)
        )

    first = draw(st.sampled_from(Player))
    problem = Problem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(initial.items())),
        draw(st.integers(2, len(squares) + 2)),
        goals(Square.BLACK),
        goals(Square.WHITE),
        first,
    )
    return Model(positional_domain(), problem, "positional")
