"""Moves by their squares, as people say them: the landing square, from where to where."""

from __future__ import annotations

from qsage_validate.games.protocol import Board, Square
from qsage_validate.strategies.readings import LayoutMove, SquareXY


def squares_of(before: Board | None, after: Board | None, move: LayoutMove | None) -> str:
    """A move by its squares: ``(2,4)`` for a piece that falls, ``(2,3)-(1,2)`` for a step.

    ``(2,3)x(1,2)`` is a step that captures.  Empty where a board is not known, where the name of
    the move says the square already, and for moves of other kinds.
    """
    if before is None or after is None or move is None:
        return ""
    changed = before.differences(after)
    if len(changed) == 1 and before[changed[0]] is Square.OPEN:
        return "" if move.square in (changed[0], None) else _text(changed[0])
    if len(changed) != 2:
        return ""
    origin, target = sorted(changed, key=lambda square: after[square] is not Square.OPEN)
    moved = before[origin]
    if moved is Square.OPEN or after[origin] is not Square.OPEN or after[target] is not moved:
        return ""
    capture = before[target] is not Square.OPEN
    return f"{_text(origin)}{'x' if capture else '-'}{_text(target)}"


def _text(square: SquareXY) -> str:
    x, y = square
    return f"({x},{y})"
