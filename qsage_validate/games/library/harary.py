"""Harary's generalised Tic-Tac-Toe: whoever first forms the polyomino has won.

Shaik and van de Pol 2023, section 3.2 (positional games) and Table 2(a).
"""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model, Problem
from qsage_validate.games.library.parts import (
    COLOUR,
    Cell,
    depth_option,
    first_player,
    fits,
    full_board_depth,
    pattern,
    positional_domain,
    second_option,
)
from qsage_validate.games.library.template import (
    BoardSize,
    Choice,
    Flag,
    Option,
    Template,
    Values,
    is_on,
    number_of,
    size_of,
    word_of,
)
from qsage_validate.games.positional.polyominoes import DRAWINGS, cells_of
from qsage_validate.games.protocol import Player

_NAMES = ("domino", "el", "elly", "fatty", "knobby", "skinny", "tic", "tippy")

SHAPES = {name: DRAWINGS[name] for name in _NAMES}
"""The polyominoes by Harary's names (and Tic, the straight one of three), row by row."""


def orientations(cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
    """The different reflections and rotations of a polyomino.

    Each is given relative to its first cell, reading row by row.
    """
    found: dict[tuple[Cell, ...], None] = {}
    for mirrored in (False, True):
        turned = [(-x, y) if mirrored else (x, y) for x, y in cells]
        for _ in range(4):
            turned = [(-y, x) for x, y in turned]
            ordered = sorted(turned, key=lambda cell: (cell[1], cell[0]))
            x0, y0 = ordered[0]
            found[tuple((x - x0, y - y0) for x, y in ordered)] = None
    return sorted(found)


def _construct(values: Values) -> Model:
    size = size_of(values)
    shape = word_of(values, "shape")
    placed = [cells for cells in orientations(cells_of(SHAPES[shape])) if fits(cells, size)]
    board = f"{size[0]}x{size[1]}"
    if not placed:
        raise UsageError(f"{shape} does not fit on a {board} board in any orientation")
    breaker = is_on(values, "maker_breaker")
    black, white = (
        tuple(pattern(COLOUR[player], cells) for cells in placed)
        if player is Player.BLACK or not breaker
        else ()
        for player in Player
    )
    problem = Problem(*size, (), number_of(values, "depth"), black, white, first_player(values))
    return Model(positional_domain(), problem, f"httt {board} {shape}")


TEMPLATE = Template(
    name="httt",
    help="Harary's Tic-Tac-Toe: occupy squares; whoever first forms the polyomino has won",
    options=(
        Option("size", BoardSize(), "the board", (4, 4)),
        Option("shape", Choice(tuple(SHAPES)), "the polyomino", "tic"),
        Option("maker_breaker", Flag(), "White only hinders: no goals for White", False),
        second_option(),
        depth_option(full_board_depth),
    ),
    construct=_construct,
    examples=(
        {"size": "4x4", "shape": "tic", "depth": "5"},
        {"size": "3x3", "shape": "domino", "depth": "3"},
        {"size": "3x3", "shape": "el", "depth": "5"},
        {"size": "4x4", "shape": "elly", "depth": "7"},
        {"size": "3x3", "shape": "fatty", "maker_breaker": True},
        {"size": "4x3", "shape": "knobby", "depth": "9"},
        {"size": "4x3", "shape": "skinny", "second": True, "depth": "9"},
        {"size": "3x3", "shape": "tippy", "depth": "9"},
    ),
)
