"""What a layout claims, in the form that the proofs ask for.

Grids name a move by action and coordinates, tables by number or by one literal of several; grids
keep a position square by square, tables in words.  From here on that makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.encodings.layout.grid import Bits, Layout, MoveVariables, StateCode, value_bits
from qsage_validate.encodings.layout.tables import (
    AnyLayout,
    IllegalMoves,
    MoveTable,
    TableLayout,
    illegal_replies,
)
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.reading import (
    Flags,
    Pattern,
    PlyReading,
    Reading,
    Replies,
    Says,
)

_REPLIES = {
    IllegalMoves.LOSES: Replies.ILLEGAL,
    IllegalMoves.IGNORED: Replies.PASS,
    IllegalMoves.REPLACED: Replies.ANY,
}


def reading_of(layout: AnyLayout) -> Reading:
    """The claims of a layout of either kind."""
    if isinstance(layout, TableLayout):
        return Reading(
            plies=tuple(map(_table_ply, layout.moves)),
            says=tuple(_table_says(layout)),
            flags=tuple(
                Flags(table.ply, move, (literal,))
                for table in layout.moves
                if table.player is Player.WHITE and table.legal
                for move, literal in zip(table.moves, table.legal, strict=True)
                if literal
            ),
            told=tuple(_told(layout)),
            replies={player: _REPLIES[illegal_replies(layout, player)] for player in Player},
            source=f"the layout ({layout.source})",
        )
    indicators = [
        (i.ply, (*(() if i.bounds is None else (i.bounds,)), *i.preconditions))
        for i in layout.indicators
    ]
    return Reading(
        plies=tuple(_grid_ply(layout, move) for move in layout.moves),
        says=tuple(_grid_says(layout)),
        flags=tuple(Flags(ply, None, literals) for ply, literals in indicators),
        granted=tuple(literal for _, literals in indicators for literal in literals),
        source=f"the layout ({layout.source})",
    )


# -- Tables ----------------------------------------------------------------------------------


def _table_ply(table: MoveTable) -> PlyReading:
    codes: dict[str, list[Pattern]] = {}
    width = len(table.variables)
    for number, move in enumerate(table.moves):
        if table.code or not table.literals:
            if number >> len(table.code):
                continue
            pattern: Pattern = value_bits(number, len(table.code))
        else:
            pattern = tuple(k == number for k in range(width))
        codes.setdefault(move, []).append(pattern)
    return PlyReading(
        table.ply, table.player, table.variables, codes, table.stop, stop_instead=True
    )


def _table_says(layout: TableLayout) -> Iterator[Says]:
    state = layout.state
    places: list[tuple[str, tuple[int, ...]]] = [("", ())]
    if state.position:
        places = [
            (f" {place}", _equal(state.position, number))
            for number, place in enumerate(state.places)
        ]
    for time, literals in enumerate(state.states):
        for kind, literal in zip(state.atoms, literals, strict=False):
            if not literal:
                continue
            for place, when in places:
                atom = f"{kind}{place}"
                for value in (True, False):
                    if state.wrong(atom, by_formula=not value):
                        then = (literal if value else -literal,)
                        yield Says(time, atom, value, when, then)


def _told(layout: TableLayout) -> Iterator[tuple[int, str, int]]:
    state = layout.state
    if not state.position:
        for time, literals in enumerate(state.states):
            for atom, literal in zip(state.atoms, literals, strict=False):
                if literal:
                    yield time, atom, literal


# -- Grids -----------------------------------------------------------------------------------


def _grid_ply(layout: Layout, move: MoveVariables) -> PlyReading:
    actions = layout.actions(move.player)
    columns = [_axis(move.x, number, layout.width) for number in range(layout.width)]
    rows = [_axis(move.y, number, layout.height) for number in range(layout.height)]
    codes: dict[str, list[Pattern]] = {}
    for number, action in enumerate(actions):
        chosen = _axis(move.action, number, len(actions))
        for x, column in enumerate(columns, start=1):
            for y, row in enumerate(rows, start=1):
                if chosen is not None and column is not None and row is not None:
                    pattern = (*chosen, *column, *row)
                    codes.setdefault(f"{action}({x},{y})", []).append(pattern)
    return PlyReading(move.ply, move.player, move.literals, codes, move.stop)


def _axis(bits: Bits, number: int, size: int) -> Pattern | None:
    """The values of bits that stand for a number; where there is but one, they mean nothing."""
    if size == 1:
        return (None,) * len(bits)
    return None if number >> len(bits) else value_bits(number, len(bits))


def _grid_says(layout: Layout) -> Iterator[Says]:
    board = layout.board
    for time, (first, white) in enumerate(board.states):
        is_open = first if board.code is StateCode.OPEN_WHITE else -first
        for x in range(1, layout.width + 1):
            for y in range(1, layout.height + 1):
                when = _place(board.x, x, layout.width) + _place(board.y, y, layout.height)
                square = f"({x},{y})"
                yield Says(time, f"black {square}", True, when, (-is_open, -white))
                yield Says(time, f"white {square}", True, when, (-is_open, white))
                yield Says(time, f"occupied {square}", False, when, (is_open,))


def _place(bits: Bits, coordinate: int, size: int) -> tuple[int, ...]:
    return () if size == 1 else _equal(bits, coordinate - 1)


def _equal(bits: Bits, number: int) -> tuple[int, ...]:
    """The literals that hold where bits stand for a number."""
    values = value_bits(number, len(bits))
    return tuple(bit if value else -bit for bit, value in zip(bits, values, strict=True))
