"""What a formula has to be worth after each play, by code that shares nothing with the judge's."""

from __future__ import annotations

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.layout import Layout
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from tests.support.depqbf import depqbf_truth


def right_after_each_play(formula: Qbf, layout: Layout, game: TwoPlayerGame) -> bool:
    """True if the formula has the game's value after each play of legal moves.

    The game's is a minimax of its own; the formula's is DepQBF's, with the moves fixed.  Each of
    the two values may be right with nobody stopping before the last move, instead.
    """
    return all(
        any(_right(formula, layout, game, value, stops) for stops in (False, True))
        for value in (True, False)
    )


def _right(formula: Qbf, layout: Layout, game: TwoPlayerGame, half: bool, stops: bool) -> bool:
    right = True

    def black_wins(position: Position, fixed: dict[int, bool]) -> bool:
        nonlocal right
        if position.outcome is not None:
            value = position.outcome.winner is Player.BLACK
        else:
            values = [
                black_wins(position.after(move), {**fixed, **_made(layout, position, str(move))})
                for move in position.legal_moves()
            ]
            value = any(values) if position.to_move is Player.BLACK else all(values)
        if right and value is half:
            own = fixed if stops else {v: x for v, x in fixed.items() if v not in _stops(layout)}
            right = depqbf_truth(residual(formula, own)) is value
        return value

    black_wins(game.initial, {})
    return right


def _made(layout: Layout, position: Position, move: str) -> dict[int, bool]:
    """The values that say a move, and that nobody has stopped before it."""
    own = layout.moves[position.ply - 1]
    found = own.coding.encode(move)
    before = own if own.stop_instead else layout.moves[position.ply - 2]
    if before.stop is not None and (own.stop_instead or position.ply > 1):
        found[abs(before.stop)] = before.stop < 0
    return found


def _stops(layout: Layout) -> set[int]:
    return {abs(ply.stop) for ply in layout.moves if ply.stop is not None}
