"""Formulas that others' encoders wrote, with layouts of their moves made by rule."""

from __future__ import annotations

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import Layout
from qsage_validate.encodings.list_codings import listed
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player


def numbered_layout(formula: Qbf, game: PositionalGame) -> Layout:
    """Moves are numbers of the positions, most significant bit first.

    They stand in the first scopes of the players that have enough variables.
    """
    moves = game.model.positions
    width = max(1, (len(moves) - 1).bit_length())
    plies, at = [], 0
    for ply in range(1, game.plies + 1):
        player = game.player_at(ply)
        own = Quantifier.EXISTS if player is Player.BLACK else Quantifier.FORALL
        while True:
            scope = formula.scopes[at]
            at += 1
            if scope.quantifier is own and len(scope.variables) >= width:
                break
        plies.append(listed(ply, player, moves, code=scope.variables[:width]))
    return Layout(tuple(plies))
