"""Domineering: Black places dominoes upright, White flat; who cannot move has lost.

Shaik and van de Pol 2023, section 3.2 and Listings 10, 19 and 20.
"""

from __future__ import annotations

from qsage_validate.games.bddl.model import Action, Domain, Model, Problem
from qsage_validate.games.library.parts import (
    depth_option,
    first_player,
    pattern,
    second_option,
)
from qsage_validate.games.library.template import (
    BoardSize,
    Option,
    Template,
    Values,
    is_on,
    number_of,
    size_of,
)
from qsage_validate.games.protocol import Square

_UPRIGHT = ((0, 0), (0, 1))
_FLAT = ((0, 0), (1, 0))


def _construct(values: Values) -> Model:
    size = size_of(values)
    vertical = Action("vertical", pattern(Square.OPEN, _UPRIGHT), pattern(Square.BLACK, _UPRIGHT))
    horizontal = Action("horizontal", pattern(Square.OPEN, _FLAT), pattern(Square.WHITE, _FLAT))
    depth = number_of(values, "depth")
    problem = Problem(*size, (), depth, (), (), first_player(values))
    return Model(Domain((vertical,), (horizontal,)), problem, f"domineering {size[0]}x{size[1]}")


def _last_ply(values: Values) -> int:
    """The ply at which, at the latest, somebody cannot move: the board is full before it."""
    width, height = size_of(values)
    return width * height // 2 + 1 + is_on(values, "second")


TEMPLATE = Template(
    name="domineering",
    help="Domineering: Black places dominoes upright, White flat; who cannot move has lost",
    options=(
        Option("size", BoardSize(min_width=2, min_height=2), "the board", (4, 4)),
        second_option(),
        depth_option(_last_ply),
    ),
    construct=_construct,
    examples=(
        {"size": "4x4", "depth": "8"},
        {"size": "2x2", "depth": "2"},
        {"size": "3x3", "second": True},
    ),
)
