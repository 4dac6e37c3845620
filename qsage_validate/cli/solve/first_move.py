"""The winning first move in what a solver says of the outermost block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from qsage_validate.games.protocol import Player

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.layout.tables import AnyLayout


def first_move(layout: AnyLayout | None, outer: Mapping[int, bool] | None, winner: Player) -> str:
    """The move of ply 1 as text; empty where it is the loser's, or is not known."""
    from qsage_validate.encodings.layout.tables import TableLayout
    from qsage_validate.strategies.readings import MoveCode

    if layout is None or outer is None or not layout.moves:
        return ""
    if isinstance(layout, TableLayout):
        table = layout.moves[0]
        known = table.player is winner and all(abs(v) in outer for v in table.variables)
        return (table.chosen(outer) or "") if known else ""
    variables = layout.moves[0]
    if variables.player is not winner:
        return ""
    if not all(abs(v) in outer for v in variables.literals):
        return ""
    answer = MoveCode(layout).decode(variables, outer)
    return "" if answer.move is None else str(answer.move)


def assignment_text(formula: Qbf, outer: Mapping[int, bool], limit: int = 40) -> str:
    """An assignment as literals by the names of the formula, shortened when it is long."""
    literals = [("" if value else "-") + formula.name(v) for v, value in outer.items()]
    more = f" … ({len(literals)} variables)" if len(literals) > limit else ""
    return " ".join(literals[:limit]) + more
