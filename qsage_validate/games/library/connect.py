"""Connect-c: pieces fall to the bottom; whoever first has c in a line has won.

Shaik and van de Pol 2023, section 3.2 and Listings 6, 11 and 12.
"""

from __future__ import annotations

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
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
    fits,
    full_board_depth,
    is_not,
    pattern,
    second_option,
)
from qsage_validate.games.library.template import (
    BoardSize,
    Flag,
    Number,
    Option,
    Template,
    Values,
    is_on,
    number_of,
    size_of,
)
from qsage_validate.games.protocol import Player, Square

_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
_BOTTOM = Coordinate(Anchor.PARAMETER), Coordinate(Anchor.MAXIMUM)


def _actions(colour: Square, height: int) -> tuple[Action, ...]:
    """Occupy the square above an occupied one, or the bottom one (whatever ``?y`` is)."""
    on_top = Action("occupyOnTop", (at(Square.OPEN), is_not(Square.OPEN, 0, 1)), (at(colour),))
    bottom = Action(
        "occupyBottom",
        (SubCondition(Square.OPEN, *_BOTTOM),),
        (SubCondition(colour, *_BOTTOM),),
    )
    return (on_top, bottom) if height > 1 else (bottom,)


def _construct(values: Values) -> Model:
    size = size_of(values)
    length = number_of(values, "connect")
    board = f"{size[0]}x{size[1]}"
    lines = [[(dx * k, dy * k) for k in range(length)] for dx, dy in _DIRECTIONS]
    lines = [line for line in lines if fits(line, size)]
    if not lines:
        raise UsageError(f"a line of {length} does not fit on a {board} board")
    breaker = is_on(values, "maker_breaker")
    black, white = (
        tuple(pattern(COLOUR[player], line) for line in lines)
        if player is Player.BLACK or not breaker
        else ()
        for player in Player
    )
    domain = Domain(*(_actions(COLOUR[player], size[1]) for player in Player))
    problem = Problem(*size, (), number_of(values, "depth"), black, white, first_player(values))
    return Model(domain, problem, f"connect-c {board} connect {length}")


TEMPLATE = Template(
    name="connect-c",
    help="Connect-c: pieces fall to the bottom; whoever first has c in a line has won",
    options=(
        Option("size", BoardSize(), "the board", (4, 4)),
        Option("connect", Number(2, 100), "how many make a line", 3),
        Option("maker_breaker", Flag(), "White only hinders: no goals for White", False),
        second_option(),
        depth_option(full_board_depth),
    ),
    construct=_construct,
    examples=(
        {"size": "4x4", "connect": "3", "depth": "9"},
        {"size": "2x2", "connect": "2", "depth": "3"},
        {"size": "3x3", "connect": "3", "maker_breaker": True},
        {"size": "4x3", "connect": "3", "second": True},
    ),
)
