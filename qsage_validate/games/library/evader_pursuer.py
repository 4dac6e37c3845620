"""Evader and Pursuer, and its dual.

Shaik and van de Pol 2023, section 3.2 and Listings 8, 9, 17 and 18.  The evader starts in the
corner (xmax, ymin) and wants to reach (xmin, ymin); the pursuer wants to capture it or to be
there first.  The evader moves first; it is Black, or White in the dual.
"""

from __future__ import annotations

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
from qsage_validate.games.library.parts import COLOUR, at, depth_option
from qsage_validate.games.library.template import (
    BoardSize,
    Option,
    SquareName,
    Template,
    Values,
    number_of,
    size_of,
)
from qsage_validate.games.protocol import Player, Square

_STEPS = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
_DIAGONALS = {
    "left-diagonal-up": (-1, -1),
    "right-diagonal-up": (1, -1),
    "left-diagonal-down": (-1, 1),
    "right-diagonal-down": (1, 1),
}


def _move(name: str, colour: Square, dx: int, dy: int, over: Condition) -> Action:
    return Action(name, (at(colour), *over), (at(Square.OPEN), at(colour, dx, dy)))


def _stay(colour: Square) -> Action:
    return Action("stay", (at(colour),), (at(colour),))


def evader_actions(player: Player) -> tuple[Action, ...]:
    """13 actions: up to two steps straight or one diagonally, over open squares only."""
    colour = COLOUR[player]
    actions = []
    for name, (dx, dy) in _STEPS.items():
        near, far = at(Square.OPEN, dx, dy), at(Square.OPEN, 2 * dx, 2 * dy)
        actions.append(_move(name, colour, dx, dy, (near,)))
        actions.append(_move(f"{name}-two", colour, 2 * dx, 2 * dy, (near, far)))
    for name, (dx, dy) in _DIAGONALS.items():
        actions.append(_move(name, colour, dx, dy, (at(Square.OPEN, dx, dy),)))
    return (*actions, _stay(colour))


def pursuer_actions(player: Player) -> tuple[Action, ...]:
    """5 actions: one step straight, onto the evader too."""
    colour = COLOUR[player]
    steps = [_move(name, colour, dx, dy, ()) for name, (dx, dy) in _STEPS.items()]
    return (*steps, _stay(colour))


def _construct(values: Values, evader: Player) -> Model:
    width, height = size_of(values)
    x, y = size_of(values, "pursuer")
    board = f"{width}x{height}"
    if not (1 <= x <= width and 1 <= y <= height) or (x, y) in ((width, 1), (1, 1)):
        raise UsageError(
            f"found {x},{y} for --pursuer, expected a square of the {board} board other than "
            f"the evader's ({width},1) and the target (1,1)"
        )
    pursuer = evader.other
    actions = {evader: evader_actions(evader), pursuer: pursuer_actions(pursuer)}
    corner = Coordinate(Anchor.MINIMUM)
    goals = {p: ((SubCondition(COLOUR[p], corner, corner),),) for p in Player}
    problem = Problem(
        width,
        height,
        ((COLOUR[evader], width, 1), (COLOUR[pursuer], x, y)),
        number_of(values, "depth"),
        goals[Player.BLACK],
        goals[Player.WHITE],
        evader,
    )
    name = "evader-pursuer" + ("" if evader is Player.BLACK else "-dual")
    domain = Domain(actions[Player.BLACK], actions[Player.WHITE])
    return Model(domain, problem, f"{name} {board} {x},{y}")


def _crossing(values: Values) -> int:
    """The fewest plies in which the evader can reach the target."""
    width, _ = size_of(values)
    return 2 * (width // 2) - 1


def _interception(values: Values) -> int:
    """The fewest plies in which the pursuer can reach the target, in the count of ``#depth``."""
    x, y = size_of(values, "pursuer")
    return 2 * (x + y - 2) + 1


_SIZE = Option("size", BoardSize(min_width=3, min_height=3), "the board", (4, 4))
_PURSUER = Option("pursuer", SquareName(), "where the pursuer starts", (2, 3))

EVADER_PURSUER = Template(
    name="evader-pursuer",
    help="Evader and Pursuer: Black wants to reach the corner (1,1) past White, who captures",
    options=(_SIZE, _PURSUER, depth_option(_crossing)),
    construct=lambda values: _construct(values, Player.BLACK),
    examples=({"size": "4x4", "pursuer": "2,3", "depth": "3"}, {"size": "8x8", "pursuer": "3,4"}),
)

EVADER_PURSUER_DUAL = Template(
    name="evader-pursuer-dual",
    help="Evader and Pursuer with Black as the pursuer, who moves second",
    options=(_SIZE, _PURSUER, depth_option(_interception)),
    construct=lambda values: _construct(values, Player.WHITE),
    examples=({"size": "4x4", "pursuer": "1,2", "depth": "3"}, {"size": "8x8", "pursuer": "2,3"}),
)
