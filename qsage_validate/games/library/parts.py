"""What the templates have in common: the pieces of conditions, and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    Condition,
    Coordinate,
    Domain,
    SubCondition,
)
from qsage_validate.games.library.template import (
    MAX_DEPTH,
    Flag,
    Number,
    Option,
    Size,
    Values,
    is_on,
    size_of,
)
from qsage_validate.games.protocol import Player, Square

Cell = tuple[int, int]

COLOUR = {Player.BLACK: Square.BLACK, Player.WHITE: Square.WHITE}


def at(predicate: Square, dx: int = 0, dy: int = 0, *, negated: bool = False) -> SubCondition:
    """``predicate(?x+dx,?y+dy)``."""
    return SubCondition(
        predicate,
        Coordinate(Anchor.PARAMETER, dx),
        Coordinate(Anchor.PARAMETER, dy),
        negated,
    )


def is_not(predicate: Square, dx: int = 0, dy: int = 0) -> SubCondition:
    """``NOT(predicate(?x+dx,?y+dy))``."""
    return at(predicate, dx, dy, negated=True)


def pattern(predicate: Square, cells: Iterable[Cell]) -> Condition:
    """All of some cells, relative to (?x,?y)."""
    return tuple(at(predicate, dx, dy) for dx, dy in cells)


def positional_domain() -> Domain:
    """Each move occupies an open square (Listing 4)."""
    black, white = (
        (Action("occupy", (at(Square.OPEN),), (at(COLOUR[player]),)),) for player in Player
    )
    return Domain(black, white)


def fits(cells: Iterable[Cell], size: Size) -> bool:
    """Whether a pattern has room on a board."""
    return all(
        max(axis) - min(axis) < side
        for axis, side in zip(zip(*cells, strict=True), size, strict=True)
    )


def depth_option(default: Callable[[Values], int]) -> Option:
    """``--depth``: the number behind ``#depth``."""
    text = "number of plies; where White begins one more, for Black's dropped first move"
    return Option(
        "depth", Number(1, MAX_DEPTH), text, lambda values: min(default(values), MAX_DEPTH)
    )


def second_option() -> Option:
    """``--second``: White moves first."""
    return Option("second", Flag(), "Black is the second player: White moves first", False)


def first_player(values: Values) -> Player:
    """Who makes ply 1."""
    return Player.WHITE if is_on(values, "second") else Player.BLACK


def full_board_depth(values: Values) -> int:
    """A depth at which Black has had each chance to move before the board is full.

    Black's plies are the odd ones, also in the count of ``#depth`` for a second player.
    """
    width, height = size_of(values)
    squares = width * height
    # With White first, ply k of the play is number k + 1 in the count of #depth.
    if is_on(values, "second"):
        return max(squares // 2 * 2 + 1, 3)
    return squares - 1 + squares % 2 if squares > 1 else 1
