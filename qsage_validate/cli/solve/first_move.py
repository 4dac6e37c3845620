"""The winning first move in what a solver says of the outermost block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.layout.layout import Layout


def first_move(layout: Layout | None, outer: Mapping[int, bool] | None, winner: Player) -> str:
    """The move of ply 1 as text; empty where it is the loser's, or is not known."""
    if layout is None or outer is None or not layout.moves:
        return ""
    ply = layout.moves[0]
    if ply.player is not winner or not all(abs(v) in outer for v in ply.variables):
        return ""
    return ply.coding.decode(outer)[0] or ""


def assignment_text(formula: Qbf, outer: Mapping[int, bool], limit: int = 40) -> str:
    """An assignment as literals by the names of the formula, shortened when it is long."""
    literals = [("" if value else "-") + formula.name(v) for v, value in outer.items()]
    more = f" … ({len(literals)} variables)" if len(literals) > limit else ""
    return " ".join(literals[:limit]) + more
