"""Harary's Tic-Tac-Toe on a grid, and the parts that all templates of grid games share.

Shaik and van de Pol 2023: section 3.2, Listings 4 and 6, Table 2(a) for the polyominoes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qsage_validate.errors import UsageError
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
from qsage_validate.games.library import catalogue
from qsage_validate.games.library.template import Values
from qsage_validate.games.positional import polyominoes
from qsage_validate.games.positional.polyominoes import DRAWINGS, cells_of
from qsage_validate.games.protocol import Player, Square

Cell = tuple[int, int]
COLOUR = {Player.BLACK: Square.BLACK, Player.WHITE: Square.WHITE}
SHAPES = {name: DRAWINGS[name] for name in catalogue.SHAPES}
"""The polyominoes by Harary's names (and Tic, the straight one of three), row by row."""


# -- what templates of grid games share -----------------------------------------------------


def at(predicate: Square, dx: int = 0, dy: int = 0, *, negated: bool = False) -> SubCondition:
    """``predicate(?x+dx,?y+dy)``."""
    x, y = Coordinate(Anchor.PARAMETER, dx), Coordinate(Anchor.PARAMETER, dy)
    return SubCondition(predicate, x, y, negated)


def pattern(predicate: Square, cells: Iterable[Cell]) -> Condition:
    """All of some cells, relative to (?x,?y)."""
    return tuple(at(predicate, dx, dy) for dx, dy in cells)


def first_player(values: Values) -> Player:
    return Player.WHITE if values.on("second") else Player.BLACK


def positional_domain() -> Domain:
    """Each move occupies an open square (Listing 4)."""
    black, white = (
        (Action("occupy", (at(Square.OPEN),), (at(COLOUR[player]),)),) for player in Player
    )
    return Domain(black, white)


# -- shapes to be formed --------------------------------------------------------------------


def forming(domain: Domain, name: str, shapes: Iterable[Sequence[Cell]], values: Values) -> Model:
    """The game of a domain in which any of some shapes wins, for Black alone if asked."""
    goals = {player: tuple(pattern(COLOUR[player], s) for s in shapes) for player in Player}
    white = () if values.on("maker_breaker") else goals[Player.WHITE]
    size, depth, first = values.size(), values.number("depth"), first_player(values)
    return Model(domain, BddlProblem(*size, (), depth, goals[Player.BLACK], white, first), name)


def fitting_of(shapes: Iterable[Sequence[Cell]], values: Values) -> list[Sequence[Cell]]:
    """The shapes that have room on the board."""
    width, height = values.size()
    sizes = ((shape, polyominoes.size_of(shape)) for shape in shapes)
    return [shape for shape, (w, h) in sizes if w <= width and h <= height]


def orientations(cells: Sequence[Cell]) -> list[tuple[Cell, ...]]:
    """The different reflections and rotations of a polyomino, relative to their first cells."""
    forms = polyominoes.orientations(cells)
    return sorted(tuple((x - form[0][0], y - form[0][1]) for x, y in form) for form in forms)


def harary(values: Values) -> Model:
    """The first to form the polyomino wins."""
    shape, board = values.word("shape"), values.board
    placed = fitting_of(orientations(cells_of(SHAPES[shape])), values)
    if not placed:
        raise UsageError(f"{shape} does not fit on a {board} board in any orientation")
    return forming(positional_domain(), f"httt {board} {shape}", placed, values)
