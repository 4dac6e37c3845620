"""The claims of a layout in the form for the kernel."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.encodings.layout.layout import IllegalMoves, Layout, Ply, StateCode, StateView
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.reading import Flags, IllegalReplies, Pattern, PlyReading, Reading, Says

_REPLIES = {
    IllegalMoves.LOSES: IllegalReplies.ILLEGAL,
    IllegalMoves.IGNORED: IllegalReplies.PASS,
    IllegalMoves.REPLACED: IllegalReplies.ANY,
}


def reading_of(layout: Layout) -> Reading:
    state = layout.state
    indicated = [ply.indicators for ply in layout.moves if ply.indicators is not None]
    return Reading(
        plies=tuple(map(_ply, layout.moves)),
        says=tuple(_atoms_say(state) if state.code is None else _squares_say(state, state.code)),
        flags=tuple(flags for ply in layout.of(Player.WHITE) for flags in _flags(ply)),
        told=tuple(_told(state)) if state.lists_atoms else (),
        granted=tuple(literal for own in indicated for literal in own.literals),
        replies={player: _REPLIES[layout.illegal_replies(player)] for player in Player},
        source=f"the layout ({layout.source})",
    )


def _ply(ply: Ply) -> PlyReading:
    codes: dict[str, list[Pattern]] = {}
    for move, pattern in ply.coding.patterns():
        codes.setdefault(move, []).append(pattern)
    return PlyReading(ply.ply, ply.player, ply.variables, codes, ply.stop, ply.stop_instead)


def _flags(ply: Ply) -> Iterator[Flags]:
    if ply.indicators is not None:
        yield Flags(ply.ply, None, ply.indicators.literals)
    elif ply.legal:
        for move, literal in zip(ply.moves, ply.legal, strict=True):
            if literal:
                yield Flags(ply.ply, move, (literal,))


def _atoms_say(state: StateView) -> Iterator[Says]:
    places: list[tuple[str, tuple[int, ...]]] = [("", ())]
    if state.position:
        (axis,) = state.axes
        places = [(f" {place}", axis.equals(n)) for n, place in enumerate(state.places)]
    for time, literals in enumerate(state.states):
        for kind, literal in zip(state.kinds, literals, strict=False):
            if not literal:
                continue
            for place, when in places:
                atom = f"{kind}{place}"
                for value in (True, False):
                    if state.wrong(atom, by_formula=not value):
                        then = (literal if value else -literal,)
                        yield Says(time, atom, value, when, then)


def _squares_say(state: StateView, code: StateCode) -> Iterator[Says]:
    # On an axis of length 1 the bits mean nothing.
    columns, rows = (
        [() if axis.size == 1 else axis.equals(number) for number in range(axis.size)]
        for axis in state.axes
    )
    for time, (first, white) in enumerate(state.states):
        is_open = first if code is StateCode.OPEN_WHITE else -first
        for x, column in enumerate(columns, start=1):
            for y, row in enumerate(rows, start=1):
                when, square = column + row, f"({x},{y})"
                yield Says(time, f"black {square}", True, when, (-is_open, -white))
                yield Says(time, f"white {square}", True, when, (-is_open, white))
                yield Says(time, f"occupied {square}", False, when, (is_open,))


def _told(state: StateView) -> Iterator[tuple[int, str, int]]:
    for time, literals in enumerate(state.states):
        for atom, literal in zip(state.kinds, literals, strict=False):
            if literal:
                yield time, atom, literal
