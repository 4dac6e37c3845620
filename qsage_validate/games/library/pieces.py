"""Templates of grid games in which pieces move: Breakthrough, KnightThrough, Evader and Pursuer.

Shaik and van de Pol 2023, section 3.2 and Listings 7 to 9 and 13 to 18.
"""

from __future__ import annotations

from functools import partial

from qsage_validate.errors import UsageError
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
from qsage_validate.games.library.grid import (
    COLOUR,
    SECOND,
    at,
    depth_option,
    first_player,
    size_option,
)
from qsage_validate.games.library.template import Option, Size, SquareName, Template, Values
from qsage_validate.games.protocol import Player, Square

KNIGHT_STEPS = ((1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1))
"""L1 to L8, the first two as in Listing 15."""

_STRAIGHT = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
_DIAGONALS = {
    "left-diagonal-up": (-1, -1),
    "right-diagonal-up": (1, -1),
    "left-diagonal-down": (-1, 1),
    "right-diagonal-down": (1, 1),
}


def _move(name: str, colour: Square, dx: int, dy: int, target: Condition) -> Action:
    """Move a piece where ``target`` holds."""
    return Action(name, (at(colour), *target), (at(Square.OPEN), at(colour, dx, dy)))


# -- Breakthrough: Black's pieces stand on the two bottom rows and move towards ymin ----------


def _capture(name: str, colour: Square, dx: int, dy: int) -> Action:
    """Move a piece to any square that is not one's own."""
    return _move(name, colour, dx, dy, (at(colour, dx, dy, negated=True),))


def _pawns(player: Player, size: Size) -> tuple[Action, ...]:
    ahead, colour = -1 if player is Player.BLACK else 1, COLOUR[player]
    return (
        _move("forward", colour, 0, ahead, (at(Square.OPEN, 0, ahead),)),
        _capture("left-diagonal", colour, -1, ahead),
        _capture("right-diagonal", colour, 1, ahead),
    )


def _knights(player: Player, size: Size) -> tuple[Action, ...]:
    return tuple(
        _capture(f"L{number}", COLOUR[player], dx, dy)
        for number, (dx, dy) in enumerate(KNIGHT_STEPS, start=1)
        if abs(dx) < size[0] and abs(dy) < size[1]
    )


def _breakthrough(values: Values, *, knights: bool) -> Model:
    width, height = values.size()
    rows = {"BLACK": (height, height - 1), "WHITE": (1, 2)}
    squares = [(Square[colour], y) for colour, ys in rows.items() for y in ys]
    pieces = tuple((colour, x, y) for colour, y in squares for x in range(1, width + 1))
    black, white = (
        ((SubCondition(COLOUR[player], Coordinate(Anchor.PARAMETER), Coordinate(far)),),)
        for player, far in ((Player.BLACK, Anchor.MINIMUM), (Player.WHITE, Anchor.MAXIMUM))
    )
    depth, first = values.number("depth"), first_player(values)
    problem = Problem(width, height, pieces, depth, black, white, first)
    actions = _knights if knights else _pawns
    domain = Domain(*(actions(player, (width, height)) for player in Player))
    return Model(domain, problem, f"{'knight' if knights else 'break'}through {values.board}")


def _longest_breakthrough(values: Values) -> int:
    """4mn - 10m + 1: no play is longer (section 5), whoever begins."""
    width, height = values.size()
    return 4 * width * height - 10 * width + 1


def _shortest_knightthrough(values: Values) -> int:
    """The fewest plies in which Black's front row can jump to the far side."""
    _, height = values.size()
    return 2 * ((height - 2 + 1) // 2) - 1 + 2 * values.on("second")


# -- Evader and Pursuer, and its dual, in which the evader is White ---------------------------


def _actions(player: Player, *, evader: bool) -> tuple[Action, ...]:
    """The evader's 13 actions, up to two steps straight or one diagonally over open squares only.

    The pursuer's are 5: one step straight, onto the evader too.
    """
    colour = COLOUR[player]
    actions = []
    for name, (dx, dy) in _STRAIGHT.items():
        near, far = at(Square.OPEN, dx, dy), at(Square.OPEN, 2 * dx, 2 * dy)
        actions.append(_move(name, colour, dx, dy, (near,) if evader else ()))
        if evader:
            actions.append(_move(f"{name}-two", colour, 2 * dx, 2 * dy, (near, far)))
    if evader:
        for name, (dx, dy) in _DIAGONALS.items():
            actions.append(_move(name, colour, dx, dy, (at(Square.OPEN, dx, dy),)))
    return (*actions, Action("stay", (at(colour),), (at(colour),)))


def _evader_pursuer(values: Values, *, evader: Player) -> Model:
    """The evader moves first, from (xmax, ymin) to (xmin, ymin); the pursuer captures it there."""
    width, height = values.size()
    x, y = values.size("pursuer")
    if not (1 <= x <= width and 1 <= y <= height) or (x, y) in ((width, 1), (1, 1)):
        raise UsageError(
            f"found {x},{y} for --pursuer, expected a square of the {values.board} board other "
            f"than the evader's ({width},1) and the target (1,1)"
        )
    corner = Coordinate(Anchor.MINIMUM)
    black, white = (((SubCondition(COLOUR[player], corner, corner),),) for player in Player)
    pieces = ((COLOUR[evader], width, 1), (COLOUR[evader.other], x, y))
    problem = Problem(width, height, pieces, values.number("depth"), black, white, evader)
    domain = Domain(*(_actions(player, evader=player is evader) for player in Player))
    name = "evader-pursuer" + ("" if evader is Player.BLACK else "-dual")
    return Model(domain, problem, f"{name} {values.board} {x},{y}")


def _crossing(values: Values) -> int:
    """The fewest plies in which the evader can reach the target."""
    width, _ = values.size()
    return 2 * (width // 2) - 1


def _interception(values: Values) -> int:
    """The fewest plies in which the pursuer can reach the target, in the count of ``#depth``."""
    x, y = values.size("pursuer")
    return 2 * (x + y - 2) + 1


_PURSUER = Option("pursuer", SquareName(), "where the pursuer starts", (2, 3))

BREAKTHROUGH = Template(
    name="breakthrough",
    help="Breakthrough: pawns step ahead and capture diagonally; the first on the far side wins",
    options=(size_option(2, 4, (2, 4)), SECOND, depth_option(_longest_breakthrough)),
    construct=partial(_breakthrough, knights=False),
    examples=({"size": "2x4"}, {"size": "2x4", "second": True, "depth": "9"}),
)
KNIGHTTHROUGH = Template(
    name="knightthrough",
    help="KnightThrough: all pieces jump like knights; the first on the far side wins",
    options=(size_option(2, 4, (3, 4)), SECOND, depth_option(_shortest_knightthrough)),
    construct=partial(_breakthrough, knights=True),
    examples=({"size": "3x4"}, {"size": "4x6", "second": True, "depth": "7"}),
)
EVADER_PURSUER = Template(
    name="evader-pursuer",
    help="Evader and Pursuer: Black wants to reach the corner (1,1) past White, who captures",
    options=(size_option(3, 3), _PURSUER, depth_option(_crossing)),
    construct=partial(_evader_pursuer, evader=Player.BLACK),
    examples=({"size": "4x4", "pursuer": "2,3", "depth": "3"}, {"size": "8x8", "pursuer": "3,4"}),
)
EVADER_PURSUER_DUAL = Template(
    name="evader-pursuer-dual",
    help="Evader and Pursuer with Black as the pursuer, who moves second",
    options=(size_option(3, 3), _PURSUER, depth_option(_interception)),
    construct=partial(_evader_pursuer, evader=Player.WHITE),
    examples=({"size": "4x4", "pursuer": "1,2", "depth": "3"}, {"size": "8x8", "pursuer": "2,3"}),
)
