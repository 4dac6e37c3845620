"""Breakthrough and KnightThrough: the first piece on the far side wins.

Shaik and van de Pol 2023, section 3.2 and Listings 7 and 13 to 16.  Black's pieces stand on
the two bottom rows and move towards ``ymin``.
"""

from __future__ import annotations

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
from qsage_validate.games.library.parts import (
    COLOUR,
    at,
    depth_option,
    first_player,
    is_not,
    second_option,
)
from qsage_validate.games.library.template import (
    BoardSize,
    Option,
    Size,
    Template,
    Values,
    number_of,
    size_of,
)
from qsage_validate.games.protocol import Player, Square

KNIGHT_STEPS = ((1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1))
"""L1 to L8, the first two as in Listing 15."""


def _step(name: str, colour: Square, dx: int, dy: int, *, captures: bool) -> Action:
    """Move a piece to an open square, or to any that is not one's own."""
    target = is_not(colour, dx, dy) if captures else at(Square.OPEN, dx, dy)
    return Action(name, (at(colour), target), (at(Square.OPEN), at(colour, dx, dy)))


def _pawns(player: Player) -> tuple[Action, ...]:
    forward = -1 if player is Player.BLACK else 1
    colour = COLOUR[player]
    return (
        _step("forward", colour, 0, forward, captures=False),
        _step("left-diagonal", colour, -1, forward, captures=True),
        _step("right-diagonal", colour, 1, forward, captures=True),
    )


def _knights(player: Player, size: Size) -> tuple[Action, ...]:
    return tuple(
        _step(f"L{number}", COLOUR[player], dx, dy, captures=True)
        for number, (dx, dy) in enumerate(KNIGHT_STEPS, start=1)
        if abs(dx) < size[0] and abs(dy) < size[1]
    )


def _far_side(player: Player) -> tuple[Condition, ...]:
    far = Anchor.MINIMUM if player is Player.BLACK else Anchor.MAXIMUM
    x, y = Coordinate(Anchor.PARAMETER), Coordinate(far)
    return ((SubCondition(COLOUR[player], x, y),),)


def _problem(values: Values) -> Problem:
    width, height = size_of(values)
    rows = (
        (Square.BLACK, height),
        (Square.BLACK, height - 1),
        (Square.WHITE, 1),
        (Square.WHITE, 2),
    )
    pieces = tuple((colour, x, y) for colour, y in rows for x in range(1, width + 1))
    return Problem(
        width,
        height,
        pieces,
        number_of(values, "depth"),
        _far_side(Player.BLACK),
        _far_side(Player.WHITE),
        first_player(values),
    )


def _breakthrough(values: Values) -> Model:
    width, height = size_of(values)
    domain = Domain(_pawns(Player.BLACK), _pawns(Player.WHITE))
    return Model(domain, _problem(values), f"breakthrough {width}x{height}")


def _knightthrough(values: Values) -> Model:
    size = size_of(values)
    domain = Domain(_knights(Player.BLACK, size), _knights(Player.WHITE, size))
    return Model(domain, _problem(values), f"knightthrough {size[0]}x{size[1]}")


def _longest_breakthrough(values: Values) -> int:
    """4mn - 10m + 1: no play is longer (section 5), whoever begins."""
    width, height = size_of(values)
    return 4 * width * height - 10 * width + 1


def _shortest_knightthrough(values: Values) -> int:
    """The fewest plies in which Black's front row can jump to the far side."""
    _, height = size_of(values)
    return 2 * ((height - 2 + 1) // 2) - 1 + 2 * (values["second"] is True)


BREAKTHROUGH = Template(
    name="breakthrough",
    help="Breakthrough: pawns step ahead and capture diagonally; the first on the far side wins",
    options=(
        Option("size", BoardSize(min_width=2, min_height=4), "the board", (2, 4)),
        second_option(),
        depth_option(_longest_breakthrough),
    ),
    construct=_breakthrough,
    examples=({"size": "2x4"}, {"size": "2x4", "second": True, "depth": "9"}),
)

KNIGHTTHROUGH = Template(
    name="knightthrough",
    help="KnightThrough: all pieces jump like knights; the first on the far side wins",
    options=(
        Option("size", BoardSize(min_width=2, min_height=4), "the board", (3, 4)),
        second_option(),
        depth_option(_shortest_knightthrough),
    ),
    construct=_knightthrough,
    examples=({"size": "3x4"}, {"size": "4x6", "second": True, "depth": "7"}),
)
