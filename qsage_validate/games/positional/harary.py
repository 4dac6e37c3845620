"""Harary's Tic-Tac-Toe on boards with edges and on tori: whoever forms the polyomino wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qsage_validate.errors import UsageError
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.positional.masks import mask_of
from qsage_validate.games.positional.model import MAX_POSITIONS, PositionalModel
from qsage_validate.games.positional.polyominoes import find, orientations, size_of
from qsage_validate.games.positional.symmetry import with_first_moves
from qsage_validate.games.protocol import Player


def grid_positions(width: int, height: int) -> tuple[str, ...]:
    """The names of a board's cells, column by column: a1, a2, …, b1, …."""
    return tuple(cell_name(x, y) for x in range(1, width + 1) for y in range(1, height + 1))


def placements(
    cells: Sequence[tuple[int, int]], width: int, height: int, *, torus: bool = False
) -> Iterator[int]:
    """The sets of positions that are the polyomino in some orientation, each once.

    On a torus they may go over the edges, but not over themselves.
    """
    seen: set[int] = set()
    for form in orientations(cells):
        w, h = size_of(form)
        columns = width if torus else width - w + 1
        rows = height if torus else height - h + 1
        for dx in range(max(columns, 0)):
            for dy in range(max(rows, 0)):
                placed = {((x + dx) % width, (y + dy) % height) for x, y in form}
                mask = mask_of(x * height + y for x, y in placed)
                if len(placed) == len(form) and mask not in seen:
                    seen.add(mask)
                    yield mask


def harary_model(
    shape: str,
    width: int,
    height: int,
    *,
    torus: bool = False,
    maker_breaker: bool = False,
    stones: int = 1,
    first_stones: int | None = None,
    first: Player = Player.BLACK,
    plies: int | None = None,
) -> PositionalModel:
    """The game of a polyomino, by name or drawn, on a board.

    ``stones`` a turn, ``first_stones`` in the first one (as many, unless said); ``plies`` as many
    as there are cells, unless said.  Raises ``UsageError`` for a board that is too small for the
    polyomino, or too large for any.
    """
    name, cells = find(shape)
    board = f"{width}x{height}{' torus' if torus else ''}"
    if not 1 <= width * height <= MAX_POSITIONS or min(width, height) < 1:
        raise UsageError(f"found a {board} board, expected one of 1 to {MAX_POSITIONS} cells")
    wins = tuple(placements(cells, width, height, torus=torus))
    if not wins:
        raise UsageError(f"found a {board} board, expected one that is not too small for {name}")
    lead = stones if first_stones is None else first_stones
    if stones < 1 or not 1 <= lead <= stones:
        raise UsageError(
            f"found {lead} stones in the first turn of {stones}, expected 1 to {max(stones, 1)}"
        )
    count = width * height if plies is None else plies
    turns = tuple(
        first if k < lead or (k - lead) // stones % 2 else first.other for k in range(count)
    )
    kind = "maker-breaker " if maker_breaker else ""
    model = PositionalModel(
        name=f"{kind}httt {board} {name}",
        positions=grid_positions(width, height),
        turns=turns,
        black_wins=wins,
        white_wins=() if maker_breaker else wins,
    )
    return with_first_moves(model)
