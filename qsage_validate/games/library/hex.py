"""Hex through explicit winning sets: Black's goals are all minimal chains from side to side.

Shaik and van de Pol 2023, section 5 (positional games).  White wins by stopping Black, which
in Hex is the same as connecting the other two sides, so White has no goals.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import (
    Anchor,
    Condition,
    Coordinate,
    Model,
    Problem,
    SubCondition,
)
from qsage_validate.games.library.parts import (
    Cell,
    depth_option,
    first_player,
    full_board_depth,
    positional_domain,
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

NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
"""The six neighbours of a hexagon on a board whose rows are shifted to the right."""

_DEFAULT_LIMIT = 20_000


def minimal_chains(width: int, height: int, longest: int) -> Iterator[tuple[Cell, ...]]:
    """The minimal sets of squares that connect top and bottom, of at most ``longest`` squares.

    Such a set is a path without shortcuts that meets the top row in its first square only and
    the bottom row in its last only.  Cells count from 1.
    """
    starts = range(width, 0, -1) if height <= longest else ()
    stack: list[tuple[Cell, ...]] = [((x, 1),) for x in starts]
    while stack:
        path = stack.pop()
        x, y = path[-1]
        if y == height:
            yield path
            continue
        # Rows still to go bound the length from below.
        if len(path) + height - y > longest:
            continue
        earlier = set(path[:-1])
        for dx, dy in NEIGHBOURS:
            cell = (x + dx, y + dy)
            if not (1 <= cell[0] <= width and 1 < cell[1] <= height) or cell in earlier:
                continue
            if any((cell[0] + ex, cell[1] + ey) in earlier for ex, ey in NEIGHBOURS):
                continue
            stack.append((*path, cell))


def _goal(path: tuple[Cell, ...], row_length: int | None) -> Condition:
    """A chain as a goal; with ``row_length`` on a board of one row."""
    squares = sorted(path, key=lambda cell: (cell[1], cell[0]))
    if row_length is not None:
        squares = [((y - 1) * row_length + x, 1) for x, y in squares]
    return tuple(
        SubCondition(Square.BLACK, Coordinate(Anchor.ABSOLUTE, x), Coordinate(Anchor.ABSOLUTE, y))
        for x, y in squares
    )


def _construct(values: Values) -> Model:
    width, height = size_of(values)
    board = f"{width}x{height}"
    depth = number_of(values, "depth")
    limit = number_of(values, "limit")
    first = first_player(values)
    # Longer chains than Black has moves cannot be made in time (section 5).
    moves = (depth + 1) // 2 if first is Player.BLACK else (depth - 1) // 2
    one_row = width if is_on(values, "one_row") else None
    chains = list(islice(minimal_chains(width, height, moves), limit + 1))
    if len(chains) > limit:
        raise UsageError(
            f"hex {board} with depth {depth} has more than {limit} winning sets: "
            "choose a smaller board, a smaller --depth or a larger --limit"
        )
    goals = [_goal(chain, one_row) for chain in chains]
    if not goals:
        raise UsageError(
            f"hex {board} needs a depth of {2 * height - (first is Player.BLACK)} or more for "
            f"Black to have a winning set, found {depth}"
        )
    size = (width * height, 1) if one_row else (width, height)
    problem = Problem(*size, (), depth, tuple(goals), (), first)
    return Model(positional_domain(), problem, f"hex {board}")


TEMPLATE = Template(
    name="hex",
    help="Hex: Black connects the top and the bottom row; every minimal chain is a goal",
    options=(
        Option("size", BoardSize(), "the board", (3, 3)),
        Option("one_row", Flag(), "number the squares along a board of one row", False),
        Option("limit", Number(1, 10_000_000), "how many winning sets at most", _DEFAULT_LIMIT),
        second_option(),
        depth_option(full_board_depth),
    ),
    construct=_construct,
    examples=(
        {"size": "3x3"},
        {"size": "3x3", "one_row": True, "depth": "5"},
        {"size": "3x4", "limit": "100", "second": True, "depth": "9"},
    ),
)
