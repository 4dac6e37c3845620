"""The other games of the library: on a grid, with pieces, and positional games.

Connect-c, Gomoku, Hex by winning sets, Domineering: Shaik and van de Pol 2023, section 3.2,
Listings 10 to 12, 19 and 20, section 5.

The positional games are those of ``httt`` and ``hex`` in another form: claims on named positions,
with winning sets or a network, as the encodings of Shaik, Mayer-Eichberger, van de Pol and
Saffidine 2023 take them.

Breakthrough, KnightThrough, Evader and Pursuer: Shaik and van de Pol 2023, section 3.2 and
Listings 7 to 9 and 13 to 18.  Konane and Cross Purposes, which the paper names without a model: by
the rules in R. A. Hearn, *Amazons, Konane, and Cross Purposes are PSPACE-complete* (2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import quoted
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
from qsage_validate.games.library.grid import (
    COLOUR,
    Cell,
    at,
    first_player,
    fitting_of,
    forming,
    pattern,
    positional_domain,
)
from qsage_validate.games.library.template import MAX_SIDE, Size, Values
from qsage_validate.games.protocol import Player, Square

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel

_BOTTOM = Coordinate(Anchor.PARAMETER), Coordinate(Anchor.MAXIMUM)
_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


# Connect-c and Gomoku


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
    fitting = fitting_of(lines, values)
    if not fitting:
        raise UsageError(f"a line of {length} does not fit on a {values.board} board")
    return fitting


def gomoku(values: Values) -> Model:
    """The first to have a line of so many stones, or a longer one, wins (section 3.2)."""
    name = f"gomoku {values.board} connect {values.number('connect')}"
    return forming(positional_domain(), name, _lines(values), values)


def connect(values: Values) -> Model:
    """The first to make a line wins."""
    length, board = values.number("connect"), values.board
    fitting = _lines(values)
    domain = Domain(*(_falling(COLOUR[player], values.size()[1]) for player in Player))
    return forming(domain, f"connect-c {board} connect {length}", fitting, values)


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


def hex_chains(values: Values) -> Model:
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


# Positional games by name: Harary's Tic-Tac-Toe with any polyomino, and Hex by its network


def harary(values: Values) -> PositionalModel:
    """Harary's game with any polyomino."""
    from qsage_validate.games.positional.harary import harary_model  # numpy

    width, height = values.size()
    stones = values.number("stones")
    first = values.number("first_stones") or stones
    if first > stones:
        raise UsageError(
            f"found {quoted(str(first))} for --first-stones, expected at most {stones} (--stones)"
        )
    return harary_model(
        values.word("shape"),
        width,
        height,
        torus=values.on("torus"),
        maker_breaker=values.on("maker_breaker"),
        stones=stones,
        first_stones=first,
        first=first_player(values),
        plies=values.number("depth"),
    )


def hexagons(values: Values) -> PositionalModel:
    """Hex by its network of neighbours."""
    from qsage_validate.games.positional.hex import hex_network  # numpy

    width, height = values.size()
    transversal = values.on("transversal")
    return hex_network(width, height, values.number("depth"), transversal=transversal)


# Templates of grid games in which pieces move


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


def breakthrough(values: Values, *, knights: bool) -> Model:
    """Breakthrough or KnightThrough; on a board of three rows each side has one row of pieces."""
    width, height = values.size()
    rows: dict[str, tuple[int, ...]] = {"BLACK": (height, height - 1), "WHITE": (1, 2)}
    if height < 4:
        rows = {colour: ys[:1] for colour, ys in rows.items()}
    squares = [(Square[colour], y) for colour, ys in rows.items() for y in ys]
    pieces = tuple((colour, x, y) for colour, y in squares for x in range(1, width + 1))
    black, white = (
        ((SubCondition(COLOUR[player], Coordinate(Anchor.PARAMETER), Coordinate(far)),),)
        for player, far in ((Player.BLACK, Anchor.MINIMUM), (Player.WHITE, Anchor.MAXIMUM))
    )
    depth, first = values.number("depth"), first_player(values)
    problem = BddlProblem(width, height, pieces, depth, black, white, first)
    actions = _knights if knights else _pawns
    domain = Domain(*(actions(player, (width, height)) for player in Player))
    return Model(domain, problem, f"{'knight' if knights else 'break'}through {values.board}")


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


def evader_pursuer(values: Values, *, colour: str) -> Model:
    """The evader moves first, from (xmax, ymin) to (xmin, ymin); the pursuer captures it there.

    ``colour`` is the evader's.
    """
    evader = Player(colour)
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
    problem = BddlProblem(width, height, pieces, values.number("depth"), black, white, evader)
    domain = Domain(*(_actions(player, evader=player is evader) for player in Player))
    name = "evader-pursuer" + ("" if evader is Player.BLACK else "-dual")
    return Model(domain, problem, f"{name} {values.board} {x},{y}")


# -- Konane: jumps over the opponent's stones -------------------------------------------------


def _jumps(player: Player, size: Size) -> tuple[Action, ...]:
    """One jump or several in a straight line, as far as the board goes; all that is jumped goes."""
    own, opponent = COLOUR[player], COLOUR[player.other]
    actions = []
    for name, (dx, dy) in _STRAIGHT.items():
        for count in range(1, (size[abs(dy)] - 1) // 2 + 1):
            jumped = [(dx * step, dy * step) for step in range(1, 2 * count, 2)]
            landed = [(dx * step, dy * step) for step in range(2, 2 * count + 1, 2)]
            condition = (at(own), *pattern(opponent, jumped), *pattern(Square.OPEN, landed))
            effect = (at(Square.OPEN), *pattern(Square.OPEN, jumped), at(own, *landed[-1]))
            actions.append(Action(name if count == 1 else f"{name}-{count}", condition, effect))
    return tuple(actions)


def konane(values: Values) -> Model:
    """Konane behind its opening: a full board of both colours in turn without two in its middle.

    Whoever cannot jump has lost; there are no goals.
    """
    width, height = values.size()
    x, y = (width + 1) // 2, (height + 1) // 2
    gone = {(x, y), (x + 1, y)}
    pieces = tuple(
        (Square.WHITE if (column + row) % 2 else Square.BLACK, column, row)
        for row in range(1, height + 1)
        for column in range(1, width + 1)
        if (column, row) not in gone
    )
    domain = Domain(*(_jumps(player, (width, height)) for player in Player))
    problem = BddlProblem(
        width, height, pieces, values.number("depth"), (), (), first_player(values)
    )
    return Model(domain, problem, f"konane {values.board}")


# -- Cross Purposes: stacks that are tipped over ----------------------------------------------


def stacks_of(drawing: str) -> tuple[Size, list[Size]]:
    """The board of a drawing, rows joined by ``/``, and the squares of its stacks, from (1,1).

    Raises ``UsageError`` for other signs than ``X`` and ``.``, and rows of different lengths.
    """
    rows = drawing.split("/")
    wrong = next((sign for sign in drawing if sign not in "X./"), None)
    if wrong is not None:
        raise UsageError(f"found {wrong!r} in --stacks {drawing}, expected X, . and / between rows")
    if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise UsageError(f"found --stacks {drawing}, expected rows of the same length")
    if max(len(rows), len(rows[0])) > MAX_SIDE:
        raise UsageError(
            f"found --stacks of {len(rows[0])}x{len(rows)}, expected at most {MAX_SIDE}"
        )
    found = [
        (x, y)
        for y, row in enumerate(rows, start=1)
        for x, sign in enumerate(row, start=1)
        if sign == "X"
    ]
    return (len(rows[0]), len(rows)), found


def cross_purposes(values: Values) -> Model:
    """Cross Purposes: Black tips a stack up or down, White to the left or to the right.

    A stack stands as a black stone, whoever tips it; what it becomes, two crates on the next two
    squares, are white stones, which stay.  Whoever cannot tip a stack has lost.
    """
    (width, height), stacks = stacks_of(values.word("stacks"))
    tips: dict[Player, list[Action]] = {player: [] for player in Player}
    for name, (dx, dy) in _STRAIGHT.items():
        lies = ((dx, dy), (2 * dx, 2 * dy))
        tip = Action(
            name,
            (at(Square.BLACK), *pattern(Square.OPEN, lies)),
            (at(Square.OPEN), *pattern(Square.WHITE, lies)),
        )
        tips[Player.BLACK if dy else Player.WHITE].append(tip)
    pieces = tuple((Square.BLACK, x, y) for x, y in stacks)
    problem = BddlProblem(
        width, height, pieces, values.number("depth"), (), (), first_player(values)
    )
    domain = Domain(*(tuple(tips[player]) for player in (Player.BLACK, Player.WHITE)))
    return Model(domain, problem, f"cross-purposes {values.word('stacks')}")
