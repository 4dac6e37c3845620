"""What a formula has to be worth after each play, by code that shares nothing with the judge's."""

from __future__ import annotations

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.residual import residual
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from tests.support.depqbf import depqbf_truth


def right_after_each_play(formula: Qbf, layout: Layout, game: TwoPlayerGame) -> bool:
    """True if the formula has the game's value after each play of legal moves.

    The game's is a minimax of its own; the formula's is DepQBF's, with the moves fixed.
    """
    right = True

    def black_wins(position: Position, fixed: dict[int, bool]) -> bool:
        nonlocal right
        if position.outcome is not None:
            value = position.outcome.winner is Player.BLACK
        else:
            coding = layout.moves[position.ply - 1].coding
            values = [
                black_wins(position.after(move), {**fixed, **coding.encode(str(move))})
                for move in position.legal_moves()
            ]
            value = any(values) if position.to_move is Player.BLACK else all(values)
        right = right and depqbf_truth(residual(formula, fixed)) is value
        return value

    black_wins(game.initial, {})
    return right
