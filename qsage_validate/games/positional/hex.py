"""Hex as a network: cells of a board of hexagons, Black from the first row to the last.

The transversal game on the same board has White connect the first column with the last; by the
Hex theorem (Gale 1979) Black has cut that off if and only if Black has connected the rows, once
the board is full, so both games have the same winner, and in as many plies.
"""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.errors import UsageError
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.goals import NEIGHBOURS
from qsage_validate.games.masks import flood, mask_of, members, minimal
from qsage_validate.games.positional.model import (
    MAX_POSITIONS,
    Arrangement,
    Network,
    PositionalModel,
    alternating,
)
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.protocol import Player


def hex_neighbours(cells: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """For each cell, 1-based (x, y), the set of its neighbours among the cells."""
    number = {cell: k for k, cell in enumerate(cells)}
    return tuple(
        mask_of(number[x + dx, y + dy] for dx, dy in NEIGHBOURS if (x + dx, y + dy) in number)
        for x, y in cells
    )


def _border(cells: tuple[tuple[int, int], ...], axis: int, value: int) -> int:
    return mask_of(k for k, cell in enumerate(cells) if cell[axis] == value)


def hex_network(
    width: int, height: int, plies: int | None = None, *, transversal: bool = False
) -> PositionalModel:
    """Hex on a board of any size, empty; as many plies as there are cells, unless said.

    With ``transversal`` the network is White's, from the first column to the last.  Raises
    ``UsageError`` for boards of no cells or too many.
    """
    if width < 1 or height < 1 or width * height > MAX_POSITIONS:
        raise UsageError(
            f"found a {width}x{height} board, expected one of 1 to {MAX_POSITIONS} cells"
        )
    cells = tuple((x, y) for x in range(1, width + 1) for y in range(1, height + 1))
    axis, last = (0, width) if transversal else (1, height)
    network = Network(
        hex_neighbours(cells),
        _border(cells, axis, 1),
        _border(cells, axis, last),
        short=Player.WHITE if transversal else Player.BLACK,
    )
    return PositionalModel(
        name=f"hex {width}x{height}{' transversal' if transversal else ''}",
        positions=tuple(cell_name(x, y) for x, y in cells),
        turns=alternating(width * height if plies is None else plies),
        network=network,
        hexagons=True,
    )


def transversal_of(model: PositionalModel) -> PositionalModel:
    """The same Hex position with White's network in place of Black's, or the reverse.

    Raises ``UsageError`` for a model that is no Hex board with its network between two sides.
    """
    network = model.network
    if network is None or not is_hex_board(model):
        raise UsageError(f"{model.name} is no Hex board with a network, expected one")
    grid = Arrangement.of(model.positions)
    axis, last = (0, grid.width) if _axis(network, grid) == 1 else (1, grid.height)
    first, final = _border(grid.squares, axis, 1), _border(grid.squares, axis, last)
    other = Network(network.neighbours, first, final, short=network.short.other)
    return replace(model, network=other, name=f"{model.name} transversal")


def with_network(model: PositionalModel) -> PositionalModel | None:
    """The same game with a network for Black in place of winning sets, where these are Hex's.

    These are all that Black has stones for.  ``None`` for any other game, and for a board with
    stones.
    """
    if model.network is not None or model.black or model.white or not is_hex_board(model):
        return None
    cells = Arrangement.of(model.positions).squares
    first, last = _border(cells, 1, 1), _border(cells, 1, max(y for _, y in cells))
    network = Network(hex_neighbours(cells), first, last)
    found = replace(model, network=network, black_wins=())
    try:
        listed = with_winning_sets(found, len(model.black_wins))
    except UsageError:  # more ways than the game has sets
        return None
    return found if set(minimal(model.black_wins)) == set(minimal(listed.black_wins)) else None


def _axis(network: Network, grid: Arrangement) -> int | None:
    """0 for a network from the first column to the last, 1 for one between rows."""
    cells = grid.squares
    for axis, last in ((1, grid.height), (0, grid.width)):
        if (network.start, network.end) == (_border(cells, axis, 1), _border(cells, axis, last)):
            return axis
    return None


def side_owner(model: PositionalModel) -> Player | None:
    """The player who connects the top row of a Hex board with the bottom row.

    The opponent connects the left side with the right side.

    ``None`` for a model that is no Hex board.
    """
    if not is_hex_board(model):
        return None
    if model.network is None:
        return Player.BLACK
    short = model.network.short
    return short if _axis(model.network, Arrangement.of(model.positions)) == 1 else short.other


def is_hex_board(model: PositionalModel) -> bool:
    """True if a model is Hex on a board, by its network between two sides or its winning sets.

    Winning sets are Hex's when all of them connect the first row with the last by neighbouring
    hexagons, and some of them only by the neighbours that squares do not have.
    """
    grid = Arrangement.of(model.positions)
    if not grid.grid or model.white_wins:
        return False
    cells, neighbours, network = grid.squares, hex_neighbours(grid.squares), model.network
    if network is not None:
        return network.neighbours == neighbours and _axis(network, grid) is not None
    first, final = _border(cells, 1, 1), _border(cells, 1, grid.height)
    straight = tuple(
        mask_of(
            k
            for k in members(row)
            if sum(abs(a - b) for a, b in zip(cells[k], cell, strict=True)) == 1
        )
        for cell, row in zip(cells, neighbours, strict=True)
    )
    for wins in model.black_wins:
        if not flood(first & wins, wins, neighbours) & final:
            return False
    return any(not flood(first & w, w, straight) & final for w in model.black_wins)
