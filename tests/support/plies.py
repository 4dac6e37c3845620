"""Plies and boards of layouts with something changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qsage_validate.encodings.layout import Bits, GridCoding, Indicators, Layout, Number, Ply
from qsage_validate.encodings.list_codings import listed


def relisted(ply: Ply, **changes: Any) -> Ply:
    """A ply whose moves are listed with other ``moves``, ``code``, ``literals``, ``stop``, …."""
    own: dict[str, Any] = {"ply": ply.ply, "player": ply.player, "moves": ply.moves}
    own |= {"code" if ply.coding.numbers else "literals": ply.variables}
    own |= {"legal": ply.legal, "stop": ply.stop}
    return listed(**(own | changes))


def with_bits(ply: Ply, *, action: Bits | None = None, x: Bits | None = None) -> Ply:
    """A ply of a grid with other bits for the action or the column."""
    coding = ply.coding
    assert isinstance(coding, GridCoding)
    if action is not None:
        coding = replace(coding, action=action)
    if x is not None:
        coding = replace(coding, x=Number(x, coding.x.size))
    return replace(ply, coding=coding)


def with_width(layout: Layout, width: int) -> Layout:
    """The layout of a board with another width."""
    x, y = layout.state.axes
    return replace(layout, state=replace(layout.state, axes=(replace(x, size=width), y)))


def with_indicators(layout: Layout, ply: int, indicators: Indicators | None) -> Layout:
    """The layout with other indicators of one ply."""
    moves = (replace(m, indicators=indicators) if m.ply == ply else m for m in layout.moves)
    return replace(layout, moves=tuple(moves))


def indicators_of(layout: Layout) -> list[tuple[int, Indicators]]:
    """The indicators of a layout, by ply."""
    return [(m.ply, m.indicators) for m in layout.moves if m.indicators is not None]
