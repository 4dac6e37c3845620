"""Templates of grid games in which squares are occupied: Tic-Tac-Toe, Connect-c, Hex, Domineering.

Shaik and van de Pol 2023: section 3.2 and Listings 4, 6, 10 to 12, 19 and 20, section 5 for Hex by
winning sets, Table 2(a) for the polyominoes.  This module has the parts that all templates of grid
games share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

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
_BOTTOM = Coordinate(Anchor.PARAMETER), Coordinate(Anchor.MAXIMUM)
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
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


def _forming(domain: Domain, name: str, shapes: Iterable[Sequence[Cell]], values: Values) -> Model:
    """The game of a domain in which any of some shapes wins, for Black alone if asked."""
    goals = {player: tuple(pattern(COLOUR[player], s) for s in shapes) for player in Player}
    white = () if values.on("maker_breaker") else goals[Player.WHITE]
    size, depth, first = values.size(), values.number("depth"), first_player(values)
    return Model(domain, BddlProblem(*size, (), depth, goals[Player.BLACK], white, first), name)


def _fitting(shapes: Iterable[Sequence[Cell]], values: Values) -> list[Sequence[Cell]]:
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
    placed = _fitting(orientations(cells_of(SHAPES[shape])), values)
    if not placed:
        raise UsageError(f"{shape} does not fit on a {board} board in any orientation")
    return _forming(positional_domain(), f"httt {board} {shape}", placed, values)


def _falling(colour: Square, height: int) -> tuple[Action, ...]:
    """Occupy the square above an occupied one, or the bottom one (whatever ``?y`` is)."""
    above = (at(Square.OPEN), at(Square.OPEN, 0, 1, negated=True))
    on_top = Action("occupyOnTop", above, (at(colour),))
    open_bottom, taken = (SubCondition(content, *_BOTTOM) for content in (Square.OPEN, colour))
    bottom = Action("occupyBottom", (open_bottom,), (taken,))
    return (on_top, bottom) if height > 1 else (bottom,)


def _lines(values: Values) -> list[Sequence[Cell]]:
    """The lines of ``--connect`` squares in all directions in which one fits on the board."""
    length = values.number("connect")
    lines = [[(dx * k, dy * k) for k in range(length)] for dx, dy in _DIRECTIONS]
    fitting = _fitting(lines, values)
    if not fitting:
        raise UsageError(f"a line of {length} does not fit on a {values.board} board")
    return fitting


def gomoku(values: Values) -> Model:
    """The first to have a line of so many stones, or a longer one, wins (section 3.2)."""
    name = f"gomoku {values.board} connect {values.number('connect')}"
    return _forming(positional_domain(), name, _lines(values), values)


def connect(values: Values) -> Model:
    """The first to make a line wins."""
    length, board = values.number("connect"), values.board
    fitting = _lines(values)
    domain = Domain(*(_falling(COLOUR[player], values.size()[1]) for player in Player))
    return _forming(domain, f"connect-c {board} connect {length}", fitting, values)


# -- Hex: Black's goals are all minimal chains, White wins by stopping Black ------------------


def _chain(path: tuple[Cell, ...], row_length: int | None) -> Condition:
    """A chain as a goal; with ``row_length`` on a board of one row."""
    squares = sorted(path, key=lambda cell: (cell[1], cell[0]))
    if row_length is not None:
        squares = [((y - 1) * row_length + x, 1) for x, y in squares]
    return tuple(
        SubCondition(Square.BLACK, Coordinate(Anchor.ABSOLUTE, x), Coordinate(Anchor.ABSOLUTE, y))
        for x, y in squares
    )


def _straight_chains(width: int, height: int, most: int) -> int:
    """The number of chains with one cell a row, or one greater than ``most``.

    Each goes on below its cell in two ways, but in the first column in one.
    """
    ending = [1] * width
    for _ in range(height - 1):
        if width == 1 or sum(ending) > most:
            break
        ending = [*(a + b for a, b in pairwise(ending)), ending[-1]]
    return sum(ending)


def hexagons(values: Values) -> Model:
    """Black's goals are the chains that there is time for."""
    from qsage_validate.games.goals import minimal_chains

    width, height = values.size()
    depth, limit, first = values.number("depth"), values.number("limit"), first_player(values)
    # Longer chains than Black has moves cannot be made in time (section 5).
    moves = (depth + 1) // 2 if first is Player.BLACK else (depth - 1) // 2
    one_row = width if values.on("one_row") else None
    # Large boards have too many straight chains already: none is listed then.
    straight = moves >= height and _straight_chains(width, height, limit) > limit
    chains = [] if straight else list(islice(minimal_chains(width, height, moves), limit + 1))
    if straight or len(chains) > limit:
        raise UsageError(
            f"hex {values.board} with depth {depth} has more than {limit} winning sets: "
            "choose a smaller board, a smaller --depth or a larger --limit"
        )
    if not chains:
        raise UsageError(
            f"hex {values.board} needs a depth of {2 * height - (first is Player.BLACK)} or more "
            f"for Black to have a winning set, found {depth}"
        )
    goals = tuple(_chain(chain, one_row) for chain in chains)
    size = (width * height, 1) if one_row else (width, height)
    problem = BddlProblem(*size, (), depth, goals, (), first)
    return Model(positional_domain(), problem, f"hex {values.board}")


# -- Domineering ----------------------------------------------------------------------------


def domineering(values: Values) -> Model:
    """Domineering: the player who cannot move has lost, and there are no goals."""
    upright, flat = ((0, 0), (0, 1)), ((0, 0), (1, 0))
    vertical = Action("vertical", pattern(Square.OPEN, upright), pattern(Square.BLACK, upright))
    horizontal = Action("horizontal", pattern(Square.OPEN, flat), pattern(Square.WHITE, flat))
    problem = BddlProblem(*values.size(), (), values.number("depth"), (), (), first_player(values))
    return Model(Domain((vertical,), (horizontal,)), problem, f"domineering {values.board}")
