"""Random BDDL models that need not be sensible: all that can be executed."""

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
from qsage_validate.games.library.grid import positional_domain
from qsage_validate.games.protocol import Player, Square

# Strategies are made once: to make and validate one takes longer than to draw from it.
SQUARES = st.sampled_from(Square)
_PIECES = st.sampled_from([Square.BLACK, Square.WHITE])
_FIRST = SQUARES.map(lambda s: Player.WHITE if s is Square.OPEN else Player.BLACK)


@cache
def coordinates(size: int) -> st.SearchStrategy[Coordinate]:
    """Any coordinate; absolute ones up to ``size``."""
    near = [Coordinate(Anchor.PARAMETER, offset) for offset in (0, 1, -1, 2, -2)]
    edges = [Coordinate(Anchor.MINIMUM), Coordinate(Anchor.MAXIMUM)]
    numbers = [Coordinate(Anchor.ABSOLUTE, k) for k in range(1, size + 1)]
    return st.one_of([st.sampled_from(option) for option in (near[:1], near, edges, numbers)])


@cache
def conditions(
    width: int, height: int, *, least: int = 0, most: int = 3, negated: bool = True
) -> st.SearchStrategy[Condition]:
    """Conjunctions, the empty one included unless ``least`` is more."""
    signs = st.booleans() if negated else st.just(False)
    part = st.tuples(SQUARES, coordinates(width), coordinates(height), signs)
    return st.lists(part.map(lambda p: SubCondition(*p)), min_size=least, max_size=most).map(tuple)


@cache
def squares(width: int, height: int) -> st.SearchStrategy[tuple[int, int]]:
    """The squares of a board."""
    return st.sampled_from([(x, y) for x in range(1, width + 1) for y in range(1, height + 1)])


@cache
def initials(
    width: int, height: int, most: int
) -> st.SearchStrategy[dict[tuple[int, int], Square]]:
    """At most so many pieces to begin with."""
    return st.dictionaries(squares(width, height), _PIECES, max_size=most)


@cache
def actions(width: int, height: int) -> st.SearchStrategy[list[tuple[Condition, Condition]]]:
    """Preconditions and effects of at most three actions."""
    effect = conditions(width, height, most=2, negated=False)
    return st.lists(st.tuples(conditions(width, height, most=2), effect), max_size=3)


@cache
def goals(width: int, height: int) -> st.SearchStrategy[tuple[Condition, ...]]:
    """At most two conditions."""
    return st.lists(conditions(width, height, least=1), max_size=2).map(tuple)


@cache
def winning_sets(width: int, height: int) -> st.SearchStrategy[list[list[tuple[int, int]]]]:
    """At most six sets of at most four squares."""
    cells = st.sets(squares(width, height), min_size=1, max_size=4)
    return st.lists(cells.map(sorted), max_size=6)


@st.composite
def wild_models(draw: st.DrawFn, max_side: int = 3, max_depth: int = 6) -> Model:
    """Models with mixed and negated goals, effects that conflict at some positions, no actions.

    Nothing is sane: goals may hold at the beginning or come true by the opponent's moves.
    """
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    initial = draw(initials(width, height, 5))
    black, white = (
        tuple(
            Action(f"{player.value}-{number}", *parts)
            for number, parts in enumerate(draw(actions(width, height)), start=1)
        )
        for player in Player
    )
    first = draw(_FIRST)
    problem = BddlProblem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(initial.items())),
        draw(st.integers(2 if first is Player.WHITE else 1, max_depth)),
        draw(goals(width, height)),
        draw(goals(width, height)),
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
    initial = draw(initials(width, height, 2))

    def wins(colour: Square) -> tuple[Condition, ...]:
        return tuple(
            tuple(
                SubCondition(colour, Coordinate(Anchor.ABSOLUTE, x), Coordinate(Anchor.ABSOLUTE, y))
                for x, y in cells
            )
            for cells in draw(winning_sets(width, height))
        )

    first = draw(st.sampled_from(Player))
    problem = BddlProblem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(initial.items())),
        draw(st.integers(2, width * height + 2)),
        wins(Square.BLACK),
        wins(Square.WHITE),
        first,
    )
    return Model(positional_domain(), problem, "positional")


@st.composite
def filling_models(draw: st.DrawFn, *, with_goals: bool) -> Model:
    """Games in which moves fill open squares with shapes of their own, at places of all kinds."""
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    cells = st.sampled_from([(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (-1, 1)])
    shapes = st.sets(cells, min_size=1, max_size=3)

    def part(piece: Square, cell: tuple[int, int]) -> SubCondition:
        x, y = (Coordinate(Anchor.PARAMETER, k) for k in cell)
        return SubCondition(piece, x, y)

    def action(player: Player, number: int, piece: Square) -> Action:
        shape = draw(shapes)
        needs = shape | draw(st.sets(cells, max_size=1))
        return Action(
            f"{player.value}-{number}",
            tuple(part(Square.OPEN, cell) for cell in sorted(needs)),
            tuple(part(piece, cell) for cell in sorted(shape)),
        )

    actions_of = {
        player: tuple(
            action(player, number, draw(st.sampled_from([Square[player.name]] * 4 + [*_BOTH])))
            for number in range(draw(st.integers(1, 2)))
        )
        for player in Player
    }
    chosen = goals(width, height) if with_goals else st.just(())
    problem = BddlProblem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(draw(initials(width, height, 2)).items())),
        2 * width * height + 2,
        draw(chosen),
        draw(chosen),
        draw(_FIRST),
    )
    return Model(Domain(actions_of[Player.BLACK], actions_of[Player.WHITE]), problem, "filling")


_BOTH = (Square.BLACK, Square.WHITE)


@st.composite
def moving_models(draw: st.DrawFn) -> Model:
    """Games in which pieces make steps of their own, capture some, and have a place to reach."""
    width, height = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    steps = st.sampled_from([(0, 1), (1, 1), (-1, 1), (1, 0), (0, -1), (-1, 0), (0, 0)])

    def action(player: Player, number: int) -> Action:
        own, other = Square[player.name], Square[player.other.name]
        cell = draw(steps)
        x, y, u, v = (Coordinate(Anchor.PARAMETER, k) for k in (0, 0, *cell))
        target = draw(
            st.sampled_from([(Square.OPEN, False), (own, True), (other, False), (other, True)])
        )
        stays = cell == (0, 0)
        before = (SubCondition(own, x, y), SubCondition(target[0], u, v, target[1]))
        after = (SubCondition(Square.OPEN, x, y), SubCondition(own, u, v))
        return Action(f"{player.value}-{number}", before[:1] if stays else before, after[stays:])

    actions_of = {
        player: tuple(action(player, number) for number in range(draw(st.integers(1, 3))))
        for player in Player
    }

    def goal(piece: Square) -> st.SearchStrategy[tuple[Condition, ...]]:
        part = st.tuples(st.just(piece), coordinates(width), coordinates(height), st.just(False))
        one = st.lists(part.map(lambda p: SubCondition(*p)), min_size=1, max_size=2).map(tuple)
        return st.lists(one, max_size=2).map(tuple)

    problem = BddlProblem(
        width,
        height,
        tuple((piece, x, y) for (x, y), piece in sorted(draw(initials(width, height, 4)).items())),
        12,
        draw(goal(Square.BLACK)),
        draw(goal(Square.WHITE)),
        draw(_FIRST),
    )
    return Model(Domain(actions_of[Player.BLACK], actions_of[Player.WHITE]), problem, "moving")
